"""The texts of the rehearsal, as data beside the code, and how one is filled in. Owns no choice of its own."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

_SLOT = re.compile(r"\{([A-Za-z_]+)\}")
_EITHER = re.compile(r"\[([^\[\]|]*(?:\|[^\[\]|]*)+)\]")


@cache
def load(name: str) -> Any:
    """A file of texts by its stem, as plain lists and mappings."""
    return yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))


def fill(template: str, slots: Mapping[str, str], turn: int = 0) -> str:
    """The template with its slots filled: `{name}` as it is, `{Name}` with a capital, `[a|b]` one of them by `turn`.

    Raises KeyError for a slot that nobody gave.
    """

    def slot(found: re.Match[str]) -> str:
        name = found.group(1)
        value = slots[name[0].lower() + name[1:]]
        return capital(value) if name[0].isupper() else value

    chosen = _EITHER.sub(lambda m: (p := m.group(1).split("|"))[turn % len(p)], template)
    return tidy(_SLOT.sub(slot, chosen))


def capital(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text with a small first letter, unless its first word is a name, an abbreviation or I."""
    first = text.split(" ", 1)[0]
    return text if first == "I" or any(c.isupper() for c in first[1:]) else text[:1].lower() + text[1:]


def tidy(text: str) -> str:
    """Without doubled spaces and doubled full stops, line breaks kept."""
    text = re.sub(r"[ \t]{2,}", " ", text)
    return re.sub(r"([.!?])\.(?!\.)", r"\1", text).strip()
