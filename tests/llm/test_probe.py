"""An endpoint checked: is it there, is the key good, which models are there, what does it keep of the protocol."""

from typing import Any

import pytest

from tests.fake_messages import Gaps, Malformed, MaxTokens, Server, Status
from tests.fake_messages.fixture import KEY
from vada.llm.probe import check
from vada.models.reports import ABILITIES, EndpointReport, ModelReport
from vada.settings import Settings

WHOLE = Gaps()


async def test_a_good_endpoint_lists_its_models(fake_server: Server) -> None:
    report = await check(Settings(), "anthropic")
    assert report.ok
    assert (report.reachable, report.key) == (True, "present")
    assert set(report.listed) == set(fake_server.models)
    assert {m.name for m in report.models} == set(fake_server.models)
    assert all(m.listed for m in report.models)
    assert fake_server.calls == []
    assert KEY not in repr(report)


async def test_a_model_it_does_not_list_is_named(fake_server: Server) -> None:
    report = await check(Settings(), "anthropic", models=["claude-opus-9"])
    assert not report.ok
    assert report.models[0].error == "anthropic does not list the model claude-opus-9."


async def asked(gaps: Gaps = WHOLE, **settings: Any) -> tuple[EndpointReport, ModelReport, Server]:
    """What a check with questions finds at a server with these gaps."""
    with Server(gaps=gaps, models=("qwen3",)) as server:
        own = Settings(endpoints={"desk": {"url": server.url, **settings}})
        report = await check(own, "desk", models=["qwen3"], call=True)
    return report, report.models[0], server


async def test_asked_to_call_a_whole_server_it_finds_every_ability_with_a_few_short_questions() -> None:
    report, model, server = await asked()
    assert report.ok
    assert model.answers
    assert {ability: getattr(model, ability) for ability in ABILITIES} == dict.fromkeys(ABILITIES, True)
    assert len(server.calls) == 4
    assert all(e.body["max_tokens"] <= 1000 for e in server.calls)


@pytest.mark.parametrize(
    ("gaps", "lacks"),
    [
        (Gaps(schema="refused"), {"keeps_schema", "takes_tools", "searches"}),  # it writes prose whatever is asked
        (Gaps(schema="ignored"), {"keeps_schema", "takes_tools", "searches"}),
        (Gaps(stream="refused"), {"streams"}),
        (Gaps(stream="ignored"), {"streams"}),
        (Gaps(search="refused"), {"searches"}),
        (Gaps(search="ignored"), {"searches"}),
        (Gaps(count=True), {"counts_tokens"}),
    ],
)
async def test_asked_to_call_it_finds_what_a_server_lacks_and_that_is_no_error(gaps: Gaps, lacks: set[str]) -> None:
    report, model, _ = await asked(gaps)
    assert report.ok, model.error
    assert {ability for ability in ABILITIES if getattr(model, ability) is False} == lacks
    assert {ability for ability in ABILITIES if getattr(model, ability)} == set(ABILITIES) - lacks


async def test_a_server_that_takes_a_plain_question_only_answers_all_the_same() -> None:
    special = {"tools", "output_config", "stream"}
    with Server(models=("qwen3",)) as server:
        server.script(Status(400, "not supported"), match=lambda body: bool(special & set(body)), times=None)
        own = Settings(endpoints={"desk": {"url": server.url}})
        model = (await check(own, "desk", models=["qwen3"], call=True)).models[0]
    assert model.answers
    assert not any((model.streams, model.keeps_schema, model.takes_tools, model.searches))


async def test_a_server_that_refuses_everything_tells_of_no_ability() -> None:
    with Server(models=("qwen3",)) as server:
        server.script(Status(400, "no such model"), times=None)
        own = Settings(endpoints={"desk": {"url": server.url}})
        model = (await check(own, "desk", models=["qwen3"], call=True)).models[0]
    assert model.answers is False
    assert "no such model" in model.error
    assert {getattr(model, ability) for ability in ABILITIES} == {None}


async def test_what_the_file_denies_is_not_asked_and_search_only_where_it_is_silent() -> None:
    _, model, server = await asked(schema="prompt", stream=False, search=True)
    assert (model.keeps_schema, model.streams, model.searches) == (None, None, None)
    assert (model.takes_tools, model.counts_tokens) == (True, True)
    assert len(server.calls) == 1


