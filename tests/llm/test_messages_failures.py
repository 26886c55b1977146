"""How the Messages client fails: every kind of error over HTTP, what is tried again, what is recorded, what is said."""

import asyncio
import json
import time
from dataclasses import asdict
from typing import Any

import pytest

from tests.fake_messages import (
    CutStream,
    Default,
    EmptyReply,
    ErrorInStream,
    Gaps,
    Hang,
    Malformed,
    MaxTokens,
    Pause,
    Refusal,
    Server,
    Status,
    Text,
    Whole,
)
from tests.fake_messages.fixture import KEY
from tests.llm.conftest import Made, MemoryJournal, ask_for, until
from vada.errors import BadReplyError, CancelledError, LLMError
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.replies import AuditReply, ProposalReply, SynthesisReply
from vada.models.vocabulary import Role
from vada.settings import Settings

SOON = {"retry-after": "0"}


def quick(seconds: float) -> dict[str, Any]:
    """Settings in which the Coordinator's time is so short."""
    return {"roles": {"coordinator": {"timeout": seconds}}}


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (400, "bad_request", "did not accept the request"),
        (401, "auth", "did not accept the key"),
        (402, "billing", "payment"),
        (403, "permission", "may not"),
        (404, "not_found", "does not know this model"),
        (413, "too_large", "too large"),
        (422, "bad_request", "did not accept the request"),
    ],
)
async def test_what_no_retry_can_help_fails_at_once(
    fake_server: Server, make: Made, code: int, kind: str, words: str
) -> None:
    fake_server.script(
        Status(code, f"because of {KEY}!", {"request-id": "req_1"}, type="" if code != 422 else "new_type")
    )
    llm, journal = make()
    with pytest.raises(LLMError) as failed:
        await llm.ask(ask_for(retries=3))
    error = failed.value
    assert (error.kind, error.status, error.request_id, error.retry) == (kind, code, "req_1", False)
    assert words in str(error)
    assert "because of [key removed]!" in str(error)
    assert f"status {code}" in str(error)
    assert "claude-sonnet-5-5@anthropic" in str(error) or kind == "permission" or kind == "too_large"
    assert error.next_step
    assert len(fake_server.calls) == 1
    [record] = journal.all
    assert record.error is not None
    assert record.error["kind"] == kind
    assert record.message is None
    assert KEY not in json.dumps(asdict(record), default=str)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Status(429, "slow down", SOON), "rate_limited"),
        (Status(529, "busy", SOON), "overloaded"),
        (Status(500, "oops", SOON), "server"),
        (Status(503, "later", SOON, type="unheard_of"), "server"),
        (Status(409, "conflict", SOON), "server"),
        (ErrorInStream("overloaded_error", "Overloaded"), "overloaded"),
        (ErrorInStream("rate_limit_error", "too fast"), "rate_limited"),
        (CutStream(), "ok"),
        (CutStream(dropped=True), "truncated"),
        (CutStream(after=0, dropped=True), "truncated"),
        (Malformed(), "malformed"),
        (Malformed(b"<html>gateway</html>", "text/html"), "malformed"),
        (Malformed(b"{}", "application/json"), "malformed"),
        (EmptyReply(), "ok"),
        (MaxTokens(), "ok"),
        (Text("no json"), "ok"),
    ],
)
async def test_what_a_retry_can_help_is_tried_again(fake_server: Server, make: Made, answer: Any, kind: str) -> None:
    fake_server.script(answer)
    llm, journal = make()
    assert isinstance((await llm.ask(ask_for(SynthesisReply))).value, SynthesisReply)
    assert journal.kinds == [kind, "ok"]
    assert len(fake_server.calls) == 2


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Status(529, "busy", SOON), "overloaded"),
        (CutStream(), "truncated"),
        (EmptyReply(), "empty"),
        (MaxTokens(), "max_tokens"),
        (Text("no json"), "bad_reply"),
        (Whole(({"type": "text", "text": "a"},), "model_context_window_exceeded"), "context"),
    ],
)
async def test_when_retries_are_spent_the_last_error_is_raised_in_plain_words(
    fake_server: Server, make: Made, answer: Any, kind: str
) -> None:
    fake_server.script(answer, times=None)
    llm, journal = make()
    with pytest.raises(LLMError) as failed:
        await llm.ask(ask_for(SynthesisReply, retries=1))
    assert failed.value.kind == kind
    assert failed.value.next_step
    assert len(journal.all) == (1 if kind == "context" else 2)


