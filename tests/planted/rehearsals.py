"""Debates played by the real phases and prompts over the offline engine: the second base to plant failures in."""

import asyncio
from dataclasses import dataclass, field
from functools import cache

from vada.llm.base import CallRecord
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.base import Value
from vada.models.debate import REHEARSAL, DebateConfig, ModelRef, constraints_from
from vada.models.outputs import Breach, Degraded, Proposal
from vada.models.run import CallTrace, Round, Run
from vada.models.vocabulary import GateMode, PhaseName, Role
from vada.phase import Turn
from vada.play import play_ending, play_round
from vada.prompts import PromptBook
from vada.settings import default_seats, load

QUESTIONS = (
    "Should a 12-person startup move its monolith to microservices?",
    "Should our clinic open on Saturdays and close on Wednesdays?",
    "Should we rent or buy a second bakery shop in the old town?",
    "How should a school with 400 pupils spend a grant of 90,000 euros?",
    "Should the ferry company order three electric ships before the bridge opens?",
    "Which database should our booking system use, PostgreSQL or MongoDB?",
    "Should the archive scan its newspapers itself or hire a vendor?",
    "How can a newsroom of 20 people publish a daily podcast within six months?",
)
CONSTRAINTS = ["Spend at most 90,000 euros.", "No new hires before March.", "Name an owner for every step."]
STAMP = "2031-01-01T00:00:00Z"
ROUNDS = 3


@cache
def rehearsal(seed: int) -> Run:
    """The rehearsal of a seed: three rounds and the ending, on autopilot, whatever the gate recommends."""
    return asyncio.run(_play(seed))


@dataclass
class _Memory:
    """A journal and a recorder that keep what a run is made of."""

    records: dict[tuple[str, int], CallRecord] = field(default_factory=dict)
    degradations: list[Degraded] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        return self.records.get((slot, attempt))

    async def save(self, record: CallRecord) -> CallRecord:
        return self.records.setdefault((record.slot, record.attempt), record)

    def tell(self, slot: str, attempt: int, text: str) -> None:
        pass

    async def cancelled(self) -> bool:
        return False

    async def started(self, phase: PhaseName, round: int) -> None:
        pass

    async def finished(self, phase: PhaseName, round: int, output: Value) -> None:
        pass

    async def replied(self, proposal: Proposal) -> None:
        pass

    async def degraded(self, degraded: Degraded) -> None:
        self.degradations.append(degraded)

    async def breached(self, breach: Breach) -> None:
        self.breaches.append(breach)


def _config(seed: int, book: PromptBook) -> DebateConfig:
    settings = load()
    packs = [book.packs[k] for k in sorted(book.packs)]
    pack = packs[seed % len(packs)]
    model = ModelRef(name=REHEARSAL, endpoint=REHEARSAL)
    seats = default_seats(settings, pack, panel="balanced", web=True)
    return DebateConfig(
        question=QUESTIONS[seed % len(QUESTIONS)],
        constraints=constraints_from(CONSTRAINTS),
        pack=pack,
        seats=tuple(s.model_copy(update={"model": model, "fallbacks": ()}) for s in seats),
        gate=GateMode.AUTOPILOT,
        seed=seed,
    )


async def _play(seed: int) -> Run:
    book, memory = PromptBook.load(), _Memory()
    config = _config(seed, book)
    llm = MessagesLLM(Endpoints(load().model_copy(update={"rehearsal_speed": 0.0})), memory)

    def turn(past: tuple[Round, ...], number: int) -> Turn:
        return Turn(
            config=config, round=number, past=past, llm=llm, prompts=book, degrade=memory.degraded, today="2031-01-01"
        )

    rounds: tuple[Round, ...] = ()
    for n in range(1, ROUNDS + 1):
        played = await play_round(turn(rounds, n), memory)
        proposals = played.proposals.proposals if played.proposals else ()
        rounds = (*rounds, played.model_copy(update={"finished": True, "replied": proposals}))
    best = rounds[-1].verdict
    assert best
    deliverable, audit, state = await play_ending(turn(rounds, ROUNDS), memory, best.best_round)
    return Run(
        id=f"rehearsal-{seed}",
        config=config,
        state=state,
        created_at=STAMP,
        updated_at=STAMP,
        version=1,
        head="",
        rounds=rounds,
        deliverable=deliverable,
        audit=audit,
        degraded=tuple(memory.degradations),
        breaches=tuple(memory.breaches),
        calls=tuple(_trace(r) for r in memory.records.values()),
    )


def _trace(record: CallRecord) -> CallTrace:
    return CallTrace(
        id=record.id,
        slot=record.slot,
        attempt=record.attempt,
        role=Role(record.role),
        phase=PhaseName(record.phase),
        round=record.round,
        model=ModelRef.parse(record.model),
        prompt_hash=record.prompt_hash,
        constraints_sha=record.constraints_sha,
        started_at=record.started_at,
        status=record.error["kind"] if record.error else "ok",
    )
