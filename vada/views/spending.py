"""Where a debate's money and tokens went: by role, by phase, by endpoint, and against the estimate. Pure; an unknown
price stays unknown.

Only what the debate itself paid counts; calls taken over from the parent of a fork were paid there.
"""

from collections.abc import Callable
from dataclasses import dataclass

from vada.models.debate import Expected
from vada.models.run import CallTrace, Run, Usage
from vada.views import words


@dataclass(frozen=True)
class Share:
    """What one role, phase or endpoint took. `usage.dollars` None: a price is unknown."""

    name: str
    calls: int
    usage: Usage

    @property
    def tokens(self) -> int:
        """All tokens, cached ones included."""
        u = self.usage
        return u.input_tokens + u.cache_read_tokens + u.cache_write_tokens + u.output_tokens


def by_role(run: Run) -> tuple[Share, ...]:
    """By who spoke, the dearest first."""
    return _shares(run, lambda c: c.role.title)


def by_phase(run: Run) -> tuple[Share, ...]:
    """By phase, the dearest first."""
    return _shares(run, lambda c: c.phase.title)


def by_endpoint(run: Run) -> tuple[Share, ...]:
    """By the server that answered, the dearest first."""
    return _shares(run, lambda c: c.model.endpoint)


def against(run: Run, expected: Expected) -> str:
    """What was expected before the start beside what the debate has taken, in a sentence."""
    low, high = expected.calls
    dollars = expected.dollars
    money = f" and ${dollars[0]:.2f} to ${dollars[1]:.2f}" if dollars and dollars[1] else ""
    own = [c for c in run.calls if not c.reused]
    used = sum((c.usage for c in own), Usage())
    so_far = "It took" if run.state.ended else "So far it took"
    spent = f" and {words.money(used.dollars)}" if money else ""
    return f"Expected before the start: {low:.0f} to {high:.0f} calls{money}. {so_far} {len(own)} calls{spent}."


def _shares(run: Run, name: Callable[[CallTrace], str]) -> tuple[Share, ...]:
    own = [c for c in run.calls if not c.reused]
    names = dict.fromkeys(name(c) for c in own)
    found = [_share(n, [c for c in own if name(c) == n]) for n in names]
    return tuple(sorted(found, key=lambda s: (s.usage.dollars is None, s.usage.dollars or 0, s.tokens), reverse=True))


def _share(name: str, calls: list[CallTrace]) -> Share:
    return Share(name, len(calls), sum((c.usage for c in calls), Usage()))
