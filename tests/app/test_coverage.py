"""The coverage screen: both views, reachable by keyboard, with the words a finding rests on."""

import pytest

from tests.app.hostile_run import poisoned
from tests.app.screens import active_markup, labels, markup, opened, words
from tests.builders import a_run
from tests.failure_modes.cases import clean
from tests.hostile import HOST
from tests.recorded import put
from vada.failure_modes import MODES, calibrate
from vada.models.vocabulary import FailureMode, PhaseName
from vada.settings import load
from vada.worker import Debates
from vada.worker.debates import CALIBRATION


def test_without_a_debate_the_design_is_shown() -> None:
    screen = opened("coverage.py")
    assert not screen.exception
    said = words(screen)
    assert "P prevents" in said
    assert "prevents: agents are blind; each names a weakness first" in said


def test_the_table_says_what_the_figure_shows() -> None:
    screen = opened("coverage.py", id=put(a_run()))
    said = words(screen)
    assert all(mode.title in said for mode in FailureMode)
    assert len(screen.get("plotly_chart")) == 1
    assert "no chance to show" in said


def test_a_finding_names_the_calibration_it_was_held_against() -> None:
    own = calibrate(clean(s) for s in range(12))
    debates = Debates.open(load())
    debates.save_value(CALIBRATION, own.model_dump(mode="json"))
    debates.close()
    screen = opened("coverage.py", id=put(a_run()))
    screen.selectbox(key="mode").set_value(FailureMode.NO_NEW_SIGNAL)
    screen.selectbox(key="phase").set_value(PhaseName.PROPOSE).run()
    assert f"calibrated on your own debates ({own.version})" in words(screen)


def test_a_cell_chosen_from_the_lists_shows_its_evidence() -> None:
    screen = opened("coverage.py", id=put(a_run()))
    screen.selectbox(key="mode").set_value(FailureMode.DECISION_OSCILLATION)
    screen.selectbox(key="phase").set_value(PhaseName.DECIDE).run()
    assert not screen.exception
    said = words(screen)
    assert "Decision Oscillation, decide" in said
    assert MODES[FailureMode.DECISION_OSCILLATION].line in said
    assert "<mark>" in markup(screen)


def test_the_evidence_begins_in_plain_sentences_and_folds_the_numbers() -> None:
    screen = opened("coverage.py", id=put(a_run()))
    screen.selectbox(key="mode").set_value(FailureMode.MAJORITY_TYRANNY)
    screen.selectbox(key="phase").set_value(PhaseName.SYNTHESIZE).run()
    said = words(screen)
    places = [said.index(t) for t in ("What happened:", "What it means:", "What you can do:", "By design, this phase")]
    assert places == sorted(places)
    assert "The numbers and their thresholds" in [e.label for e in screen.expander]


@pytest.mark.parametrize("stage", [None, PhaseName.PREPARE, PhaseName.PROPOSE, PhaseName.VERIFY])
def test_a_debate_that_is_not_measured_yet_says_so(stage: PhaseName | None) -> None:
    screen = opened("coverage.py", id=put(a_run(rounds=1, stage=stage)))
    assert not screen.exception
    assert ("Nothing is measured yet" in words(screen)) is (stage in (None, PhaseName.PREPARE))


@pytest.mark.parametrize("mode", [FailureMode.MAJORITY_TYRANNY, FailureMode.BLUSTER_EFFECT, FailureMode.ERROR_CASCADE])
def test_no_text_of_a_model_becomes_markup_or_stands_in_a_label(mode: FailureMode) -> None:
    screen = opened("coverage.py", id=put(poisoned(a_run(), 3)))
    screen.selectbox(key="mode").set_value(mode).run()
    assert not screen.exception
    assert not active_markup(screen)
    assert HOST not in labels(screen)
