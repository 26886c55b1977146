"""Choices that look like chance and are none: the same seed and name give the same choice, on every machine."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Dice:
    """A source of choices for one debate; every choice has a name of its own, so that none depends on another."""

    seed: str

    def share(self, name: str) -> float:
        """A number from 0 up to but not including 1."""
        digest = hashlib.sha256(f"{self.seed}|{name}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48

    def chance(self, name: str, probability: float) -> bool:
        """True in `probability` (0–1) of all debates."""
        return self.share(name) < probability

    def below(self, name: str, n: int) -> int:
        """A whole number from 0 to n − 1."""
        return int(self.share(name) * n)

    def pick(self, name: str, options: Sequence[T]) -> T:
        """One of the options. Raises IndexError when there is none."""
        return options[self.below(name, len(options))]

    def between(self, name: str, low: float, high: float) -> float:
        """A number between the two."""
        return low + (high - low) * self.share(name)
