"""A bounded schema as the grammar that the model's sampler is held to. Pure.

LLGuidance compiles it; where it cannot, the server lets the model write freely and does not say so. What stands here is
therefore only what was seen to hold.
"""

import json
from typing import Any

Schema = dict[str, Any]

PAGE = "x-page"
"""Marks a text for a reader: it holds no braces, so that the JSON of the prompt cannot be copied into it."""

_BEGIN = r"[^\s,.;:!?)'\"-]"  # a small model likes to begin a text with a comma
_END = r"[.!?…)*`|\n。！？।؟]"
_SENTENCE = 30  # characters


def grammar(schema: Schema) -> str:
    """The grammar. Free whitespace would let a small model write spaces without end."""
    held = {**_held(schema), "x-guidance": {"whitespace_flexible": False}}
    return "%llguidance {}\nstart: %json " + json.dumps(held)


def _held(node: Any) -> Any:
    """A text that must not be empty becomes one pattern: with a pattern beside its lengths it would not compile."""
    if isinstance(node, list):
        return [_held(n) for n in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "string" and node.get("minLength"):
        return {"type": "string", "pattern": _pattern(node["minLength"], node["maxLength"], bool(node.get(PAGE)))}
    return {k: _held(v) for k, v in node.items()}


def _pattern(least: int, most: int, page: bool) -> str:
    """A text of so many characters. One of at least a sentence's length ends as a sentence does: a word in quotation
    marks would else end it, because the first mark ends the JSON string."""
    end = _END if least >= _SENTENCE else ""
    edges = 2 if end else 1
    return f"^{_BEGIN}{'[^{}]' if page else '(?s:.)'}{{{least - edges},{most - edges}}}{end}$"
