"""Distribution-based thresholds recomputed from a person's own debates. Pure: storing is the store's."""

import hashlib
from collections.abc import Iterable

from vada.errors import InputError
from vada.failure_modes import signals
from vada.failure_modes.bluster_effect import ASSERTIVE
from vada.failure_modes.context_drift import kept_words
from vada.failure_modes.coordinator_hedging import decided_text
from vada.failure_modes.cutoffs import CALIBRATED, CUTOFFS, Calibration, Cut, Cutoff
from vada.failure_modes.finding import Origin
from vada.failure_modes.reading import Reading
from vada.models.run import Run

CALIBRATION_ROUNDS = 30
"""Rounds with a synthesis before a calibration means anything."""

FEWEST = 20
"""Values a threshold needs; with fewer the shipped one stays. [default]"""


def _taken_over(run: Run) -> int:
    """The last round a debate took over from the one it was forked from; 0 for its own beginning."""
    return run.config.lineage.round if run.config.lineage else 0


def calibrate(runs: Iterable[Run]) -> Calibration:
    """Thresholds at the same quantiles, from these runs' rounds. Rehearsals are left out, for their texts are canned,
    and the rounds a fork took over, which are its parent's.

    Raises InputError with fewer than 30 rounds. The same runs give the same version.
    """
    readings = [Reading.of(run) for run in runs if not run.config.rehearsal]
    rounds = [(r, n) for r in readings for n in r.numbers if r.round(n).synthesis and n > _taken_over(r.run)]
    if len(rounds) < CALIBRATION_ROUNDS:
        raise InputError(
            "runs",
            f"{len(rounds)} finished rounds are there; a calibration needs {CALIBRATION_ROUNDS}.",
            next_step="Run more debates, then calibrate again. Rehearsals do not count.",
        )
    samples: dict[Cut, list[float]] = {cut: [] for cut in CALIBRATED}
    for r, n in rounds:
        for cut, value in _samples(r, n):
            samples[cut].append(value)
    found = {
        cut: _quantile(values, CUTOFFS[cut].quantile or 0.0) for cut, values in samples.items() if len(values) >= FEWEST
    }
    mark = hashlib.sha256(repr(sorted((c.value, v, len(samples[c])) for c, v in found.items())).encode()).hexdigest()[
        :8
    ]
    version = f"own-{len(rounds)}-{mark}"
    return Calibration(
        version=version,
        rounds=len(rounds),
        cutoffs=tuple(_cutoff(cut, value, len(samples[cut]), version) for cut, value in found.items()),
    )


def _cutoff(cut: Cut, value: float, count: int, version: str) -> Cutoff:
    quantile = CUTOFFS[cut].quantile or 0.0
    basis = f"{quantile:.0%} quantile of {count} values from your own debates"
    return CUTOFFS[cut].model_copy(
        update={"value": round(value, 4), "origin": Origin.CALIBRATED, "basis": basis, "version": version}
    )


def _quantile(values: list[float], q: float) -> float:
    """The value at a quantile, linearly between neighbours."""
    line = sorted(values)
    place = q * (len(line) - 1)
    low = int(place)
    high = min(low + 1, len(line) - 1)
    return line[low] + (place - low) * (line[high] - line[low])


def _samples(r: Reading, n: int) -> list[tuple[Cut, float]]:
    """What round `n` says about each calibrated threshold."""
    found = [(Cut.CONFIDENT, x.confidence) for _, x in r.points(n)]
    for p in r.proposals(n):
        text = " ".join((p.text, *(x.claim for x in p.points)))
        if signals.english(text):
            found.append((Cut.ASSERTIVE, signals.density(ASSERTIVE, text)))
    overlap = signals.overlap(r.said(n))
    if overlap:
        panel = len(r.said(n)) > 2
        found.append((Cut.OVERLAP if panel else Cut.PAIR_OVERLAP, overlap[0]))
        found += [(Cut.CLOSEST_PAIR, overlap[1])] if panel else []
    before = [t for m in r.numbers if m < n for t in r.said(m)]
    fresh = signals.novelty(r.said(n), before) if before else None
    found += [(Cut.NOVELTY, fresh)] if fresh is not None else []
    topic = kept_words(r, n)
    found += [(Cut.TOPIC, topic)] if topic is not None else []
    synthesis = r.round(n).synthesis
    text = decided_text(synthesis) if synthesis else ""
    if signals.english(text):
        found.append((Cut.HEDGES, signals.density(("core_hedges",), text)))
        found.append((Cut.NONCOMMITTAL, signals.density(("noncommittal",), text)))
    return found
