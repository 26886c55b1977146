"""What a rehearsed claim rests on: the person's own material with real words from it, or invented pages that say so."""

import re
from dataclasses import dataclass

from vada.llm.rehearsal.book import place
from vada.llm.rehearsal.case import Case
from vada.models.replies import SourceReply
from vada.models.vocabulary import Role

PAGES = "https://example.org/rehearsal/"
"""Where every invented page lies; the domain is reserved for examples and the path says what it is."""

LONGEST = 26
"""Words of a quotation."""


_TOPICS = (
    *("a first step in small", "what it cost to keep going", "figures before and after", "a way back that was used"),
    *("what those affected said", "a plan that was stopped in time", "the second year", "two cases compared"),
    *("what nobody had counted", "a cap that held", "the first month in notes", "who answered for it"),
)


@dataclass(frozen=True)
class Hit:
    """A page the invented search returns."""

    url: str
    title: str
    text: str
    age: str


def query(case: Case) -> str:
    """The words an agent would search for."""
    wanted = f"{case.slots['plan']} {case.slots['measure']} {case.slots['field']}"
    return " ".join(
        dict.fromkeys(w for w in re.findall(r"[\w-]+", wanted) if w.casefold() not in ("the", "a", "of", "in"))
    )


def hits(case: Case, role: Role | None) -> tuple[Hit, ...]:
    """Two or three invented pages; other roles and rounds find others."""
    start = case.dice.below("hits", len(_TOPICS)) + place(role) * 2 + (case.wire.round - 1) * 4
    count = 2 + case.dice.below(f"hits {role} {case.wire.round}", 2)
    found = []
    for i in range(count):
        topic = _TOPICS[(start + i) % len(_TOPICS)]
        slug = re.sub(r"[^a-z0-9]+", "-", f"{case.slots['field']} {topic}".casefold()).strip("-")
        text = f"This page was invented for the rehearsal: {topic}, in the field of {case.slots['field']} matters."
        found.append(Hit(f"{PAGES}{slug}", f"Rehearsal source: {topic}", text, f"{2 + i} months ago"))
    return tuple(found)


def of(case: Case, role: Role | None) -> tuple[SourceReply, ...]:
    """The sources of an agent's reply in this round; empty where there is neither material nor a search."""
    if case.wire.web:
        return tuple(
            SourceReply(ref=f"S{i}", title=h.title, url=h.url, quote=h.text)
            for i, h in enumerate(hits(case, role)[:2], 1)
        )
    found = []
    for i, material in enumerate(case.wire.material[:2], 1):
        if quote := quotation(material.text, case.question.text, place(role) + case.wire.round - 1):
            found.append(SourceReply(ref=f"S{i}", title=material.get("name") or "material", quote=quote))
    return tuple(found)


def quotation(text: str, question: str, turn: int) -> str:
    """Words that stand in the text exactly so: one of the three sentences that have most to do with the question."""
    asked = {w.casefold() for w in re.findall(r"\w{4,}", question)}
    pieces = [p.strip() for p in re.split(r"(?<=[.!?])\s+|\n+", text)]
    usable = [p for p in pieces if 4 <= len(p.split()) <= LONGEST and not p.startswith(("#", "|", "<"))]
    if not usable:
        start = re.match(r"\S+(?:\s+\S+){0,14}", text.strip())
        return start.group(0) if start else ""

    def weight(piece: str) -> tuple[int, int]:
        shared = len(asked & {w.casefold() for w in re.findall(r"\w{4,}", piece)})
        return -(2 * shared + 2 * bool(re.search(r"\d", piece))), usable.index(piece)

    ranked = sorted(usable, key=weight)[:3]
    return ranked[turn % len(ranked)]