@pytest.mark.parametrize("answer", [Status(529, "busy", SOON), Text("no json"), MaxTokens()])
async def test_without_retries_one_failure_is_enough(fake_server: Server, make: Made, answer: Any) -> None:
    fake_server.script(answer)
    llm, journal = make()
    with pytest.raises(LLMError):
        await llm.ask(ask_for(SynthesisReply, retries=0))
    assert len(journal.all) == 1


async def test_a_bad_replys_fault_names_the_field(fake_server: Server, make: Made) -> None:
    fake_server.script(Text('{"verdict": "perhaps"}'), times=None)
    llm, _ = make()
    with pytest.raises(BadReplyError, match="verdict") as failed:
        await llm.ask(ask_for(retries=1))
    assert failed.value.fault.startswith("verdict: ")
    assert failed.value.request_id == "req_fake_00002"


async def test_a_bad_reply_is_recorded_and_paid_before_it_is_read(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("a long answer without any object"))
    llm, journal = make()
    await llm.ask(ask_for())
    first = journal.all[0]
    assert first.message is not None
    assert first.message["content"][0]["text"] == "a long answer without any object"
    assert first.usage.output_tokens > 0
    assert first.usage.dollars


async def test_after_a_bad_re_ask_the_question_is_put_afresh(fake_server: Server, make: Made) -> None:
    fake_server.script(Text("no json"), times=2)
    llm, _ = make()
    await llm.ask(ask_for(retries=2))
    assert [len(e.body["messages"]) for e in fake_server.calls] == [1, 3, 1]


async def test_a_reply_that_did_not_fit_is_tried_once_with_double_room(fake_server: Server, make: Made) -> None:
    fake_server.script(MaxTokens(), times=None)
    llm, _ = make()
    with pytest.raises(LLMError, match="32000 tokens"):
        await llm.ask(ask_for(SynthesisReply, retries=3))
    assert [e.body["max_tokens"] for e in fake_server.calls] == [16000, 32000]


async def test_a_whole_reply_counts_even_at_the_token_limit(fake_server: Server, make: Made) -> None:
    fake_server.script(Text('{"verdict": "pass"}', stop="max_tokens"))
    llm, journal = make()
    assert (await llm.ask(ask_for())).value.verdict == "pass"
    assert len(journal.all) == 1


async def test_a_refusal_is_not_tried_again_and_says_why(fake_server: Server, make: Made) -> None:
    fake_server.script(Refusal("bio", "This looks dangerous."), times=None)
    llm, journal = make()
    with pytest.raises(LLMError, match=r"\[bio\] This looks dangerous\.") as failed:
        await llm.ask(ask_for(retries=3))
    assert failed.value.kind == "refused"
    assert not failed.value.retry
    assert len(journal.all) == 1
    assert journal.all[0].message is not None


async def test_endless_pauses_end(fake_server: Server, make: Made) -> None:
    fake_server.script(Pause(), times=None)
    llm, journal = make()
    with pytest.raises(LLMError, match="paused again and again"):
        await llm.ask(ask_for(ProposalReply, web=True))
    assert len(journal.all) == 6


async def test_retry_after_is_honoured(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(529, "busy", {"retry-after-ms": "700"}))
    llm, _ = make()
    await llm.ask(ask_for())
    first, second = fake_server.calls
    assert second.started - (first.ended or 0) >= 0.7


async def test_a_wait_longer_than_the_time_left_is_not_begun(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(429, "slow down", {"retry-after": "600"}))
    llm, journal = make(**quick(5))
    began = time.monotonic()
    with pytest.raises(LLMError) as failed:
        await llm.ask(ask_for())
    assert time.monotonic() - began < 2
    assert failed.value.kind == "rate_limited"
    assert failed.value.retry_after == 600
    assert len(journal.all) == 1


