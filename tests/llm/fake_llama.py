"""A stand-in for the model's server at its own seam: it answers in chunks as xllamacpp does, within the grammar given.

What it writes is drawn at random from everything the grammar allows, so that whatever a small model writes is covered.
"""

import json
import random
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vada.llm.local.server import Tell

SENTENCE = "the team should keep one deployable unit until a second team owns a part of it and can run it alone"
Body = dict[str, Any]


def anything(schema: Body, rng: random.Random) -> Any:
    """A value the schema allows, drawn at random; a text of words within its bounds."""
    if "anyOf" in schema:
        return anything(rng.choice(schema["anyOf"]), rng)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema["type"]:
        case "object":
            return {name: anything(prop, rng) for name, prop in schema["properties"].items()}
        case "array":
            return _list(schema, rng)
        case "string":
            return _text(schema, rng)
        case "number":
            return rng.random() * 10
        case "integer":
            return rng.randrange(10)
    raise AssertionError(f"the stand-in cannot write {schema}")


def _list(schema: Body, rng: random.Random) -> list[Any]:
    heads = schema.get("prefixItems", [])
    size = rng.randint(schema.get("minItems", 0), schema["maxItems"])
    return [anything(heads[i] if i < len(heads) else schema["items"], rng) for i in range(size)]


def _text(schema: Body, rng: random.Random) -> str:
    pattern = schema.get("pattern", "")
    if pattern.endswith(")?$"):  # a date or nothing
        return rng.choice(["", "2027-03-01"])
    if pattern:
        [(low, high, end)] = re.findall(r"\{(\d+),(\d+)\}(.*)\$$", pattern)
        least, most = (int(n) + (2 if end else 1) for n in (low, high))
    else:
        least, most = schema.get("minLength", 0), schema["maxLength"]
    text = ""
    while len(text) < rng.randint(least, min(most, least + 60)):
        text += rng.choice(SENTENCE.split()) + " "
    text = text.strip().ljust(least, ".")[: most - 1] + "."
    text = text[:most]
    assert re.match(pattern, text), (pattern, text)
    return text


@dataclass
class FakeLlama:
    """The server; `writes` makes the text of a request, by default anything its grammar allows."""

    seed: int = 0
    window: int = 12_288
    writes: Callable[[Body], str] | None = None
    error: Body | None = None
    breaks_after: int | None = None  # pieces
    gate: threading.Event | None = None  # waited for after each piece, so that a test can look in between
    requests: list[Body] = field(default_factory=list)
    pieces: int = 0
    stopped: int = 0  # calls that were broken off

    def chat(self, request: Body, tell: Tell) -> None:
        """Answer in chunks: progress on the prompt, pieces of text, the end, the usage."""
        self.requests.append(request)
        if self.error is not None:
            tell({"error": self.error})
            return
        text = (self.writes or self._anything)(request)
        first: Body = {"delta": {"role": "assistant", "content": None}, "finish_reason": None}
        chunks: list[Body] = [{"choices": [first], "prompt_progress": {"total": 9, "processed": 9}}]
        chunks += [{"choices": [{"delta": {"content": text[i : i + 7]}}]} for i in range(0, len(text), 7)]
        finish = "length" if len(text) > 4 * request["max_tokens"] else "stop"
        chunks.append({"choices": [{"delta": {}, "finish_reason": finish}]})
        used = {"prompt_tokens": 40, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 30}}
        chunks.append({"choices": [], "usage": used})
        for chunk in chunks:
            if self.pieces == self.breaks_after:
                raise RuntimeError("out of memory")
            self.pieces += 1
            if tell(chunk):
                self.stopped += 1
                return
            if self.gate is not None:
                self.gate.wait(5)

    def count(self, messages: list[Body]) -> int:
        """One token for each word."""
        return sum(len(m["content"].split()) for m in messages)

    def _anything(self, request: Body) -> str:
        if "grammar" not in request:
            return "Some prose."
        rng = random.Random(f"{self.seed}.{len(self.requests)}")
        return json.dumps(anything(schema_of(request), rng))


def schema_of(request: Body) -> Body:
    """The schema in a request's grammar."""
    head, _, schema = request["grammar"].partition("%json ")
    assert head == "%llguidance {}\nstart: ", head
    found: Body = json.loads(schema)
    assert found.pop("x-guidance") == {"whitespace_flexible": False}
    return found
