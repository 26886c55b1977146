"""The builders are themselves held to the models: what they build folds back to itself from its own record."""

import pytest

from tests.builders import a_run, events
from vada.models.run import Run, fold
from vada.models.vocabulary import DebateState, PhaseName

STAGES = [None, *PhaseName]


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("stage", STAGES)
def test_a_run_folds_back_from_its_own_record_at_every_stage(stage: PhaseName | None, rounds: int) -> None:
    run = a_run(rounds=rounds, stage=stage)
    again = fold(events(run))
    volatile = {"version", "head", "created_at", "updated_at", "phase_times", "calls"}
    assert again.model_dump(exclude=volatile) == run.model_dump(exclude=volatile)
    assert {c.id for c in again.calls} == {c.id for c in run.calls}
    assert set(again.phase_times) == set(run.phase_times)


def test_a_run_survives_its_own_json() -> None:
    run = a_run(skipped=(2,))
    assert Run.model_validate_json(run.model_dump_json()) == run


def test_a_finished_run_holds_everything_that_can_occur() -> None:
    run = a_run()
    assert run.state is DebateState.REVISED
    assert {c.status for r in run.rounds if r.challenges for c in r.challenges.challenges} >= {"defended", "conceded"}
    second = run.rounds[1]
    assert second.synthesis
    assert second.synthesis.renegotiations
    assert second.decision
    assert second.decision.action is not second.decision.recommended
