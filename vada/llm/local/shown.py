"""What a prompt shows by label, and who it is written to. Pure; reads the tags our prompts are made of.

A small model mixes up labels and leaves some out. What the prompt shows is therefore made the only thing a reply can
name. A prompt without such tags shows nothing, and then nothing is narrowed.
"""

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_ROLE = re.compile(
    r"^# (Optimizer A|Optimizer B|Challenger|Simplifier|Coordinator|Verifier|Formatter|Blind Critic)$", re.MULTILINE
)
_CONSTRAINT = re.compile(r"^(C\d+): ", re.MULTILINE)
_KEY = re.compile(r"^- \[([^\]\n]+)\]", re.MULTILINE)
_TODAY = re.compile(r"ISO date after (20\d\d-\d\d-\d\d)")
HELD = 0.7
"""Points with this confidence or more are those whose fate the Verifier tells."""


@dataclass(frozen=True)
class Point:
    """A point as the prompt shows it."""

    label: str
    key: str
    confidence: float


@dataclass(frozen=True)
class Shown:
    """The labels in a prompt, each once, in its order; and the conclusion where one is to be fixed."""

    role: str = ""
    material: bool = False
    constraints: tuple[str, ...] = ()
    context_keys: tuple[str, ...] = ()  # of the decisions and open items of the brief
    letters: tuple[str, ...] = ()
    drafts: tuple[str, ...] = ()  # letters of the proposals with a draft
    points: tuple[Point, ...] = ()
    sources: tuple[str, ...] = ()
    challenges: tuple[str, ...] = ()
    vetoes: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()  # keys
    last_decisions: tuple[str, ...] = ()  # keys
    last_scores: bool = False
    amendments: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    budget: int = 0  # tokens for the items
    today: str = ""  # ISO date
    flagged: str = ""  # the conclusion's field to be fixed
    conclusion: dict[str, Any] = field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Everything a ruling or an amendment may rest on."""
        points = tuple(p.label for p in self.points)
        return (*points, *self.sources, *self.constraints, *self.challenges, *self.vetoes)


def shown(texts: list[str]) -> Shown:
    """What a prompt's text blocks show. The first of several is the person's own words; labels are not read from it."""
    first, rest = texts[0] if texts else "", "\n".join(texts[1:] or texts)
    role = _ROLE.search(rest)
    between = re.search(r"<constraints>\n(.*?)\n</constraints>", first, re.DOTALL)
    context = re.search(r"<context [^>]*>\n(.*)\n</context>", first, re.DOTALL)
    last = _inside(rest, "last_decisions")
    return Shown(
        role=role[1] if role else "",
        material="<material " in first,
        constraints=_each(_CONSTRAINT.findall(between[1])) if between else (),
        context_keys=_each(_KEY.findall(context[1])) if context else (),
        letters=_values(rest, "proposal", "letter"),
        drafts=_each(
            m[1]
            for m in re.finditer(r'<proposal letter="(\w+)">(.*?)</proposal>', rest, re.DOTALL)
            if "<draft>" in m[2]
        ),
        points=_points(rest),
        sources=_values(rest, "source", "label"),
        challenges=_values(rest, "challenge", "label"),
        vetoes=_values(rest, "veto", "label"),
        dimensions=_values(rest, "dimension", "key"),
        decisions=_values(rest, "decision", "key"),
        last_decisions=_values(last, "decision", "key"),
        last_scores="<last_scores " in rest,
        amendments=_values(rest, "amendment", "label"),
        items=_values(rest, "item", "label"),
        budget=int((_values(rest, "items", "budget") or ("0",))[0]),
        today=(_TODAY.findall(rest) or ("",))[0],
        flagged=(_values(rest, "flag", "field") or ("",))[0],
        conclusion=_object(_inside(rest, "conclusion")),
    )


def _points(text: str) -> tuple[Point, ...]:
    found = (
        Point(a["label"], a["key"], float(a["confidence"]))
        for a in _tags(text, "point")
        if {"label", "key", "confidence"} <= a.keys()
    )
    return tuple({p.label: p for p in found}.values())


def _values(text: str, tag: str, name: str) -> tuple[str, ...]:
    return _each(a[name] for a in _tags(text, tag) if a.get(name))


def _tags(text: str, tag: str) -> list[dict[str, str]]:
    """The attributes of every such opening tag."""
    opened = re.findall(rf"<{tag}((?: \w+=\"[^\"]*\")+)>", text)
    return [{k: html.unescape(v) for k, v in re.findall(r'(\w+)="([^"]*)"', attributes)} for attributes in opened]


def _inside(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return found[1] if found else ""


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text.replace("&lt;", "<"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _each(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
