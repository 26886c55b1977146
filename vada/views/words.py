"""Values in the words a person reads: money, time, confidence, and what each term means.

Owns every fixed sentence that more than one page shows; never looks at a whole run.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from vada.models.run import Usage
from vada.models.vocabulary import (
    ChallengeStatus,
    DefenceVerdict,
    ErrorKind,
    GateAction,
    PointFate,
    Role,
    Trajectory,
)
from vada.scoring import spoken

DASH = "–"
"""What stands where there is no value yet."""

TERMS: dict[str, str] = {
    "weakness": "Before it may propose anything, each agent names one weakness of the obvious or current answer.",
    "confidence": "The agent's own confidence in a claim, 0 to 100 %. It is weighed and never decides alone.",
    "steel man": "The strongest fair statement of what is about to be attacked. The Challenger must write it first.",
    "challenge register": "Every objection gets a number, a defence by the agent it hits, and a ruling with its "
    "reason.",
    "veto": "The Simplifier may demand that something is taken out. It stands unless a named constraint or "
    "source overrules it.",
    "decided": "Settled by the Coordinator. It can be reopened only by new evidence or an upheld challenge.",
    "active": "Still open: the next round works on these items.",
    "minority report": "Positions that did not prevail are kept, with who holds them and why they lost.",
    "renegotiation": "A formal request to change one of your constraints. The constraint holds until you accept.",
    "weighted score": "The Verifier scores each dimension from 0 to 10; code computes the mean by your weights.",
    "cells tested": "Eleven failure modes by eight phases are 88 cells. A cell is tested when that defence "
    "had a chance to act.",
    "open challenges": "Challenges without a ruling, or ruled undecided.",
    "spend": "What this debate's calls cost so far, by the price list of the models. Calls taken over from a "
    "parent are free.",
    "sunset": "A decision the Verifier finds stale, or that nobody needs any more.",
    "raw against synthesis": "What became of each high-confidence point of the raw proposals in the synthesis.",
    "rule breach": "An output broke one of the eleven rules of the debate. It is recorded and shown; it never stops "
    "the debate.",
    "whisper": "A note for the next round. It reaches all agents, or one alone, who must not reveal it.",
    "fork": "Two child debates, each with one of the two stances locked. Every call up to here is reused.",
    "blind audit": "A critic who sees only your question and the conclusion looks for missed constraints and hedging.",
    "oscillation": "A decision that returns to a stance it had left, such as A, then B, then A again.",
    "record hash": "A seal over everything this debate recorded. If one entry were changed, it would no longer match.",
}
"""What a term means, for the help text beside it."""

STATUSES: dict[ChallengeStatus, str] = {
    ChallengeStatus.DEFENDED: "Defended",
    ChallengeStatus.CONCEDED: "Conceded",
    ChallengeStatus.UNDEFENDED: "Undefended",
}
DEFENCES: dict[DefenceVerdict, str] = {DefenceVerdict.DEFEND: "defends", DefenceVerdict.CONCEDE: "concedes"}
FATES: dict[PointFate, str] = {
    PointFate.KEPT: "Kept",
    PointFate.MERGED: "Merged",
    PointFate.OVERRULED: "Overruled",
    PointFate.DROPPED: "Dropped",
}
ISSUES: dict[ErrorKind, str] = {
    ErrorKind.WRONG: "Wrong",
    ErrorKind.UNSUPPORTED_NUMBER: "Number without source",
    ErrorKind.CONTRADICTION: "Contradiction",
    ErrorKind.NOT_ACTIONABLE: "Nobody could start on it",
    ErrorKind.UNCLEAR: "Unclear to an outsider",
}
TRAJECTORIES: dict[Trajectory, str] = {
    Trajectory.FIRST: "first round",
    Trajectory.RISING: "rising",
    Trajectory.FLAT: "flat",
    Trajectory.FALLING: "falling",
}
ACTIONS: dict[GateAction, str] = {
    GateAction.CONTINUE: "continue",
    GateAction.FORK: "fork",
    GateAction.STOP: "stop",
    GateAction.WAIT: "wait",
}


def issue(key: str) -> str:
    """An issue's key as it stands alone: `First step`."""
    said = spoken(key)
    return said[:1].upper() + said[1:]


def agents(names: Iterable[str]) -> str:
    """Agents by their titles; a name that is no role stays."""
    return listed([Role(n).title if n in set(Role) else n for n in names])


def money(dollars: float | None) -> str:
    """Dollars for a person; `price unknown` for None, and never a false zero."""
    if dollars is None:
        return "price unknown"
    if 0 < dollars < 0.01:
        return "< $0.01"
    return f"${dollars:,.2f}"


def spend(usage: Usage, *, rehearsal: bool) -> str:
    """What was paid, or that nothing can have been."""
    return "$0.00" if rehearsal else money(usage.dollars)


def count(number: int) -> str:
    """A count in at most four characters: 950, 12.4k, 3.1M."""
    if number < 1000:
        return str(number)
    return f"{number / 1000:.1f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"


def span(seconds: float) -> str:
    """A length of time: 45 s, 3 min 20 s, 1 h 5 min."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def percent(confidence: float) -> str:
    """A confidence of 0–1 as per cent."""
    return f"{confidence:.0%}"


def score(value: float | None) -> str:
    """A score with one decimal, or a dash."""
    return DASH if value is None else f"{value:.1f}"


def change(value: float | None) -> str:
    """A signed change with one decimal, or empty."""
    if value is None:
        return ""
    return "0.0" if round(value, 1) == 0 else f"{value:+.1f}"


def moment(iso: str) -> datetime:
    """An ISO time of the record; without a zone it is UTC. Raises ValueError for anything else."""
    at = datetime.fromisoformat(iso)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def plural(number: int, one: str, many: str = "") -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def clipped(text: str, limit: int = 90) -> str:
    """The text on one line, cut at a word with an ellipsis when it is longer than `limit` characters."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0].rstrip(",.;:") + "…"


def listed(items: list[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""
