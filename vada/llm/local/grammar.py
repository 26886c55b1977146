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
        span = f"{{{node['minLength'] - 1},{node['maxLength'] - 1}}}"
        rest = "[^{}]" if node.get(PAGE) else "(?s:.)"
        return {"type": "string", "pattern": f"^{_BEGIN}{rest}{span}$"}
    return {k: _held(v) for k, v in node.items()}
