"""Thresholds from a person's own debates."""

import pytest

from tests.failure_modes.cases import clean
from vada.errors import InputError
from vada.failure_modes import CALIBRATION_ROUNDS, CUTOFFS, Cut, Origin, calibrate, measure
from vada.failure_modes.cutoffs import CALIBRATED
from vada.models.debate import REHEARSAL, Lineage, ModelRef
from vada.models.vocabulary import FailureMode


def test_fewer_than_thirty_rounds_are_too_few() -> None:
    with pytest.raises(InputError, match="needs 30"):
        calibrate([clean(s) for s in range(9)])


def test_rehearsals_do_not_count() -> None:
    run = clean(0)
    seat = run.config.seats[0].model_copy(update={"model": ModelRef(name=REHEARSAL, endpoint=REHEARSAL)})
    config = run.config.model_copy(update={"seats": (seat, *run.config.seats[1:])})
    with pytest.raises(InputError, match="0 finished rounds"):
        calibrate([run.model_copy(update={"config": config})] * 20)


def test_the_rounds_a_fork_took_over_count_once() -> None:
    runs = [clean(s) for s in range(12)]
    lineage = Lineage(parent=runs[0].id, round=2)
    child = clean(0).model_copy(update={"config": runs[0].config.model_copy(update={"lineage": lineage})})
    assert calibrate([*runs, child]).rounds == calibrate(runs).rounds + 1


def test_only_distribution_based_thresholds_are_recomputed() -> None:
    found = calibrate(clean(s) for s in range(12))
    assert found.rounds == 36 >= CALIBRATION_ROUNDS
    assert {c.cut for c in found.cutoffs} <= set(CALIBRATED)
    assert {c.origin for c in found.cutoffs} == {Origin.CALIBRATED}
    assert Cut.UNDONE not in {c.cut for c in found.cutoffs}


def test_the_same_debates_give_the_same_version_and_others_another() -> None:
    first = calibrate(clean(s) for s in range(12))
    assert first == calibrate(clean(s) for s in range(12))
    assert first.version != calibrate(clean(s) for s in range(1, 13)).version


def test_findings_name_the_calibration_they_were_held_against() -> None:
    calibration = calibrate(clean(s) for s in range(12))
    found = next(f for f in measure(clean(3), calibration) if f.round == 1 and f.mode is FailureMode.NO_NEW_SIGNAL)
    number = next(n for n in found.numbers if n.cut == Cut.OVERLAP)
    assert number.origin is Origin.CALIBRATED
    assert number.version == calibration.version
    assert number.threshold != CUTOFFS[Cut.OVERLAP].value


def test_a_quantile_is_where_it_says() -> None:
    calibration = calibrate(clean(s) for s in range(12))
    limit = next(c.value for c in calibration.cutoffs if c.cut is Cut.CONFIDENT)
    confidences = [x.confidence for s in range(12) for r in clean(s).rounds for p in r.replied for x in p.points]
    below = sum(c <= limit for c in confidences) / len(confidences)
    assert below == pytest.approx(0.75, abs=0.03)


def test_a_choice_says_that_it_is_one() -> None:
    assert CUTOFFS[Cut.INERT_SHARE].origin is Origin.DEFAULT
    assert CUTOFFS[Cut.CARRIED].origin is Origin.MEASURED
    assert all(c.basis for c in CUTOFFS.values())
