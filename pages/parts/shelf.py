"""The library's order, search, lineage, moments and comparison of debates. Pure: rows, runs and events in, rows out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from vada.failure_modes import Finding, State
from vada.models.events import Event, EventKind
from vada.models.outputs import Decision
from vada.models.run import Run
from vada.models.vocabulary import DebateState, FailureMode, Role
from vada.store import DebateRow
from vada.views import words

_FIRST = {DebateState.WAITING: 0, DebateState.RUNNING: 1, DebateState.QUEUED: 2}


def ordered(rows: Iterable[DebateRow]) -> list[DebateRow]:
    """Those that wait for a person, then those that run, then the others; the latest change first."""
    latest = sorted(rows, key=lambda row: row.updated_at, reverse=True)
    return sorted(latest, key=lambda row: _FIRST.get(row.state, 3))


@dataclass(frozen=True)
class Leaf:
    """A debate in the tree of forks and follow-ups; `depth` 0 is a root."""

    row: DebateRow
    depth: int


def tree(rows: Sequence[DebateRow]) -> list[Leaf]:
    """Every debate right below the one it came from, oldest child first; roots in the order of `ordered`.

    A debate whose parent is not among the rows is a root.
    """
    ids = {row.id for row in rows}
    children: dict[str, list[DebateRow]] = {}
    for row in sorted(rows, key=lambda r: r.created_at):
        if row.parent in ids and row.parent != row.id:
            children.setdefault(str(row.parent), []).append(row)
    below = {child.id for found in children.values() for child in found}
    seen: set[str] = set()
    roots = [row for row in ordered(rows) if row.id not in below]
    return [leaf for row in [*roots, *ordered(rows)] for leaf in _descend(row, 0, children, seen)]


def _descend(row: DebateRow, depth: int, children: dict[str, list[DebateRow]], seen: set[str]) -> Iterator[Leaf]:
    """A debate and what came of it; a damaged lineage that runs in a circle shows each debate once."""
    if row.id in seen:
        return
    seen.add(row.id)
    yield Leaf(row, depth)
    for child in children.get(row.id, ()):
        yield from _descend(child, depth + 1, children, seen)


def origin(row: DebateRow) -> str:
    """How it came of another debate, or nothing."""
    if not row.parent:
        return ""
    return f"fork after round {row.parent_round}" if row.parent_round else "follow-up"


def ago(iso: str, now: datetime) -> str:
    """How long ago, in one unit; a date when it is longer than two weeks."""
    then = words.moment(iso)
    seconds = (now - then).total_seconds()
    if seconds < 60:
        return "just now"
    for length, name in ((60, "min"), (3600, "h"), (86_400, "d")):
        last = seconds / length
        if last < (60 if name == "min" else 24 if name == "h" else 15):
            return f"{int(last)} {name} ago"
    return f"{then:%d %b %Y}"


def searchable(run: Run) -> str:
    """What a search looks at, case folded: question, constraints, decisions, minority, result."""
    config = run.config
    texts = [config.question, config.priorities, config.pack.name, *(c.text for c in config.constraints)]
    for r in run.rounds:
        if r.synthesis:
            texts += [d.statement for d in r.synthesis.decisions] + [m.position for m in r.synthesis.minority]
    if run.conclusion:
        texts.append(run.conclusion.recommendation)
    if run.deliverable:
        texts.append(run.deliverable.text)
    return "\n".join(texts).casefold()


# A debate over time.

LONGEST_PAUSE = 10.0
"""Seconds that a pause counts on the clock of a replay: a debate may wait for days at a gate."""


@dataclass(frozen=True)
class Moment:
    """A moment at which something changed: how many events had been told, the clock, and what happened."""

    events: int
    seconds: float
    text: str


def moments(told: Sequence[Event]) -> list[Moment]:
    """The moments of a record that a person would notice, long pauses cut short; never empty for a debate."""
    found: list[Moment] = []
    clock, before = 0.0, None
    for number, event in enumerate(told, 1):
        at = words.moment(event.at)
        clock += min(max((at - before).total_seconds(), 0.0), LONGEST_PAUSE) if before else 0.0
        before = at
        if text := _happened(event):
            found.append(Moment(number, clock, text))
    return found


def _happened(e: Event) -> str:
    """What an event says, in a line of our own words; empty where nothing on the screen changes by it."""
    where = f"Round {e.round}: " if e.round else ""
    phase = e.phase.title.lower() if e.phase else ""
    match e.kind:
        case EventKind.DEBATE_CREATED:
            return "The debate is entered."
        case EventKind.PHASE_STARTED:
            return f"{where}{phase} begins."
        case EventKind.PHASE_FINISHED:
            return f"{where}{phase} is done."
        case EventKind.REPLIED:
            return f"{where}{Role(e.payload['role']).title} has answered."
        case EventKind.DEGRADED:
            return f"{where}a fallback is taken in {phase or 'the round'}."
        case EventKind.GATE_OPENED:
            return f"{where}the gate recommends to {e.payload['recommendation']}."
        case EventKind.GATE_DECIDED:
            return f"{where}the gate is decided: {e.payload['action']}."
        case EventKind.DEBATE_ENDED:
            return f"The debate ends: {e.payload['state']}."
        case EventKind.RESUMED:
            return f"{where}taken up again."
        case EventKind.BASELINE:
            return f"One model is asked once, beside the debate: {e.payload['state']}."
        case EventKind.FORKED:
            return "Forked."
        case _:
            return ""


# Two debates beside each other.


@dataclass(frozen=True)
class Pair:
    """One thing in two debates; `same` is None where it cannot be compared."""

    name: str
    left: str
    right: str
    same: bool | None


def decisions(left: Run, right: Run) -> list[Pair]:
    """The decisions by key, those both have first; a dash where a debate has none of that key."""
    a, b = _decided(left), _decided(right)
    keys = [*(k for k in a if k in b), *(k for k in a if k not in b), *(k for k in b if k not in a)]
    return [_decision(key, a.get(key), b.get(key)) for key in keys]


def _decided(run: Run) -> dict[str, Decision]:
    synthesis = next((r.synthesis for r in reversed(run.rounds) if r.synthesis), None)
    return {d.key: d for d in synthesis.decisions} if synthesis else {}


def _decision(key: str, a: Decision | None, b: Decision | None) -> Pair:
    same = a.stance == b.stance if a and b else None
    return Pair(key.replace("_", " ").replace("-", " "), _held(a), _held(b), same)


def _held(decision: Decision | None) -> str:
    return f"{decision.statement} ({decision.status}, {words.percent(decision.confidence)})" if decision else words.DASH


def scores(left: Run, right: Run) -> list[Pair]:
    """The weighted total and each dimension of the last verified round."""
    a, b = _scores(left), _scores(right)
    return [Pair(n, words.score(a.get(n)), _against(a.get(n), b.get(n)), None) for n in dict.fromkeys([*a, *b])]


def _against(left: float | None, right: float | None) -> str:
    """The right score, and by how much it differs from the left one."""
    differs = left is not None and right is not None and left != right
    return f"{words.score(right)} ({words.change((right or 0) - (left or 0))})" if differs else words.score(right)


def _scores(run: Run) -> dict[str, float]:
    verified = next((r.verification for r in reversed(run.rounds) if r.verification), None)
    if verified is None:
        return {}
    names = {d.key: d.name for d in run.config.pack.dimensions}
    return {"Weighted": verified.total, **{names.get(s.dimension, s.dimension): s.score for s in verified.scores}}


STATES: dict[State, str] = {
    State.OCCURRED: "occurred",
    State.CAUGHT: "caught",
    State.QUIET: "quiet",
    State.NOT_MEASURABLE: words.DASH,
}


def modes(left: Iterable[Finding], right: Iterable[Finding]) -> list[Pair]:
    """What was found of each failure mode over the whole debate; those measured in neither are left out."""
    a, b = _found(left), _found(right)
    none = words.DASH
    found = [(mode.title, a.get(mode, none), b.get(mode, none)) for mode in FailureMode]
    rows = [Pair(title, x, y, None if none in (x, y) or x == y else False) for title, x, y in found]
    return [row for row in rows if (row.left, row.right) != (none, none)]


def _found(findings: Iterable[Finding]) -> dict[FailureMode, str]:
    return {f.mode: STATES[f.state] for f in findings if f.round is None}
