"""The Messages client over HTTP with the real SDK: what is sent, what is kept, what comes back when all goes well."""

import itertools
import json
from dataclasses import asdict

from tests.fake_messages import Changed, Gaps, Pause, SearchFails, Server, Text, asked_again
from tests.fake_messages.engine import CITED
from tests.fake_messages.fixture import KEY
from tests.llm.conftest import ANCHOR, SHARED, Made, MemoryJournal, ask_for
from vada.llm.base import Ask, prompt_hash
from vada.llm.request import schema
from vada.models.replies import AuditReply, CompressionReply, ProposalReply, SynthesisReply
from vada.models.vocabulary import Role


async def test_a_prompt_is_one_user_message_of_its_parts_in_order(fake_server: Server, make: Made) -> None:
    llm, journal = make()
    ask = ask_for()
    answer = await llm.ask(ask)
    assert isinstance(answer.value, AuditReply)
    [entry] = fake_server.calls
    [message] = entry.body["messages"]
    assert message["role"] == "user"
    assert [b["text"] for b in message["content"]] == [p.text for p in ask.parts]
    mark = {"type": "ephemeral"}
    assert [b.get("cache_control") for b in message["content"]] == [mark, None, mark, None, None, None]
    assert message["content"][-1]["text"] == ANCHOR
    assert "system" not in entry.body
    assert entry.body["output_config"] == {
        "effort": "medium",
        "format": {"type": "json_schema", "schema": schema(AuditReply)},
    }
    assert entry.body["max_tokens"] == 16000
    assert journal.all[0].request == entry.body


async def test_the_record_holds_everything_and_no_key(fake_server: Server, make: Made) -> None:
    llm, journal = make()
    answer = await llm.ask(ask_for())
    [record] = journal.all
    assert answer.call_id == record.id
    assert fake_server.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(asdict(record), default=str)
    assert record.request_id == "req_fake_00001"
    assert record.message is not None
    assert record.message["content"][0]["text"] == answer.text
    assert record.message["stop_reason"] == "end_turn"
    assert (record.slot, record.attempt, record.role, record.phase) == (
        "r1.synthesize",
        1,
        "coordinator",
        "p4_synthesize",
    )
    assert record.model == "claude-sonnet-5-5@anthropic"
    assert record.constraints_sha == "c0ffee"
    assert record.prompt_hash == prompt_hash(ask_for().parts)
    assert record.usage.output_tokens > 0
    assert record.usage.dollars is not None
    assert record.usage.dollars > 0
    assert record.first_token_seconds is not None
    assert 0 < record.first_token_seconds <= record.seconds


async def test_a_recorded_call_is_never_sent_again(fake_server: Server, make: Made) -> None:
    llm, journal = make()
    first = await llm.ask(ask_for())
    again, _ = make(journal)
    assert await again.ask(ask_for()) == first
    assert len(fake_server.calls) == 1


async def test_a_replay_walks_through_recorded_failures_without_wait_or_wire(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("no json at all"))
    fake_server.script(Text('{"verdict": "maybe"}'))
    llm, journal = make()
    first = await llm.ask(ask_for(retries=2))
    again, _ = make(MemoryJournal(records=dict(journal.records)))
    assert await again.ask(ask_for(retries=2)) == first
    assert len(fake_server.calls) == 3


async def test_the_shared_part_is_read_from_the_providers_cache_the_second_time(
    fake_server: Server, make: Made
) -> None:
    llm, journal = make()
    shared = SHARED + " A word on our system." * 200
    await llm.ask(ask_for(slot="a", shared=shared))
    await llm.ask(ask_for(slot="b", shared=shared))
    first, second = (r.usage for r in journal.all)
    assert first.cache_write_tokens > 512
    assert first.cache_read_tokens == 0
    assert second.cache_read_tokens == first.cache_write_tokens
    assert second.cache_write_tokens == 0
    assert second.dollars is not None
    assert first.dollars is not None
    assert second.dollars < first.dollars


