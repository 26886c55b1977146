"""Which field a question belongs to, and so what things are called in it. Owns words, never an argument."""

import re
from collections.abc import Mapping
from typing import Any

from vada.llm.rehearsal.grammar import words
from vada.llm.rehearsal.phrases import load
from vada.llm.rehearsal.question import Question

GENERAL = "general"


def words_for(question: Question, beside: str) -> dict[str, str]:
    """The slots of the field and topic of a question; `beside` is what else the person wrote. `whole` is there, and not
    empty, where the matter cannot be divided into parts."""
    fields: dict[str, dict[str, Any]] = load("fields")
    topic = _topic(question.text) or _topic(" ".join(question.text.split()))
    name = topic["field"] if topic else "writing" if question.kind == "write" else _field(fields, question.text, beside)
    found = {"whole": ""} | _slots(fields[name]) | {"field": name}
    found |= _INDIVISIBLE if not topic and name != "personal" and _whole(question) else {}
    plan = question.slots.get("plan")
    return found | ({"plan": plan} if plan else {}) | (_slots(topic) if topic else {})


_INDIVISIBLE = {
    "whole": "yes",
    "alt": "hear everyone it concerns",
    "small": "an honest talk with those concerned",
    "hard": "the talk nobody wants to have",
}
"""Other words for a deed that cannot be done in parts."""


def _whole(question: Question) -> bool:
    """Whether what would be done has no parts: one opens an office or does not."""
    verbs = [w.casefold() for w in question.slots["act"].split()[:2]]
    return question.kind == "should" and bool(set(verbs[:1] if verbs[0] != "be" else verbs[1:]) & words("whole"))


def _topic(text: str) -> Mapping[str, Any] | None:
    topics: list[dict[str, Any]] = load("topics")
    return next((t for t in topics if re.search(t["signs"], text, re.I)), None)


def _field(fields: Mapping[str, Mapping[str, Any]], text: str, beside: str) -> str:
    """The field with most signs in the question, then in what stands beside it."""

    def count(signs: str, where: str) -> int:
        flags = 0 if r"\bI\b" in signs else re.I
        return len({m.group().casefold() for m in re.finditer(signs, where, flags)}) if signs else 0

    score = {name: 2 * count(f["signs"], text) + count(f["signs"], beside) for name, f in fields.items()}
    best = max(score, key=lambda name: score[name])
    return best if score[best] else GENERAL


def _slots(entry: Mapping[str, Any]) -> dict[str, str]:
    return {k: "yes" if v is True else str(v) for k, v in entry.items() if k not in ("signs", "field")}
