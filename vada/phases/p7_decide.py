"""Phase 7, Decide: the Decision Gate's five checks, in the contract's order. No model call; it cannot fail."""

from collections.abc import Sequence
from itertools import combinations

from vada.llm.ledger import unheld
from vada.models.debate import DebateConfig
from vada.models.outputs import ForkOption, GateCheck, GateVerdict
from vada.models.run import Round, Usage
from vada.models.vocabulary import GateAction, GateMode, PhaseName, PointFate, VetoVerdict
from vada.phase import Phase
from vada.scoring import HELD, MOVE, best_round, oscillations, reached, same_value, spoken

PHASE = Phase(
    name=PhaseName.DECIDE,
    takes="scores, decision keys of all rounds, budget, settings",
    gives="continue, fork, stop, or wait for the person, with the five checks and their reasons",
)

MOST = 3
"""Rounds after which a debate stops (rule 10)."""


def decide(config: DebateConfig, rounds: Sequence[Round], spent: Usage, minutes: float, limit: str = "") -> GateVerdict:
    """What the gate recommends after the last of `rounds`, and whether a person is asked first. `limit` is why the
    budget does not allow another round, in plain words; empty when it does."""
    now = rounds[-1]
    change = now.verification.delta if now.verification else None
    swinging = oscillations(rounds)
    trouble = _trouble(now, swinging, change)
    limit = limit or reached(config, dollars=spent.dollars, tokens=_tokens(spent), minutes=minutes)
    fork = fork_option(now)
    active = _active(now)
    stop = _stop(config, now, change, active, limit)
    go_on = _continue(config, now, change, active, limit)
    can_fork = fork is not None and now.number < min(MOST, config.rounds) and not limit
    recommended = GateAction.CONTINUE if go_on.result else GateAction.FORK if can_fork else GateAction.STOP
    waits = config.gate is GateMode.EVERY or (config.gate is GateMode.TROUBLE and bool(trouble))
    return GateVerdict(
        recommendation=recommended,
        wait=waits,
        checks=(
            GateCheck(name="Oscillation", result=bool(swinging), reason=_swing(swinging)),
            GateCheck(name="Human review", result=waits, reason=_review(config.gate, trouble)),
            go_on,
            GateCheck(name="Fork", result=fork is not None, reason=_fork_reason(fork)),
            stop,
        ),
        trouble=trouble,
        delta=change,
        fork=fork,
        best_round=best_round(rounds),
        limit=limit.rstrip("."),
    )


def _tokens(spent: Usage) -> int:
    return spent.input_tokens + spent.cache_read_tokens + spent.cache_write_tokens + spent.output_tokens


def _active(now: Round) -> int:
    """How many items are open after this round."""
    if now.brief:
        return len(now.brief.active) + (1 if any(now.brief.cut) else 0)
    return sum(d.status == "active" for d in now.synthesis.decisions) if now.synthesis else 0


def _swing(keys: Sequence[str]) -> str:
    if not keys:
        return "No decision has returned to an earlier stance."
    return f"Returned to an earlier stance: {', '.join(spoken(k) for k in keys)}."


def _review(mode: GateMode, trouble: Sequence[str]) -> str:
    """Why a person is or is not asked."""
    if mode is GateMode.EVERY:
        return "You asked to be asked after every round."
    if mode is GateMode.AUTOPILOT:
        return "On autopilot nobody is asked." + (f" There is trouble: {'; '.join(trouble)}." if trouble else "")
    return f"There is trouble: {'; '.join(trouble)}." if trouble else "No trouble, so nobody is asked."


def _trouble(now: Round, swinging: Sequence[str], change: float | None) -> tuple[str, ...]:
    """What makes `on trouble` wait, in plain words."""
    found = []
    if now.synthesis is None:
        return ("the round has no synthesis",)
    if swinging:
        found.append(f"decisions swing back: {', '.join(spoken(k) for k in swinging)}")
    if now.verification is None:
        found.append("verification was skipped")
    if any(v.verdict is VetoVerdict.OVERRULED for v in now.synthesis.veto_rulings):
        found.append("a veto was overruled")
    if change is not None and change <= -MOVE:
        found.append(f"the score fell by {-change:.1f}")
    if now.synthesis.renegotiations:
        found.append("a constraint is up for renegotiation")
    if now.verification and any(c.fate is PointFate.DROPPED for c in now.verification.raw_vs_synthesis):
        found.append("a point was silently dropped")
    return tuple(found)


def _stop(config: DebateConfig, now: Round, change: float | None, active: int, limit: str) -> GateCheck:
    """Whether the debate should end: a limit, the last round, nothing active, or no movement."""
    reason = ""
    if limit:
        reason = f"{limit[0].upper()}{limit[1:].rstrip('.')}."
    elif now.number >= min(MOST, config.rounds):
        reason = f"Round {now.number} of {min(MOST, config.rounds)} is the last."
    elif now.synthesis is not None and active == 0:
        reason = "Nothing is active any more."
    elif change is not None and abs(change) < MOVE:
        reason = f"The score moved by {change:+.2f}, less than {MOVE}."
    return GateCheck(name="Stop", result=bool(reason), reason=reason or "No reason to stop.")


def _continue(config: DebateConfig, now: Round, change: float | None, active: int, limit: str) -> GateCheck:
    """Whether another round is worth it: the score rose, something is active, rounds and budget remain."""
    left = max(0, min(MOST, config.rounds) - now.number)
    if now.synthesis is None:
        return GateCheck(
            name="Continue",
            result=left > 0 and not limit,
            reason="The round has no synthesis; another round can try again.",
        )
    rose = change is None or change >= MOVE
    trouble = change is not None and change <= -MOVE
    parts = [
        "no earlier score to compare with" if change is None else f"the score moved by {change:+.2f}",
        f"{active} active item{'s' if active != 1 else ''}",
        f"{left} round{'s' if left != 1 else ''} left",
        limit or unheld(config) or "the budget allows it",
    ]
    if trouble:
        parts.append("the next round starts from the best-scored synthesis")
    result = (rose or trouble) and active > 0 and left > 0 and not limit
    reason = "; ".join(parts)
    return GateCheck(name="Continue", result=result, reason=f"{reason[0].upper()}{reason[1:].rstrip('.')}.")


def fork_option(now: Round) -> ForkOption | None:
    """Two incompatible stances on one key, both held with confidence of 0.7 or more: an active decision against the
    points of other agents, or two agents' points against each other where nothing is decided."""
    if now.synthesis is None or now.proposals is None:
        return None
    open_keys = {d.key for d in now.synthesis.decisions if d.status == "active"}
    held = [
        (x.key, x.value, x.confidence, p.role)
        for p in now.proposals.proposals
        for x in p.points
        if x.key in open_keys and x.value and x.confidence >= HELD
    ]
    for a, b in combinations(held, 2):
        if a[0] == b[0] and a[3] is not b[3] and not same_value(a[1], b[1]):
            first, second = sorted((a, b), key=lambda h: -h[2])
            return ForkOption(
                key=a[0], value_a=first[1], value_b=second[1], confidence_a=first[2], confidence_b=second[2]
            )
    return None


def _fork_reason(fork: ForkOption | None) -> str:
    if fork is None:
        return "No two incompatible decisions are both held with confidence of 0.7 or more."
    return (
        f"On {spoken(fork.key)}, “{fork.value_a}” ({fork.confidence_a:.2f}) and “{fork.value_b}” "
        f"({fork.confidence_b:.2f}) are both held firmly and exclude each other."
    )
