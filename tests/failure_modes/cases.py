"""Planted cases for the tests of the detectors, from development seeds."""

import random
from collections.abc import Callable
from functools import cache

from tests.planted.generator import debate
from tests.planted.mutators import Made
from vada.failure_modes import DETECTORS, Finding, State
from vada.models.run import Run
from vada.models.vocabulary import FailureMode

Make = Callable[[Run, random.Random], Made]


@cache
def clean(seed: int = 0) -> Run:
    """A clean debate."""
    return debate(seed)


def planted(make: Make, count: int = 3) -> list[tuple[Run, int]]:
    """The first debates that afford a case, spoiled, each with the round it was spoiled in."""
    made: list[tuple[Run, int]] = []
    for seed in range(400):
        spoiled = make(clean(seed), random.Random(seed))
        if spoiled:
            made.append(spoiled)
        if len(made) == count:
            return made
    raise AssertionError("too few debates afford this case")


def look(mode: FailureMode, run: Run, n: int) -> Finding:
    """The finding of a mode in a round; 0 is the whole debate."""
    return DETECTORS[mode](run, n or None)


def names(finding: Finding) -> set[str]:
    """The signals of a finding."""
    return {s.name for s in finding.signals}


def occurs(finding: Finding, signal: str) -> bool:
    """Whether the mode occurred by that signal."""
    return finding.state is State.OCCURRED and signal in names(finding)
