"""What lies before the Coordinator and the Verifier, as values: points, challenges, vetoes, decisions. Read only."""

from collections.abc import Iterable
from dataclasses import dataclass

from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.phrases import load
from vada.llm.rehearsal.reading import Tag


@dataclass(frozen=True)
class Seen:
    """A point as the prompt shows it."""

    label: str
    letter: str
    key: str
    value: str
    confidence: float
    evidence: tuple[str, ...]
    claim: str

    @property
    def weight(self) -> float:
        """Evidence first, then confidence."""
        return self.confidence + 0.2 * min(2, len(self.evidence))


@dataclass(frozen=True)
class Standing:
    """A decision as it stands on the table."""

    key: str
    value: str
    status: str
    confidence: float
    statement: str


@dataclass(frozen=True)
class Table:
    """Everything a service role was shown."""

    points: tuple[Seen, ...]
    drafts: dict[str, str]  # by letter
    challenges: tuple[Tag, ...]
    vetoes: tuple[Tag, ...]
    sources: tuple[Tag, ...]
    standing: dict[str, Standing]

    def on(self, key: str) -> tuple[Seen, ...]:
        """The points on an issue, in order."""
        return tuple(p for p in self.points if p.key == key)

    def holding(self, key: str, value: str) -> tuple[Seen, ...]:
        """The points that hold a value on an issue."""
        return tuple(p for p in self.on(key) if same(p.value, value))


def same(a: str, b: str) -> bool:
    """Whether two stances are written alike."""
    return " ".join(a.casefold().split()).rstrip(".") == " ".join(b.casefold().split()).rstrip(".")


def maintained(claim: str) -> str:
    """A claim without what its holder added when maintaining it, so that the same view reads alike in every round."""
    for added in load("roles")["stays"]:
        start = f", {added.split('{')[0].rstrip()}"
        if start in claim:
            return claim[: claim.index(start)] + "."
    return claim


def laid(case: Case, decisions: str) -> Table:
    """The table of a case; `decisions` is the tag that holds the standing decisions."""
    proposals = case.wire.given("proposal")
    points = tuple(_seen(p.get("letter"), x) for p in proposals for x in p.all("point"))
    held = next(iter(case.wire.given(decisions)), None)
    return Table(
        points=points,
        drafts={p.get("letter"): p.one("draft") for p in proposals if p.one("draft")},
        challenges=case.wire.given("challenge"),
        vetoes=case.wire.given("veto"),
        sources=case.wire.given("source"),
        standing={d.key: d for d in _standing(held.all("decision") if held else ())},
    )


def _seen(letter: str, tag: Tag) -> Seen:
    return Seen(
        label=tag.get("label"),
        letter=letter,
        key=tag.get("key"),
        value=tag.get("value"),
        confidence=tag.number("confidence", 0.5),
        evidence=tag.labels("evidence"),
        claim=tag.text,
    )


def _standing(found: Iterable[Tag]) -> list[Standing]:
    return [Standing(d.get("key"), d.get("value"), d.get("status"), d.number("confidence", 0.6), d.text) for d in found]
