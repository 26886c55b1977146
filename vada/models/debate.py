"""What a person enters: the question and everything that stands around it. Written once, never changed by a run."""

import math

from pydantic import Field, model_validator

from vada.models.base import Value
from vada.models.vocabulary import CheckKind, GateMode, Method, Role

REHEARSAL = "rehearsal"
"""The name of the offline endpoint and of its one model."""


class ModelRef(Value):
    """A model at an endpoint, written `name@endpoint`."""

    name: str
    endpoint: str = "anthropic"

    def __str__(self) -> str:
        return f"{self.name}@{self.endpoint}"

    @classmethod
    def parse(cls, text: str) -> "ModelRef":
        """Read `name@endpoint`; without `@` the endpoint is `anthropic`. Raises ValueError when the name is empty."""
        name, _, endpoint = text.strip().rpartition("@") if "@" in text else (text.strip(), "", "anthropic")
        if not name or not endpoint:
            raise ValueError(f"a model is written name@endpoint, not {text!r}")
        return cls(name=name, endpoint=endpoint)


class Check(Value):
    """The part of a constraint that code can check, for example `max_words` with `("400",)`."""

    kind: CheckKind
    args: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _usable(self) -> "Check":
        """Raises ValueError where a check could not be carried out."""
        numbers = {CheckKind.MAX_WORDS: 1, CheckKind.MIN_WORDS: 1, CheckKind.COUNT: 1, CheckKind.NUMBER_RANGE: 2}
        needed = numbers.get(self.kind, 0)
        if len(self.args) < max(1, needed):
            raise ValueError(f"{self.kind} needs {max(1, needed)} value(s)")
        for value in self.args[:needed]:
            whole = value.isascii() and value.isdigit()
            if not whole and not (self.kind is CheckKind.NUMBER_RANGE and _is_number(value)):
                raise ValueError(f"{self.kind} needs a number, not {value!r}")
        return self


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


class Constraint(Value):
    """One constraint, kept byte for byte; `id` is `C1`, `C2`, …"""

    id: str
    text: str
    check: Check | None = None


class Dimension(Value):
    """A scoring dimension of a pack; weights are relative and need not sum to 1."""

    key: str
    name: str
    weight: float = Field(gt=0)
    scale_0: str = Field(description="what a score of 0 means")
    scale_5: str = Field(description="what a score of 5 means")
    scale_10: str = Field(description="what a score of 10 means")


class Pack(Value):
    """A domain pack: who the Optimizers are and what is scored."""

    key: str
    name: str
    description: str
    expertise_a: str
    expertise_b: str
    dimensions: tuple[Dimension, ...]
    examples: tuple[str, ...] = Field(default=(), description="example questions for the New debate page")
    pitfalls: tuple[str, ...] = Field(default=(), description="what advice in this domain usually gets wrong")


class Material(Value):
    """A text the person gave the debate; `name` is shown, never used as a path."""

    name: str
    text: str


class Seat(Value):
    """Who sits in a role."""

    role: Role
    model: ModelRef
    fallbacks: tuple[ModelRef, ...] = ()
    expertise: str = ""
    method: Method | None = None
    web: bool = Field(default=False, description="whether this seat may search the web")


class Caps(Value):
    """Word caps (words) per kind of output; the number the anchor names."""

    draft: int = 600
    claims: int = 250
    challenger: int = 350
    simplifier: int = 200
    defence: int = 150
    synthesis: int = 600
    verification: int = 350
    deliverable: int = 700
    recommendation: int = 120


class Budget(Value):
    """Limits a person sets; None is no limit."""

    dollars: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
    minutes: float | None = Field(default=None, gt=0)


class Lineage(Value):
    """Where a forked or follow-up debate came from."""

    parent: str
    round: int = Field(description="last round taken over from the parent; 0 for a follow-up")
    locked_key: str | None = Field(default=None, description="decision key locked in this branch")
    locked_value: str | None = None
    reason: str = ""


class Expected(Value):
    """The estimate a person saw when they started: lowest and highest. `dollars` None: a price was unknown."""

    calls: tuple[float, float]
    minutes: tuple[float, float]
    dollars: tuple[float, float] | None = None


class DebateConfig(Value):
    """Everything a run needs to know before its first call."""

    question: str = Field(min_length=1, description="kept verbatim")
    constraints: tuple[Constraint, ...] = ()
    material: tuple[Material, ...] = ()
    priorities: str = ""
    pack: Pack
    seats: tuple[Seat, ...]
    rounds: int = Field(default=3, ge=1, le=3)
    gate: GateMode = GateMode.EVERY
    context: str = Field(default="brief", pattern="^(brief|transcript)$")
    caps: Caps = Caps()
    budget: Budget = Budget()
    seed: int = 0
    lineage: Lineage | None = None
    expected: Expected | None = Field(default=None, description="the estimate before the start, where one was shown")

    def seat(self, role: Role) -> Seat:
        """The seat of a role. Raises KeyError when the roster lacks it."""
        for seat in self.seats:
            if seat.role == role:
                return seat
        raise KeyError(role)

    @property
    def rehearsal(self) -> bool:
        """Whether any seat is filled by the offline engine, which calls no model."""
        return any(s.model.endpoint == REHEARSAL for s in self.seats)


def constraints_from(lines: list[str]) -> tuple[Constraint, ...]:
    """Number the non-blank constraints C1, C2, … without touching a byte of them."""
    return tuple(Constraint(id=f"C{i}", text=t) for i, t in enumerate((x for x in lines if x.strip()), 1))