async def test_a_rate_limit_holds_every_debate_at_the_endpoint(fake_server: Server) -> None:
    fake_server.script(Status(429, "slow down", {"retry-after-ms": "800"}))
    endpoints = Endpoints(Settings())
    one, two = MessagesLLM(endpoints, MemoryJournal()), MessagesLLM(endpoints, MemoryJournal())
    first = asyncio.create_task(one.ask(ask_for()))
    await until(lambda: endpoints.held("anthropic") > 0)
    await asyncio.gather(first, two.ask(ask_for()))
    limited, *later = fake_server.calls
    assert len(later) == 2
    assert all(e.started - (limited.ended or 0) > 0.7 for e in later)
    await endpoints.aclose()


async def test_no_more_calls_run_at_once_than_the_endpoint_takes(fake_server: Server) -> None:
    fake_server.latency = 0.3
    endpoints = Endpoints(Settings(endpoints={"anthropic": {"concurrency": 2}}))
    llms = [MessagesLLM(endpoints, MemoryJournal()) for _ in range(5)]
    await asyncio.gather(*(llm.ask(ask_for()) for llm in llms))
    times = [(e.started, e.ended or 0) for e in fake_server.calls]
    most = max(sum(s <= at < end for s, end in times) for at, _ in times)
    assert most == 2
    await endpoints.aclose()


async def test_the_queue_does_not_eat_the_time_of_a_call(fake_server: Server) -> None:
    fake_server.latency = 0.5
    endpoints = Endpoints(Settings(endpoints={"anthropic": {"concurrency": 1}}, **quick(1.2)))
    llms = [MessagesLLM(endpoints, MemoryJournal()) for _ in range(4)]
    answers = await asyncio.gather(*(llm.ask(ask_for()) for llm in llms))
    assert len(answers) == 4
    await endpoints.aclose()


@pytest.mark.parametrize("answer", [Hang(), Hang(after=30)])
async def test_a_hung_model_costs_one_time_out_in_all(fake_server: Server, make: Made, answer: Any) -> None:
    fake_server.script(answer, times=None)
    llm, journal = make(**quick(1))
    began = time.monotonic()
    with pytest.raises(LLMError, match="did not finish in 1 seconds") as failed:
        await llm.ask(ask_for(SynthesisReply, retries=3))
    assert failed.value.kind == "timeout"
    assert time.monotonic() - began < 3.5, "four attempts of a second each would take longer"
    assert journal.kinds == ["timeout"]
    assert len(fake_server.calls) == 1
    await until(lambda: fake_server.calls[0].aborted)


async def test_what_came_before_the_time_out_is_kept_and_priced(fake_server: Server, make: Made) -> None:
    fake_server.script(Hang(after=200))
    llm, journal = make(**quick(1))
    with pytest.raises(LLMError):
        await llm.ask(ask_for(SynthesisReply))
    [record] = journal.all
    assert record.message is not None
    assert len(record.message["content"][0]["text"]) >= 200
    assert record.usage.output_tokens > 20
    assert record.usage.dollars
    assert record.usage.seconds > 0.5


async def test_retries_and_waits_share_the_one_time_out(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(529, "busy", {"retry-after-ms": "600"}))
    fake_server.script(Hang())
    llm, journal = make(**quick(1.5))
    began = time.monotonic()
    with pytest.raises(LLMError):
        await llm.ask(ask_for(retries=3))
    assert time.monotonic() - began < 2.3
    assert journal.kinds == ["overloaded", "timeout"]


async def test_a_stopped_debate_closes_the_stream_within_a_second_and_keeps_what_came(
    fake_server: Server, make: Made
) -> None:
    fake_server.script(Hang(after=60))
    llm, journal = make()
    asked = asyncio.create_task(llm.ask(ask_for(SynthesisReply, live=True)))
    await until(lambda: bool(journal.told))
    journal.stopped = True
    began = time.monotonic()
    with pytest.raises(CancelledError):
        await asked
    assert time.monotonic() - began < 1
    await until(lambda: fake_server.calls[0].aborted)
    [record] = journal.all
    assert journal.kinds == ["cancelled"]
    assert record.message is not None
    assert record.message["content"][0]["text"]


async def test_a_stopped_debate_sends_nothing(fake_server: Server, make: Made) -> None:
    llm, _ = make(MemoryJournal(stopped=True))
    with pytest.raises(CancelledError):
        await llm.ask(ask_for())
    assert fake_server.calls == []


