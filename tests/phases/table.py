"""A debate at the table: the real phases, the real prompts and the real SDK over HTTP; the record is kept in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fake_messages import Server
from vada.llm.base import CallRecord
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.base import Value
from vada.models.debate import DebateConfig, Material, constraints_from
from vada.models.outputs import Audit, Breach, Degraded, Deliverable, Proposal, Whisper
from vada.models.run import Round
from vada.models.vocabulary import DebateState, GateAction, GateMode, PhaseName
from vada.phase import Turn
from vada.play import play_ending, play_round
from vada.prompts import PromptBook
from vada.settings import default_seats, load

QUESTION = "Should a 12-person startup move its monolith to microservices?"
CONSTRAINTS = ["No new hires before March.", "The answer must fit in at most 450 words."]


class MemoryJournal:
    """Calls kept for the length of a test."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, int], CallRecord] = {}
        self.told: dict[str, str] = {}

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        return self.records.get((slot, attempt))

    async def save(self, record: CallRecord) -> CallRecord:
        return self.records.setdefault((record.slot, record.attempt), record)

    def tell(self, slot: str, attempt: int, text: str) -> None:
        self.told[slot] = text

    async def cancelled(self) -> bool:
        return False


@dataclass
class Notes:
    """A recorder that remembers."""

    degradations: list[Degraded] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    cards: list[Proposal] = field(default_factory=list)
    outputs: list[tuple[PhaseName, int]] = field(default_factory=list)

    async def started(self, phase: PhaseName, round: int) -> None:
        pass

    async def finished(self, phase: PhaseName, round: int, output: Value) -> None:
        self.outputs.append((phase, round))

    async def replied(self, proposal: Proposal) -> None:
        self.cards.append(proposal)

    async def degraded(self, degraded: Degraded) -> None:
        self.degradations.append(degraded)

    async def breached(self, breach: Breach) -> None:
        self.breaches.append(breach)

    @property
    def taken(self) -> list[str]:
        """The fallbacks taken, in order."""
        return [d.key for d in self.degradations]


@dataclass
class Played:
    """What came of a debate."""

    rounds: tuple[Round, ...]
    notes: Notes
    deliverable: Deliverable | None = None
    audit: Audit | None = None
    state: DebateState | None = None


def config(**changes: Any) -> DebateConfig:
    """A debate at the configured endpoint, three rounds on autopilot."""
    settings, book = load(), PromptBook.load()
    pack = book.packs["software_architecture"]
    values: dict[str, Any] = {
        "question": QUESTION,
        "constraints": constraints_from(CONSTRAINTS),
        "material": (Material(name="notes.txt", text="Deploys take 40 minutes. Four teams share one database."),),
        "pack": pack,
        "seats": default_seats(settings, pack, panel="balanced", web=False),
        "gate": GateMode.AUTOPILOT,
    }
    return DebateConfig(**{**values, **changes})


class Table:
    """Plays rounds against whatever endpoint the environment names."""

    def __init__(self, config: DebateConfig, **turn: Any) -> None:
        self.config, self.turn = config, turn
        self.settings, self.book = load(), PromptBook.load()
        self.journal, self.notes = MemoryJournal(), Notes()
        self.endpoints = Endpoints(self.settings)

    def seat_at(self, past: tuple[Round, ...], number: int, whispers: tuple[Whisper, ...] = ()) -> Turn:
        return Turn(
            config=self.config,
            round=number,
            past=past,
            llm=MessagesLLM(self.endpoints, self.journal),
            prompts=self.book,
            degrade=self.notes.degraded,
            whispers=whispers,
            today="2026-11-30",
            **self.turn,
        )

    async def round(self, past: tuple[Round, ...] = (), whispers: tuple[Whisper, ...] = ()) -> Round:
        return await play_round(self.seat_at(past, len(past) + 1, whispers), self.notes)

    async def ending(self, rounds: tuple[Round, ...]) -> Played:
        turn = self.seat_at(rounds, len(rounds))
        deliverable, audit, state = await play_ending(turn, self.notes, rounds[-1].verdict.best_round)
        return Played(rounds, self.notes, deliverable, audit, state)

    async def whole(self, most: int = 3, between: Callable[[Round], None] = lambda _: None) -> Played:
        """Rounds until the gate stops, then the ending."""
        rounds: tuple[Round, ...] = ()
        while len(rounds) < most:
            rounds = (*rounds, await self.round(rounds))
            between(rounds[-1])
            if rounds[-1].verdict.recommendation is GateAction.STOP:
                break
        return await self.ending(rounds)


def texts(body: dict[str, Any]) -> list[str]:
    """The texts of a request, in the order sent."""
    return [b["text"] for m in body["messages"] for b in m["content"] if b["type"] == "text"]


def asked(server: Server, reply: str, heading: str = "") -> list[dict[str, Any]]:
    """The bodies of the requests for a kind of reply, of one role if named."""
    from tests.fake_messages.matching import role, title

    return [e.body for e in server.calls if title(e.body) == reply and (not heading or role(heading)(e.body))]
