"""The minority report as it stands in a round: who still holds a view, and who has given it up since.

An entry keeps who held it when it was overruled; whether they hold it still, their later claims say. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vada.models.outputs import MinorityEntry, Point
from vada.models.run import Round
from vada.models.vocabulary import Role
from vada.scoring import same_value


@dataclass(frozen=True)
class Holder:
    """Who holds a view of the minority report; `given_up` is the round that ended it, None while it is held."""

    role: Role
    since: int
    given_up: int | None = None


@dataclass(frozen=True)
class View:
    """An entry with its holders as they stand now."""

    entry: MinorityEntry
    holders: tuple[Holder, ...]

    @property
    def given_up(self) -> bool:
        """Whether nobody holds it any more."""
        return bool(self.holders) and all(h.given_up for h in self.holders)

    @property
    def held(self) -> str:
        """Who holds it, in words that follow `Held by`; empty when no holder is known."""
        still = [h.role.title for h in self.holders if not h.given_up]
        gone = [
            f"{h.role.title} in round {h.since}, given up in round {h.given_up}" for h in self.holders if h.given_up
        ]
        return "; ".join([*([", ".join(still)] if still else []), *gone])


def views(rounds: Iterable[Round], number: int) -> tuple[View, ...]:
    """The minority report of a round; what is still held first, then what its holders have given up."""
    past = [r for r in rounds if r.number <= number]
    entries = next((r.synthesis.minority for r in past if r.number == number and r.synthesis), ())
    found = [View(e, tuple(_holder(e, role, past) for role in e.holders)) for e in entries]
    return tuple(sorted(found, key=lambda v: v.given_up))


def _holder(entry: MinorityEntry, role: Role, past: Sequence[Round]) -> Holder:
    """Whether a role still says what it said: its latest answer to the same question decides."""
    said = [(r.number, x) for r in past for x in _points(r, role) if x.id == entry.point]
    if not said:
        return Holder(role, past[-1].number)
    since, point = said[0]
    left: int | None = None
    for r in past:
        values = _answers(r, role, point.key) if r.number > since and point.value else []
        if any(same_value(v, point.value) for v in values):
            left = None
        elif values:
            left = left or r.number
    return Holder(role, since, left)


def _points(r: Round, role: Role) -> tuple[Point, ...]:
    proposal = r.proposals.of(role) if r.proposals else None
    return proposal.points if proposal else ()


def _answers(r: Round, role: Role, key: str) -> list[str]:
    """What a role answered to an issue in a round; without an answer of its own, the decision it is said to hold."""
    own = [x.value for x in _points(r, role) if x.key == key and x.value]
    decided = [d.value for d in (r.synthesis.decisions if r.synthesis else ()) if d.key == key and role in d.holders]
    return own or decided
