"""What a rule is: a number, a statement, and a pure check of a round's outputs."""

from collections.abc import Callable
from dataclasses import dataclass

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round

Check = Callable[[Round, DebateConfig], list[Breach]]


@dataclass(frozen=True)
class Rule:
    """One of the eleven. `statement` is what the prompts hold the agents to."""

    number: int
    key: str
    statement: str
    check: Check
