"""The gate in plain words, with what each choice costs."""

import pytest

from tests.builders import a_config, a_gate_decision, a_rehearsal, a_round, a_run, a_verdict
from vada.models.outputs import ForkOption, GateCheck
from vada.models.run import Usage
from vada.models.vocabulary import GateAction, PhaseName
from vada.views import decision


def test_a_gate_is_open_only_while_the_debate_waits() -> None:
    waiting = a_run(rounds=2, stage=PhaseName.DECIDE)
    found = decision.open_gate(waiting)
    assert found
    assert found.number == 2
    assert decision.open_gate(a_run()) is None
    assert decision.open_gate(a_run(rounds=2, stage=PhaseName.VERIFY)) is None


@pytest.mark.parametrize("spelling", ["human_review", "Human review"])
def test_the_checks_are_asked_as_questions_however_they_are_spelt(spelling: str) -> None:
    verdict = a_verdict(2, checks=(GateCheck(name=spelling, result=True, reason="R."),))
    assert decision.checks(a_run(), a_round(2, verdict=verdict))[0].question == "Did you ask to be consulted?"


def test_the_reason_shown_is_that_of_the_check_that_decided() -> None:
    run = a_run()
    found = decision.checks(run, run.rounds[2])
    assert [c.tone for c in found] == ["trouble", "calm", "calm", "calm", "chosen"]
    assert [c.decided for c in found] == [False, False, False, False, True]
    assert decision.headline(run, run.rounds[2]).text == (
        "Stop, because the score moved by less than 0.5 and nothing is active."
    )


def test_going_on_is_reasoned_with_the_open_points_themselves() -> None:
    run = a_run(rounds=1, stage=PhaseName.DECIDE)
    points = decision.open_points(run.rounds[0])
    said = decision.headline(run, run.rounds[0])
    assert said.text == f"Continue, because {len(points)} points are still open"
    assert said.more.startswith(f": {points[0].short}; {points[1].short}")
    assert points[0].short == "“Billing gets a boundary inside the…”"
    unwritten = run.rounds[0].model_copy(update={"brief": None})
    assert [p.short for p in decision.open_points(unwritten)] == ["split (“module first”)", "data (“shared schema”)"]


def test_a_fork_is_reasoned_with_both_answers_and_how_sure_each_is() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    assert decision.headline(run, run.rounds[1]).text == (
        "Fork, because on rollout, “5 % canary” (75\u00a0%) and “shadow run” (77\u00a0%) exclude each other."
    )


def test_two_answers_of_which_one_is_not_sure_enough_are_named_with_the_bar() -> None:
    run = a_run(rounds=1, stage=PhaseName.DECIDE)
    fork = decision.checks(run, run.rounds[0])[3]
    assert fork.reason == (
        "Not both sure enough: Optimizer A “own schema” 72\u00a0%, Optimizer B “shared schema” 62\u00a0%; "
        "a fork needs 70\u00a0% on each side."
    )
    choice = decision.choices(run, run.rounds[0])[1]
    assert choice.in_short == "not both sure enough"
    assert choice.impossible.startswith(fork.reason)


def test_recorded_counts_and_decimals_are_said_in_words() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    given = (
        GateCheck(name="Continue", result=True, reason="The score moved by +0.58; 1 active item; 1 round left."),
        GateCheck(name="Stop", result=False, reason="The score moved by +0.20, less than 0.5."),
    )
    said = [c.reason for c in decision.checks(run, a_round(2, verdict=a_verdict(2, checks=given)))]
    assert said[0] == "The score went from 6.1 to 6.7; 1 point is still open; 1 round left."
    assert said[1] == "The score went from 6.1 to 6.7, less than 0.5 points."


def test_what_was_spent_stands_beside_what_the_first_choice_will_add() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    fork = next(c for c in decision.choices(run, run.rounds[1]) if c.first)
    assert decision.spent(run, fork) == "So far 14 calls, $0.17 · fork 12–18 calls, about $0.17"
    free = run.model_copy(update={"config": a_rehearsal()})
    assert decision.spent(free, fork) == "So far 14 calls, no cost (rehearsal) · fork 12–18 calls"


def test_the_recommended_choice_is_first_and_the_only_possible_one_too() -> None:
    for number, first in ((1, GateAction.CONTINUE), (2, GateAction.FORK), (3, GateAction.STOP)):
        run = a_run(rounds=number, stage=PhaseName.DECIDE)
        assert [c.action for c in decision.choices(run, run.last or run.rounds[0]) if c.first] == [first]
    wait = a_round(3, verdict=a_verdict(3, recommendation=GateAction.WAIT), decided=False)
    assert [c.action for c in decision.choices(a_run(), wait) if c.first] == [GateAction.STOP]


def test_costs_come_from_the_rounds_of_this_debate() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    by = {c.action: c for c in decision.choices(run, run.rounds[1])}
    spent = run.usage.dollars
    assert spent
    assert by[GateAction.CONTINUE].dollars == pytest.approx(spent / 2)
    assert by[GateAction.FORK].dollars == pytest.approx(spent)
    assert by[GateAction.FORK].recommended
    assert decision.cost_words(by[GateAction.STOP], rehearsal=False).startswith("2–4 calls, about $0.0")
    assert decision.cost_words(by[GateAction.STOP], rehearsal=True) == "2–4 calls, no cost (rehearsal)"


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    run = a_run(rounds=1, stage=PhaseName.DECIDE)
    dear = run.model_copy(
        update={"calls": tuple(c.model_copy(update={"usage": Usage(dollars=None)}) for c in run.calls)}
    )
    choice = decision.choices(dear, dear.rounds[0])[0]
    assert decision.cost_words(choice, rehearsal=False) == "6–9 calls, price unknown"


def test_what_cannot_be_chosen_says_why() -> None:
    run = a_run(rounds=3, stage=PhaseName.DECIDE)
    by = {c.action: c.impossible for c in decision.choices(run, run.rounds[2])}
    assert by[GateAction.CONTINUE] == "A debate has at most 3 rounds."
    assert by[GateAction.FORK]
    assert not by[GateAction.STOP]


def test_a_fork_needs_a_round_in_which_a_branch_holds_its_stance() -> None:
    apart = ForkOption(key="split", value_a="now", value_b="never", confidence_a=0.9, confidence_b=0.8)
    run = a_run(rounds=1, stage=PhaseName.DECIDE, config=a_config(rounds=1))
    last = run.rounds[0].model_copy(update={"verdict": a_verdict(1, fork=apart)})
    by = {c.action: c.impossible for c in decision.choices(run, last)}
    assert by[GateAction.FORK].startswith("No round is left")
    longer = run.model_copy(update={"config": a_config(rounds=2)})
    assert not {c.action: c.impossible for c in decision.choices(longer, last)}[GateAction.FORK]


def test_a_person_may_go_on_past_the_rounds_they_had_planned() -> None:
    run = a_run(rounds=1, stage=PhaseName.DECIDE, config=a_config(rounds=1))
    by = {c.action: c.impossible for c in decision.choices(run, run.rounds[0])}
    assert not by[GateAction.CONTINUE]


def test_an_override_is_told_from_following_the_recommendation() -> None:
    assert decision.decided(a_round(2)) == "Ada chose to continue instead of the recommended fork."
    assert decision.decided(a_round(3)) == "Ada chose to stop."
    auto = a_round(2, decision=a_gate_decision(2, by="autopilot"))
    assert decision.decided(auto) == "Autopilot chose to continue; the gate had recommended to fork."
    assert decision.decided(a_round(1, decided=False)) == ""
