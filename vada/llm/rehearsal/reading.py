"""What stands on the wire: a request's body, taken apart by the tags the prompts use. Pure; writes no answer.

A prompt may lack any of it: what is missing is empty. Blocks are told apart by their place, so that a question which
looks like a tag or a heading is still only a question.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from vada.models.replies import REPLIES
from vada.models.vocabulary import Role

Body = Mapping[str, Any]

_ROLES = {f"# {r.title}": r for r in Role}
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_REMINDER = "CRITICAL REMINDER:"
_SECTIONS = ("ORIGINAL CONSTRAINTS", "DECIDED", "ACTIVE", "MINORITY REPORT", "LOCKED IN THIS BRANCH")


@dataclass(frozen=True)
class Tag:
    """One tag with its attributes and what stands inside, as the author wrote it."""

    name: str
    attributes: Mapping[str, str]
    inner: str

    def get(self, name: str) -> str:
        """An attribute; empty when it is missing."""
        return self.attributes.get(name, "")

    def number(self, name: str, otherwise: float) -> float:
        """An attribute as a number; `otherwise` when it is none."""
        try:
            return float(self.attributes[name])
        except (KeyError, ValueError):
            return otherwise

    def labels(self, name: str) -> tuple[str, ...]:
        """An attribute that lists labels."""
        return tuple(x.strip() for x in self.get(name).split(",") if x.strip())

    @property
    def text(self) -> str:
        """The inside as plain text."""
        return plain(self.inner)

    def all(self, name: str) -> tuple["Tag", ...]:
        """The tags of that name inside this one."""
        return tuple(tags(self.inner, name))

    def one(self, name: str) -> str:
        """The text of the first tag of that name inside; empty when there is none."""
        return next((t.text for t in self.all(name)), "")


def plain(text: str) -> str:
    """Text as it was before it was made inert for a tag."""
    return text.replace("&lt;", "<").replace("&quot;", '"').strip()


def tags(text: str, name: str) -> Iterator[Tag]:
    """Every tag of that name, in order; an unclosed one is left out."""
    for found in re.finditer(rf"<{name}((?:\s+[\w-]+=\"[^\"]*\")*)\s*>(.*?)</{name}>", text, re.S):
        attributes = {k: plain(v) for k, v in _ATTRIBUTE.findall(found.group(1))}
        yield Tag(name, attributes, found.group(2))


@dataclass(frozen=True)
class Line:
    """A line of the brief: its key or id in brackets, its statement, and the value and confidence of a decision."""

    key: str
    text: str
    value: str = ""
    confidence: float = 0.0


@dataclass(frozen=True)
class Wire:
    """A request, taken apart."""

    blocks: tuple[str, ...]
    title: str  # of the schema asked for
    web: bool
    schema: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _posture_at(self) -> int:
        """Which block says who speaks; after the end when none does."""
        for i, block in enumerate(self.blocks):
            if _heading(block) in _ROLES and (i > 0 or len(self.blocks) == 1):
                return i
        return len(self.blocks)

    @property
    def role(self) -> Role | None:
        """Who is asked."""
        at = self._posture_at
        return _ROLES[_heading(self.blocks[at])] if at < len(self.blocks) else None

    @property
    def shared(self) -> str:
        """What every call of a debate begins with."""
        return self.blocks[0] if self.blocks else ""

    @cached_property
    def inputs(self) -> str:
        """What this call alone is about; everything where the blocks cannot be told apart."""
        found = [b for b in self.blocks[self._posture_at :] if _is_input(b)]
        return "\n".join(found) if found else "\n".join(self.blocks)

    @cached_property
    def after(self) -> str:
        """Posture, horizon, round, whisper and anchor."""
        said = [b for b in self.blocks[self._posture_at :] if not _is_input(b) and not _is_context(b)]
        return "\n".join(said) or "\n".join(self.blocks)

    @cached_property
    def question(self) -> str:
        """The question verbatim; what it holds of tags belongs to it."""
        found = re.search(r"<question>(.*)</question>\s*(?:\n<|$)", self.shared, re.S)
        if found is None:
            found = re.search(r"<question>(.*?)</question>", "\n".join(self.blocks), re.S)
        if found:
            inside = found.group(1)
            cut = re.search(r"</question>\s*\n<(?:constraints|conclusion)>", inside)
            return (inside[: cut.start()] if cut else inside).strip()
        anchored = re.search(rf"{_REMINDER} The Principal's original question is: (.*)", "\n".join(self.blocks))
        return anchored.group(1).strip() if anchored else ""

    @cached_property
    def constraints(self) -> dict[str, str]:
        """The constraints by id, verbatim."""
        block = next((t.inner for t in tags(self._given, "constraints")), "")
        return {i: text.strip() for i, text in re.findall(r"^(C\d+): (.*)$", block, re.M)}

    @cached_property
    def material(self) -> tuple[Tag, ...]:
        """What the person added, with its name."""
        return tuple(t for t in tags(self._given, "material") if t.text)

    @cached_property
    def priorities(self) -> str:
        """What the person wants to count most."""
        return next((t.text for t in tags(self._given, "priorities")), "")

    @cached_property
    def _given(self) -> str:
        """The shared block behind the question."""
        at = self.shared.rfind("</question>")
        return self.shared[at:] if at >= 0 else self.shared

    @cached_property
    def context(self) -> str:
        """The brief, or what stands in its place."""
        block = next(filter(_is_context, self.blocks), self._given)
        return next((t.text for t in tags(block, "context")), "")

    @cached_property
    def _sections(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        name = ""
        for line in self.context.splitlines():
            if line.strip() in _SECTIONS:
                name = line.strip()
            elif name and line.startswith("- ") and line != "- none":
                found.setdefault(name, []).append(line[2:].strip())
        return found

    @cached_property
    def decided(self) -> dict[str, Line]:
        """The brief's decisions by key."""
        lines = (_decided(x) for x in self._sections.get("DECIDED", ()))
        return {x.key: x for x in lines if x}

    @cached_property
    def active(self) -> tuple[Line, ...]:
        """What the brief leaves open."""
        found = (re.match(r"\[([^\]]+)\] (.*)", x) for x in self._sections.get("ACTIVE", ()))
        return tuple(Line(m.group(1), m.group(2)) for m in found if m)

    @cached_property
    def minority(self) -> tuple[str, ...]:
        """The brief's minority report."""
        return tuple(self._sections.get("MINORITY REPORT", ()))

    @cached_property
    def locked(self) -> tuple[str, str]:
        """The key and value this branch of a fork must hold; empty when there is none."""
        found = re.search(r"takes one decision as given, on ([^:\n]+): (.*?)\. Work from it", self.after)
        if found is None:
            found = re.search(r"LOCKED IN THIS BRANCH\n- \[([^\]]+)\] (.*)", self.context)
        return (plain(found.group(1)), plain(found.group(2))) if found else ("", "")

    @cached_property
    def round(self) -> int:
        """The round, 1 when the prompt does not say."""
        return self._rounds[0]

    @property
    def rounds(self) -> int:
        """How many rounds there can be."""
        return self._rounds[1]

    @cached_property
    def _rounds(self) -> tuple[int, int]:
        for block in (*self.blocks[self._posture_at :], self.after):
            if found := re.search(r"^Round (\d+) of (\d+)", block, re.M):
                return int(found.group(1)), int(found.group(2))
        return 1, 3

    @cached_property
    def whispers(self) -> tuple[str, ...]:
        """The notes the person left for this agent."""
        return tuple(t.text for t in tags(self.after, "whisper") if t.text)

    @cached_property
    def expertise(self) -> str:
        """What this agent knows, as the prompt says it."""
        found = re.search(r"^Expertise: (.+)$", self.after, re.M)
        return found.group(1).strip() if found else ""

    @cached_property
    def method(self) -> str:
        """The way of reasoning this agent was given."""
        found = re.search(r"^Method: (\w+)", self.after, re.M)
        return found.group(1) if found else ""

    @cached_property
    def today(self) -> str:
        """The day as an ISO date where the prompt names it; empty otherwise."""
        found = re.search(r"ISO date after (\d{4}-\d\d-\d\d)", self.after)
        return found.group(1) if found else ""

    @cached_property
    def anchor(self) -> str:
        """The last reminder; empty for the Blind Critic."""
        at = self.after.rfind(_REMINDER)
        return self.after[at:] if at >= 0 else ""

    @cached_property
    def caps(self) -> tuple[int, ...]:
        """The word limits of the anchor, in its order; the question's own numbers are not among them."""
        lines = [x for x in self.anchor.splitlines() if x.startswith("Do not exceed")]
        return tuple(int(n) for n in re.findall(r"\b\d+\b", lines[-1])) if lines else ()

    def cap(self, otherwise: int) -> int:
        """The word limit of the reply."""
        return self.caps[0] if self.caps and self.caps[0] > 0 else otherwise

    def cap_beside(self, otherwise: int) -> int:
        """The second limit of the anchor, that of a draft or of a recommendation."""
        return self.caps[1] if len(self.caps) > 1 and self.caps[1] > 0 else otherwise

    def given(self, name: str) -> tuple[Tag, ...]:
        """The tags of that name in what this call is about."""
        return tuple(tags(self.inputs, name))

    def conclusion(self) -> dict[str, Any]:
        """The conclusion as the prompt shows it; empty when it cannot be read."""
        for tag in reversed(self.given("conclusion") or tuple(tags("\n".join(self.blocks), "conclusion"))):
            try:
                found = json.loads(plain(tag.inner).replace("&lt;", "<"))
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
        return {}