async def test_a_stop_ends_waiting_for_a_place_and_gives_the_place_back(fake_server: Server) -> None:
    endpoints = Endpoints(Settings(endpoints={"anthropic": {"concurrency": 1}}))
    fake_server.script(Hang(seconds=1.5))
    first, waiting = MemoryJournal(), MemoryJournal()
    running = asyncio.create_task(MessagesLLM(endpoints, first).ask(ask_for()))
    await until(lambda: len(fake_server.calls) == 1)
    queued = asyncio.create_task(MessagesLLM(endpoints, waiting).ask(ask_for()))
    await asyncio.sleep(0.1)
    waiting.stopped = True
    with pytest.raises(CancelledError):
        await asyncio.wait_for(queued, 1)
    await running
    await asyncio.wait_for(MessagesLLM(endpoints, MemoryJournal()).ask(ask_for()), 3)
    assert endpoints.line("anthropic").places._value == 1
    await endpoints.aclose()


async def test_a_stop_ends_waiting_for_a_retry(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(529, "busy", {"retry-after": "60"}))
    llm, journal = make()
    asked = asyncio.create_task(llm.ask(ask_for()))
    await until(lambda: len(journal.all) == 1)
    journal.stopped = True
    with pytest.raises(CancelledError):
        await asyncio.wait_for(asked, 2)


async def test_when_the_task_is_cancelled_what_came_is_kept_and_the_next_run_goes_on(
    fake_server: Server, make: Made
) -> None:
    fake_server.script(Hang(after=60))
    llm, journal = make()
    asked = asyncio.create_task(llm.ask(ask_for(SynthesisReply, live=True, retries=0)))
    await until(lambda: bool(journal.told))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert journal.kinds == ["interrupted"]
    assert journal.all[0].message is not None
    again, _ = make(journal)
    answer = await again.ask(ask_for(SynthesisReply, retries=0))
    assert journal.kinds == ["interrupted", "ok"]
    assert answer.call_id == journal.all[1].id


