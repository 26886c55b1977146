"""Runs in which every text that a model wrote is hostile, the twenty cases taking turns."""

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from tests.hostile import CASES
from vada.models.run import Run
from vada.models.vocabulary import GateAction

_FIELDS = {
    "weakness", "text", "claim", "value", "change_my_mind", "draft", "steel_man", "objection", "reason", "remove",
    "statement", "position", "request", "recommendation", "key_condition", "condition", "path", "note", "diff",
    "correction", "title", "quote", "message", "cause", "position_a", "position_b", "why_not_obvious", "where", "key",
    "target", "target_key", "point_a",
}  # fmt: skip
_LISTS = {"caveats", "removed", "left_open"}
_WORDS = {*GateAction, "", "rehearsal"}  # a gate's recommendation is an enum, an empty text stays empty


def poisoned(run: Run, shift: int) -> Run:
    """The run with hostile texts in every field a model fills, beginning with another case for each `shift`; ids,
    enums and what a person entered stay."""
    texts = islice(cycle(c.text for c in CASES), shift, None)
    data = run.model_dump(mode="json")
    for part in ("rounds", "deliverable", "audit", "degraded", "breaches"):
        data[part] = _poison(data[part], texts)
    return Run.model_validate(data)


def _poison(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, list):
        return [_poison(v, texts) for v in value]
    if isinstance(value, dict):
        return {k: _field(k, v, texts) for k, v in value.items()}
    return value


def _field(key: str, value: Any, texts: Iterator[str]) -> Any:
    if key in _FIELDS and isinstance(value, str) and value not in _WORDS:
        return next(texts)
    if key in _LISTS and isinstance(value, list):
        return [next(texts) for _ in value]
    return _poison(value, texts)
