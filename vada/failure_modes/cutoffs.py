"""The thresholds of all detectors, each with where it comes from, and their calibration on a person's own debates.

A threshold that is a choice says so (`default`). Only the distribution-based ones can be calibrated: a rule such as
"one undone decision is news" has nothing to calibrate.
"""

from enum import StrEnum

from pydantic import Field

from vada.failure_modes.finding import Origin
from vada.models.base import Value


class Cut(StrEnum):
    """The name of a threshold."""

    SYCOPHANCY_SHARE = "sycophancy_share"
    MINORITY_CONFIDENCE = "minority_confidence"
    LOST_CONFIDENCE = "lost_confidence"
    CARRIED = "carried"
    CONFIDENT = "confident"
    ASSERTIVE = "assertive"
    ESCALATION = "escalation"
    ERROR_ROUNDS = "error_rounds"
    AMPLIFICATION = "amplification"
    ORPHAN_NUMBERS = "orphan_numbers"
    TOPIC = "topic"
    TOPIC_FALL = "topic_fall"
    INERT_SHARE = "inert_share"
    NEVER_UPHELD = "never_upheld"
    OVERLAP = "overlap"
    PAIR_OVERLAP = "pair_overlap"
    CLOSEST_PAIR = "closest_pair"
    NOVELTY = "novelty"
    NEW_POINTS = "new_points"
    DOMAINS = "domains"
    STEEL_MAN_WORDS = "steel_man_words"
    STEEL_MAN_LIKENESS = "steel_man_likeness"
    QUOTE = "quote"
    OWN_PROPOSAL = "own_proposal"
    ORPHAN_SENTENCES = "orphan_sentences"
    GROWTH = "growth"
    STRONG_GROWTH = "strong_growth"
    SCORE_GAIN = "score_gain"
    UNDONE = "undone"
    RETURNED = "returned"
    UNDECIDED = "undecided"
    MANY_UNDECIDED = "many_undecided"
    AVERAGED = "averaged"
    HEDGES = "hedges"
    NONCOMMITTAL = "noncommittal"


class Cutoff(Value):
    """A threshold: its value, where it comes from, and, if it can be calibrated, at which quantile."""

    cut: Cut
    value: float
    origin: Origin
    basis: str = Field(description="in plain words: what it was measured on, or that it is a choice")
    quantile: float | None = Field(default=None, description="of the person's own debates, when calibrated")
    version: str = ""


class Calibration(Value):
    """Thresholds recomputed from a person's own debates. The version is a hash of what they were computed from."""

    version: str
    rounds: int = Field(description="rounds they were computed from")
    cutoffs: tuple[Cutoff, ...]


def _measured(cut: Cut, value: float, basis: str, quantile: float | None = None) -> Cutoff:
    return Cutoff(cut=cut, value=value, origin=Origin.MEASURED, basis=basis, quantile=quantile)


def _default(cut: Cut, value: float, basis: str = "a choice") -> Cutoff:
    return Cutoff(cut=cut, value=value, origin=Origin.DEFAULT, basis=basis)


_SPEECHES = "public policy debates between language models"

CUTOFFS: dict[Cut, Cutoff] = {
    c.cut: c
    for c in (
        _default(
            Cut.SYCOPHANCY_SHARE, 0.20, "a choice above the 13.5 % of revised answers in public maths discussions"
        ),
        _measured(Cut.MINORITY_CONFIDENCE, 0.60, "just under the median (0.65) of 2 000 stated confidences"),
        _measured(
            Cut.LOST_CONFIDENCE, 0.80, "between the upper quartile (0.75) and the 90 % quantile of stated confidences"
        ),
        _measured(Cut.CARRIED, 71, "best cut on three debate motions, tested on three others"),
        _measured(Cut.CONFIDENT, 0.75, "upper quartile of 2 000 stated confidences", 0.75),
        _measured(Cut.ASSERTIVE, 22.0, f"90 % quantile of {_SPEECHES}", 0.90),
        _default(Cut.ESCALATION, 0.10),
        _default(Cut.ERROR_ROUNDS, 1, "one round is the first that can be seen; two rounds are red"),
        _default(Cut.AMPLIFICATION, 2, "a choice: twice the decisions"),
        _default(Cut.ORPHAN_NUMBERS, 1, "one number without a source"),
        _measured(Cut.TOPIC, 0.39, f"best cut between own and foreign motions in {_SPEECHES}", 0.05),
        _default(Cut.TOPIC_FALL, 0.25),
        _default(Cut.INERT_SHARE, 0.5),
        _default(Cut.NEVER_UPHELD, 5),
        _measured(Cut.OVERLAP, 0.22, "best cut between panels of four of one model and of different models", 0.95),
        _measured(
            Cut.PAIR_OVERLAP, 0.25, "9 % of the pairs of different models on three debate motions lie above", 0.95
        ),
        _measured(
            Cut.CLOSEST_PAIR,
            0.34,
            "between the closest two of four different models (0.30) and half-changed copies (0.39)",
            0.99,
        ),
        _measured(Cut.NOVELTY, 0.57, f"5 % quantile of the last speeches in {_SPEECHES}", 0.05),
        _default(Cut.NEW_POINTS, 1, "a round that brings neither a new point nor a new source"),
        _default(Cut.DOMAINS, 0.5),
        _default(Cut.STEEL_MAN_WORDS, 15),
        _default(Cut.STEEL_MAN_LIKENESS, 50),
        _measured(Cut.QUOTE, 70, "93 % of the quoted claims in public policy debates are closer to what was said"),
        _default(Cut.OWN_PROPOSAL, 0.30),
        _default(Cut.ORPHAN_SENTENCES, 0.10),
        _default(Cut.GROWTH, 1.25),
        _default(Cut.STRONG_GROWTH, 1.5, "unrestrained rebuttals in public debates grow by 1.48"),
        _default(Cut.SCORE_GAIN, 0.5, "the stop rule: less is no movement"),
        _default(Cut.UNDONE, 1, "rare in public discussions (1.2 % of agents), so one is news"),
        _default(Cut.RETURNED, 1, "none of 100 public groups went back, so one is news"),
        _default(Cut.UNDECIDED, 0.20),
        _default(Cut.MANY_UNDECIDED, 0.34),
        _default(Cut.AVERAGED, 1, "one decision at the mean of far-apart proposals"),
        _measured(Cut.HEDGES, 11.2, f"95 % quantile of {_SPEECHES}", 0.95),
        _measured(Cut.NONCOMMITTAL, 3.0, f"95 % quantile of {_SPEECHES}", 0.95),
    )
}
"""Every threshold as shipped."""

CALIBRATED: tuple[Cut, ...] = tuple(c.cut for c in CUTOFFS.values() if c.quantile is not None)
"""What a calibration recomputes."""


def cutoffs(calibration: Calibration | None = None) -> dict[Cut, Cutoff]:
    """The thresholds in force: the shipped ones, with a calibration's in their place."""
    return CUTOFFS | {c.cut: c for c in calibration.cutoffs} if calibration else CUTOFFS
