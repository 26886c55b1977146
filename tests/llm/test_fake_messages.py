"""The fake server itself: what it refuses, what it charges, how it goes wrong; it must be stricter than a provider."""

import subprocess
import sys

import anthropic
import httpx2
import pytest

from tests.fake_messages import Gaps, Server, Status, asked_again, role, says, wants
from vada.llm.request import schema
from vada.models.replies import AuditReply

HELLO = [{"role": "user", "content": "hello"}]
CALLED = {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "search_web", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "nothing"}]}
TEXT = {"type": "text", "text": "so?"}


@pytest.fixture
def client(fake_server: Server) -> anthropic.Anthropic:
    return anthropic.Anthropic(max_retries=0)


def test_without_a_key_it_answers_401(fake_server: Server) -> None:
    answer = httpx2.post(fake_server.url + "/v1/messages", json={})
    assert answer.status_code == 401
    assert answer.headers["request-id"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"temperature": 0.5}, "temperature"),
        ({"messages": [*HELLO, {"role": "assistant", "content": "I"}]}, "prefilling"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "non-whitespace"),
        ({"tools": [], "tool_choice": {"type": "any"}}, "forced tool use"),
        ({"messages": [*HELLO, CALLED, *HELLO]}, "without `tool_result` blocks: toolu_1"),
        (
            {"messages": [*HELLO, CALLED, {"role": "user", "content": [RESULT, {**RESULT, "tool_use_id": "x"}]}]},
            "unexpected",
        ),
        ({"messages": [*HELLO, CALLED, {"role": "user", "content": [TEXT, RESULT]}]}, "must come first"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}}, "additionalProperties"),
        (
            {"output_config": {"format": {"type": "json_schema", "schema": {"type": "string", "maxLength": 3}}}},
            "maxLength",
        ),
        ({"output_config": {"effort": "huge"}}, "effort"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_it_refuses_what_the_api_refuses(fake_server: Server, body: dict, words: str) -> None:
    whole = {"model": "claude-opus-5-5", "max_tokens": 100, "messages": HELLO, **body}
    answer = httpx2.post(fake_server.url + "/v1/messages", json=whole, headers={"authorization": "Bearer k"})
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]


def test_it_knows_its_models_only(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.NotFoundError):
        client.messages.create(model="claude-3", max_tokens=10, messages=HELLO)
    assert "claude-opus-5-5" in [m.id for m in client.models.list().data]


def test_it_counts_tokens_alike_before_and_after(client: anthropic.Anthropic) -> None:
    counted = client.messages.count_tokens(model="claude-opus-5-5", messages=HELLO).input_tokens
    assert client.messages.create(model="claude-opus-5-5", max_tokens=10, messages=HELLO).usage.input_tokens == counted


def cached(client: anthropic.Anthropic, *texts: str, model: str = "claude-opus-5-5") -> anthropic.types.Usage:
    """The usage of a call whose first text is marked for the cache."""
    blocks = [{"type": "text", "text": t} for t in texts]
    blocks[0]["cache_control"] = {"type": "ephemeral"}  # type: ignore[assignment]
    return client.messages.create(model=model, max_tokens=10, messages=[{"role": "user", "content": blocks}]).usage  # type: ignore[typeddict-item]


def test_only_the_same_prefix_of_the_same_model_is_read_from_the_cache(client: anthropic.Anthropic) -> None:
    long = "a shared word " * 300
    first, second = cached(client, long, "one"), cached(client, long, "two")
    assert (first.cache_read_input_tokens, second.cache_read_input_tokens) == (0, first.cache_creation_input_tokens)
    assert second.cache_creation_input_tokens == 0
    assert second.input_tokens == first.input_tokens == 1
    assert cached(client, long + "!", "one").cache_read_input_tokens == 0
    assert cached(client, long, "one", model="claude-haiku-5-5").cache_read_input_tokens == 0
    assert cached(client, "too short to keep", "one").cache_creation_input_tokens == 0


def test_a_rule_answers_what_it_matches_as_often_as_it_says(fake_server: Server, client: anthropic.Anthropic) -> None:
    fake_server.script(Status(500), match=says("hello"), times=2)
    for _ in range(2):
        with pytest.raises(anthropic.InternalServerError):
            client.messages.create(model="claude-opus-5-5", max_tokens=10, messages=HELLO)
    client.messages.create(model="claude-opus-5-5", max_tokens=10, messages=HELLO)
    assert [e.status for e in fake_server.calls] == [500, 500, 200]
    assert all(e.ended is not None and e.ended >= e.started for e in fake_server.log)


def test_matches_read_the_request_as_a_provider_sees_it() -> None:
    def body(*texts: str) -> dict:
        fmt = {"type": "json_schema", "schema": schema(AuditReply)}
        content = [{"type": "text", "text": t} for t in texts]
        return {"messages": [{"role": "user", "content": content}], "output_config": {"format": fmt}}

    assert wants("AuditReply")(body("x"))
    assert not wants("ProposalReply")(body("x"))
    assert role("Challenger")(body("q", "# Challenger\nObject."))
    assert not role("Challenger")(body("q", "the # Challenger"))
    assert asked_again(body("Your reply cannot be used: it is empty."))


def test_gaps_of_a_lesser_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(gaps=Gaps(schema="ignored"), models=(), needs_key=False) as server:
        body = {"model": "m", "max_tokens": 9, "messages": HELLO}
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema(AuditReply)}}
        text = httpx2.post(server.url + "/v1/messages", json=body).json()["content"][0]["text"]
    assert text.startswith("Here is my answer:")


def test_it_runs_by_hand() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fake_messages", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[0].removeprefix("ANTHROPIC_BASE_URL=")
        answer = httpx2.get(url + "/v1/models", headers={"x-api-key": "k"})
        process.terminate()
    assert answer.json()["data"]
