"""What can be said on a kind of question: its issues, the stances on each, their texts. Owns no choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vada.llm.rehearsal.phrases import fill, load
from vada.models.vocabulary import Role

Family = Literal["decide", "life", "practice", "know", "write", "message"]
"""The files of issues: a matter for several people, a decision in one's own life, something one wants to reach oneself,
what is the case, a text of rules, a message."""

ANSWER = "answer"
TRIGGER = "reversal_trigger"

_SETS: dict[str, tuple[tuple[str, str], ...]] = {
    "stay": (("stay", "first"), ("choice", "second"), ("choice", "trial")),
    "make": (("build", "slice"), ("how", "rule"), ("build", "copy")),
}
"""Sets of answers that are put together from others, each answer by its set and name."""

_PLACE = {Role.OPTIMIZER_A: 0, Role.OPTIMIZER_B: 1}


def place(role: Role | None) -> int:
    """Which wording of a text is a role's own: 0 Optimizer A, 1 Optimizer B, 2 the others."""
    return _PLACE.get(role, 2) if role else 2


@dataclass(frozen=True)
class Stance:
    """A position on an issue, with its texts filled in for one question."""

    key: str
    name: str
    texts: Mapping[str, Any]
    slots: Mapping[str, str]

    @property
    def value(self) -> str:
        """The stance in at most six words."""
        return self.say("value")

    def has(self, what: str) -> bool:
        """Whether there is a text of that name."""
        return what in self.texts

    def say(self, what: str, turn: int = 0) -> str:
        """A text by its name; of several wordings the one at `turn`. Empty when there is none."""
        found = self.texts.get(what, "")
        template = str(found[turn % len(found)]) if isinstance(found, list) else str(found)
        return fill(template, self.slots, turn)

    def wordings(self, what: str) -> tuple[str, ...]:
        """Every wording of a text, filled in."""
        found = self.texts.get(what, ())
        return tuple(self.say(what, i) for i in range(len(found) if isinstance(found, list) else bool(found)))

    def branch(self) -> tuple[str, str]:
        """The case in which another path is right, and that path."""
        found = self.texts.get("branch") or {"condition": "", "path": ""}
        return fill(found["condition"], self.slots), fill(found["path"], self.slots)


@dataclass(frozen=True)
class Issue:
    """One issue and the stances on it, in the order of the file."""

    key: str
    name: str
    stances: tuple[Stance, ...]
    vetoes: tuple[Mapping[str, str], ...] = ()

    def of(self, value: str) -> Stance | None:
        """The stance with that value, or None."""
        wanted = value.strip().casefold().rstrip(".")
        return next((s for s in self.stances if s.value.casefold().rstrip(".") == wanted), None)


@dataclass(frozen=True)
class Book:
    """All issues of one kind of question, the answer first and the one that is raised last at the end."""

    family: Family
    issues: Mapping[str, Issue]

    def find(self, key: str, value: str) -> Stance | None:
        """The stance behind a key and a value, or None where they are not ours."""
        issue = self.issues.get(key)
        return issue.of(value) if issue else None

    @property
    def keys(self) -> tuple[str, ...]:
        """The issues beside the answer, in the order in which a page takes them up."""
        return tuple(k for k in self.issues if k != ANSWER)


def open_book(family: Family, answers: str, slots: Mapping[str, str], of_answer: Sequence[Mapping[str, str]]) -> Book:
    """The book of a question. `answers` names a set of answers, empty for the book's own; `of_answer` are the slots
    that differ from one answer to the next, in their order."""
    raw: dict[str, Any] = dict(load(family))
    own = raw.pop(ANSWER, None)
    sets = load("answers")
    stances: dict[str, Any] = {name: sets[of][name] for of, name in _SETS.get(answers, ())}
    stances = stances or (sets[answers] if answers else own["stances"])
    lead = tuple(
        Stance(ANSWER, name, texts, {**slots, **(of_answer[i] if i < len(of_answer) else {})})
        for i, (name, texts) in enumerate(stances.items())
    )
    issues = {ANSWER: Issue(ANSWER, "the answer itself", lead)}
    for key, entry in raw.items():
        found = tuple(Stance(key, name, texts, slots) for name, texts in entry["stances"].items())
        issues[key] = Issue(key, entry["name"], found, tuple(entry.get("veto", ())))
    return Book(family, issues)
