"""The kinds of constraint that code can check, as a person enters them. Pure; what they mean is `vada.constraints`."""

from collections.abc import Callable
from typing import NamedTuple

from vada.constraints import derive, verb
from vada.models.debate import Check
from vada.models.vocabulary import CheckKind


class Kind(NamedTuple):
    """How a checkable constraint is entered: its name, the labels of its arguments, and the sentence it stands for."""

    title: str
    labels: tuple[str, ...]
    help: str
    sentence: str


KINDS: dict[CheckKind, Kind] = {
    CheckKind.MAX_WORDS: Kind(
        title="Maximum words",
        labels=("Words",),
        help="Code counts the words of the deliverable.",
        sentence="At most {0} words.",
    ),
    CheckKind.MIN_WORDS: Kind(
        title="Minimum words",
        labels=("Words",),
        help="Code counts the words of the deliverable.",
        sentence="At least {0} words.",
    ),
    CheckKind.MUST_INCLUDE: Kind(
        title="Must include",
        labels=("Phrases, split by ;",),
        help="Every phrase must stand in the deliverable.",
        sentence="Must include {0}.",
    ),
    CheckKind.MUST_NOT: Kind(
        title="Must not include",
        labels=("Phrases, split by ;",),
        help="None of the phrases may stand in the deliverable.",
        sentence="Must not include {0}.",
    ),
    CheckKind.NUMBER_RANGE: Kind(
        title="Numbers in a range",
        labels=("From", "To", "Unit"),
        help="Every number with this unit must lie in the range; without a unit, every number.",
        sentence="Every figure in {2} lies between {0} and {1}.",
    ),
    CheckKind.FORMAT: Kind(
        title="Format",
        labels=("Format",),
        help="The deliverable must have this shape.",
        sentence="The deliverable has {0}.",
    ),
    CheckKind.COUNT: Kind(
        title="Exactly so many",
        labels=("How many", "Of what"),
        help="How many of a thing the deliverable must have, for example 5 bullets.",
        sentence="Exactly {0} {1}.",
    ),
}
FORMATS = ("bullets", "steps", "headings", "table", "json")
"""Shapes that code can recognise."""


def worded(kind: str, args: list[str]) -> str:
    """The sentence that a kind and its arguments stand for, used when no text was typed; empty when incomplete."""
    try:
        check = check_of(kind, args)
    except ValueError:
        return ""
    if check is None:
        return ""
    if check.kind in (CheckKind.MUST_INCLUDE, CheckKind.MUST_NOT):
        return KINDS[check.kind].sentence.format(", ".join(f"“{a}”" for a in check.args))
    if check.kind is CheckKind.NUMBER_RANGE and len(check.args) < 3:
        return "Every figure lies between {} and {}.".format(*check.args)
    return KINDS[check.kind].sentence.format(*check.args)


def checked_by_code(text: str, kind: str, args: list[str]) -> Check | None:
    """The check that code will make, chosen or read from the wording; None when models judge the constraint."""
    try:
        return check_of(kind, args) or (derive(text) if text.strip() else None)
    except ValueError:
        return None


def who_checks(text: str, kind: str, args: list[str]) -> str:
    """Who will say whether a constraint is kept, and of a check by code what it asks; empty without a constraint."""
    found = checked_by_code(text, kind, args)
    if found is None:
        return KINDS[CheckKind(kind)].help if kind else "Judged by the Verifier" if text.strip() else ""
    asked = ["; ".join(found.args)] if found.kind in (CheckKind.MUST_INCLUDE, CheckKind.MUST_NOT) else list(found.args)
    sentence = worded(found.kind.value, asked).rstrip(".")
    return f"{verb(found)} by code: {sentence[:1].lower()}{sentence[1:]}"


def check_of(kind: str, args: list[str]) -> Check | None:
    """The chosen check; None for no kind. Raises ValueError with what is wrong with its arguments."""
    if not kind:
        return None
    chosen = CheckKind(kind)
    return Check(kind=chosen, args=_ARGUMENTS[chosen]([a.strip() for a in args]))


def _whole(args: list[str]) -> tuple[str, ...]:
    number = (args[0] if args else "").replace(",", "").replace("\u202f", "")
    if not number.isascii() or not number.isdigit() or int(number) < 1:
        raise ValueError("Give a whole number above 0.")
    return (str(int(number)),)


def _phrases(args: list[str]) -> tuple[str, ...]:
    found = tuple(p.strip() for p in (args[0] if args else "").split(";") if p.strip())
    if not found:
        raise ValueError("Give at least one phrase.")
    return found


def _range(args: list[str]) -> tuple[str, ...]:
    low, high, unit = [*args, "", "", ""][:3]
    try:
        ordered = float(low) <= float(high)
    except ValueError:
        raise ValueError("Give the lowest and the highest number.") from None
    if not ordered:
        raise ValueError("The first number must not be above the second.")
    return (low, high, unit) if unit else (low, high)


def _shape(args: list[str]) -> tuple[str, ...]:
    if not args or args[0] not in FORMATS:
        raise ValueError("Choose a format.")
    return (args[0],)


def _counted(args: list[str]) -> tuple[str, ...]:
    thing = args[1] if len(args) > 1 else ""
    if not thing:
        raise ValueError("Say what is counted, for example bullets.")
    return (*_whole(args), thing)


_ARGUMENTS: dict[CheckKind, Callable[[list[str]], tuple[str, ...]]] = {
    CheckKind.MAX_WORDS: _whole,
    CheckKind.MIN_WORDS: _whole,
    CheckKind.MUST_INCLUDE: _phrases,
    CheckKind.MUST_NOT: _phrases,
    CheckKind.NUMBER_RANGE: _range,
    CheckKind.FORMAT: _shape,
    CheckKind.COUNT: _counted,
}
