"""Totals, deltas, stances and oscillation are code's, not a model's."""

import pytest

from tests.builders import a_config, a_decision, a_dimension, a_round, a_synthesis, a_verification
from vada import scoring
from vada.models.debate import Budget
from vada.models.outputs import Score
from vada.models.vocabulary import Trajectory


def score(key: str, value: float) -> Score:
    return Score(dimension=key, score=value, reason="because")


def test_the_total_is_the_weighted_mean():
    dims = [a_dimension("a", 3.0), a_dimension("b", 1.0)]
    assert scoring.weighted([score("a", 8), score("b", 4)], dims) == 7.0


def test_an_unscored_dimension_does_not_count_as_zero():
    dims = [a_dimension("a", 1.0), a_dimension("b", 1.0)]
    assert scoring.weighted([score("a", 8)], dims) == 8.0
    with pytest.raises(ValueError, match="no dimension"):
        scoring.weighted([score("zzz", 8)], dims)


@pytest.mark.parametrize(
    ("change", "direction"),
    [
        (None, Trajectory.FIRST),
        (0.49, Trajectory.FLAT),
        (-0.49, Trajectory.FLAT),
        (0.5, Trajectory.RISING),
        (-0.5, Trajectory.FALLING),
    ],
)
def test_half_a_point_is_movement(change, direction):
    assert scoring.trajectory(change) is direction


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("40", "40.0 %", False),
        ("40 %", "40.0 percent", True),
        ("1,000 users", "1000 users", True),
        ("keep the monolith", "Keep the Monolith.", True),
        ("keep the monolith", "split it now", False),
        ("12 weeks", "16 weeks", False),
        ("100 ms", "103 ms", True),
        ("980 users", "1,000 users", True),
        ("1,000,000", "1,000,100", True),
    ],
)
def test_stances_compare_by_meaning_not_by_spelling(a, b, same):
    assert scoring.same_value(a, b) is same


def rounds_of(*values: str):
    return [
        a_round(i, synthesis=a_synthesis(i, decisions=(a_decision("split", i, value=v),)))
        for i, v in enumerate(values, 1)
    ]


def test_a_stance_that_comes_back_is_named():
    assert scoring.oscillations(rounds_of("keep", "split", "keep")) == ("split",)
    assert scoring.oscillations(rounds_of("keep", "keep", "keep")) == ()
    assert scoring.oscillations(rounds_of("keep", "split", "wait")) == ()


def test_the_best_round_is_the_best_scored_and_of_equals_the_later():
    rounds = [a_round(i, verification=a_verification(i, total=t)) for i, t in enumerate((7.0, 6.0, 7.0), 1)]
    assert scoring.best_round(rounds) == 3
    assert scoring.best_round([*rounds[:2], rounds[2].model_copy(update={"verification": None})]) == 1
    assert scoring.best_round([]) == 0


def test_a_reached_limit_is_said_with_its_figures():
    config = a_config(budget=Budget(dollars=1.0, tokens=1000, minutes=5))
    assert "$1.00" in scoring.reached(config, dollars=1.2, tokens=0, minutes=0)
    assert "1,000" in scoring.reached(config, dollars=None, tokens=1000, minutes=0)
    assert scoring.reached(config, dollars=0.2, tokens=10, minutes=1) == ""


def test_after_a_fall_the_next_round_goes_on_from_the_best_scored_one():
    rounds = [
        a_round(1, verification=a_verification(1, total=7.0, delta=None)),
        a_round(2, verification=a_verification(2, total=6.0, delta=-1.0)),
    ]
    assert scoring.going_on_from(rounds).number == 1
    assert scoring.going_on_from(rounds[:1]).number == 1
    assert scoring.going_on_from([]) is None


def test_half_a_point_is_not_lost_to_rounding():
    before = [a_round(1, verification=a_verification(1, total=6.1))]
    assert scoring.delta(6.6, before) == 0.5