async def test_a_cancelled_task_that_got_nothing_leaves_no_record(fake_server: Server, make: Made) -> None:
    fake_server.script(Hang())
    llm, journal = make()
    asked = asyncio.create_task(llm.ask(ask_for()))
    await until(lambda: len(fake_server.calls) == 1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert journal.all == []


async def test_what_the_journal_raises_while_a_call_runs_is_raised(fake_server: Server) -> None:
    class Broken(MemoryJournal):
        async def cancelled(self) -> bool:
            if fake_server.calls:
                raise OSError("disk full")
            return False

    fake_server.script(Hang(after=60))
    endpoints, journal = Endpoints(Settings()), Broken()
    with pytest.raises(OSError, match="disk full"):
        await MessagesLLM(endpoints, journal).ask(ask_for(SynthesisReply))
    await endpoints.aclose()


async def test_without_a_key_nothing_is_sent_and_the_error_says_what_to_set(
    fake_server: Server, make: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    llm, journal = make()
    with pytest.raises(LLMError, match="Set ANTHROPIC_API_KEY") as failed:
        await llm.ask(ask_for())
    assert failed.value.kind == "auth"
    assert fake_server.log == []
    assert journal.all == []


async def test_a_key_that_is_set_later_is_used(
    fake_server: Server, make: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm, _ = make()
    await llm.ask(ask_for(slot="a"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-another-key")
    await llm.ask(ask_for(slot="b"))
    assert fake_server.calls[1].headers["authorization"] == "Bearer sk-another-key"


async def test_an_endpoint_that_is_not_set_up_is_named(make: Made) -> None:
    llm, _ = make()
    with pytest.raises(LLMError, match="No endpoint nowhere") as failed:
        await llm.ask(ask_for(model="m@nowhere"))
    assert failed.value.kind == "not_configured"


async def test_a_server_that_is_not_there_is_named_with_the_reason(make: Made) -> None:
    with Server() as server:
        gone = server.url
    llm, journal = make(endpoints={"local": {"url": gone}})
    with pytest.raises(LLMError, match=r"m@local could not be reached") as failed:
        await llm.ask(ask_for(model="m@local", retries=1))
    assert failed.value.kind == "connection"
    assert journal.kinds == ["connection", "connection"]


async def test_a_spent_model_is_followed_by_its_fallbacks_in_order(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(529, "busy", SOON), match=lambda b: b["model"] == "claude-sonnet-5-5", times=None)
    fake_server.script(Refusal(), match=lambda b: b["model"] == "claude-haiku-5-5", times=None)
    llm, journal = make()
    ask = ask_for(fallbacks=("claude-haiku-5-5", "claude-opus-5-5"))
    answer = await llm.ask(ask)
    assert answer.fallback_model == "claude-opus-5-5@anthropic"
    assert [(r.attempt, r.model.partition("@")[0]) for r in journal.all] == [
        (1, "claude-sonnet-5-5"),
        (2, "claude-sonnet-5-5"),
        (3, "claude-haiku-5-5"),
        (4, "claude-opus-5-5"),
    ]
    again, _ = make(journal)
    assert await again.ask(ask) == answer
    assert len(fake_server.calls) == 4


async def test_when_the_fallbacks_fail_too_the_seats_own_error_is_raised_and_names_them(
    fake_server: Server, make: Made
) -> None:
    fake_server.script(Refusal("bio", "No."), match=lambda b: b["model"] == "claude-sonnet-5-5")
    llm, _ = make()
    with pytest.raises(LLMError, match=r"refused.*fallback m@nowhere failed too: No endpoint nowhere") as failed:
        await llm.ask(ask_for(fallbacks=("m@nowhere",)))
    assert failed.value.kind == "refused"


async def test_after_a_time_out_a_fallback_has_a_time_of_its_own(fake_server: Server, make: Made) -> None:
    fake_server.script(Hang(), match=lambda b: b["model"] == "claude-sonnet-5-5", times=None)
    llm, journal = make(**quick(0.8))
    answer = await llm.ask(ask_for(fallbacks=("claude-opus-5-5",)))
    assert answer.fallback_model == "claude-opus-5-5@anthropic"
    assert journal.kinds == ["timeout", "ok"]


async def test_another_workers_record_of_the_attempt_stands(fake_server: Server, make: Made) -> None:
    other = MemoryJournal()
    theirs, _ = make(other)
    first = await theirs.ask(ask_for())

    class Late(MemoryJournal):
        async def find(self, slot: str, attempt: int) -> None:
            return None

    mine, _ = make(Late(records=dict(other.records)))
    assert (await mine.ask(ask_for())).call_id == first.call_id


async def test_a_server_that_says_not_to_retry_is_obeyed(fake_server: Server, make: Made) -> None:
    fake_server.script(Status(529, "busy", {**SOON, "x-should-retry": "false"}))
    llm, journal = make()
    with pytest.raises(LLMError):
        await llm.ask(ask_for(retries=3))
    assert len(journal.all) == 1


async def test_a_server_that_refuses_to_stream_is_asked_again_without(fake_server: Server, make: Made) -> None:
    fake_server.gaps = Gaps(stream="refused")
    llm, journal = make()
    assert (await llm.ask(ask_for())).value
    assert journal.kinds == ["bad_request", "ok"]
    assert [e.body.get("stream") for e in fake_server.calls] == [True, None]


async def test_one_client_serves_every_event_loop(fake_server: Server) -> None:
    endpoints = Endpoints(Settings())

    def ask_in_a_loop_of_its_own(slot: str) -> AuditReply:
        async def once() -> AuditReply:
            try:
                return (await MessagesLLM(endpoints, MemoryJournal()).ask(ask_for(slot=slot))).value
            finally:
                await endpoints.aclose()

        return asyncio.run(once())

    replies = await asyncio.gather(*(asyncio.to_thread(ask_in_a_loop_of_its_own, s) for s in "abc"))
    assert len(replies) == 3
    assert len(fake_server.calls) == 3


async def test_the_critic_may_be_asked_at_another_pace(fake_server: Server, make: Made) -> None:
    fake_server.script(Default())
    llm, _ = make(roles={"critic": {"max_tokens": 5000, "effort": None}})
    await llm.ask(ask_for(role=Role.CRITIC))
    body = fake_server.calls[0].body
    assert body["max_tokens"] == 5000
    assert "effort" not in body["output_config"]