def read(body: Body) -> Wire:
    """Take a request's body apart. Whatever it is, something comes back."""
    title, schema, web = _asked_for(body)
    blocks = tuple(_blocks(_first_user(body)))
    if not title:
        title = _title_in(blocks, body)
    return Wire(blocks=blocks, title=title, web=web, schema=schema)


def _first_user(body: Body) -> Any:
    """The content of the first message: a re-ask repeats nothing of the prompt but its anchor."""
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") == "user":
            return message.get("content")
    return ""


def _blocks(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield block["text"]


def _asked_for(body: Body) -> tuple[str, Mapping[str, Any], bool]:
    """The schema's title, the schema, and whether a search is offered."""
    tools: Sequence[Any] = body.get("tools") or ()
    web = any(isinstance(t, dict) and str(t.get("type", "")).startswith("web_search") for t in tools)
    for tool in tools:
        if isinstance(tool, dict) and tool.get("name") == "submit" and isinstance(tool.get("input_schema"), dict):
            return str(tool["input_schema"].get("title", "")), tool["input_schema"], web
    shape = (body.get("output_config") or {}).get("format") or {}
    schema = shape.get("schema") if isinstance(shape, dict) else None
    return (str(schema.get("title", "")), schema, web) if isinstance(schema, dict) else ("", {}, web)


def _title_in(blocks: Sequence[str], body: Body) -> str:
    """The title where the schema stands in words, in the prompt or in the last message of a re-ask."""
    text = "\n".join(blocks) + json.dumps(body.get("messages", ""), ensure_ascii=False, default=str)
    found = re.findall(r'\\?"title\\?": ?\\?"(\w+)', text)
    return next((t for t in reversed(found) if t in REPLIES), "")


def _is_context(block: str) -> bool:
    return block.lstrip().startswith("<context ")


def _is_input(block: str) -> bool:
    """Whether a block holds other agents' texts: it begins with a tag that is neither the context's nor a note's."""
    return bool(re.match(r"\s*<(?!context\b|whisper\b)[a-z_]+", block))


def _heading(block: str) -> str:
    return block.lstrip().split("\n", 1)[0].strip()


def _decided(line: str) -> Line | None:
    found = re.match(r"\[([^\]]+)\] (.*) \((.*); confidence ([\d.]+)\)$", line)
    if found:
        return Line(found.group(1), found.group(2), found.group(3), float(found.group(4).rstrip(".") or 0))
    found = re.match(r"\[([^\]]+)\] (.*)", line)
    return Line(found.group(1), found.group(2)) if found else None
