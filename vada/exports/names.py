"""Words for the ids of the record, and what may become a link. Pure; an unknown id stays as it is."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from urllib.parse import urlsplit

from vada.models.outputs import Evidence
from vada.models.run import Run
from vada.models.vocabulary import Role

_POINT = re.compile(r"r(\d+)\.(\w+)\.p(\d+)")
_NUMBERED = re.compile(r"r(\d+)\.([xvnm])(\d+)")
_KINDS = {"x": "challenge", "v": "veto", "n": "renegotiation", "m": "amendment"}
_ADDRESS = re.compile(r"https?://[\x21-\x7e]+")


class Names:
    """The names of one run: sources numbered S1, S2, … in the order they first appear, and words for every id."""

    def __init__(self, run: Run) -> None:
        found: dict[str, Evidence] = {}
        for item in _evidence(run):
            found.setdefault(item.id, item)
        self.sources: tuple[tuple[str, Evidence], ...] = tuple(
            (f"S{i}", item) for i, item in enumerate(found.values(), 1)
        )
        self._cited = {item.id: label for label, item in self.sources}
        self._faults = {i.id: i.claim for r in run.rounds if r.verification for i in r.verification.issues}
        self._dimensions = {d.key: d.name for d in run.config.pack.dimensions}

    def of(self, id: str) -> str:
        """The words for an id, for example `challenge 3 of round 1` or `S2`."""
        if point := _POINT.fullmatch(id):
            owner = point[2] if point[2] not in set(Role) else Role(point[2]).title
            return f"{owner}’s claim {point[3]} of round {point[1]}"
        if numbered := _NUMBERED.fullmatch(id):
            return f"{_KINDS[numbered[2]]} {numbered[3]} of round {numbered[1]}"
        if id in self._faults:
            return f"fault “{self._faults[id]}”"
        return self._cited.get(id, id)

    def all(self, ids: Iterable[str]) -> str:
        """The words for several ids, with commas."""
        return ", ".join(self.of(i) for i in ids)

    def dimension(self, key: str) -> str:
        """The name of a scoring dimension."""
        return self._dimensions.get(key, key)


def _evidence(run: Run) -> Iterator[Evidence]:
    """Every evidence item of the record, in order, repeats included."""
    for r in run.rounds:
        for proposal in r.proposals.proposals if r.proposals else r.replied:
            yield from proposal.evidence
        if r.challenges:
            yield from r.challenges.evidence


def address(url: str) -> str | None:
    """The address if it may be a link, else None: http or https, plain ASCII, a host with a dot, nobody's name before
    it, so that what is shown in full is where it goes."""
    if not _ADDRESS.fullmatch(url) or any(c in url for c in '<>"\\^`{|}'):
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    return url if "." in host.strip(".") and "@" not in parts.netloc and "xn--" not in host else None


def people(roles: Iterable[str]) -> str:
    """Roles as a person reads them; a name that is no role stays."""
    return ", ".join(Role(r).title if r in set(Role) else r for r in roles)


def moment(iso: str) -> str:
    """An ISO time as `30 Nov 2026, 09:00 UTC`; anything else stays as it is."""
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{at.day} {at:%b %Y, %H:%M} {at.tzname() or ''}".strip()


def dollars(amount: float | None, digits: int | None = None) -> str:
    """Money as `$0.43`, four digits for less than ten cents unless `digits` says otherwise; None is unknown."""
    if amount is None:
        return "price unknown"
    return f"${amount:,.{digits or (4 if 0 < amount < 0.1 else 2)}f}"


def seconds(amount: float) -> str:
    """A duration as `42 s` or `3 min 5 s`."""
    whole = round(amount)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
