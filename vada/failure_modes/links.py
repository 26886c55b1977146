"""Links from a finding to the exact things it rests on, with their own words."""

from vada.failure_modes.finding import Link, LinkKind
from vada.models.outputs import Challenge, Decision, Issue, Point
from vada.models.run import CallTrace


def point(x: Point, n: int) -> Link:
    """A point of round `n`."""
    return Link(kind=LinkKind.POINT, id=x.id, round=n, quote=x.claim)


def challenge(c: Challenge, n: int) -> Link:
    """A challenge of round `n`."""
    return Link(kind=LinkKind.CHALLENGE, id=c.id, round=n, quote=c.objection)


def decision(d: Decision, n: int) -> Link:
    """A decision as it stands in round `n`."""
    return Link(kind=LinkKind.DECISION, id=d.key, round=n, quote=d.statement)


def issue(i: Issue, n: int) -> Link:
    """A fault the Verifier found in round `n`."""
    return Link(kind=LinkKind.ISSUE, id=i.id, round=n, quote=i.claim)


def constraint(id_: str, n: int, quote: str = "") -> Link:
    """A constraint."""
    return Link(kind=LinkKind.CONSTRAINT, id=id_, round=n, quote=quote)


def call(c: CallTrace) -> Link:
    """A model call."""
    return Link(kind=LinkKind.CALL, id=c.id, round=c.round, quote=c.slot)


def sentence(where: str, n: int, quote: str) -> Link:
    """Words that stand in a text: `r2.synthesis`, `r1.challenger`."""
    return Link(kind=LinkKind.SENTENCE, id=where, round=n, quote=quote)
