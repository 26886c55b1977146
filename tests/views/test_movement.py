"""Who moved and why, and how the scores went."""

from tests.builders import a_gate_decision, a_run
from vada.models.vocabulary import PhaseName, Role
from vada.views import movement


def test_a_move_names_its_reason_and_where_it_went() -> None:
    moved = [m for m in movement.moves(a_run()) if m.role is Role.OPTIMIZER_A]
    assert [(m.key, m.round, m.before, m.after) for m in moved] == [("split", 2, "extract now", "module first")]
    assert moved[0].reasoned
    assert moved[0].why == "new evidence: incidents.md; towards the majority"


def test_a_decision_that_swings_back_without_a_reason_is_said_to() -> None:
    moved = [m for m in movement.moves(a_run()) if m.role is None]
    assert [(m.round, m.after, m.reasoned) for m in moved] == [(2, "own schema", True), (3, "shared schema", False)]
    assert moved[0].why == "evidence: Shared tables and deploy coupling"


def test_positions_stand_by_issue_agents_before_the_synthesis() -> None:
    rows = [h for h in movement.held(a_run()) if h.key == "data"]
    assert [h.role for h in rows] == [Role.OPTIMIZER_A] * 3 + [Role.OPTIMIZER_B] * 2 + [None] * 3
    assert [h.round for h in rows] == [1, 2, 3, 1, 3, 1, 2, 3]


def test_a_running_round_already_shows_who_has_answered() -> None:
    rows = movement.held(a_run(rounds=1, stage=PhaseName.PREPARE))
    assert {h.role for h in rows} == {Role.OPTIMIZER_A, Role.OPTIMIZER_B}


def test_trajectories_leave_a_gap_where_verification_was_skipped_and_mark_it() -> None:
    t = movement.trajectories(a_run(skipped=(2,)))
    assert [v is None for v in t.weighted] == [False, True, False]
    assert list(t.dimensions) == ["Soundness", "Evidence", "Risk", "Actionability", "Readability"]
    assert [(m.round, m.kind) for m in t.marks] == [(1, "veto"), (2, "veto"), (2, "skipped"), (2, "override")]
    assert movement.trajectories(a_run(rounds=1, stage=PhaseName.PROPOSE)).empty


def test_autopilot_going_on_is_no_override() -> None:
    run = a_run()
    own = run.rounds[1]
    assert movement.overridden(own)
    auto = own.model_copy(update={"decision": a_gate_decision(2, by=movement.AUTOPILOT)})
    assert not movement.overridden(auto)


def test_what_the_debate_changed_is_told_from_a_plain_vote() -> None:
    by = {c.key: c for c in movement.against_no_debate(a_run())}
    assert (by["split"].blind, by["split"].decided, by["split"].changed) == (
        "module first (2 of 3)",
        "module first",
        False,
    )
    assert (by["data"].blind, by["data"].changed) == ("divided, nobody led", None)


def test_who_holds_the_answer_and_who_is_against_is_one_line() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    said = movement.who_disagrees(run, run.rounds[1])
    assert said == (
        "Answer on rollout: shadow run (Optimizer B, Challenger). Against: Optimizer A, “5 % canary” 75\u00a0%."
    )
    assert movement.who_disagrees(run, run.rounds[1].model_copy(update={"synthesis": None})) == ""


def test_where_nobody_is_against_the_first_answer_the_first_dispute_is_named_in_full() -> None:
    run = a_run()
    assert movement.who_disagrees(run, run.rounds[2]) == (
        "Answer on split: module first (Optimizer A, Optimizer B, Challenger). Nobody is against. "
        "On data, against is Optimizer A, “own schema” 64\u00a0%."
    )


def test_the_question_itself_comes_before_what_more_agents_spoke_to() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    text = run.model_dump_json().replace('"team"', '"answer"')
    renamed = type(run).model_validate_json(text)
    found = movement.standings(renamed, renamed.rounds[1])
    assert found[0].key == movement.ANSWER
    assert movement.who_disagrees(renamed, renamed.rounds[1]).startswith("Answer: two engineers (Simplifier).")
