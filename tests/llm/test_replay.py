"""Whatever goes wrong in whatever order: an ask ends in an answer or an error, and its replay is the same, unsent."""

import asyncio
import random

from tests.fake_messages import (
    Answer,
    CutStream,
    Default,
    EmptyReply,
    ErrorInStream,
    Malformed,
    MaxTokens,
    Pause,
    Refusal,
    SearchFails,
    Server,
    Status,
    Text,
    says,
)
from tests.llm.conftest import MemoryJournal, ask_for
from vada.errors import LLMError
from vada.llm.base import Ask
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.replies import ProposalReply
from vada.settings import Settings

SOON = {"retry-after-ms": "1"}
WRONG: tuple[Answer, ...] = (
    Status(529, "busy", SOON),
    Status(429, "slow", SOON),
    Status(500, "oops", SOON),
    Status(401, "who?"),
    Status(400, "output_config.format: grammar is too large"),
    Status(400, "web_search is not enabled"),
    ErrorInStream(),
    CutStream(),
    CutStream(dropped=True),
    Malformed(),
    EmptyReply(),
    MaxTokens(after=30),
    Refusal(),
    Text("no json"),
    Text('{"weakness": 1}'),
    Pause(),
    SearchFails(),
    Default(),
)


def asks(count: int) -> list[Ask[ProposalReply]]:
    """Asks that differ in slot, search, fallbacks, retries and check."""
    return [
        ask_for(
            ProposalReply,
            slot=f"s{i}",
            shared=f"<question>number {i}.</question>",
            web=i % 2 == 0,
            retries=i % 4,
            fallbacks=("claude-opus-5-5",) if i % 3 == 0 else (),
            check=(lambda _: "say more.") if i % 5 == 0 else None,
        )
        for i in range(count)
    ]


async def ended(llm: MessagesLLM, ask: Ask[ProposalReply]) -> object:
    """The answer, or the error as words."""
    try:
        return await llm.ask(ask)
    except LLMError as error:
        return f"{error.kind}: {error} {error.retry} {error.status}"


async def test_every_ask_ends_and_its_replay_ends_alike_without_the_wire(fake_server: Server) -> None:
    chance = random.Random(7)
    many = asks(60)
    for i, _ in enumerate(many):
        for _ in range(chance.randrange(6)):
            fake_server.script(chance.choice(WRONG), match=says(f"number {i}."))
    endpoints, journal = Endpoints(Settings(endpoints={"anthropic": {"concurrency": 16}})), MemoryJournal()
    async with asyncio.timeout(60):
        first = await asyncio.gather(*(ended(MessagesLLM(endpoints, journal), a) for a in many))
    sent = len(fake_server.calls)
    assert sent == len(journal.records)
    assert {type(f) for f in first} == {str, type(next(f for f in first if not isinstance(f, str)))}
    again = await asyncio.gather(*(ended(MessagesLLM(endpoints, journal), a) for a in many))
    assert again == first
    assert len(fake_server.calls) == sent
    less = {"schema": "prompt", "stream": False, "search": True}
    learned = Settings(endpoints={"anthropic": {"url": fake_server.url, "key_env": "ANTHROPIC_API_KEY", **less}})
    again = await asyncio.gather(*(ended(MessagesLLM(endpoints, journal, learned), a) for a in many))
    assert again == first  # what was found out about the server since changes nothing of what was recorded
    assert len(fake_server.calls) == sent
    await endpoints.aclose()
