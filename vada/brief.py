"""The brief: four sections under 800 tokens that the next round starts from. Constraints are never cut or touched."""

from collections.abc import Sequence

from vada import tokens
from vada.models.outputs import ActiveItem, Brief, Decision

CAP = 800
"""cl100k tokens (seed: hard cap); exceeded only when the constraints alone exceed it."""

NONE = "- none"


def decided_line(decision: Decision) -> str:
    """One locked decision as the brief shows it."""
    return f"[{decision.key}] {decision.statement} ({decision.value}; confidence {decision.confidence:.2f})"


def text(constraints_block: str, decided: Sequence[str], active: Sequence[ActiveItem], minority: Sequence[str]) -> str:
    """The brief's text; empty sections say so."""
    sections = (
        ("ORIGINAL CONSTRAINTS", [constraints_block] if constraints_block else [NONE]),
        ("DECIDED", [f"- {d}" for d in decided] or [NONE]),
        ("ACTIVE", [f"- [{a.key}] {a.text}" if a.key else f"- {a.text}" for a in active] or [NONE]),
        ("MINORITY REPORT", [f"- {m}" for m in minority] or [NONE]),
    )
    return "\n\n".join("\n".join((title, *lines)) for title, lines in sections)


def build(
    constraints_block: str,
    decided: Sequence[str],
    active: Sequence[ActiveItem],
    minority: Sequence[str],
    restored: Sequence[str] = (),
) -> Brief:
    """The brief, cut to the cap by triage: the first of each section, then decided, active, minority in order.

    What is left out stands in `cut`, so that nothing vanishes silently.
    """
    kept: tuple[list[str], list[ActiveItem], list[str]] = ([], [], [])
    cut: list[str] = []
    for section, item in _triage(decided, active, minority):
        trial = [list(k) for k in kept]
        trial[section].append(item)
        if tokens.count(text(constraints_block, *trial)) <= CAP:  # type: ignore[arg-type]
            kept[section].append(item)  # type: ignore[arg-type]
        else:
            cut.append(item.text if isinstance(item, ActiveItem) else item)
    whole = text(constraints_block, *kept)
    if not any(kept) and tokens.count(whole) > CAP:
        whole = constraints_block  # the headings alone would break the cap; what must not be cut is kept bare
    return Brief(
        constraints_block=constraints_block,
        decided=tuple(kept[0]),
        active=tuple(kept[1]),
        minority=tuple(kept[2]),
        text=whole,
        tokens=tokens.count(whole),
        cut=tuple(cut),
        restored=tuple(restored),
    )


def _triage(
    decided: Sequence[str], active: Sequence[ActiveItem], minority: Sequence[str]
) -> list[tuple[int, str | ActiveItem]]:
    """Every item with its section, the most needed first."""
    sections: list[list[str | ActiveItem]] = [list(decided), list(active), list(minority)]
    first = [(i, s[0]) for i, s in enumerate(sections) if s]
    return first + [(i, item) for i, s in enumerate(sections) for item in s[1:]]


def uncut_tokens(
    constraints_block: str, decided: Sequence[str], active: Sequence[ActiveItem], minority: Sequence[str]
) -> int:
    """cl100k tokens of everything, before any triage."""
    return tokens.count(text(constraints_block, decided, active, minority))
