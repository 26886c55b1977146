"""How well the failure-mode detectors find planted failures, and how often they cry without one.

One object a line: a plant at a dose, a hard negative, a row of the cross-fire matrix, the clean debates, the time. The
mutators know nothing of the detectors, thresholds are those shipped, and no seed used here was used to build them.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from bench import natural
from tests.planted.generator import debate
from tests.planted.mutators import HARD_NEGATIVES, HardNegative, Plant, plants
from tests.planted.rehearsals import rehearsal
from tests.planted.words import UNLISTED_HEDGES
from vada.failure_modes import DETECTORS, Finding, Kind, Level, State, measure
from vada.failure_modes.signals import listed
from vada.models.run import Run
from vada.models.vocabulary import FailureMode

Line = dict[str, Any]

TEST_SEEDS = 1_000_000
"""The first seed of the test split. Everything was built and looked at with seeds under 100 000."""

Z = 1.96
PREVALENCE = 0.05

REASONS: dict[tuple[FailureMode, FailureMode], str] = {
    (FailureMode.BLUSTER_EFFECT, FailureMode.CONSENSUS_INERTIA): (
        "The planted winner rests on no evidence in any round; where others bring new evidence against it later and "
        "it is kept, that is inertia too."
    ),
}
"""Why a plant of the first mode turns the second red, where it does in more than 5 % of cases."""


@dataclass(frozen=True)
class Size:
    """How many cases a report is made of."""

    positives: int
    negatives: int
    cross: int
    clean: int
    timed: int
    rehearsals: int
    tries: int = 60  # seeds tried for each case wanted


FULL = Size(positives=200, negatives=200, cross=40, clean=500, timed=60, rehearsals=16)
QUICK = Size(positives=30, negatives=30, cross=6, clean=60, timed=12, rehearsals=4, tries=40)


def main(arguments: Sequence[str]) -> int:
    """Print the report; 1 when a bar is missed."""
    options = _options(arguments)
    size = QUICK if options.quick else FULL
    lines = natural.report(options.natural) if options.natural else report(size, only=options.mode)
    met = True
    for line in lines:
        met &= line.get("met", True)
        print(json.dumps(line, ensure_ascii=False) if options.json else as_text(line), flush=True)
    return 0 if met else 1


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench detectors", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few cases of each kind, for a first look")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--mode", type=FailureMode, help="only this mode's plants and hard negatives")
    parser.add_argument("--natural", type=Path, help="a folder with public transcripts: report what fires there")
    return parser.parse_args(arguments)


def report(size: Size, only: FailureMode | None = None) -> Iterator[Line]:
    """Every line, in order: plants, hard negatives, cross-fire, clean debates, time."""
    chosen = [p for p in plants(held_out(), UNLISTED_HEDGES) if only in (None, p.mode)]
    for mode in (m for m in FailureMode if only in (None, m)):
        hard = _negatives(mode, size)
        mine = [(p, *_hits(p, size)) for p in chosen if p.mode is mode]
        yield from (_plant_line(p, hits, n, hard) for p, hits, n in mine)
        yield from (_negative_line(mode, name, alarms) for name, alarms in hard.items())
        yield _bar_line(mode, [(hits, n) for p, hits, n in mine if p.kind == "id"], hard)
    if only is None:
        yield from _cross_fire(chosen, size)
        yield _clean(size)
        yield _time(size)
        yield from _rehearsed(chosen, size)


def held_out() -> tuple[str, ...]:
    """Every other entry of the hedge list; no threshold was chosen with these."""
    return tuple(sorted(listed("core_hedges")))[1::2]


# Cases.


@dataclass(frozen=True)
class Case:
    """A debate and the round that was spoiled (0: its end); for a negative the loudest level that is right."""

    run: Run
    round: int
    allowed: str = "none"


def cases(case: Plant | HardNegative, count: int, tries: int) -> list[Case]:
    """`count` cases from the test split, fewer when the debates do not afford them."""
    made: list[Case] = []
    allowed = case.allowed if isinstance(case, HardNegative) else "none"
    for seed in range(TEST_SEEDS, TEST_SEEDS + count * tries):
        spoiled = case.make(debate(seed), random.Random(f"{case.mode} {case.name} {seed}"))
        if spoiled:
            made.append(Case(spoiled[0], spoiled[1], allowed))
        if len(made) == count:
            break
    return made


def hit(finding: Finding, kind: str) -> bool:
    """Whether a finding says that the mode occurred, by a signal of this kind."""
    return finding.state is State.OCCURRED and any(s.kind == kind for s in finding.signals)


def found(case: Case, mode: FailureMode, kind: str) -> bool:
    """Whether the planted failure is found in the round it was planted in."""
    return hit(DETECTORS[mode](case.run, case.round or None), kind)


def false_alarm(case: Case, mode: FailureMode, kind: str) -> bool:
    """Whether any round, or the debate, is louder than is right."""
    alarms = [DETECTORS[mode](case.run, n) for n in (*(r.number for r in case.run.rounds), None)]
    alarms = [f for f in alarms if hit(f, kind)]
    return any(f.level is Level.RED for f in alarms) if case.allowed == "amber" else bool(alarms)


@dataclass(frozen=True)
class Alarms:
    """False alarms on hard negatives, by kind of signal."""

    n: int
    by_id: int
    by_words: int

    def of(self, kind: str) -> int:
        """The alarms of one kind."""
        return self.by_id if kind == Kind.ID else self.by_words


def _negatives(mode: FailureMode, size: Size) -> dict[str, Alarms]:
    return {h.name: _alarms(mode, cases(h, size.negatives, size.tries)) for h in HARD_NEGATIVES if h.mode is mode}


def _alarms(mode: FailureMode, made: Sequence[Case]) -> Alarms:
    by_id = sum(false_alarm(c, mode, Kind.ID) for c in made)
    return Alarms(len(made), by_id, sum(false_alarm(c, mode, Kind.LEXICAL) for c in made))


def _pool(hard: dict[str, Alarms], kind: str) -> tuple[int, int]:
    """Alarms and cases of all hard negatives of a mode."""
    return sum(a.of(kind) for a in hard.values()), sum(a.n for a in hard.values())


# Lines.


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    middle, spread = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + Z * Z / n)), min(1.0, (middle + spread) / (1 + Z * Z / n))


def at_prevalence(recall: float, fpr: float, prevalence: float) -> float | None:
    """Precision where a share `prevalence` of the debates has the failure; None when nothing fires."""
    right, wrong = recall * prevalence, fpr * (1 - prevalence)
    return right / (right + wrong) if right + wrong else None


def figures(hits: int, n: int, alarms: int, negatives: int) -> Line:
    """The figures every line shares."""
    recall, fpr = (hits / n if n else 0.0), (alarms / negatives if negatives else 0.0)
    half, rare = at_prevalence(recall, fpr, 0.5), at_prevalence(recall, fpr, PREVALENCE)
    return {
        "n": n,
        "negatives": negatives,
        "precision": _round(half),
        "recall": _round(recall),
        "recall_interval": [round(x, 3) for x in wilson(hits, n)],
        "fpr": _round(fpr),
        "fpr_interval": [round(x, 3) for x in wilson(alarms, negatives)],
        "precision_at_5_percent": _round(rare),
    }


def _round(x: float | None) -> float | None:
    return None if x is None else round(x, 3)


def _hits(plant: Plant, size: Size) -> tuple[int, int]:
    """How many planted failures are found, of how many."""
    made = cases(plant, size.positives, size.tries)
    return sum(found(c, plant.mode, plant.kind) for c in made), len(made)


def _plant_line(plant: Plant, hits: int, n: int, hard: dict[str, Alarms]) -> Line:
    alarms, negatives = _pool(hard, plant.kind)
    return {
        "report": "plant",
        "mode": plant.mode.value,
        "kind": plant.kind,
        "plant": plant.name,
        "dose": plant.dose,
        **figures(hits, n, alarms, negatives),
    }


def _negative_line(mode: FailureMode, name: str, alarms: Alarms) -> Line:
    line: Line = {"report": "hard_negative", "mode": mode.value, "case": name, "n": alarms.n}
    for kind in Kind:
        line |= {f"fpr_{kind}": _round(alarms.of(kind) / alarms.n if alarms.n else 0.0)}
        line |= {f"fpr_{kind}_interval": [round(x, 3) for x in wilson(alarms.of(kind), alarms.n)]}
    return line


def _bar_line(mode: FailureMode, ids: Sequence[tuple[int, int]], hard: dict[str, Alarms]) -> Line:
    """The bar: the id-based part of a mode, all doses and all hard negatives together."""
    alarms, negatives = _pool(hard, Kind.ID)
    hits, n = sum(h for h, _ in ids), sum(k for _, k in ids)
    line = figures(hits, n, alarms, negatives)
    met = bool(n) and line["recall"] >= 0.95 and line["fpr"] <= 0.02
    return {"report": "bar", "mode": mode.value, "kind": "id", "dose": "all", **line, "met": met}


def _cross_fire(chosen: Sequence[Plant], size: Size) -> Iterator[Line]:
    """For each planted mode: how often each detector turns red, in any round or in the debate."""
    for mode in FailureMode:
        reds: Counter[FailureMode] = Counter()
        n = 0
        for plant in (p for p in chosen if p.mode is mode):
            for case in cases(plant, size.cross, size.tries):
                reds.update({f.mode for f in measure(case.run) if f.level is Level.RED})
                n += 1
        row = {m.value: _round(reds[m] / n if n else 0.0) for m in FailureMode}
        loud = {m: reds[m] / n for m in FailureMode if n and m is not mode and reds[m] / n > 0.05}
        why = {m.value: REASONS.get((mode, m), "") for m in loud}
        yield {"report": "cross_fire", "plant": mode.value, "n": n, "red": row, "why": why, "met": all(why.values())}


def _clean(size: Size) -> Line:
    """Debates with nothing planted: red and amber cells, of 33 (mode, round) cells and the debate's eleven."""
    without_red = few_amber = 0
    ambers: Counter[str] = Counter()
    for seed in range(TEST_SEEDS, TEST_SEEDS + size.clean):
        findings = measure(debate(seed))
        without_red += not any(f.level is Level.RED for f in findings)
        amber = [f for f in findings if f.round is not None and f.level is Level.AMBER]
        few_amber += len(amber) <= 1
        ambers.update(f.mode.value for f in amber)
    return {
        "report": "clean",
        "n": size.clean,
        "no_red": _round(without_red / size.clean),
        "no_red_interval": [round(x, 3) for x in wilson(without_red, size.clean)],
        "at_most_one_amber": _round(few_amber / size.clean),
        "amber_cells": dict(ambers),
        "met": without_red / size.clean >= 0.99 and few_amber / size.clean >= 0.80,
    }