async def test_the_cache_may_be_kept_for_an_hour(fake_server: Server, make: Made) -> None:
    llm, _ = make(cache_ttl="1h")
    await llm.ask(ask_for())
    block = fake_server.calls[0].body["messages"][0]["content"][0]
    assert block["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


async def test_a_live_call_tells_its_text_as_it_grows(fake_server: Server, make: Made) -> None:
    fake_server.latency = 0.6
    llm, journal = make()
    answer = await llm.ask(ask_for(SynthesisReply, live=True))
    texts = [text for _, _, text in journal.told]
    assert len(texts) > 2
    assert all(b.startswith(a) for a, b in itertools.pairwise(texts))
    assert texts[-1] == answer.text


async def test_a_call_that_is_not_live_tells_nothing(fake_server: Server, make: Made) -> None:
    llm, journal = make()
    await llm.ask(ask_for())
    assert journal.told == []


async def test_with_search_the_reply_is_handed_in_and_the_hits_come_from_the_results(
    fake_server: Server, make: Made
) -> None:
    llm, journal = make()
    answer = await llm.ask(ask_for(ProposalReply, role=Role.OPTIMIZER_A, web=True, live=True))
    [entry] = fake_server.calls
    search, submit = entry.body["tools"]
    assert (search["type"], search["max_uses"]) == ("web_search_20250305", 3)
    assert submit["name"] == "submit"
    assert submit["strict"] is True
    assert submit["input_schema"] == schema(ProposalReply)
    assert entry.body["tool_choice"] == {"type": "auto"}
    assert "format" not in entry.body.get("output_config", {})
    assert entry.message is not None
    [results] = [b["content"] for b in entry.message["content"] if b["type"] == "web_search_tool_result"]
    assert [(h.url, h.title, h.age) for h in answer.hits if not h.cited] == [
        (r["url"], r["title"], r["page_age"] or "") for r in results
    ]
    assert [(h.url, h.cited) for h in answer.hits if h.cited] == [(results[0]["url"], CITED)]
    assert journal.all[0].usage.searches == 1
    assert answer.degraded == ()
    assert json.loads(answer.text)["weakness"] == answer.value.weakness
    assert json.loads(journal.told[-1][2]) == json.loads(answer.text)


async def test_text_instead_of_a_hand_in_is_asked_again_without_the_search(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("I think you should move."))
    llm, journal = make()
    answer = await llm.ask(ask_for(ProposalReply, web=True))
    first, second = fake_server.calls
    assert "tools" in first.body
    assert "tools" not in second.body
    assert second.body["output_config"]["format"]["schema"] == schema(ProposalReply)
    user, said, told = second.body["messages"]
    assert user == first.body["messages"][0]
    assert said == {"role": "assistant", "content": [{"type": "text", "text": "I think you should move."}]}
    assert "was not handed in" in told["content"][0]["text"]
    assert told["content"][-1]["text"] == ANCHOR
    assert isinstance(answer.value, ProposalReply)
    assert len(journal.all) == 2


async def test_text_that_is_the_reply_is_taken_even_if_it_was_not_handed_in(fake_server: Server, make: Made) -> None:
    fake_server.script(Text('{"verdict": "pass", "field": "", "objection": ""}'))
    llm, _ = make()
    answer = await llm.ask(ask_for(web=True))
    assert answer.value.verdict == "pass"
    assert len(fake_server.calls) == 1


async def test_a_failed_search_is_said(fake_server: Server, make: Made) -> None:
    fake_server.script(SearchFails("unavailable"))
    llm, _ = make()
    answer = await llm.ask(ask_for(ProposalReply, web=True))
    assert answer.degraded == ("A web search failed: the search is unavailable.",)
    assert answer.hits == ()


async def test_a_paused_turn_is_sent_back_unchanged_and_goes_on(fake_server: Server, make: Made) -> None:
    fake_server.script(Pause(), times=2)
    llm, journal = make()
    answer = await llm.ask(ask_for(ProposalReply, web=True, retries=0))
    one, two, three = fake_server.calls
    assert len(one.body["messages"]) == 1
    assert two.body["messages"][1]["role"] == "assistant"
    assert [b["type"] for b in two.body["messages"][1]["content"]] == [b["type"] for b in one.message["content"]]
    assert len(three.body["messages"]) == 2
    assert len(three.body["messages"][1]["content"]) == 2 * len(one.message["content"])
    assert [r.attempt for r in journal.all] == [1, 2, 3]
    assert answer.hits
    assert isinstance(answer.value, ProposalReply)


async def test_a_bad_reply_is_asked_again_naming_the_field_with_the_anchor_last(
    fake_server: Server, make: Made
) -> None:
    fake_server.script(Text('{"verdict": "perhaps", "field": "x", "objection": "y"}'))
    llm, journal = make()
    await llm.ask(ask_for())
    user, said, told = fake_server.calls[1].body["messages"]
    assert user == fake_server.calls[0].body["messages"][0]
    assert said["content"][0]["text"] == '{"verdict": "perhaps", "field": "x", "objection": "y"}'
    assert "verdict" in told["content"][0]["text"]
    assert "'pass' or 'flag'" in told["content"][0]["text"]
    assert told["content"][-1]["text"] == ANCHOR
    assert journal.kinds == ["ok", "ok"]


async def test_an_ask_without_an_anchor_is_asked_again_without_one(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("nothing of use"))
    llm, _ = make()
    ask = ask_for(role=Role.CRITIC)
    bare = Ask(**{**ask.__dict__, "parts": ask.parts[1:2]})
    await llm.ask(bare)
    assert len(fake_server.calls[1].body["messages"][2]["content"]) == 1


async def test_a_checks_fault_is_asked_again_once_and_then_taken_as_it_is(fake_server: Server, make: Made) -> None:
    llm, _ = make()
    seen: list[AuditReply] = []

    def check(reply: AuditReply) -> str:
        seen.append(reply)
        return "the objection is not exact."

    await llm.ask(ask_for(check=check, retries=3))
    assert len(fake_server.calls) == 2
    assert "the objection is not exact." in fake_server.calls[1].body["messages"][2]["content"][0]["text"]
    assert len(seen) == 1


async def test_a_valid_reply_stands_when_the_re_ask_for_its_check_fails(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("no json"), match=asked_again)
    llm, journal = make()
    answer = await llm.ask(ask_for(check=lambda _: "say more."))
    assert answer.call_id == journal.all[0].id


async def test_a_servers_prose_around_the_json_is_read_through(make: Made, fake_server: Server) -> None:
    fake_server.script(
        Text('As {asked}:\n```json\n{"verdict": "flag", "field": "caveats", "objection": "no {x}"}\n```')
    )
    llm, _ = make()
    answer = await llm.ask(ask_for())
    assert (answer.value.verdict, answer.value.objection) == ("flag", "no {x}")


async def test_an_endpoint_without_schemas_gets_it_in_words_before_the_anchor(make: Made) -> None:
    with Server(gaps=Gaps(schema="refused"), models=(), needs_key=False) as server:
        llm, _ = make(endpoints={"local": {"url": server.url, "schema": "prompt"}})
        answer = await llm.ask(ask_for(CompressionReply, model="qwen3:8b@local"))
        [entry] = server.calls
    blocks = entry.body["messages"][0]["content"]
    assert "JSON schema" in blocks[-2]["text"]
    assert blocks[-1]["text"] == ANCHOR
    assert "output_config" not in entry.body
    assert isinstance(answer.value, CompressionReply)


async def test_a_server_that_refuses_schemas_is_asked_again_in_words(make: Made, fake_server: Server) -> None:
    fake_server.gaps = Gaps(schema="refused")
    llm, journal = make()
    answer = await llm.ask(ask_for())
    assert isinstance(answer.value, AuditReply)
    assert journal.kinds == ["bad_request", "ok"]
    assert "output_config" not in fake_server.calls[1].body


async def test_a_server_that_ignores_schemas_is_understood(make: Made, fake_server: Server) -> None:
    fake_server.gaps = Gaps(schema="ignored", search="ignored")
    llm, _ = make()
    assert isinstance((await llm.ask(ask_for())).value, AuditReply)
    assert isinstance((await llm.ask(ask_for(ProposalReply, slot="w", web=True))).value, ProposalReply)


async def test_a_server_that_refuses_search_answers_without_and_says_so(make: Made, fake_server: Server) -> None:
    fake_server.gaps = Gaps(search="refused")
    llm, _ = make()
    answer = await llm.ask(ask_for(ProposalReply, web=True))
    [said] = answer.degraded
    assert "does not search" in said
    assert "web_search is not enabled" in said


async def test_a_seat_that_wants_search_where_there_is_none_says_so(make: Made) -> None:
    with Server(models=(), needs_key=False) as server:
        llm, _ = make(endpoints={"local": {"url": server.url}})
        answer = await llm.ask(ask_for(web=True, model="qwen3:8b@local"))
        assert "tools" not in server.calls[0].body
    assert answer.degraded == ("qwen3:8b@local has no web search: it answered without.",)


async def test_an_endpoint_that_cannot_stream_is_asked_for_the_whole(make: Made) -> None:
    with Server(gaps=Gaps(stream="refused"), models=(), needs_key=False) as server:
        llm, journal = make(endpoints={"local": {"url": server.url, "stream": False}})
        answer = await llm.ask(ask_for(model="qwen3:8b@local"))
        assert "stream" not in server.calls[0].body
    assert isinstance(answer.value, AuditReply)
    assert journal.all[0].request_id
    assert journal.all[0].usage.dollars is None


async def test_a_server_that_answers_whole_where_a_stream_was_asked_is_understood(
    make: Made, fake_server: Server
) -> None:
    fake_server.gaps = Gaps(stream="ignored")
    llm, journal = make()
    assert isinstance((await llm.ask(ask_for())).value, AuditReply)
    assert journal.all[0].usage.output_tokens > 0


async def test_what_no_database_keeps_is_replaced(make: Made, fake_server: Server) -> None:
    fake_server.script(Changed(lambda r: {**r, "objection": "a\x00b"}))
    llm, journal = make()
    answer = await llm.ask(ask_for())
    assert answer.value.objection == "a�b"
    assert "\x00" not in json.dumps(asdict(journal.all[0]), default=str, ensure_ascii=False)


async def test_custom_headers_are_sent_and_anthropics_own_stay_with_anthropic(
    make: Made, fake_server: Server, monkeypatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: secret-team\nAuthorization: Bearer of-anthropic")
    monkeypatch.setenv("GATE", "gate-token")
    with Server(models=()) as server:
        local = {"url": server.url, "headers": {"x-gate": "${GATE}"}}
        llm, journal = make(endpoints={"local": local})
        await llm.ask(ask_for(model="m@local"))
        headers = server.calls[0].headers
    assert headers["x-gate"] == "gate-token"
    assert "x-team" not in headers
    assert headers["authorization"] == "Bearer none"
    assert "gate-token" not in json.dumps(asdict(journal.all[0]), default=str)


async def test_rehearsal_is_asked_through_the_same_client_and_costs_nothing(make: Made) -> None:
    llm, journal = make(rehearsal_speed=0)
    answer = await llm.ask(ask_for(SynthesisReply, model="rehearsal@rehearsal", live=True))
    assert isinstance(answer.value, SynthesisReply)
    [record] = journal.all
    assert record.model == "rehearsal@rehearsal"
    assert record.usage.dollars == 0
    assert record.usage.output_tokens > 0
    assert journal.told[-1][2] == answer.text
