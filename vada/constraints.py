"""Constraints that code can check: what a constraint asks for, and whether a text keeps it.

A constraint nobody's code can check is left to the Verifier and the Blind Critic; it is never guessed at.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from vada.models.debate import Check, Constraint
from vada.models.outputs import ConstraintCheck, Renegotiation
from vada.models.run import Round, Run
from vada.models.vocabulary import CheckKind, Holds
from vada.tokens import words

_MIN = re.compile(
    r"(?:at least|(?:no|not) (?:less|fewer) than|min(?:imum)?(?: of)?|(?<!no )(?<!not )more than)\s+([\d,]+)\s+words",
    re.I,
)
_MAX = re.compile(
    r"(?:at most|(?:no|not) more than|under|max(?:imum)?(?: of)?|up to|within|(?<!no )(?<!not )(?:fewer|less) than)"
    r"\s+([\d,]+)\s+words",
    re.I,
)
_PART = re.compile(r"\b(?:each|per|every|summary|title|heading|section|sentence|bullet|step|paragraph|item)s?\b", re.I)
"""A limit on a part of the page is not a limit on the page."""
_INCLUDE = re.compile(r"(?:must|has to|should) (?:mention|include|contain|name)\s+[\"“‘'](.+?)[\"”’']", re.I)
_EXCLUDE = re.compile(
    r"(?:must not|may not|do not|don't|never)\s+(?:mention|include|contain|use|name)\s+[\"“‘'](.+?)[\"”’']", re.I
)


_SHAPES = {
    "bullets": r"(?m)^\s*[-*] ",
    "steps": r"(?m)^\s*\d+[.)] ",
    "headings": r"(?m)^#+ ",
    "table": r"(?m)^\|.+\|$",
}


def block(constraints: Sequence[Constraint], accepted: Sequence[Renegotiation] = ()) -> str:
    """The constraints verbatim, one after another as `C1: text`, then renegotiations a person accepted."""
    lines = [f"{c.id}: {c.text}" for c in constraints]
    return "\n".join(lines + [f"{r.constraint} {_RENEGOTIATED} {_folded(r.request)}" for r in accepted])


_RENEGOTIATED = "(renegotiated, accepted by the principal):"


def _folded(request: str) -> str:
    """A model's words on one line and unable to open or close a tag: they stand among the person's own."""
    return " ".join(request.split()).replace("<", "&lt;")


def accepted(rounds: Iterable[Round]) -> tuple[Renegotiation, ...]:
    """The renegotiations that a person accepted at any gate of these rounds."""
    found: list[Renegotiation] = []
    for now in rounds:
        yes = {a.id for a in now.decision.renegotiations if a.accepted} if now.decision else set()
        found += [r for r in (now.synthesis.renegotiations if now.synthesis else ()) if r.id in yes]
    return tuple(found)


def unchanged(constraints: Sequence[Constraint], accepted: Sequence[Renegotiation]) -> tuple[Constraint, ...]:
    """The constraints that still hold as the person first wrote them; only these can be checked by code."""
    changed = {r.constraint for r in accepted}
    return tuple(c for c in constraints if c.id not in changed)


def renegotiated(block: str) -> set[str]:
    """The ids of the constraints whose change stands in a constraints block."""
    return {line.split(" ", 1)[0] for line in block.splitlines() if f" {_RENEGOTIATED} " in f"{line} "}


def sha(text: str) -> str:
    """sha256 of a constraints block, hex; the same in every prompt of a round or the constraints were touched."""
    return hashlib.sha256(text.encode()).hexdigest()


def derive(text: str) -> Check | None:
    """The check that a plainly worded constraint stands for, or None. Only unambiguous wordings are read."""
    if _PART.search(text):
        return None
    for kind, pattern in (
        (CheckKind.MAX_WORDS, _MAX),
        (CheckKind.MIN_WORDS, _MIN),
        (CheckKind.MUST_NOT, _EXCLUDE),
        (CheckKind.MUST_INCLUDE, _INCLUDE),
    ):
        if found := pattern.search(text):
            said = found.group(1)
            return Check(kind=kind, args=(said.replace(",", "") if kind in _COUNTED else said,))
    return None


_COUNTED = (CheckKind.MAX_WORDS, CheckKind.MIN_WORDS, CheckKind.COUNT)


def word_limit(constraints: Sequence[Constraint], cap: int) -> int:
    """Words a deliverable may have: the strictest `max_words` constraint, else the cap, raised to any `min_words`."""
    found = [c for x in constraints if (c := check_of(x))]
    most = [int(c.args[0]) for c in found if c.kind is CheckKind.MAX_WORDS]
    least = [int(c.args[0]) for c in found if c.kind is CheckKind.MIN_WORDS]
    return min(most) if most else max([cap, *least])


def check_of(constraint: Constraint) -> Check | None:
    """The check that code makes of a constraint, chosen or read from its wording; None when models judge it."""
    return constraint.check or derive(constraint.text)


def verb(check: Check) -> str:
    """What code does for a check, as in `Counted by code`: it counts, or it looks."""
    return "Counted" if check.kind in _COUNTED else "Checked"


def check(constraint: Constraint, text: str) -> ConstraintCheck | None:
    """Whether `text` keeps the constraint, with the measured figure; None when code cannot check it."""
    found = check_of(constraint)
    if found is None:
        return None
    holds, reason = _CHECKS[found.kind](found.args, text)
    return ConstraintCheck(
        constraint=constraint.id, holds=Holds.YES if holds else Holds.NO, reason=reason, by_code=True
    )


def _max_words(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    n = words(text)
    return n <= int(args[0]), f"{n} words; at most {args[0]} allowed"


def _min_words(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    n = words(text)
    return n >= int(args[0]), f"{n} words; at least {args[0]} needed"


def _must_include(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    missing = [a for a in args if a.casefold() not in text.casefold()]
    return not missing, f"missing: {', '.join(missing)}" if missing else "all of it is there"


def _must_not(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    found = [a for a in args if a.casefold() in text.casefold()]
    return not found, f"found: {', '.join(found)}" if found else "none of it is there"


def _number_range(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    low, high = float(args[0]), float(args[1])
    unit = re.escape(args[2]) if len(args) > 2 else ""
    numbers = [float(n.replace(",", "")) for n in re.findall(rf"(-?\d[\d,]*(?:\.\d+)?)\s*{unit}", text)]
    out = [n for n in numbers if not low <= n <= high]
    return (
        not out,
        f"outside {low:g} to {high:g}: {', '.join(f'{n:g}' for n in out)}"
        if out
        else f"all {len(numbers)} numbers inside",
    )


def _format(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    wanted = args[0].casefold()
    if wanted == "json":
        try:
            json.loads(text)
        except ValueError as error:
            return False, f"not JSON: {error}"
        return True, "valid JSON"
    pattern = _SHAPES.get(wanted)
    ok = bool(pattern and re.search(pattern, text))
    return ok, f"{wanted} {'found' if ok else 'not found'}"


def _count(args: tuple[str, ...], text: str) -> tuple[bool, str]:
    wanted, thing = int(args[0]), args[1] if len(args) > 1 else "bullets"
    pattern = _SHAPES.get(thing, re.escape(thing))
    n = len(re.findall(pattern, text))
    return n == wanted, f"{n} {thing}; {wanted} wanted"


_CHECKS: dict[CheckKind, Callable[[tuple[str, ...], str], tuple[bool, str]]] = {
    CheckKind.MAX_WORDS: _max_words,
    CheckKind.MIN_WORDS: _min_words,
    CheckKind.MUST_INCLUDE: _must_include,
    CheckKind.MUST_NOT: _must_not,
    CheckKind.NUMBER_RANGE: _number_range,
    CheckKind.FORMAT: _format,
    CheckKind.COUNT: _count,
}


# How the constraints of a debate stand.

WORDS = {Holds.YES: "Kept", Holds.NO: "Broken", Holds.UNCLEAR: "Unclear"}
"""Whether a constraint is kept, in a word."""


@dataclass(frozen=True)
class Standing:
    """How a constraint stands: in a word, and who says so and why. `holds` None: nobody has said so yet, or a person
    changed it."""

    constraint: Constraint
    holds: Holds | None
    word: str
    reason: str


def standing(run: Run, base: Round | None) -> tuple[Standing, ...]:
    """How each constraint stands for the debate's result: a person's change, else code's check of the finished page,
    else the Verifier's word on the round the result rests on. What code checks is not told before there is a page."""
    changed = {g.constraint: g for g in accepted(run.rounds)}
    return tuple(_standing(run, base, c, changed.get(c.id)) for c in run.config.constraints)


