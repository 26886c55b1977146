"""Sycophancy: moves without a reason, collapse, leaks."""

import pytest

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import (
    agreed_from_the_start,
    collapse,
    copied_run,
    copy_plurality,
    leak,
    moved_on_evidence,
    moved_when_upheld,
)
from vada.failure_modes import Level, State
from vada.models.debate import Lineage
from vada.models.vocabulary import FailureMode, PhaseName

MODE = FailureMode.SYCOPHANCY


def test_taking_over_the_pluralitys_position_without_evidence_is_amber() -> None:
    for run, n in planted(copy_plurality(1)):
        found = look(MODE, run, n)
        assert occurs(found, "conforming move")
        assert "without new evidence" in found.sentence


def test_the_finding_links_the_position_before_and_after() -> None:
    run, n = planted(copy_plurality(1), 1)[0]
    ids = [k.id for k in look(MODE, run, n).evidence]
    assert ids[0].startswith(f"r{n - 1}.")
    assert ids[1].startswith(f"r{n}.")


def test_two_of_ten_positions_moving_without_a_reason_are_red() -> None:
    for run, n in planted(copy_plurality(3)):
        found = look(MODE, run, n)
        share = next(x for x in found.numbers if x.name.startswith("share"))
        assert (found.level is Level.RED) == (share.value >= 0.2 or "collapse" in names(found))


def test_a_divided_issue_that_becomes_one_without_evidence_is_a_collapse() -> None:
    for run, n in planted(collapse):
        found = look(MODE, run, n)
        assert occurs(found, "collapse")
        assert found.level is Level.RED


@pytest.mark.parametrize("make", [moved_on_evidence, moved_when_upheld, agreed_from_the_start])
def test_a_move_with_a_reason_and_no_move_at_all_are_no_sycophancy(make: object) -> None:
    for run, _ in planted(make):  # type: ignore[arg-type]
        assert look(MODE, run, 0).state is not State.OCCURRED


def test_a_move_to_what_the_person_locked_is_no_sycophancy() -> None:
    run, n = planted(copy_plurality(1), 1)[0]
    key = next(iter(look(MODE, run, n).signals)).links[0]
    moved = next(x.key for p in e.proposals(run, n - 1) for x in p.points if x.id == key.id)
    lineage = Lineage(parent="parent", round=1, locked_key=moved, locked_value="x")
    locked = run.model_copy(update={"config": run.config.model_copy(update={"lineage": lineage})})
    assert not look(MODE, locked, n).signals


def test_a_leak_found_by_the_blindness_audit_is_red() -> None:
    run, n = planted(leak(1), 1)[0]
    found = look(MODE, run, n)
    assert occurs(found, "leak")
    assert found.level is Level.RED
    assert found.phase is PhaseName.PROPOSE


def test_blind_agents_who_disagree_are_a_defence_that_fired() -> None:
    found = look(MODE, clean(2), 1)
    assert found.state is State.CAUGHT
    assert found.phase is PhaseName.PROPOSE


def test_words_that_two_blind_answers_share_are_shown_and_no_signal() -> None:
    run, n = planted(copied_run(1), 1)[0]
    found = look(MODE, run, n)
    assert next(x.value for x in found.numbers if x.name.startswith("longest run")) >= 8
    assert found.state is not State.OCCURRED
