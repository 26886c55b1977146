"""How `Debates` tells the engine of its own process, if there is one, that something new is owed."""

from collections.abc import Callable

_hearers: list[Callable[[], None]] = []


def listen(hearer: Callable[[], None]) -> None:
    """Call `hearer` whenever the bell is rung in this process."""
    _hearers.append(hearer)


def leave(hearer: Callable[[], None]) -> None:
    """Call it no more."""
    _hearers.remove(hearer)


def ring() -> None:
    """Something is owed now."""
    for hearer in tuple(_hearers):
        hearer()
