"""A schema in words for a small model: one line a field. Pure.

The grammar holds the shape; this says what goes where.
"""

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

_PLAIN = {
    "ProposalReply.draft": "the page for the person who asked, in prose that stands on its own: what to do, the "
    "reasons that decide it, the steps, and what would change the answer; 200 to 350 words, nothing said twice, no "
    "field names and no confidences",
    "PointReply.value": "yes, no, or at most five words",
    "PointReply.claim": "one whole sentence that no other point says",
    "DecisionReply.value": "yes, no, or at most five words",
    "DeliverableReply.text": "the finished page for the person who asked, in Markdown: the recommendation first, then "
    "the reasons, the steps, and what would change the answer; nothing said twice, no field names and no confidences",
}
"""By `Class.field`, where a small model takes the field's own description for something to copy."""


def worded(schema: Schema) -> str:
    """What to reply with. Fields that stay empty are not mentioned."""
    first = schema["anyOf"][-1] if "anyOf" in schema else schema
    return "\n".join(["Reply with one JSON object. Its fields, in this order:", *_fields(first, "")])


def _fields(node: Schema, indent: str) -> Iterator[str]:
    for name, prop in node.get("properties", {}).items():
        if prop.get("const") == "" or prop.get("maxItems") == 0:
            continue
        told = _PLAIN.get(f"{node.get('title', '')}.{name}", prop.get("description", ""))
        yield f"{indent}- {name}: {_kind(prop)}{'. ' + told if told else ''}"
        inner = prop.get("items", prop)
        if inner.get("type") == "object":
            yield from _fields(inner, indent + "  ")


def _kind(prop: Schema) -> str:
    """A field's kind and bounds."""
    if "enum" in prop and prop.get("type") != "number":
        return "one of " + ", ".join(map(str, prop["enum"]))
    match prop.get("type"):
        case "string":
            return f"text, at most {max(3, prop['maxLength'] // 7)} words" if "maxLength" in prop else "text"
        case "array":
            return f"list of {_span(prop)}{_kind(prop['items'])}"
        case "object":
            return "object"
        case other:
            return str(other or "value")


def _span(prop: Schema) -> str:
    least, most = prop.get("minItems", 0), prop.get("maxItems")
    if most is None:
        return ""
    return f"{most} " if least == most else f"{least} to {most} "
