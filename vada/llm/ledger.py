"""What a debate has spent against its budget, and whether the next call still fits in with a reserve for ending well.

Owns the rule of the cap: every call is asked for here before it is sent, those still running count with what they are
expected to take, and the calls that format and audit have their share kept for them. Never sends and never records.
"""

import time
from collections.abc import Callable, Iterable, Iterator

from vada.errors import LLMError, VadaError
from vada.llm.pricing import NOTHING, Need, Taken, kind_of, need, unpriced
from vada.models.debate import DebateConfig
from vada.models.run import Usage
from vada.models.vocabulary import DEBATERS
from vada.settings import Settings

KEPT = ("format", "audit", "revise")
"""The calls of the ending; the reserve pays each of them, the audit twice."""

MARGIN = 1.25
"""The reserve is this much more than the ending is expected to take."""

_PROPOSALS = tuple(f"propose.{r}" for r in DEBATERS)
_BEFORE = (*_PROPOSALS, "defend")  # without a synthesis after them they were paid for nothing


WAYS = "Stop here and take what there is, or fork the debate with a higher limit."


def unheld(config: DebateConfig) -> str:
    """Why the cap in dollars cannot be held, in plain words; empty when it can, or there is none."""
    names = unpriced(config) if config.budget.dollars is not None else ()
    if not names:
        return ""
    return f"the cap of ${config.budget.dollars:.2f} cannot be held, because no price of {', '.join(names)} is known"


class OverBudgetError(VadaError):
    """A call was not sent, because with it the debate could not be ended within its budget. No fallback of a phase may
    take it for a failed call: the round is left here."""


class Ledger:
    """The budget of one step of a debate. `taken` are the debate's own calls so far, `minutes` its time before."""

    def __init__(
        self,
        config: DebateConfig,
        settings: Settings,
        taken: Iterable[Taken],
        minutes: float = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config, self._settings = config, settings
        self._taken = list(taken)
        self._before, self._clock, self._began = minutes, clock, clock()
        self._running: dict[str, Need] = {}

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        b = self._config.budget
        return (b.dollars, b.tokens, b.minutes) != (None, None, None)

    @property
    def spent(self) -> Usage:
        """What the finished calls took."""
        return sum((used for _, _, used in self._taken), Usage())

    @property
    def minutes(self) -> float:
        """Minutes the debate has been running."""
        return self._before + (self._clock() - self._began) / 60

    def book(self, slot: str) -> None:
        """Ask for a call before it is sent; it counts as expected until `settle` or `release`.

        Raises OverBudgetError when the round has to be left, LLMError where the phase has a way without the call.
        """
        if not self.limited:
            return
        kind, number = kind_of(slot), int(slot[1]) if slot[0] == "r" else self._config.rounds
        expected = self._one(kind, number)
        if kind in KEPT:
            reason = self._over(NOTHING, NOTHING, "this call")
        else:
            begun = bool(self._running) or any(t[0].startswith(f"r{number}.") for t in self._taken)
            planned = expected if begun or kind not in _PROPOSALS else self._of(number, _PROPOSALS)
            reason = self._over(planned, self._owed(kind, number), "this call" if begun else f"round {number}")
        if not reason:
            self._running[slot] = expected
        elif kind in KEPT or kind == "defend":
            raise LLMError(f"Not asked: {reason}.", kind="over_budget")
        else:
            raise OverBudgetError(f"{reason[0].upper()}{reason[1:]}.", next_step=WAYS)

    def settle(self, slot: str, model: str, used: Usage) -> None:
        """A call is finished."""
        self._running.pop(slot, None)
        self._taken.append((slot, model, used))

    def release(self, slot: str) -> None:
        """Nothing of a slot is running any more."""
        self._running.pop(slot, None)

    def limit(self, number: int) -> str:
        """Why round `number` should not be begun, in plain words with the figures; empty when it fits in."""
        if not self.limited:
            return ""
        kinds = (*_BEFORE, "synthesize", "verify")
        return self._over(self._of(number, kinds), self._of(number, KEPT, MARGIN), f"round {number}")

    def _owed(self, kind: str, number: int) -> Need:
        """What has to be kept when a call of this kind is sent: the ending, and what makes use of the call."""
        after: tuple[str, ...] = ("synthesize", "verify") if kind in _BEFORE else ()
        if kind == "synthesize" and number > 1:
            after = ("verify",)
        return self._of(number, after) + self._of(number, KEPT, MARGIN)

    def _of(self, number: int, kinds: Iterable[str], margin: float = 1) -> Need:
        return need(self._config, self._settings, number, self._taken, kinds, margin)

    def _one(self, kind: str, number: int) -> Need:
        """What one call will take; of several alike, its share."""
        alike = {"defend": max(1, self._settings.defenders), "audit": 2}.get(kind, 1)
        both = self._of(number, [kind])
        return Need(None if both.dollars is None else both.dollars / alike, both.tokens / alike, both.minutes)

    def _over(self, planned: Need, reserve: Need, what: str) -> str:
        """The limit that would be passed by `planned` with `reserve` kept, in plain words; empty when none."""
        return next(self._passed(planned, reserve, what), "")

    def _passed(self, planned: Need, reserve: Need, what: str) -> Iterator[str]:
        b, spent = self._config.budget, self.spent
        running = sum(self._running.values(), NOTHING)
        if b.dollars is not None and None not in (spent.dollars, planned.dollars, reserve.dollars, running.dollars):
            figures = (spent.dollars or 0, running.dollars or 0, planned.dollars or 0, reserve.dollars or 0)
            yield from _words(f"the cap of ${b.dollars:.2f}", b.dollars, figures, "${:.2f}", what)
        if b.tokens is not None:
            figures = (_tokens(spent), running.tokens, planned.tokens, reserve.tokens)
            yield from _words(f"the cap of {b.tokens:,} tokens", b.tokens, figures, "{:,.0f} tokens", what)
        if b.minutes is not None:
            figures = (self.minutes, 0, planned.minutes, reserve.minutes)
            yield from _words(f"the limit of {b.minutes:g} minutes", b.minutes, figures, "{:.1f} minutes", what)


def _words(cap: str, limit: float, figures: tuple[float, float, float, float], form: str, what: str) -> Iterator[str]:
    """What is over the limit, as spent, running, planned and kept; nothing when it is not."""
    spent, running, planned, kept = figures
    if spent >= limit:
        yield f"{cap} is reached ({form.format(spent)} used)"
    elif sum(figures) > limit:
        also = f", {form.format(running)} in calls that are running" if running else ""
        yield (
            f"{what} does not fit into {cap}: {form.format(spent)} used{also}, about {form.format(planned)} for "
            f"{what} and {form.format(kept)} kept for what must follow it"
        )


def _tokens(used: Usage) -> int:
    return used.input_tokens + used.cache_read_tokens + used.cache_write_tokens + used.output_tokens
