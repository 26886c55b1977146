"""Estimate against observed: twenty debates of varied length, each estimated before it is begun.

A debate is estimated twice: from the written assumptions alone, and with what the debates before it in this run took,
which is what a person has who has debated before. Nothing of a debate enters its own estimate. The fake server counts
tokens and cached prefixes as a provider would, but its replies are a rehearsal's: short, and without thinking.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from statistics import median

from bench.debates import Bench, bench
from vada.llm.pricing import Span, estimate, learned, taken
from vada.models.debate import DebateConfig
from vada.models.run import Run

BAR = 0.15
"""The median error may be at most this, as a share of the middle of the estimate's range."""

_PANELS = ("balanced", "fast", "best")


def configs(place: Bench, number: int, seed: int) -> Iterator[DebateConfig]:
    """Debates over all packs and panels, of 1 to 3 rounds, with and without material, constraints and web search."""
    draw, packs = random.Random(seed), sorted(place.book.packs)
    for i in range(number):
        yield place.config(
            pack=packs[i % len(packs)],
            rounds=1 + i % 3,
            constraints=draw.randint(0, 4),
            words=draw.choice((0, 0, 300, 1500, 4000)),
            web=draw.random() < 0.5,
            panel=_PANELS[i // 3 % 3],
            seed=i,
        )


def main(arguments: Sequence[str]) -> int:
    """Play, print, and return 1 when the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench money", description=__doc__)
    parser.add_argument("--debates", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    blind, told = [], []
    print("  #  rounds  web  panel     calls   observed   assumed range        error   learned range        error")
    with bench() as place:
        past: list[Run] = []
        for i, config in enumerate(configs(place, given.debates, given.seed)):
            first = estimate(config, place.settings).dollars
            second = estimate(config, place.settings, learned((r.config, taken(r)) for r in past)).dollars
            run = place.play(config)
            assert first is not None
            assert second is not None
            paid = run.usage.dollars
            assert paid is not None, "every model of the bench has a price"
            blind.append(error(paid, first))
            told.append(error(paid, second))
            past.append(run)
            print(
                f"{i + 1:3}  {len(run.rounds)} of {config.rounds}  {'yes' if config.seats[0].web else 'no':>3}  "
                f"{_PANELS[i // 3 % 3]:8} {len(run.calls):5}  ${paid:8.4f}  {shown(first, blind[-1])}  "
                f"{shown(second, told[-1])}",
                flush=True,
            )
    first_one, last = median(map(abs, blind)), median(map(abs, told))
    print(f"median error, written assumptions alone: {first_one:.1%}")
    print(f"median error, with what earlier debates took: {last:.1%} (bar {BAR:.0%}), worst {max(map(abs, told)):.0%}")
    return 0 if last <= BAR else 1


def error(paid: float, span: Span) -> float:
    """How far the observed is from the middle of the range, as a share of it."""
    middle = (span.low + span.high) / 2
    return (paid - middle) / middle


def shown(span: Span, wrong: float) -> str:
    """A range and its error."""
    return f"${span.low:7.4f} to {span.high:7.4f}  {wrong:+6.0%}"
