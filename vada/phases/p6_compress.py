"""Phase 6, Compress: decided, active, minority, original constraints, under 800 tokens. Code builds the brief; a model
is called only to shorten what does not fit. The constraints are never cut or touched."""

from collections.abc import Sequence

from vada import brief as briefs
from vada.errors import LLMError
from vada.llm.base import Ask
from vada.models.outputs import (
    ActiveItem,
    Brief,
    ChallengeRegister,
    Dossier,
    MinorityEntry,
    Proposals,
    Synthesis,
    Verification,
)
from vada.models.replies import CompressionReply
from vada.models.vocabulary import DecisionStatus, PhaseName, PointFate, Role, Verdict
from vada.phase import Fallback, Phase, Turn, shared
from vada.tokens import count

PHASE = Phase(
    name=PhaseName.COMPRESS,
    takes="decisions, active items, minority report, constraints; points the Verifier found silently dropped",
    gives="the brief: ORIGINAL CONSTRAINTS, DECIDED, ACTIVE, MINORITY REPORT; at most 800 tokens",
    retries=1,
    fallbacks=(
        Fallback("brief_missing", "The brief could not be shortened; the raw synthesis is passed on in its place."),
    ),
)


async def compress(
    turn: Turn,
    dossier: Dossier,
    proposals: Proposals,
    register: ChallengeRegister,
    synthesis: Synthesis,
    verification: Verification | None,
) -> Brief | None:
    """The brief; None when the raw synthesis has to be passed on, which is recorded."""
    decided = decided_lines(synthesis, verification)
    active = active_items(proposals, register, synthesis, verification)
    minority = tuple(f"{m.position} ({m.reason})" if m.reason else m.position for m in by_weight(synthesis))
    restored = tuple(a.id for a in active if a.origin == "dropped point")
    block = dossier.constraints_block
    if briefs.uncut_tokens(block, decided, active, minority) > briefs.CAP and count(block) < briefs.CAP:
        try:
            decided, active, minority = await _shorten(turn, dossier, decided, active, minority)
        except LLMError as error:
            await turn.degrade(PHASE.degraded("brief_missing", turn.round, role=Role.COORDINATOR, cause=str(error)))
            return None
    return briefs.build(block, decided, active, minority, restored)


def by_weight(synthesis: Synthesis) -> list[MinorityEntry]:
    """The minority report, the most confident first."""
    return sorted(synthesis.minority, key=lambda m: -m.confidence)


def decided_lines(synthesis: Synthesis, verification: Verification | None) -> tuple[str, ...]:
    """The locked decisions, the most confident first; what the Verifier found stale is not among them."""
    stale = {s.key for s in verification.sunsets} if verification else set()
    decided = [d for d in synthesis.decisions if d.status is DecisionStatus.DECIDED and d.key not in stale]
    return tuple(briefs.decided_line(d) for d in sorted(decided, key=lambda d: -d.confidence))


def active_items(
    proposals: Proposals, register: ChallengeRegister, synthesis: Synthesis, verification: Verification | None
) -> tuple[ActiveItem, ...]:
    """What is open: active decisions, sunsets, undecided challenges, dropped points, errors found."""
    items = [
        ActiveItem(id=d.key, key=d.key, text=f"{d.statement} ({d.value})", origin="decision")
        for d in synthesis.decisions
        if d.status is DecisionStatus.ACTIVE
    ]
    undecided = {r.challenge for r in synthesis.rulings if r.verdict is Verdict.UNDECIDED}
    ruled = {r.challenge for r in synthesis.rulings}
    items += [
        ActiveItem(id=c.id, key=c.target_key or "", text=c.objection, origin="undecided challenge")
        for c in register.challenges
        if c.id in undecided or c.id not in ruled
    ]
    if verification:
        items += _found(proposals, verification)
    return tuple({i.id: i for i in items}.values())


def _found(proposals: Proposals, verification: Verification) -> list[ActiveItem]:
    """What the Verifier brings back: dropped points, stale decisions, errors."""
    points = {x.id: x for p in proposals.proposals for x in p.points}
    items = [
        ActiveItem(id=c.point, key=points[c.point].key, text=points[c.point].claim, origin="dropped point")
        for c in verification.raw_vs_synthesis
        if c.fate is PointFate.DROPPED and c.point in points
    ]
    items += [
        ActiveItem(id=s.key, key=s.key, text=f"Is it still needed? {s.reason}", origin="sunset")
        for s in verification.sunsets
    ]
    items += [
        ActiveItem(
            id=i.id, text=f"{i.claim.rstrip('. :')}: {i.correction}" if i.correction else i.claim, origin="error"
        )
        for i in verification.issues
    ]
    return items


async def _shorten(
    turn: Turn, dossier: Dossier, decided: Sequence[str], active: Sequence[ActiveItem], minority: Sequence[str]
) -> tuple[tuple[str, ...], tuple[ActiveItem, ...], tuple[str, ...]]:
    """The same items in fewer words; an item the model left out keeps its own words and is left to the triage."""
    labelled = [(f"D{i}", d) for i, d in enumerate(decided, 1)]
    labelled += [(f"A{i}", a.text) for i, a in enumerate(active, 1)]
    labelled += [(f"N{i}", m) for i, m in enumerate(minority, 1)]
    seat = turn.config.seat(Role.COORDINATOR)
    answer = await turn.llm.ask(
        Ask(
            slot=f"r{turn.round}.compress",
            seat=seat,
            phase=PHASE.name,
            round=turn.round,
            parts=turn.prompts.compose(
                seat,
                turn.config,
                horizon="compress",
                round=turn.round,
                cap=max(
                    60, int((briefs.CAP - count(dossier.constraints_block)) * 0.6)
                ),  # about 0.75 words a token, with room
                shared=shared(turn, dossier),
                inputs=turn.prompts.render(
                    "phases/p6_compress/compress", items=labelled, budget=briefs.CAP - count(dossier.constraints_block)
                ),
            ),
            reply=CompressionReply,
            retries=PHASE.retries,
            constraints_sha=dossier.constraints_sha,
        )
    )
    short = {i.label.strip().upper(): i.text for i in answer.value.items if i.text.strip()}
    return (
        tuple(_keyed(short.get(f"D{i}", d), d) for i, d in enumerate(decided, 1)),
        tuple(a.model_copy(update={"text": short.get(f"A{i}", a.text)}) for i, a in enumerate(active, 1)),
        tuple(short.get(f"N{i}", m) for i, m in enumerate(minority, 1)),
    )


def _keyed(text: str, original: str) -> str:
    """A shortened decision with the key it is found by."""
    key = original.split("]", 1)[0] + "]"
    return text if text.startswith(key) else f"{key} {text}"
