"""What holds for every finding, whatever the debate."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import a_run
from tests.failure_modes.cases import clean
from tests.planted.generator import cut
from tests.planted.mutators import HARD_NEGATIVES, plants
from vada.failure_modes import DETECTORS, MODES, Finding, Kind, Level, Signal, State, measure
from vada.failure_modes.finding import level_of
from vada.models.run import Run
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName

SPOILERS = [*plants(("maybe", "perhaps")), *HARD_NEGATIVES]
slow = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(min_value=0, max_value=5000)
phases = st.sampled_from([p for p in PhaseName if p <= PhaseName.DECIDE])


def _signal(name: str, kind: Kind, level: Level) -> Signal:
    return Signal(name=name, kind=kind, level=level, phase=PhaseName.PROPOSE, sentence="")


def _sound(f: Finding) -> None:
    """The rules of the design, on one finding."""
    assert (f.state is State.NOT_MEASURABLE) == (f.opportunities == 0)
    assert (f.level is not None) == (f.state is State.OCCURRED)
    assert (f.phase is not None) == (f.state in (State.OCCURRED, State.CAUGHT))
    assert f.sentence
    if f.state is State.NOT_MEASURABLE:
        assert not f.marks
    if f.level is Level.RED:
        by_id = any(s.kind is Kind.ID and s.level is Level.RED for s in f.signals)
        assert by_id or len({s.name for s in f.signals}) >= 2


@slow
@given(seeds, st.integers(1, 3), phases)
def test_a_debate_can_be_measured_after_every_phase(seed: int, number: int, phase: PhaseName) -> None:
    findings = measure(cut(clean(seed), number, phase))
    assert len(findings) == len(FailureMode) * (number + 1)
    for f in findings:
        _sound(f)


@slow
@given(seeds, st.sampled_from(SPOILERS))
def test_a_spoiled_debate_breaks_no_rule(seed: int, spoiler: object) -> None:
    made = spoiler.make(clean(seed), random.Random(seed))  # type: ignore[attr-defined]
    for f in measure(made[0]) if made else ():
        _sound(f)


@slow
@given(seeds, st.integers(1, 3), st.sets(st.sampled_from(["dossier", "proposals", "challenges", "synthesis",
                                                          "verification", "brief", "verdict"])))  # fmt: skip
def test_whatever_is_missing_is_not_measurable_and_no_error(seed: int, number: int, missing: set[str]) -> None:
    run = clean(seed)
    gone = dict.fromkeys(missing) | ({"replied": ()} if "proposals" in missing else {})
    rounds = tuple(r.model_copy(update=gone) if r.number == number else r for r in run.rounds)
    for f in measure(run.model_copy(update={"rounds": rounds})):
        _sound(f)


def test_an_empty_round_offers_nothing_to_measure() -> None:
    run = clean()
    blank = run.rounds[0].model_copy(
        update=dict.fromkeys(
            ("dossier", "proposals", "challenges", "synthesis", "verification", "brief", "verdict", "decision")
        )
        | {"replied": ()}
    )
    empty = run.model_copy(update={"rounds": (blank,), "calls": (), "deliverable": None, "audit": None})
    assert {f.state for f in measure(empty)} == {State.NOT_MEASURABLE}


def test_a_debate_before_its_first_round_is_not_measurable() -> None:
    run = clean().model_copy(update={"rounds": (), "calls": (), "deliverable": None, "audit": None})
    findings = measure(run)
    assert [f.round for f in findings] == [None] * len(FailureMode)
    assert {f.state for f in findings} == {State.NOT_MEASURABLE}


def test_measuring_twice_gives_the_same() -> None:
    assert measure(clean(7)) == measure(clean(7))


def test_measuring_reads_only_the_record() -> None:
    run = clean(8)
    assert measure(Run.model_validate(run.model_dump())) == measure(run)


@pytest.mark.parametrize("mode", FailureMode)
def test_a_hand_built_debate_is_measured_in_every_mode(mode: FailureMode) -> None:
    _sound(DETECTORS[mode](a_run()))


def test_no_signal_has_no_level() -> None:
    assert level_of([]) is None


def test_a_lexical_signal_alone_is_amber() -> None:
    loud = _signal("hedges", Kind.LEXICAL, Level.RED)
    assert level_of([loud]) is Level.AMBER
    assert level_of([loud, loud]) is Level.AMBER


def test_two_independent_signals_can_be_red() -> None:
    both = [_signal("hedges", Kind.LEXICAL, Level.RED), _signal("phrases", Kind.LEXICAL, Level.RED)]
    assert level_of(both) is Level.RED


def test_an_id_event_can_be_red_alone() -> None:
    assert level_of([_signal("leak", Kind.ID, Level.RED)]) is Level.RED
    assert level_of([_signal("weakness", Kind.ID, Level.AMBER)]) is Level.AMBER


def test_every_mode_says_what_it_is_and_who_defends() -> None:
    assert list(MODES) == list(FailureMode)
    for mode in MODES.values():
        assert mode.line
        assert mode.about
        assert mode.measured_by
        assert mode.blind_spots
        assert mode.sources
        assert set(mode.defended_in) <= set(EIGHT_PHASES)
        assert all(text.startswith(("P ", "D ")) for text in mode.defended_in.values())


def test_the_two_overstated_sentences_are_worded_as_their_sources_say() -> None:
    assert "independent multi-agent systems" in MODES[FailureMode.ERROR_CASCADE].about
    assert "two-sided challenge with evidence reverses it" in MODES[FailureMode.BLUSTER_EFFECT].about
