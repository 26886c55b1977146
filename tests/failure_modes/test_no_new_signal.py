"""No new signal: masks of one model, and rounds that bring nothing."""

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import mask, repeat_round, same_template
from vada.failure_modes import Level, State
from vada.models.outputs import Evidence
from vada.models.vocabulary import FailureMode, GateAction, PhaseName

MODE = FailureMode.NO_NEW_SIGNAL


def test_a_round_without_a_new_point_or_source_is_red() -> None:
    for run, n in planted(repeat_round(0.1)):
        found = look(MODE, run, n)
        assert occurs(found, "nothing new")
        assert found.level is Level.RED


def test_it_is_amber_while_the_gate_has_not_spoken() -> None:
    run, n = planted(repeat_round(0.1), 1)[0]
    found = look(MODE, e.put(run, n, verdict=None), n)
    assert "nothing new" in names(found)
    assert next(s.level for s in found.signals if s.name == "nothing new") is Level.AMBER


def test_a_gate_that_stops_a_flat_debate_catches_it() -> None:
    run, n = planted(repeat_round(0.1), 1)[0]
    verdict = e.at(run, n).verdict
    assert verdict
    stopped = e.put(run, n, verdict=verdict.model_copy(update={"recommendation": GateAction.STOP, "delta": 0.1}))
    found = look(MODE, stopped, n)
    assert "nothing new" not in names(found)
    assert found.catches[0].phase is PhaseName.DECIDE


def test_one_new_source_is_something_new() -> None:
    for run, n in planted(repeat_round(0.1, fresh=True)):
        assert "nothing new" not in names(look(MODE, run, n))


def test_a_reworded_copy_of_another_proposal_is_amber() -> None:
    for run, n in planted(mask(0.1, 0.2)):
        found = look(MODE, run, n)
        assert occurs(found, "overlapping proposals")
        assert found.level is Level.AMBER


def test_one_mould_with_four_contents_is_no_overlap() -> None:
    quiet = [look(MODE, run, n).state is State.QUIET for run, n in planted(same_template, 6)]
    assert sum(quiet) >= 5


def test_agents_who_cite_the_same_sites_are_amber_and_red_with_overlapping_words() -> None:
    run, n = planted(mask(0.1, 0.0), 1)[0]
    items = tuple(Evidence(id=f"e-{i}", title="x", url=f"https://site{i}.example/a") for i in (1, 2))
    run = e.with_proposals(run, n, lambda p: p.model_copy(update={"evidence": items}))
    run = e.with_points(run, n, lambda _, x: x.model_copy(update={"evidence": ("e-1", "e-2")}))
    found = look(MODE, run, n)
    assert {"same sites", "overlapping proposals"} <= names(found)
    assert found.level is Level.RED


def test_a_single_proposal_in_the_first_round_cannot_be_measured() -> None:
    run = clean(3)
    one = e.at(run, 1).proposals
    assert one
    alone = e.put(run, 1, proposals=one.model_copy(update={"proposals": one.proposals[:1]}))
    assert look(MODE, alone, 1).state is State.NOT_MEASURABLE
