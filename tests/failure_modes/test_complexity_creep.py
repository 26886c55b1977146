"""Complexity creep: growth that does not pay."""

import pytest

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import append, grown_at_first
from vada.failure_modes import Level, State
from vada.models.vocabulary import FailureMode, PhaseName

MODE = FailureMode.COMPLEXITY_CREEP


def test_a_third_more_words_with_nothing_taken_out_is_amber() -> None:
    for run, n in planted(append(1.3)):
        found = look(MODE, run, n)
        assert occurs(found, "growth without gain")
        assert found.level is Level.AMBER


@pytest.mark.parametrize("factor", [1.6, 2.0])
def test_half_as_long_again_without_a_better_score_is_red(factor: float) -> None:
    for run, n in planted(append(factor)):
        assert look(MODE, run, n).level is Level.RED


def test_without_a_score_growth_is_amber_at_most() -> None:
    run, n = planted(append(2.0), 1)[0]
    assert look(MODE, e.put(run, n, verification=None), n).level is Level.AMBER


def test_growth_that_pays_and_growth_in_round_one_are_none() -> None:
    for run, n in planted(append(1.6, move=1.0)):
        assert look(MODE, run, n).state is not State.OCCURRED
    for run, n in planted(grown_at_first):
        assert look(MODE, run, n).state is State.NOT_MEASURABLE


def test_taking_something_out_is_a_catch() -> None:
    run = e.with_synthesis(clean(2), 2, text="Short.", removed=("the appendix",))
    found = look(MODE, run, 2)
    assert found.state is State.CAUGHT
    assert "the appendix" in found.sentence


def test_a_page_over_its_cap_is_amber_in_the_debate() -> None:
    run = clean(2)
    assert run.deliverable
    long = run.model_copy(update={"deliverable": run.deliverable.model_copy(update={"words": 900})})
    found = look(MODE, long, 0)
    assert "page over its cap" in names(found)
    assert next(s.phase for s in found.signals) is PhaseName.FORMAT
