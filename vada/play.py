"""Plays a debate from its phases: a round, start to verdict, and the ending. Knows no database and no network; what
happens is told to a `Recorder`. Playing a round again from its start is always safe: every call has its slot."""

import asyncio
from collections.abc import Awaitable
from typing import Protocol, TypeVar

from vada import rules
from vada.errors import LLMError, PhaseFailedError
from vada.models.base import Value
from vada.models.outputs import Audit, Breach, Degraded, Deliverable, Dossier, GateVerdict, Proposal, Proposals
from vada.models.run import Round
from vada.models.vocabulary import DebateState, GateMode, PhaseName, Role
from vada.phase import Turn
from vada.phases import (
    p1_prepare,
    p2_propose,
    p3_challenge,
    p4_synthesize,
    p5_verify,
    p6_compress,
    p7_decide,
    p8_format,
    p9_audit,
)

V = TypeVar("V", bound=Value | None)


class Recorder(Protocol):
    """Who is told what happens. Telling the same thing twice must change nothing."""

    async def started(self, phase: PhaseName, round: int) -> None: ...
    async def finished(self, phase: PhaseName, round: int, output: Value) -> None: ...
    async def replied(self, proposal: Proposal) -> None: ...
    async def degraded(self, degraded: Degraded) -> None: ...
    async def breached(self, breach: Breach) -> None: ...


async def play_round(turn: Turn, record: Recorder) -> Round:
    """Phases 1 to 7. Returns the round with its verdict; a round without a synthesis waits for the person.

    Raises PhaseFailedError when phase 2 or 4 could not be had and nobody is there to ask, LLMError never.
    """
    now = Round(number=turn.round)
    dossier = await _phase(record, turn, PhaseName.PREPARE, p1_prepare.prepare(turn))
    now = now.model_copy(update={"dossier": dossier})
    now = await _debate(turn, record, now, dossier)
    now = now.model_copy(update={"verdict": await _phase(record, turn, PhaseName.DECIDE, _decide(turn, now))})
    for breach in rules.check(now, turn.config):
        await record.breached(breach)
    return now


async def play_ending(turn: Turn, record: Recorder, base_round: int) -> tuple[Deliverable, Audit, DebateState]:
    """Phase 8 and the audit, from the round `base_round`. Raises PhaseFailedError when no round has a synthesis."""
    base = next((r for r in turn.past if r.number == base_round and r.synthesis), None)
    if base is None:
        raise PhaseFailedError(
            "No round has a synthesis, so there is nothing to deliver.",
            next_step="The raw replies are kept; retry the failed call.",
            retry=True,
        )
    deliverable = await _phase(record, turn, PhaseName.FORMAT, p8_format.format_page(turn, base))
    audit = await _phase(record, turn, PhaseName.AUDIT, p9_audit.audit(turn, base))
    return deliverable, audit, p9_audit.state(audit)


async def _phase(record: Recorder, turn: Turn, name: PhaseName, work: Awaitable[V]) -> V:
    """Do a phase's work between its two events; a phase that gives nothing has only the first."""
    await record.started(name, turn.round)
    output = await work
    if output is not None:
        await record.finished(name, turn.round, output)
    return output


async def _debate(turn: Turn, record: Recorder, now: Round, dossier: Dossier) -> Round:
    """Phases 2 to 6; stops short where the person has to be asked."""
    await record.started(PhaseName.PROPOSE, turn.round)
    floor = p2_propose.Floor(turn, dossier, record.replied)
    try:
        now = await _challenged(turn, record, now, dossier, floor)
    finally:
        await floor.close()
    proposals, register = now.proposals, now.challenges
    assert proposals is not None
    if register is None:
        return now
    try:
        synthesis = await _phase(
            record, turn, PhaseName.SYNTHESIZE, p4_synthesize.synthesize(turn, dossier, proposals, register)
        )
    except LLMError as error:
        await turn.degrade(
            p4_synthesize.PHASE.degraded("synthesis_failed", turn.round, role=Role.COORDINATOR, cause=str(error))
        )
        _ask_or_fail(turn, f"The Coordinator gave no synthesis: {error}")
        return now
    verification = await _phase(
        record, turn, PhaseName.VERIFY, p5_verify.verify(turn, dossier, proposals, register, synthesis)
    )
    brief = await _phase(
        record,
        turn,
        PhaseName.COMPRESS,
        p6_compress.compress(turn, dossier, proposals, register, synthesis, verification),
    )
    return now.model_copy(update={"synthesis": synthesis, "verification": verification, "brief": brief})


async def _challenged(turn: Turn, record: Recorder, now: Round, dossier: Dossier, floor: p2_propose.Floor) -> Round:
    """Phases 2 and 3, which overlap: defences begin while the last proposals are written."""
    register_task = asyncio.ensure_future(p3_challenge.challenge(turn, dossier, floor))
    try:
        proposals: Proposals = await floor.all()
        await record.finished(PhaseName.PROPOSE, turn.round, proposals)
        now = now.model_copy(update={"proposals": proposals})
        if Role.CHALLENGER in proposals.missing:
            _ask_or_fail(turn, "The Challenger did not answer, and no round goes on without it.")
            return now
        register = await _phase(record, turn, PhaseName.CHALLENGE, register_task)
        return now.model_copy(update={"challenges": register})
    finally:
        register_task.cancel()
        await asyncio.gather(register_task, return_exceptions=True)


def _ask_or_fail(turn: Turn, message: str) -> None:
    """On autopilot nobody can be asked, so the debate fails; else the gate asks."""
    if turn.config.gate is GateMode.AUTOPILOT:
        raise PhaseFailedError(message, next_step="What was answered is kept; retry the failed call.", retry=True)


async def _decide(turn: Turn, now: Round) -> GateVerdict:
    limit = turn.limit(turn.round + 1)
    return p7_decide.decide(turn.config, (*turn.past, now), turn.spent, turn.minutes, limit)
