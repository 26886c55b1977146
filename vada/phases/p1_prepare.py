"""Phase 1, Prepare: compose clean context for this round. No model call; it cannot fail, only fall back and say so."""

from collections.abc import Sequence

from vada import brief as briefs
from vada import constraints as cons
from vada.models.outputs import ActiveItem, Dossier, Renegotiation
from vada.models.run import Round
from vada.models.vocabulary import DEBATERS, DecisionStatus, PhaseName, Role
from vada.phase import Fallback, Phase, Turn
from vada.roles import cap_for
from vada.scoring import MOVE, best_round

PHASE = Phase(
    name=PhaseName.PREPARE,
    takes="question, constraints, material; the last brief (round > 1)",
    gives="the round's dossier: constraints verbatim, brief, one instruction per role with its word cap",
    fallbacks=(
        Fallback(
            "brief_missing", "There was no brief from the last round; this round starts from the last saved synthesis."
        ),
        Fallback("original_input", "There was no brief and no synthesis; this round starts from the original input."),
    ),
)


async def prepare(turn: Turn) -> Dossier:
    """The dossier of this round."""
    constraints_block = cons.block(turn.config.constraints, accepted(turn.past))
    source, context = await _context(turn, constraints_block)
    decided = _decided_keys(turn.past)
    return Dossier(
        round=turn.round,
        context=context,
        source=source,
        constraints_block=constraints_block,
        constraints_sha=cons.sha(constraints_block),
        instructions={role: _instruction(role, turn.round, decided) for role in DEBATERS},
        caps={role: cap_for(role, "propose", turn.config.caps) for role in DEBATERS},
        benched=benched(turn),
    )


def accepted(past: Sequence[Round]) -> tuple[Renegotiation, ...]:
    """The renegotiations that a person accepted at any gate so far."""
    found: list[Renegotiation] = []
    for round_ in past:
        yes = {a.id for a in round_.decision.renegotiations if a.accepted} if round_.decision else set()
        found += [r for r in (round_.synthesis.renegotiations if round_.synthesis else ()) if r.id in yes]
    return tuple(found)


def benched(turn: Turn) -> tuple[Role, ...]:
    """Agents whose last proposal timed out: a hung agent costs one time-out in all. The Challenger is never benched."""
    if not turn.past or not turn.past[-1].proposals:
        return ()
    slow = set(turn.past[-1].proposals.timed_out) | set(turn.past[-1].dossier.benched if turn.past[-1].dossier else ())
    return tuple(r for r in DEBATERS if r in slow and r is not Role.CHALLENGER)


async def _context(turn: Turn, constraints_block: str) -> tuple[str, str]:
    """What the round starts from, with the fallback recorded where one is taken."""
    if not turn.past:
        return "original", _locked(turn)
    base = _base(turn.past)
    if turn.config.context == "transcript":
        return "transcript", "\n\n".join((_transcript(turn.past), _locked(turn))).strip()
    if base.brief:
        return "brief", "\n".join((_edited(base, constraints_block), _locked(turn))).strip()
    synthesis = next((r.synthesis for r in reversed(turn.past) if r.synthesis), None)
    if synthesis:
        await turn.degrade(PHASE.degraded("brief_missing", turn.round))
        return "synthesis", "\n".join((synthesis.text, _locked(turn))).strip()
    await turn.degrade(PHASE.degraded("original_input", turn.round))
    return "original", _locked(turn)


def _base(past: Sequence[Round]) -> Round:
    """The round to go on from: the last, or the best-scored one when the score fell by half a point or more."""
    last = past[-1]
    if last.verification and last.verification.delta is not None and last.verification.delta <= -MOVE:
        best = best_round(past)
        return next(r for r in past if r.number == best)
    return last


def _edited(base: Round, constraints_block: str) -> str:
    """The brief's text, built again when the person edited the active items or changed a constraint at the gate."""
    assert base.brief is not None
    edits = base.decision.active if base.decision else None
    active: tuple[ActiveItem, ...] = base.brief.active if edits is None else edits
    if edits is None and constraints_block == base.brief.constraints_block:
        return base.brief.text
    return briefs.build(constraints_block, base.brief.decided, active, base.brief.minority).text


def _locked(turn: Turn) -> str:
    """The decision this branch of a fork was made to hold."""
    line = turn.config.lineage
    if line is None or not line.locked_key:
        return ""
    return f"LOCKED IN THIS BRANCH\n- [{line.locked_key}] {line.locked_value}"


def _transcript(past: Sequence[Round]) -> str:
    """Raw text of the past rounds, for those who prefer it to the brief."""
    texts = []
    for round_ in past:
        proposals = round_.proposals.proposals if round_.proposals else ()
        texts += [f"Round {round_.number}, a proposal:\n{p.text}" for p in proposals]
        if round_.synthesis:
            texts.append(f"Round {round_.number}, synthesis:\n{round_.synthesis.text}")
    return "\n\n".join(texts)


def _decided_keys(past: Sequence[Round]) -> tuple[str, ...]:
    """Keys decided in the last synthesis, the most confident first."""
    synthesis = next((r.synthesis for r in reversed(past) if r.synthesis), None)
    decided = [d for d in synthesis.decisions if d.status is DecisionStatus.DECIDED] if synthesis else []
    return tuple(d.key for d in sorted(decided, key=lambda d: -d.confidence))


def _instruction(role: Role, round_: int, decided: tuple[str, ...]) -> str:
    """The one instruction of a role for this round, in the vocabulary of the brief."""
    if round_ == 1:
        return {
            Role.CHALLENGER: "Object to the answer most people would give to this question.",
            Role.SIMPLIFIER: "Say what the simplest sufficient answer is and veto what people usually add to it.",
        }.get(role, "Give your own first view of the question.")
    keys = ", ".join(decided) or "none yet"
    return {
        Role.CHALLENGER: f"Attack what is decided ({keys}), the most confident first, with evidence not seen so far.",
        Role.SIMPLIFIER: f"Find what can be taken out of what is decided ({keys}) without loss.",
    }.get(role, f"Improve on the brief where it is weakest; work on its ACTIVE items first. Decided so far: {keys}.")
