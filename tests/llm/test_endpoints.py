"""Checking an endpoint: is it there, does it take the key, does it have the models, does it keep a schema."""

import pytest

from tests.fake_messages import Gaps, Malformed, Server, Status
from tests.fake_messages.fixture import KEY
from vada.llm.endpoints import check
from vada.settings import Settings


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


async def test_asked_to_call_it_tells_whether_the_schema_is_kept(fake_server: Server) -> None:
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert report.ok
    assert (report.models[0].answers, report.models[0].keeps_schema) == (True, True)
    fake_server.gaps = Gaps(schema="ignored")
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert not report.ok
    assert 'schema = "prompt"' in report.models[0].error


async def test_asked_to_call_it_says_in_plain_words_why_a_model_does_not_answer(fake_server: Server) -> None:
    fake_server.script(Status(402, f"no credit for {KEY}"))
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert report.models[0].answers is False
    assert "payment" in report.models[0].error
    assert KEY not in repr(report)


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
    fake_server.script(Malformed(b"<html>", "text/html"))
    report = await check(Settings(), "anthropic", models=["claude-opus-5-5"], call=True)
    assert report.models[0].answers is False
    assert "not the Messages protocol" in report.models[0].error
