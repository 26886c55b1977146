"""The Decision Gate in plain words: what it recommends and why, and what each choice will cost.

Costs are estimates from what this debate's own rounds cost so far; nothing here decides.
"""

from dataclasses import dataclass
from typing import Literal

from vada.models.outputs import GateVerdict
from vada.models.run import CallTrace, Round, Run, Usage
from vada.models.vocabulary import DebateState, GateAction, PhaseName, Role
from vada.views import words
from vada.views.movement import AUTOPILOT, overridden

_CHECKS: dict[str, str] = {
    "oscillation": "Does a decision go back and forth?",
    "human_review": "Did you ask to be consulted?",
    "continue": "Is another round worth it?",
    "fork": "Are there two answers that exclude each other?",
    "stop": "Is it time to stop?",
}
MOST_ROUNDS = 3
"""Rule 10."""

_ENDING_CALLS = (2, 4)  # format and one to three calls of the audit
_ROUND_CALLS = (6, 9)


@dataclass(frozen=True)
class Check:
    """One of the five checks: the question it asks, its answer, and the reason. `tone` says what the answer means for
    the debate: `trouble` needs a look, `chosen` led to the recommendation, `calm` is neither."""

    question: str
    yes: bool
    reason: str
    tone: Literal["trouble", "chosen", "calm"]


@dataclass(frozen=True)
class Choice:
    """What a choice leads to. `calls` is lowest and highest; `dollars` an estimate, None when prices are unknown.
    `impossible` says why it cannot be made here; empty when it can."""

    action: GateAction
    recommended: bool
    calls: tuple[int, int]
    dollars: float | None
    text: str
    impossible: str = ""


def open_gate(run: Run) -> Round | None:
    """The round whose gate waits for a person, or None."""
    last = run.last
    waits = run.state is DebateState.WAITING and last is not None and last.verdict is not None and not last.decision
    return last if waits else None


def recommendation(verdict: GateVerdict) -> str:
    """The recommendation as a sentence."""
    return {
        GateAction.CONTINUE: "The gate recommends to continue with another round.",
        GateAction.FORK: "The gate recommends to fork into two debates.",
        GateAction.STOP: "The gate recommends to stop and write the deliverable.",
        GateAction.WAIT: "The gate leaves it to you.",
    }[verdict.recommendation]


def headline_reason(verdict: GateVerdict) -> str:
    """Why, in one sentence: the reason of the check that led to the recommendation."""
    return next((c.reason for c in checks(verdict) if c.tone == "chosen"), "")


def checks(verdict: GateVerdict) -> tuple[Check, ...]:
    """The five checks in their order."""
    return tuple(
        Check(
            question=_CHECKS.get(_name(c.name), c.name.replace("_", " ").capitalize()),
            yes=c.result,
            reason=c.reason,
            tone=_tone(_name(c.name), c.result, verdict.recommendation),
        )
        for c in verdict.checks
    )


def _name(name: str) -> str:
    return name.casefold().strip().replace(" ", "_")


def _tone(name: str, result: bool, recommended: GateAction) -> Literal["trouble", "chosen", "calm"]:
    if name == "oscillation" and result:
        return "trouble"
    return "chosen" if result and name == recommended.value else "calm"


def choices(run: Run, r: Round) -> tuple[Choice, ...]:
    """Continue, fork and stop, with what each will cost from here to the end of the next step."""
    round_, ending = _mean_round(run), _mean_ending(run)
    recommended = r.verdict.recommendation if r.verdict else None
    over = f"A debate has at most {MOST_ROUNDS} rounds." if r.number >= MOST_ROUNDS else ""
    fork = r.verdict.fork if r.verdict else None
    apart = "" if fork else "No two answers exclude each other here. Actions can fork with a stance of your own."
    if fork and r.number >= min(MOST_ROUNDS, run.config.rounds):
        apart = "No round is left in which a branch could hold its stance. Actions can fork from an earlier round."
    low, high = _ROUND_CALLS
    twice = None if round_ is None else 2 * round_
    return (
        _choice(GateAction.CONTINUE, recommended, _ROUND_CALLS, round_, "One more round of all phases.", over),
        _choice(GateAction.FORK, recommended, (2 * low, 2 * high), twice, _FORK, apart),
        _choice(GateAction.STOP, recommended, _ENDING_CALLS, ending, _STOP),
    )


_FORK = "Two child debates, a round each; every call up to here is reused."
_STOP = "The deliverable is written from what stands, then audited blind."


def _choice(
    action: GateAction,
    recommended: GateAction | None,
    calls: tuple[int, int],
    dollars: float | None,
    text: str,
    impossible: str = "",
) -> Choice:
    return Choice(action, action is recommended, calls, dollars, text, impossible)


def _mean_round(run: Run) -> float | None:
    """Dollars of a round so far, on average."""
    paid = [c for c in run.calls if c.round > 0 and c.phase not in (PhaseName.FORMAT, PhaseName.AUDIT)]
    total = _dollars(paid)
    rounds = len({c.round for c in paid})
    return total / rounds if total is not None and rounds else total


def _mean_ending(run: Run) -> float | None:
    """Dollars of formatting and audit: about two and a half calls of the Coordinator's size."""
    single = [c for c in run.calls if c.role in (Role.COORDINATOR, Role.VERIFIER)]
    total = _dollars(single)
    return 2.5 * total / len(single) if total is not None and single else total


def _dollars(calls: list[CallTrace]) -> float | None:
    """What the calls cost by the price list; a reused call counts, because the estimate is of what will be paid."""
    return sum((c.usage for c in calls), Usage()).dollars


def cost_words(choice: Choice, *, rehearsal: bool) -> str:
    """`6–9 calls, about $0.12`; rehearsal costs nothing."""
    low, high = choice.calls
    paid = "no cost (rehearsal)" if rehearsal else f"about {words.money(choice.dollars)}"
    return f"{low}–{high} calls, {paid if choice.dollars is not None or rehearsal else 'price unknown'}"


def decided(r: Round) -> str:
    """What was decided at a round's gate, by whom and against what; empty while it is open."""
    d = r.decision
    if d is None:
        return ""
    who = "Autopilot" if d.by == AUTOPILOT else d.by
    said = f"{who} chose to {words.ACTIONS[d.action]}"
    if overridden(r):
        said += f" instead of the recommended {words.ACTIONS[d.recommended]}"
    elif d.action is not d.recommended:
        said += f"; the gate had recommended to {words.ACTIONS[d.recommended]}"
    return f"{said}."
