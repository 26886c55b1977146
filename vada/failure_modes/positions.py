"""Who held which position on which issue in which round, who moved, and why; and whether the debate changed anything.

Computed from ids and stated values alone. A move is never called wrong: only its reason is named, or that it has none.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vada.failure_modes.reading import Reading
from vada.models.outputs import Point
from vada.models.run import Run
from vada.models.vocabulary import Role
from vada.scoring import normalise, same_value


class Why(StrEnum):
    """The named reason of a move."""

    EVIDENCE = "new evidence"
    UPHELD = "an upheld challenge"
    LOCKED = "a position locked by the person"
    NONE = "no named reason"


@dataclass(frozen=True)
class Position:
    """What an agent holds on an issue in a round."""

    role: Role
    key: str
    round: int
    value: str
    confidence: float
    point: str


@dataclass(frozen=True)
class Move:
    """A changed position. `ids` name the evidence or the challenge that gave the reason."""

    role: Role
    key: str
    round: int
    old: Point
    new: Point
    to_plurality: bool
    to_synthesis: bool
    why: Why
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """An issue without and with the debate: the blind plurality of the first round, and what was decided last.

    `plurality` is empty on a tie; `changed` is None while nothing is decided or nobody led.
    """

    key: str
    plurality: str
    holders: int
    of: int
    strongest: str
    decided: str
    changed: bool | None


def positions(run: Run | Reading) -> tuple[Position, ...]:
    """The position table, by key, role and round."""
    r = Reading.of(run)
    found = [
        Position(role, key, n, x.value, x.confidence, x.id)
        for n in r.numbers
        for key in r.keys(n)
        for role, x in r.answers(n, key).items()
    ]
    return tuple(sorted(found, key=lambda p: (p.key, tuple(Role).index(p.role), p.round)))


def answered_twice(run: Run | Reading, n: int) -> tuple[tuple[Role, str], ...]:
    """The (agent, issue) pairs answered in round `n` and the round before: those that could have moved."""
    r = Reading.of(run)
    return tuple((role, key) for key in r.keys(n) for role in r.answers(n, key) if role in r.answers(n - 1, key))


def moves(run: Run | Reading, n: int) -> tuple[Move, ...]:
    """Who took another position in round `n` than in the round before, and why."""
    r = Reading.of(run)
    found = (_move(r, n, role, key) for role, key in answered_twice(r, n))
    return tuple(m for m in found if m)


def _move(r: Reading, n: int, role: Role, key: str) -> Move | None:
    before = r.answers(n - 1, key)
    old, new = before[role], r.answers(n, key)[role]
    if same_value(old.value, new.value):
        return None
    others = plurality([x.value for who, x in before.items() if who is not role])
    last = r.decisions(n - 1).get(key)
    why, ids = _reason(r, n, role, key, old, new)
    return Move(
        role=role,
        key=key,
        round=n,
        old=old,
        new=new,
        to_plurality=bool(others) and same_value(others, new.value),
        to_synthesis=last is not None and same_value(last.value, new.value),
        why=why,
        ids=ids,
    )


def _reason(r: Reading, n: int, role: Role, key: str, old: Point, new: Point) -> tuple[Why, tuple[str, ...]]:
    lineage = r.run.config.lineage
    if lineage and lineage.locked_key == key:
        return Why.LOCKED, ()
    fresh = tuple(i for i in new.evidence if i not in r.cited_by(role, n))
    if fresh:
        return Why.EVIDENCE, fresh
    challenge = r.upheld_against(n - 1, key, old.value)
    return (Why.UPHELD, (challenge.id,)) if challenge else (Why.NONE, ())


def plurality(values: Sequence[str]) -> str:
    """The value that most hold; empty when nobody holds one or several lead."""
    groups = grouped(values)
    if not groups or (len(groups) > 1 and groups[0][1] == groups[1][1]):
        return ""
    return groups[0][0]


def grouped(values: Iterable[str]) -> list[tuple[str, int]]:
    """The different values with how many hold each, most first; spelling and 5 % make no difference."""
    groups: list[tuple[str, int]] = []
    for value, count in Counter(values).items():
        same = next((i for i, (v, _) in enumerate(groups) if same_value(v, value)), None)
        if same is None:
            groups.append((value, count))
        else:
            groups[same] = (groups[same][0], groups[same][1] + count)
    return sorted(groups, key=lambda g: (-g[1], normalise(g[0])))


def baseline(run: Run | Reading) -> tuple[Baseline, ...]:
    """For each issue answered blind in the first round: did the debate change the answer?"""
    r = Reading.of(run)
    if not r.numbers:
        return ()
    first = r.numbers[0]
    final = next((r.decisions(n) for n in reversed(r.numbers) if r.decisions(n)), {})
    return tuple(_baseline(r, first, key, final[key].value if key in final else "") for key in r.keys(first))


def _baseline(r: Reading, first: int, key: str, decided: str) -> Baseline:
    said = r.answers(first, key)
    lead = plurality([x.value for x in said.values()])
    strongest = max(said.values(), key=lambda x: (bool(x.evidence), x.confidence)).value
    return Baseline(
        key=key,
        plurality=lead,
        holders=sum(same_value(lead, x.value) for x in said.values()) if lead else 0,
        of=len(said),
        strongest=strongest,
        decided=decided,
        changed=not same_value(lead, decided) if lead and decided else None,
    )
