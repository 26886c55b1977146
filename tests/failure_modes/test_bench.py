"""The bench: figures, lines and bars, at a small size."""

import json

import pytest

from bench import detectors
from bench.__main__ import main
from tests.planted.mutators import HARD_NEGATIVES, plants
from tests.planted.words import UNLISTED_HEDGES
from vada.failure_modes.signals import listed
from vada.models.vocabulary import FailureMode

TINY = detectors.Size(positives=3, negatives=3, cross=1, clean=5, timed=2, rehearsals=1, tries=60)


def test_every_mode_has_plants_and_hard_negatives() -> None:
    assert {p.mode for p in plants(("maybe",))} == set(FailureMode)
    assert {h.mode for h in HARD_NEGATIVES} == set(FailureMode)
    assert all(any(p.kind == "id" for p in plants(("maybe",)) if p.mode is m) for m in FailureMode)


def test_the_hedges_are_half_of_the_list() -> None:
    assert len(detectors.held_out()) == len(listed("core_hedges")) // 2


@pytest.mark.parametrize("mode", [FailureMode.SYCOPHANCY, FailureMode.DECISION_OSCILLATION])
def test_a_report_on_one_mode_has_a_line_for_each_dose_each_negative_and_the_bar(mode: FailureMode) -> None:
    lines = list(detectors.report(TINY, only=mode))
    doses = [p for p in plants(detectors.held_out(), UNLISTED_HEDGES) if p.mode is mode]
    assert len(detectors.named(lines, "plant")) == len(doses)
    assert len(detectors.named(lines, "hard_negative")) == sum(h.mode is mode for h in HARD_NEGATIVES)
    bar = detectors.named(lines, "bar")[0]
    assert bar["met"] is True
    assert all({"mode", "kind", "dose", "n", "precision", "recall", "fpr"} <= set(x) for x in
               detectors.named(lines, "plant"))  # fmt: skip


def test_a_clean_debate_has_no_red_cell() -> None:
    found = detectors._clean(TINY)
    assert found["no_red"] == 1
    assert found["met"]


def test_the_cross_fire_of_all_modes_is_eleven_by_eleven() -> None:
    rows = list(detectors._cross_fire([p for p in plants(("maybe",)) if p.dose in ("1", "1 keys", "1 key")], TINY))
    assert [r["plant"] for r in rows] == [m.value for m in FailureMode]
    assert all(set(r["red"]) == {m.value for m in FailureMode} for r in rows)


def test_plants_are_found_in_a_rehearsal_too() -> None:
    chosen = [p for p in plants(("maybe",)) if p.name in ("no objection", "breaks a constraint")]
    lines = list(detectors._rehearsed(chosen, TINY))
    assert lines[0]["what"] == "unspoiled"
    assert [x["recall"] for x in lines[1:] if x["n"]] == [1.0, 1.0]


def test_the_wilson_interval_holds_its_share_and_is_never_empty() -> None:
    low, high = detectors.wilson(0, 200)
    assert low == 0
    assert 0.015 < high < 0.025
    assert detectors.wilson(0, 0) == (0.0, 1.0)
    low, high = detectors.wilson(100, 200)
    assert low == pytest.approx(0.431, abs=0.002)
    assert high == pytest.approx(0.569, abs=0.002)


def test_precision_at_a_low_prevalence_is_lower() -> None:
    assert detectors.at_prevalence(0.93, 0.15, 0.05) == pytest.approx(0.246, abs=0.001)
    assert detectors.at_prevalence(0, 0, 0.05) is None


def test_a_line_reads_as_text_and_as_json() -> None:
    line = {"report": "plant", "mode": "sycophancy", "recall": 0.5, "recall_interval": [0.4, 0.6], "why": "two words"}
    assert "recall=0.500" in detectors.as_text(line)
    assert json.loads(json.dumps(line)) == line


def test_an_unknown_bench_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    assert "detectors" in capsys.readouterr().err
