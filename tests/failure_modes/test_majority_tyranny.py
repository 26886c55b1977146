"""Majority tyranny: confident minority points that vanish."""

import pytest

from tests.failure_modes.cases import look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import drop_minority, dropped_and_restored, dropped_unsure, merged
from vada.failure_modes import Level, State
from vada.models.vocabulary import FailureMode, PhaseName, PointFate

MODE = FailureMode.MAJORITY_TYRANNY


def test_a_firmly_held_point_without_a_trace_is_red() -> None:
    for run, n in planted(drop_minority(1, 0.85, keep_id=False)):
        bare = e.with_synthesis(run, n, text="Nothing of it.", minority=())
        found = look(MODE, bare, n)
        assert occurs(found, "vanished point")
        assert found.level is Level.RED


def test_a_point_that_a_sentence_carries_without_naming_it_is_amber() -> None:
    run, n = planted(drop_minority(1, 0.85, keep_id=False), 1)[0]
    claim = look(MODE, run, n).evidence[0].quote
    carried = e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text} {claim}")
    found = look(MODE, carried, n)
    assert occurs(found, "vanished point")
    assert found.level is Level.AMBER


def test_a_less_firm_one_is_amber_until_the_verifier_says_it_was_dropped() -> None:
    for run, n in planted(drop_minority(1, 0.79, keep_id=False)):
        found = look(MODE, run, n)
        if not found.signals:
            continue  # under this run's median
        assert found.level is Level.AMBER
        said = e.checked(run, n, found.evidence[0].id, PointFate.DROPPED)
        assert look(MODE, said, n).level is Level.RED


def test_a_point_that_is_cited_but_not_said_is_amber_at_most() -> None:
    cases = [look(MODE, run, n) for run, n in planted(drop_minority(1, 0.85, keep_id=True), 6)]
    assert any(occurs(f, "cited but not said") for f in cases)
    assert all(f.level in (None, Level.AMBER) for f in cases)


def test_a_point_that_came_back_is_caught() -> None:
    for run, n in planted(dropped_and_restored):
        found = look(MODE, run, n)
        assert found.state is State.CAUGHT
        assert {c.phase for c in found.catches} >= {PhaseName.VERIFY, PhaseName.COMPRESS}


@pytest.mark.parametrize("make", [merged, dropped_unsure])
def test_a_merged_or_unsure_point_is_not_lost(make: object) -> None:
    for run, n in planted(make):  # type: ignore[arg-type]
        assert "vanished point" not in names(look(MODE, run, n))


def test_without_confident_dissent_nothing_can_be_measured() -> None:
    run, n = planted(dropped_unsure, 1)[0]
    meek = e.with_points(run, n, lambda _, x: x.model_copy(update={"confidence": 0.5}))
    assert look(MODE, meek, n).state is State.NOT_MEASURABLE