def _standing(run: Run, base: Round | None, constraint: Constraint, changed: Renegotiation | None) -> Standing:
    if changed:
        return Standing(constraint, None, "Renegotiated", f"A person accepted: {changed.request}")
    wanted = check_of(constraint)
    if run.deliverable and wanted and (found := check(constraint, run.deliverable.text)):
        return Standing(constraint, found.holds, WORDS[found.holds], f"{verb(wanted)} by code: {found.reason}")
    if wanted and not run.state.ended:
        return _at_the_end(run, constraint, wanted)
    return _by_verifier(constraint, base)


def in_round(run: Run, r: Round | None) -> tuple[Standing, ...]:
    """How each constraint stands in a round: the Verifier's word; what code checks waits for the finished page."""
    wanted = [(c, check_of(c)) for c in run.config.constraints]
    return tuple(_at_the_end(run, c, made) if made else _by_verifier(c, r) for c, made in wanted)


def _at_the_end(run: Run, constraint: Constraint, wanted: Check) -> Standing:
    """What code looks at once there is a page; when there is one, what it found."""
    found = check(constraint, run.deliverable.text) if run.deliverable else None
    said = f"On the finished page: {WORDS[found.holds].lower()}, {found.reason}" if found else ""
    return Standing(constraint, None, f"{verb(wanted)} at the end", said or "Code looks at the finished page.")


def _by_verifier(constraint: Constraint, r: Round | None) -> Standing:
    checks = r.verification.constraint_checks if r and r.verification else ()
    found = next((c for c in checks if c.constraint == constraint.id), None)
    if found is None or r is None:
        return Standing(constraint, None, "Not checked", "")
    who = "Code" if found.by_code else "Verifier"
    return Standing(constraint, found.holds, WORDS[found.holds], f"{who}, round {r.number}: {found.reason}")
