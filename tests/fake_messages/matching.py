"""Which request a scripted answer is meant for, read from the request as a provider sees it."""

import json
import re
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]
Match = Callable[[Body], bool]


def texts(body: Body) -> list[str]:
    """Every text of the request in order."""
    found: list[str] = []
    for message in body.get("messages", ()):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [b["text"] for b in blocks if b.get("type") == "text"]
    return found


def title(body: Body) -> str:
    """The title of the schema that is asked for: in `output_config`, `submit` or the prompt; empty without one."""
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    tools = [t for t in body.get("tools") or () if t.get("name") == "submit"]
    schema = schema or (tools[0]["input_schema"] if tools else described(body))
    return str(schema.get("title", ""))


def described(body: Body) -> dict[str, Any]:
    """The schema that the prompt describes in words to a server that enforces none; empty without one."""
    if (body.get("output_config") or {}).get("format") or body.get("tools"):
        return {}
    for text in texts(body):
        _, found, schema = text.partition("It must fit this JSON schema:\n")
        if found:
            return dict(json.loads(schema))
    return {}


def wants(reply: str) -> Match:
    """Requests for a reply of this title, for example `SynthesisReply`."""
    return lambda body: title(body) == reply


def role(name: str) -> Match:
    """Requests to a role by the title that opens its posture, for example `Challenger`."""
    heading = re.compile(rf"^# {re.escape(name)}$", re.MULTILINE)
    return lambda body: any(heading.match(t) for t in texts(body))


def says(words: str) -> Match:
    """Requests whose text holds these words."""
    return lambda body: any(words in t for t in texts(body))


def asked_again(body: Body) -> bool:
    """Requests that name a fault of an earlier reply."""
    return any("Your reply cannot be used" in t for t in texts(body))


def anything(_: Body) -> bool:
    """Every request."""
    return True