def _time(size: Size) -> Line:
    """Seconds for measuring a three-round debate, everything included; texts are new each time."""
    runs = [debate(seed) for seed in range(TEST_SEEDS + 500_000, TEST_SEEDS + 500_000 + size.timed)]
    took = []
    for run in runs:
        start = time.perf_counter()
        measure(run)
        took.append(time.perf_counter() - start)
    took.sort()
    return {
        "report": "time",
        "n": size.timed,
        "median_seconds": round(took[len(took) // 2], 4),
        "highest_seconds": round(took[-1], 4),
        "met": took[-1] <= 0.5,
    }


def _rehearsed(chosen: Sequence[Plant], size: Size) -> Iterator[Line]:
    """The same plants and hard negatives in debates of the offline engine; what fired before is not counted."""
    runs = [rehearsal(seed) for seed in range(size.rehearsals)]
    before = [{(f.mode, s.name, f.round) for f in measure(run) for s in f.signals} for run in runs]
    loud = Counter(f.mode.value for run in runs for f in measure(run) if f.round and f.level is Level.RED)
    soft = Counter(f.mode.value for run in runs for f in measure(run) if f.round and f.level is Level.AMBER)
    yield {
        "report": "rehearsal",
        "what": "unspoiled",
        "n": len(runs),
        "red_cells": dict(loud),
        "amber_cells": dict(soft),
    }
    for mode in FailureMode:
        planted = [p for p in chosen if p.mode is mode and p.kind == "id"]
        hits = [_new(r, b, mode, p) for r, b in zip(runs, before, strict=True) for p in planted]
        hard = [h for h in HARD_NEGATIVES if h.mode is mode]
        alarms = [_new(r, b, mode, h) for r, b in zip(runs, before, strict=True) for h in hard]
        found, cried = [x for x in hits if x is not None], [x for x in alarms if x is not None]
        yield {
            "report": "rehearsal",
            "mode": mode.value,
            "kind": "id",
            **figures(sum(found), len(found), sum(cried), len(cried)),
        }


def _new(
    run: Run, before: set[tuple[FailureMode, str, int | None]], mode: FailureMode, case: Plant | HardNegative
) -> bool | None:
    """Whether an id-based signal is there that was not before, louder than is right; None when it is not afforded."""
    spoiled = case.make(run, random.Random(f"{case.name} {run.id}"))
    if spoiled is None:
        return None
    least = Level.RED if isinstance(case, HardNegative) and case.allowed == "amber" else None
    return any(
        (mode, s.name, f.round) not in before and s.kind is Kind.ID and least in (None, s.level)
        for f in measure(spoiled[0])
        if f.mode is mode
        for s in f.signals
    )


# Text.


def as_text(line: Line) -> str:
    """A line for reading."""
    shown = {k: v for k, v in line.items() if k not in ("report", "red")}
    text = f"{line['report']:13} " + " ".join(f"{k}={_short(v)}" for k, v in shown.items())
    return text + ("\n" + " " * 14 + _row(line["red"]) if "red" in line else "")


def _row(red: dict[str, float]) -> str:
    return " ".join(f"{''.join(w[0] for w in m.split('_'))}:{100 * x:.0f}%" for m, x in red.items())


def _short(value: object) -> str:
    if isinstance(value, list):
        return f"[{value[0]:.2f}–{value[1]:.2f}]"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"“{value}”" if isinstance(value, str) and " " in value else str(value)


def named(lines: Iterable[Line], report: str) -> list[Line]:
    """The lines of one kind."""
    return [x for x in lines if x["report"] == report]
