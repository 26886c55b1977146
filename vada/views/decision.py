"""The Decision Gate in plain words: what it recommends and why, and what each choice will cost.

Costs are estimates from what this debate's own rounds cost so far; nothing here decides.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from vada.models.outputs import ActiveItem, GateCheck, GateVerdict, Point
from vada.models.run import CallTrace, Round, Run, Usage
from vada.models.vocabulary import DebateState, DecisionStatus, GateAction, PhaseName, Role
from vada.scoring import HELD, same_value
from vada.views import words
from vada.views.movement import AUTOPILOT, overridden, per_cent

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
    the debate: `trouble` needs a look, `chosen` led to the recommendation, `calm` is neither. `decided`: this check
    alone made the recommendation."""

    question: str
    yes: bool
    reason: str
    tone: Literal["trouble", "chosen", "calm"]
    decided: bool = False


@dataclass(frozen=True)
class Choice:
    """What a choice leads to. `calls` is lowest and highest; `dollars` an estimate, None when prices are unknown.
    `impossible` says why it cannot be made here, `in_short` the same in a few words; both empty when it can. `first`:
    it is the one to take if nothing speaks against it."""

    action: GateAction
    recommended: bool
    calls: tuple[int, int]
    dollars: float | None
    text: str
    impossible: str = ""
    in_short: str = ""
    first: bool = False


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


@dataclass(frozen=True)
class Headline:
    """What the gate recommends and because of what, in one short sentence; `more` completes it."""

    text: str
    more: str = ""


def headline(run: Run, r: Round) -> Headline:
    """`Continue, because 3 points are still open`, with the first two of them."""
    assert r.verdict
    action = r.verdict.recommendation
    if action is GateAction.WAIT:
        return Headline("The gate leaves it to you.")
    points = open_points(r)
    if action is GateAction.CONTINUE and points:
        more = "; ".join(p.short for p in points[:2]) + ("; …" if len(points) > 2 else "")
        return Headline(f"Continue, because {_still_open(len(points))}", f": {more}")
    because = next((c.reason for c in checks(run, r) if c.decided), "")
    said = f", because {because[0].lower()}{because[1:]}" if because else "."
    return Headline(f"{words.ACTIONS[action].capitalize()}{said}")


@dataclass(frozen=True)
class OpenPoint:
    """Something the next round would work on. `short` is its name: the issue with its stance, else its first words."""

    short: str
    text: str


def open_points(r: Round) -> tuple[OpenPoint, ...]:
    """What is still open after a round, as the gate counts it."""
    if not r.brief:
        found = [d for d in r.synthesis.decisions if d.status is DecisionStatus.ACTIVE] if r.synthesis else []
        return tuple(OpenPoint(f"{d.key} (“{words.clipped(d.value, 40)}”)", d.statement) for d in found)
    values = {d.key: d.value for d in (r.synthesis.decisions if r.synthesis else ())}
    points = [OpenPoint(_short(a, values), a.text) for a in r.brief.active]
    if any(r.brief.cut):
        left_out = "; ".join(filter(None, r.brief.cut))
        points.append(OpenPoint("what the brief had no room for", f"What the brief had no room for: {left_out}"))
    return tuple(points)


def _short(item: ActiveItem, values: Mapping[str, str]) -> str:
    if not item.key:
        return f"“{words.clipped(item.text, 44)}”"
    stance = values.get(item.key, "") if item.origin == "decision" else ""
    return f"{item.key} (“{words.clipped(stance, 40)}”)" if stance else item.key


def _still_open(number: int) -> str:
    return f"{words.plural(number, 'point')} {'is' if number == 1 else 'are'} still open"


def checks(run: Run, r: Round) -> tuple[Check, ...]:
    """The five checks in their order, their reasons in plain words."""
    assert r.verdict
    chosen = r.verdict.recommendation.value
    return tuple(
        Check(
            question=_CHECKS.get(_name(c.name), c.name.replace("_", " ").capitalize()),
            yes=c.result,
            reason=_reason(run, r, c),
            tone=_tone(_name(c.name), c.result, r.verdict.recommendation),
            decided=c.result and _name(c.name) == chosen,
        )
        for c in r.verdict.checks
    )


def _name(name: str) -> str:
    return name.casefold().strip().replace(" ", "_")


def _tone(name: str, result: bool, recommended: GateAction) -> Literal["trouble", "chosen", "calm"]:
    if name == "oscillation" and result:
        return "trouble"
    return "chosen" if result and name == recommended.value else "calm"


