"""What code computes so that no model has to: totals, deltas, trajectories, stances, who holds what.

Owns the numbers of the Decision Gate; never asks a model and never reads the store.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from vada.models.debate import DebateConfig, Dimension
from vada.models.outputs import Decision, Score, Verification
from vada.models.run import Round
from vada.models.vocabulary import Trajectory

MOVE = 0.5
"""A change of the weighted score below this is no movement (rule 10; the seeds' stop rule). Points on 0–10."""

HELD = 0.7
"""From this confidence on a point is high-confidence and a decision is held (pipeline, gate check 4). 0–1."""

SAME = 90.0
"""Two stances this similar (rapidfuzz ratio, 0–100) are the same stance (failure-modes 2.1, no. 10)."""

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def weighted(scores: Iterable[Score], dimensions: Sequence[Dimension]) -> float:
    """The weighted mean of the scores, 0–10, over the dimensions that were scored. Raises ValueError when none was."""
    weight = {d.key: d.weight for d in dimensions}
    known = [(s.score, weight[s.dimension]) for s in scores if s.dimension in weight]
    if not known:
        raise ValueError("no dimension was scored")
    return sum(s * w for s, w in known) / sum(w for _, w in known)


def delta(total: float, past: Sequence[Round]) -> float | None:
    """The change against the last verified round, in points; None when there is none."""
    before = last_verification(past)
    return None if before is None else round(total - before.total, 2)


def last_verification(past: Sequence[Round]) -> Verification | None:
    """The latest verification, or None."""
    return next((r.verification for r in reversed(past) if r.verification), None)


def trajectory(change: float | None) -> Trajectory:
    """Rising or falling from 0.5 points on, else flat; `first` without a change."""
    if change is None:
        return Trajectory.FIRST
    if abs(change) < MOVE:
        return Trajectory.FLAT
    return Trajectory.RISING if change > 0 else Trajectory.FALLING


def going_on_from(past: Sequence[Round]) -> Round | None:
    """The round whose synthesis the next one starts from: the last with one, or the best-scored one when the score fell
    by half a point or more. None without any."""
    last = next((r for r in reversed(past) if r.synthesis), None)
    if last and last.verification and last.verification.delta is not None and last.verification.delta <= -MOVE:
        best = best_round(past)
        return next(r for r in past if r.number == best)
    return last


def best_round(rounds: Sequence[Round]) -> int:
    """The number of the best-scored round with a synthesis, of equals the later; 0 without any."""
    with_text = [r for r in rounds if r.synthesis]
    if not with_text:
        return 0
    return max(with_text, key=lambda r: (r.verification.total if r.verification else -1.0, r.number)).number


def normalise(value: str) -> str:
    """A stance in comparable form: case-folded, numbers to three significant digits, punctuation and spaces folded."""

    def number(match: re.Match[str]) -> str:
        try:
            rounded = float(f"{float(match.group().replace(',', '')):.3g}")
            return f"{rounded:.6f}".rstrip("0").rstrip(".")
        except ValueError:
            return match.group()

    text = _NUMBER.sub(number, value.casefold()).replace("per cent", "%").replace("percent", "%")
    return " ".join(re.sub(r"[^\w%.]+", " ", text).split()).strip(". ")


def stance(key: str, value: str) -> str:
    """The hash of a decision key's stance: 12 hex digits of sha256(key | normalised value)."""
    return hashlib.sha256(f"{key}|{normalise(value)}".encode()).hexdigest()[:12]


def same_value(a: str, b: str) -> bool:
    """Whether two stances say the same: equal numbers within 5 %, or texts at least 90 similar."""
    left, right = normalise(a), normalise(b)
    if left == right:
        return True
    x, y = _NUMBER.findall(left), _NUMBER.findall(right)
    if x or y:
        return (
            len(x) == len(y)
            and all(_close(float(p), float(q)) for p, q in zip(x, y, strict=True))
            and (fuzz.ratio(_NUMBER.sub("#", left), _NUMBER.sub("#", right)) >= SAME)
        )
    return fuzz.ratio(left, right) >= SAME


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= 0.05 * max(abs(a), abs(b))


def oscillations(rounds: Sequence[Round]) -> tuple[str, ...]:
    """The decision keys whose stance left and came back (A→B→A), over all rounds with a synthesis."""
    history: dict[str, list[Decision]] = {}
    for round_ in rounds:
        for decision in round_.synthesis.decisions if round_.synthesis else ():
            history.setdefault(decision.key, []).append(decision)
    return tuple(key for key, line in history.items() if _returns(line))


def _returns(line: Sequence[Decision]) -> bool:
    """Whether the latest stance was held before with another in between."""
    if len(line) < 3 or same_value(line[-1].value, line[-2].value):
        return False
    return any(same_value(line[-1].value, d.value) for d in line[:-2])


def reached(config: DebateConfig, *, dollars: float | None, tokens: int, minutes: float) -> str:
    """Which limit of the budget is reached, in plain words; empty when none is."""
    b = config.budget
    if b.dollars is not None and dollars is not None and dollars >= b.dollars:
        return f"the cap of ${b.dollars:.2f} is reached (${dollars:.2f} spent)"
    if b.tokens is not None and tokens >= b.tokens:
        return f"the cap of {b.tokens:,} tokens is reached ({tokens:,} used)"
    if b.minutes is not None and minutes >= b.minutes:
        return f"the limit of {b.minutes:g} minutes is reached ({minutes:.0f} used)"
    return ""


def spoken(key: str) -> str:
    """A decision key as a person reads it: `reversal_trigger` as what would reverse it, `first_step` as first step. A
    text that is no key stays as it is."""
    return _SPOKEN.get(key) or (key.replace("_", " ") if re.fullmatch(r"\w+", key) else key)


_SPOKEN = {"reversal_trigger": "what would reverse it"}


def slug(key: str) -> str:
    """A decision key in its one form: lower case, words joined by underscores; `point` when nothing is left."""
    return re.sub(r"[^\w]+", "_", key.casefold()).strip("_") or "point"
