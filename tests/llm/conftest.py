"""What the tests of the Messages client share: a journal in memory, an ask, a client at the fake server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fake_messages.fixture import fake_server
from vada.llm.base import Ask, CallRecord, Part
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.llm.search import SearchProvider
from vada.models.debate import ModelRef, Seat
from vada.models.replies import AuditReply, Reply
from vada.models.vocabulary import PhaseName, Role
from vada.settings import Settings

__all__ = ["fake_server"]

ANCHOR = "CRITICAL REMINDER: the question is: Should we move?\nAt most 120 words."
SHARED = (
    "<question>Should we move the monolith to microservices?</question>\n<constraints>\nC1: no downtime\n</constraints>"
)


@dataclass
class MemoryJournal:
    """Calls kept in memory; the tests look into it."""

    records: dict[tuple[str, int], CallRecord] = field(default_factory=dict)
    told: list[tuple[str, int, str]] = field(default_factory=list)
    stopped: bool = False

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        return self.records.get((slot, attempt))

    async def save(self, record: CallRecord) -> CallRecord:
        return self.records.setdefault((record.slot, record.attempt), record)

    def tell(self, slot: str, attempt: int, text: str) -> None:
        self.told.append((slot, attempt, text))

    async def cancelled(self) -> bool:
        return self.stopped

    @property
    def all(self) -> list[CallRecord]:
        return list(self.records.values())

    @property
    def kinds(self) -> list[str]:
        """Per attempt: ok, or the kind of error."""
        return [r.error["kind"] if r.error else "ok" for r in self.all]


def ask_for(reply: type[Reply] = AuditReply, **changes: Any) -> Ask[Any]:
    """An ask of the Coordinator with all the parts a prompt has."""
    model = changes.pop("model", "claude-sonnet-5-5")
    seat = Seat(
        role=changes.pop("role", Role.COORDINATOR),
        model=ModelRef.parse(model),
        fallbacks=tuple(ModelRef.parse(m) for m in changes.pop("fallbacks", ())),
        web=changes.pop("web", False),
    )
    parts = (
        Part("shared", changes.pop("shared", SHARED)),
        Part("posture", "# Coordinator\nDecide."),
        Part("horizon", "Your task: decide."),
        Part("input", "<conclusion>{}</conclusion>"),
        Part("round", "Round 1 of 3"),
        Part("anchor", ANCHOR),
    )
    given = {"slot": "r1.synthesize", "seat": seat, "phase": PhaseName.SYNTHESIZE, "round": 1, "parts": parts}
    return Ask(**{**given, "reply": reply, "constraints_sha": "c0ffee", **changes})


Made = Callable[..., tuple[MessagesLLM, MemoryJournal]]


@pytest.fixture
async def make() -> AsyncIterator[Made]:
    """Makes a client with a fresh journal; `settings` are the settings' own fields, `search` is who searches."""
    opened: list[Endpoints] = []

    def made(
        journal: MemoryJournal | None = None, search: SearchProvider | None = None, **settings: Any
    ) -> tuple[MessagesLLM, MemoryJournal]:
        endpoints = Endpoints(Settings(**settings), search)
        opened.append(endpoints)
        journal = journal or MemoryJournal()
        return MessagesLLM(endpoints, journal), journal

    yield made
    for endpoints in opened:
        await endpoints.aclose()


async def until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait until something holds. Raises TimeoutError when it does not in time."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what is waited for happens in another thread
            await asyncio.sleep(0.01)
