"""What a failure mode is and what a detector finds: the values every page and export reads.

Owns the rule that red needs an id-based event or two independent signals; never reads a run itself.
"""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field

from vada.models.base import Value
from vada.models.vocabulary import FailureMode, PhaseName


class State(StrEnum):
    """What a detector says about one mode. Not measurable is no praise: there was nothing to measure."""

    OCCURRED = "occurred"
    CAUGHT = "caught"
    QUIET = "quiet"
    NOT_MEASURABLE = "not_measurable"


class Level(StrEnum):
    """How loud an occurrence is."""

    AMBER = "amber"
    RED = "red"


class Kind(StrEnum):
    """Whether a signal rests on ids, enums and counts of the record, or on words (statistics of text included)."""

    ID = "id"
    LEXICAL = "lexical"


class Origin(StrEnum):
    """Where a threshold comes from: measured on public transcripts, a choice of ours, or the person's own debates."""

    MEASURED = "measured"
    DEFAULT = "default"
    CALIBRATED = "calibrated"


class LinkKind(StrEnum):
    """What a link points at."""

    POINT = "point"
    CHALLENGE = "challenge"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    ISSUE = "issue"
    VETO = "veto"
    CALL = "call"
    SENTENCE = "sentence"


class CellState(StrEnum):
    """A cell of the measured matrix."""

    FIRED = "fired"
    QUIET = "quiet"
    NO_CHANCE = "no_chance"
    MISSED = "missed"


class Link(Value):
    """The exact thing a finding rests on. For a sentence `id` names where it stands, for example `r2.synthesis`."""

    kind: LinkKind
    id: str
    round: int
    quote: str = Field(default="", description="the words themselves, as they stand in the record")


class Number(Value):
    """A measured number and the threshold it is held against; `threshold` None means it is only shown."""

    name: str
    value: float
    threshold: float | None = None
    fires: str = Field(default=">=", pattern="^(>=|<)$", description="on which side of the threshold the signal fires")
    origin: Origin = Origin.DEFAULT
    version: str = Field(default="", description="version of the calibration, when `origin` is calibrated")
    cut: str = Field(default="", description="the threshold's name, see `cutoffs.Cut`")


class Signal(Value):
    """One sign that the mode occurred and was not neutralised."""

    name: str
    kind: Kind
    level: Level = Field(description="red for a lexical signal means: red together with a second signal, never alone")
    phase: PhaseName = Field(description="where it occurred")
    sentence: str
    links: tuple[Link, ...] = ()


class Catch(Value):
    """A defence that fired: the signal was in the raw material and a phase neutralised it."""

    phase: PhaseName
    sentence: str
    links: tuple[Link, ...] = ()


class Mark(Value):
    """What a phase's defence did in the span of a finding: how often it had the chance, fired, and missed."""

    phase: PhaseName
    state: CellState
    chances: int
    fired: int = 0
    missed: int = 0
    level: Level | None = Field(default=None, description="of what was missed")


class Mode(Value):
    """What a failure mode is, on what evidence, and which phases defend against it."""

    mode: FailureMode
    line: str = Field(description="in one line")
    about: str = Field(description="what is known, worded no stronger than its sources")
    means: str = Field(description="what it means for the result when it shows, in plain words")
    advice: str = Field(description="what the person can do about it")
    measured_by: str = Field(description="how a debate shows it, in plain words")
    blind_spots: str = Field(description="what the detector cannot see")
    sources: tuple[str, ...]
    defended_in: dict[PhaseName, str] = Field(description="`P …` prevents, `D …` detects and repairs")

    @property
    def title(self) -> str:
        """The words a person reads."""
        return self.mode.title


class Finding(Value):
    """What one detector found in one round, or in the whole debate (`round` None)."""

    mode: FailureMode
    round: int | None
    state: State
    level: Level | None = None
    phase: PhaseName | None = Field(default=None, description="caught: the phase that did it; else where it occurred")
    opportunities: int = Field(ge=0, description="how often the mode could have shown; 0 is not measurable")
    numbers: tuple[Number, ...] = ()
    signals: tuple[Signal, ...] = ()
    catches: tuple[Catch, ...] = ()
    evidence: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = Field(default=(), description="per phase that had a chance: what its defence did")
    sentence: str
    notes: tuple[str, ...] = Field(default=(), description="signals that could not be measured, and why")


class Cell(Value):
    """A cell of the measured matrix: how often a phase's defence had the chance, fired, and missed."""

    mode: FailureMode
    phase: PhaseName
    state: CellState
    fired: int = 0
    missed: int = 0
    chances: int = 0
    level: Level | None = Field(default=None, description="of what was missed")
    defence: str = Field(default="", description="the defence of the design view; empty where the design has none")
    sentence: str = ""


def level_of(signals: Sequence[Signal]) -> Level | None:
    """Red on an id-based red event, or a lexical one with a second signal; else amber; None without signals."""
    if not signals:
        return None
    names = {s.name for s in signals}
    for signal in signals:
        if signal.level is Level.RED and (signal.kind is Kind.ID or names - {signal.name}):
            return Level.RED
    return Level.AMBER