def _reason(run: Run, r: Round, check: GateCheck) -> str:
    """A check's reason. The record's counts and decimals become words; what they say stays."""
    if _name(check.name) == "fork":
        return _fork_reason(r)
    text = re.sub(r"(\d+) active items?", lambda m: _still_open(int(m[1])), check.reason)
    text = text.replace("Nothing is active any more", "Nothing is open any more")
    scores = [x.verification.total for x in run.rounds if x.number <= r.number and x.verification]
    if len(scores) > 1:
        went = f"he score went from {scores[-2]:.1f} to {scores[-1]:.1f}"
        text = re.sub(r"he score moved by [-+]\d+\.\d+, less than (\d\.\d)", rf"{went}, less than \1 points", text)
        text = re.sub(r"he score moved by [-+]\d+\.\d+", went, text)
    return text


def _fork_reason(r: Round) -> str:
    """Why a fork can be had or not: who holds which of two answers, and how sure each is."""
    fork = r.verdict.fork if r.verdict else None
    if fork:
        return (
            f"On {fork.key}, “{fork.value_a}” ({per_cent(fork.confidence_a)}) and “{fork.value_b}” "
            f"({per_cent(fork.confidence_b)}) exclude each other."
        )
    pair = _closest(r)
    if pair is None:
        return "No open point has two answers that exclude each other."
    sides = ", ".join(f"{p.title} “{words.clipped(x.value, 48)}” {per_cent(x.confidence)}" for p, x in pair)
    return f"Not both sure enough: {sides}; a fork needs {per_cent(HELD)} on each side."


def _closest(r: Round) -> tuple[tuple[Role, Point], tuple[Role, Point]] | None:
    """The two agents who come nearest to a fork: different answers on an open point, the less sure one surest."""
    if not r.synthesis or not r.proposals:
        return None
    open_ = {d.key for d in r.synthesis.decisions if d.status is DecisionStatus.ACTIVE}
    said = [(p.role, x) for p in r.proposals.proposals for x in p.points if x.key in open_ and x.value]
    pairs = [
        (a, b)
        for a, b in combinations(said, 2)
        if a[0] is not b[0] and a[1].key == b[1].key and not same_value(a[1].value, b[1].value)
    ]
    unsure = [p for p in pairs if _weaker(p) < HELD]
    return max(unsure, key=_weaker, default=None)


def _weaker(pair: tuple[tuple[Role, Point], tuple[Role, Point]]) -> float:
    """The confidence of the less sure side."""
    return min(pair[0][1].confidence, pair[1][1].confidence)


def choices(run: Run, r: Round) -> tuple[Choice, ...]:
    """Continue, fork and stop, with what each will cost from here to the end of the next step; one of them is first."""
    round_, ending = _mean_round(run), _mean_ending(run)
    recommended = r.verdict.recommendation if r.verdict else None
    over = _over(r)
    low, high = _ROUND_CALLS
    twice = None if round_ is None else 2 * round_
    found = (
        Choice(GateAction.CONTINUE, False, _ROUND_CALLS, round_, "One more round of all phases.", *over),
        Choice(GateAction.FORK, False, (2 * low, 2 * high), twice, _FORK, *_apart(run, r)),
        Choice(GateAction.STOP, False, _ENDING_CALLS, ending, _STOP),
    )
    possible = [c.action for c in found if not c.impossible]
    first = recommended if recommended in possible else possible[0]
    return tuple(replace(c, recommended=c.action is recommended, first=c.action is first) for c in found)


def _over(r: Round) -> tuple[str, str]:
    """Why there can be no further round, in full and in short."""
    if r.number < MOST_ROUNDS:
        return "", ""
    return f"A debate has at most {MOST_ROUNDS} rounds.", f"{MOST_ROUNDS} rounds are the most"


def _apart(run: Run, r: Round) -> tuple[str, str]:
    """Why there can be no fork, in full and in short."""
    if not r.verdict or not r.verdict.fork:
        short = "not both sure enough" if _closest(r) else "no two answers clash"
        return f"{_fork_reason(r)} Actions can fork with a stance of your own.", short
    if r.number >= min(MOST_ROUNDS, run.config.rounds):
        full = "No round is left in which a branch could hold its stance. Actions can fork from an earlier round."
        return full, "no round left for it"
    return "", ""


_FORK = "Two child debates, a round each; every call up to here is reused."
_STOP = "The deliverable is written from what stands, then audited blind."


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


_NEXT = {GateAction.CONTINUE: "next round", GateAction.FORK: "fork", GateAction.STOP: "deliverable"}


def spent(run: Run, choice: Choice) -> str:
    """What was spent so far and what the first choice will add: `So far 8 calls, $0.12 · next round 6–9 calls, …`."""
    calls = words.plural(sum(not c.reused for c in run.calls), "call")
    free = run.config.rehearsal
    paid = "no cost (rehearsal)" if free else words.money(run.usage.dollars)
    low, high = choice.calls
    then = f"{low}–{high} calls" if free else cost_words(choice, rehearsal=False)
    return f"So far {calls}, {paid} · {_NEXT[choice.action]} {then}"


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
