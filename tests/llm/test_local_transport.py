"""The Messages protocol for the model in this process, spoken by the real SDK; the model's server is a stand-in."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anthropic
import pytest
from anthropic import AsyncAnthropic
from anthropic.types import OutputConfigParam
from pydantic import BaseModel, Field

from tests.llm.conftest import until
from tests.llm.fake_llama import FakeLlama, schema_of
from vada.errors import LLMError
from vada.llm.local.model import LocalModel
from vada.llm.local.server import threads
from vada.llm.local.transport import MOST, LocalTransport

HELLO: Any = [{"role": "user", "content": "hello there"}]
ANCHORED: Any = [{"role": "user", "content": [{"type": "text", "text": t} for t in ("The case.", "The anchor.")]}]


class Sum(BaseModel):
    sum: int
    why: str = Field(description="in one sentence")


FORMAT: OutputConfigParam = {"format": {"type": "json_schema", "schema": anthropic.transform_schema(Sum)}}


@pytest.fixture
def llama() -> FakeLlama:
    return FakeLlama()


@pytest.fixture
def model(llama: FakeLlama) -> Iterator[LocalModel]:
    made = LocalModel(lambda: llama)
    yield made
    made.close()


@pytest.fixture
async def client(model: LocalModel) -> AsyncIterator[AsyncAnthropic]:
    async with open_client(model) as made:
        yield made


def open_client(model: LocalModel) -> AsyncAnthropic:
    http = anthropic.DefaultAsyncHttpxClient(transport=LocalTransport(model, "tiny"))
    return AsyncAnthropic(api_key="none", base_url="http://local", max_retries=0, http_client=http)


async def test_a_plain_call_is_answered_with_its_real_usage(client: AsyncAnthropic) -> None:
    message = await client.messages.create(model="tiny", max_tokens=50, messages=HELLO)
    assert [b.text for b in message.content if b.type == "text"] == ["Some prose."]
    assert message.stop_reason == "end_turn"
    used = message.usage
    assert (used.input_tokens, used.cache_read_input_tokens, used.output_tokens) == (10, 30, 9)


async def test_a_stream_says_the_same_piece_by_piece(client: AsyncAnthropic) -> None:
    async with client.messages.stream(model="tiny", max_tokens=50, messages=HELLO) as stream:
        pieces = [text async for text in stream.text_stream]
        message = await stream.get_final_message()
    assert len(pieces) > 1
    assert "".join(pieces) == "Some prose."
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 10, 9)


async def test_a_schema_becomes_a_bounded_grammar_and_words_before_the_last_block(
    client: AsyncAnthropic, llama: FakeLlama
) -> None:
    message = await client.messages.create(model="tiny", max_tokens=50, messages=ANCHORED, output_config=FORMAT)
    [block] = message.content
    assert block.type == "text"
    assert set(json.loads(block.text)) == {"sum", "why"}
    [request] = llama.requests
    assert schema_of(request)["properties"]["why"]["maxLength"] == 300
    [turn] = request["messages"]
    case, words, anchor = turn["content"].split("\n\n")
    assert (case, anchor) == ("The case.", "The anchor.")
    assert "- why: text, at most 42 words. in one sentence" in words


async def test_a_re_ask_keeps_its_turns_and_the_anchor_last(client: AsyncAnthropic, llama: FakeLlama) -> None:
    fault = [{"type": "text", "text": t} for t in ("It lacks `sum`.", "The anchor.")]
    turns = [*ANCHORED, {"role": "assistant", "content": "{}"}, {"role": "user", "content": fault}]
    await client.messages.create(model="tiny", max_tokens=50, messages=turns, output_config=FORMAT)
    sent = llama.requests[0]["messages"]
    assert [m["role"] for m in sent] == ["user", "assistant", "user"]
    assert sent[2]["content"].startswith("It lacks `sum`.\n\nReply with one JSON object.")
    assert sent[2]["content"].endswith("\n\nThe anchor.")


async def test_a_system_text_stands_first(client: AsyncAnthropic, llama: FakeLlama) -> None:
    await client.messages.create(model="tiny", max_tokens=50, messages=HELLO, system="Be brief.")
    assert llama.requests[0]["messages"][0] == {"role": "system", "content": "Be brief."}


async def test_a_small_model_cannot_run_away(client: AsyncAnthropic, llama: FakeLlama) -> None:
    llama.writes = lambda request: "again and " * request["max_tokens"]
    message = await client.messages.create(model="tiny", max_tokens=16_000, messages=HELLO)
    assert llama.requests[0]["max_tokens"] == MOST
    assert message.stop_reason == "max_tokens"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_prompt_that_is_too_long_is_refused_in_plain_words(
    client: AsyncAnthropic, llama: FakeLlama, stream: bool
) -> None:
    llama.error = {"type": "exceed_context_size_error", "code": 400, "n_prompt_tokens": 20_000, "n_ctx": 12_288}
    with pytest.raises(anthropic.BadRequestError, match=r"20000 tokens.*12288 at once") as raised:
        await ask(client, stream)
    assert raised.value.type == "request_too_large"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_model_that_cannot_be_opened_says_why_and_may_work_the_next_time(stream: bool) -> None:
    missing = LLMError("No weights.", kind="not_configured", next_step="Install them.")
    answers: list[LLMError | FakeLlama] = [missing, FakeLlama()]

    def opened() -> FakeLlama:
        found = answers.pop(0)
        if isinstance(found, LLMError):
            raise found
        return found

    model = LocalModel(opened)
    async with open_client(model) as client:
        with pytest.raises(anthropic.InternalServerError, match=r"No weights\. Install them\."):
            await ask(client, stream)
        assert await ask(client, stream) == "Some prose."
    model.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("pieces", [0, 2])
async def test_a_model_that_breaks_is_an_error_and_not_a_short_answer(
    client: AsyncAnthropic, llama: FakeLlama, stream: bool, pieces: int
) -> None:
    llama.breaks_after = pieces
    with pytest.raises(anthropic.APIStatusError, match="out of memory"):
        await ask(client, stream)


async def ask(client: AsyncAnthropic, stream: bool = True) -> str:
    if not stream:
        message = await client.messages.create(model="tiny", max_tokens=50, messages=HELLO)
    else:
        async with client.messages.stream(model="tiny", max_tokens=50, messages=HELLO) as coming:
            message = await coming.get_final_message()
    return "".join(b.text for b in message.content if b.type == "text")


async def test_closing_the_stream_stops_the_model_and_frees_it_for_the_next(
    client: AsyncAnthropic, llama: FakeLlama
) -> None:
    llama.gate = threading.Event()
    llama.writes = lambda _: "word " * 500
    async with client.messages.stream(model="tiny", max_tokens=5000, messages=HELLO) as stream:
        await anext(aiter(stream))
    llama.gate.set()
    await until(lambda: llama.stopped == 1)
    assert llama.pieces < 10
    llama.writes = lambda _: "Next."
    assert await ask(client) == "Next."


@pytest.mark.parametrize("stream", [True, False])
async def test_a_cancelled_call_stops_the_model(client: AsyncAnthropic, llama: FakeLlama, stream: bool) -> None:
    llama.gate = threading.Event()
    llama.writes = lambda _: "word " * 500
    call = asyncio.create_task(ask(client, stream))
    await until(lambda: llama.pieces > 0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    llama.gate.set()
    await until(lambda: llama.stopped == 1)
    assert llama.pieces < 10


async def test_a_call_given_up_in_the_line_never_begins(client: AsyncAnthropic, llama: FakeLlama) -> None:
    llama.gate = threading.Event()
    first = asyncio.create_task(ask(client))
    await until(lambda: llama.pieces > 0)
    second = asyncio.create_task(ask(client))
    await asyncio.sleep(0.05)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    llama.gate.set()
    assert await first == "Some prose."
    assert await ask(client) == "Some prose."
    assert len(llama.requests) == 2


async def test_one_model_answers_the_calls_of_every_debate_one_after_another(model: LocalModel) -> None:
    active, most = 0, 0

    def writes(_: Any) -> str:
        nonlocal active, most
        active += 1
        most = max(most, active)
        threading.Event().wait(0.01)
        active -= 1
        return "Some prose."

    async def debate() -> list[str]:
        async with open_client(model) as client:
            return await asyncio.gather(*(ask(client) for _ in range(3)))

    def in_its_own_loop() -> None:
        answers.extend(asyncio.run(debate()))

    answers: list[str] = []
    server = model._opened()
    assert isinstance(server, FakeLlama)
    server.writes = writes
    debates = [threading.Thread(target=in_its_own_loop) for _ in range(3)]
    for d in debates:
        d.start()
    for d in debates:
        await asyncio.to_thread(d.join)
    assert answers == ["Some prose."] * 9
    assert most == 1


async def test_an_idle_model_is_let_go_and_opened_again() -> None:
    opened: list[FakeLlama] = []

    def opening() -> FakeLlama:
        opened.append(FakeLlama())
        return opened[-1]

    model = LocalModel(opening, idle=0.05)
    async with open_client(model) as client:
        await ask(client)
        await ask(client)
        assert len(opened) == 1
        await asyncio.sleep(0.3)
        await ask(client)
    assert len(opened) == 2
    model.close()


async def test_tokens_are_counted_by_the_model(client: AsyncAnthropic) -> None:
    assert (await client.messages.count_tokens(model="tiny", messages=HELLO)).input_tokens == 2


async def test_it_lists_its_one_model(client: AsyncAnthropic) -> None:
    page = await client.models.list()
    assert [m.id for m in page.data] == ["tiny"]
    assert (await client.models.retrieve("tiny")).id == "tiny"


async def test_another_models_name_is_not_answered_for(client: AsyncAnthropic) -> None:
    with pytest.raises(anthropic.NotFoundError, match="The local model is tiny"):
        await client.messages.create(model="huge", max_tokens=50, messages=HELLO)


async def test_tools_are_refused_and_not_ignored(client: AsyncAnthropic, llama: FakeLlama) -> None:
    search: Any = [{"type": "web_search_20250305", "name": "web_search"}]
    with pytest.raises(anthropic.BadRequestError, match="no tools"):
        await client.messages.create(model="tiny", max_tokens=50, messages=HELLO, tools=search)
    assert llama.requests == []


@pytest.mark.parametrize(("cores", "used"), [(1, 1), (2, 1), (8, 7)])
def test_one_core_is_left_to_everything_else(cores: int, used: int) -> None:
    assert threads(cores) == used