@pytest.mark.parametrize(
    ("gaps", "promised", "remedy"),
    [
        (Gaps(schema="ignored"), {"schema": "native"}, 'schema = "prompt"'),
        (Gaps(stream="ignored"), {"stream": True}, "stream = false"),
    ],
)
async def test_what_the_file_promises_and_the_server_does_not_keep_is_said(
    gaps: Gaps, promised: dict[str, Any], remedy: str
) -> None:
    report, model, _ = await asked(gaps, **promised)
    assert not report.ok
    assert remedy in model.error


async def test_a_reply_that_was_cut_tells_nothing() -> None:
    with Server(models=("qwen3",)) as server:
        server.script(MaxTokens(after=1), times=None)
        own = Settings(endpoints={"desk": {"url": server.url, "stream": False, "search": False}})
        report = await check(own, "desk", models=["qwen3"], call=True)
    assert report.models[0].answers
    assert (report.models[0].keeps_schema, report.models[0].takes_tools) == (None, None)


async def test_where_no_panel_names_a_model_a_listed_one_that_can_debate_is_asked() -> None:
    with Server(models=("nomic-embed-text", "qwen3", "glm-5")) as server:
        own = Settings(endpoints={"desk": {"url": server.url}})
        assert [m.name for m in (await check(own, "desk", call=True)).models] == ["qwen3"]
        assert (await check(own, "desk")).models == ()


async def test_a_password_in_the_address_is_not_in_the_report() -> None:
    with Server(needs_key=False) as server:
        url = server.url.replace("//", "//ada:s3cret-word@")
        report = await check(Settings(endpoints={"desk": {"url": url}}), "desk", models=["claude-opus-5-5"], call=True)
    assert report.url.startswith("http://…@127.0.0.1")
    assert "s3cret-word" not in report.model_dump_json()


async def test_asked_to_call_it_says_in_plain_words_why_a_model_does_not_answer(fake_server: Server) -> None:
    fake_server.script(Status(402, f"no credit for {KEY}"))
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert report.models[0].answers is False
    assert "payment" in report.models[0].error
    assert KEY not in repr(report)
    assert len(fake_server.calls) == 1


async def test_a_missing_key_is_said_before_any_request(fake_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    report = await check(Settings(), "anthropic")
    assert (report.reachable, report.key) == (False, "missing")
    assert "ANTHROPIC_API_KEY" in report.next_step
    assert fake_server.log == []


async def test_a_server_that_is_not_there_is_said() -> None:
    with Server() as server:
        gone = server.url
    report = await check(Settings(endpoints={"local": {"url": gone}}), "local")
    assert not report.reachable
    assert "could not be reached" in report.error
    assert report.key == "not needed"


async def test_a_refused_key_is_said_though_the_server_is_there() -> None:
    with Server() as server:
        report = await check(Settings(endpoints={"local": {"url": server.url + "/nowhere"}}), "local")
    assert report.reachable
    assert report.listed == ()
    with Server() as server:
        settings = Settings(endpoints={"local": {"url": server.url, "headers": {"Authorization": "${EMPTY}"}}})
        report = await check(settings, "local")
    assert "EMPTY, which is not set" in report.error


async def test_a_server_without_a_list_of_models_is_reachable_all_the_same() -> None:
    with Server(gaps=Gaps(models=True)) as server:
        settings = Settings(endpoints={"local": {"url": server.url}})
        report = await check(settings, "local", models=["claude-opus-5-5"], call=True)
    assert report.ok
    assert report.models[0].listed is None
    assert report.models[0].answers


async def test_an_endpoint_that_is_not_set_up_is_said() -> None:
    report = await check(Settings(), "nowhere")
    assert "No endpoint nowhere" in report.error


async def test_rehearsal_is_always_there() -> None:
    report = await check(Settings(), "rehearsal", call=True)
    assert report.ok
    assert report.listed == ("rehearsal",)


async def test_what_is_no_answer_to_a_call_is_said(fake_server: Server) -> None:
    fake_server.script(Malformed(b"<html>", "text/html"), times=None)
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert report.models[0].answers is False
    assert "not the Messages protocol" in report.models[0].error


async def test_a_server_whose_stream_is_not_the_protocol_may_answer_otherwise(fake_server: Server) -> None:
    fake_server.script(Malformed(b"<html>", "text/html"), match=lambda body: bool(body.get("stream")), times=None)
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert (report.models[0].answers, report.models[0].streams) == (True, False)
