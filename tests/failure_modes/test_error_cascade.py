"""Error cascade: faults that stand, spread, or come from nowhere."""

import pytest

from tests.failure_modes.cases import look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import changed_with_constraint, fixed_error, keep_error, orphan_numbers
from vada.failure_modes import Level, State
from vada.models.vocabulary import FailureMode, PhaseName

MODE = FailureMode.ERROR_CASCADE


def test_a_fault_that_stands_one_round_after_its_flag_is_amber() -> None:
    for run, n in planted(keep_error(1, 1)):
        found = look(MODE, run, n)
        assert occurs(found, "flagged fault stands")
        assert found.level is Level.AMBER


@pytest.mark.parametrize(("rounds", "decisions"), [(2, 1), (1, 2), (1, 3)])
def test_two_rounds_or_twice_the_decisions_are_red(rounds: int, decisions: int) -> None:
    for run, n in planted(keep_error(rounds, decisions)):
        assert look(MODE, run, n).level is Level.RED


def test_a_fault_that_is_gone_is_caught_by_verification() -> None:
    for run, n in planted(fixed_error):
        found = look(MODE, run, n)
        assert found.state is State.CAUGHT
        assert found.phase is PhaseName.VERIFY


def test_faulty_words_that_nobody_flags_any_more_are_amber() -> None:
    run, n = planted(keep_error(1, 1), 1)[0]
    silent = e.with_verification(run, n, issues=())
    found = look(MODE, silent, n)
    assert occurs(found, "faulty words stand")
    assert found.level is Level.AMBER


def test_without_a_verification_it_is_said_that_nobody_knows() -> None:
    run, n = planted(keep_error(1, 1), 1)[0]
    found = look(MODE, e.put(run, n, verification=None), n)
    assert found.notes == ("Round without verification: whether flagged faults are gone is not known.",)


def test_a_number_nobody_brought_is_amber_and_quoted() -> None:
    for run, n in planted(orphan_numbers(1)):
        found = look(MODE, run, n)
        assert occurs(found, "orphan numbers")
        assert found.level is Level.AMBER
        assert "In numbers" in found.evidence[-1].quote


def test_a_number_that_changed_with_a_constraint_is_no_fault() -> None:
    for run, n in planted(changed_with_constraint):
        assert names(look(MODE, run, n)) == set()
