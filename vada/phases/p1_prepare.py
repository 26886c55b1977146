"""Phase 1, Prepare: compose clean context for this round. No model call; it cannot fail, only fall back and say so."""

from collections.abc import Sequence

from vada import brief as briefs
from vada import constraints as cons
from vada.models.outputs import ActiveItem, Brief, Dossier
from vada.models.run import Round
from vada.models.vocabulary import DEBATERS, DecisionStatus, GateAction, PhaseName, Role
from vada.phase import Fallback, Phase, Turn
from vada.roles import cap_for
from vada.scoring import going_on_from

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
    constraints_block = cons.block(turn.config.constraints, cons.accepted(turn.past))
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
    base = going_on_from(turn.past)
    edits = turn.past[-1].decision.active if turn.past[-1].decision else None
    if turn.config.context == "transcript":
        return "transcript", "\n\n".join((_transcript(turn.past), _open(edits), _locked(turn))).strip()
    if base and base.brief:
        return "brief", "\n".join((_edited(base.brief, edits, constraints_block), _locked(turn))).strip()
    if base and base.synthesis:
        await turn.degrade(PHASE.degraded("brief_missing", turn.round))
        return "synthesis", "\n\n".join((base.synthesis.text, _open(edits), _locked(turn))).strip()
    await turn.degrade(PHASE.degraded("original_input", turn.round))
    return "original", _locked(turn)


def _edited(brief: Brief, edits: Sequence[ActiveItem] | None, constraints_block: str) -> str:
    """The brief's text, built again when the person edited the active items or changed a constraint at the gate."""
    if edits is None and constraints_block == brief.constraints_block:
        return brief.text
    return briefs.build(constraints_block, brief.decided, brief.active if edits is None else edits, brief.minority).text


def _open(edits: Sequence[ActiveItem] | None) -> str:
    """The person's active items, where there is no brief to put them into."""
    return "\n".join(("ACTIVE", *(f"- {a.text}" for a in edits))) if edits else ""


def _locked(turn: Turn) -> str:
    """The decision this branch holds; on autopilot a recommended fork goes on with its surer side."""
    line = turn.config.lineage
    if line and line.locked_key:
        return f"LOCKED IN THIS BRANCH\n- [{line.locked_key}] {line.locked_value}"
    last = turn.past[-1] if turn.past else None
    if last is None or last.verdict is None or last.decision is None or last.decision.by != "autopilot":
        return ""
    fork = last.verdict.fork
    if fork is None or last.verdict.recommendation is not GateAction.FORK:
        return ""
    return f"LOCKED IN THIS BRANCH\n- [{fork.key}] {fork.value_a}"


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
    base = going_on_from(past)
    synthesis = base.synthesis if base else None
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
