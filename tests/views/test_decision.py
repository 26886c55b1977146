"""The gate in plain words, with what each choice costs."""

import pytest

from tests.builders import a_config, a_gate_decision, a_round, a_run, a_verdict
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
    assert decision.checks(verdict)[0].question == "Did you ask to be consulted?"


def test_the_reason_shown_is_that_of_the_check_that_decided() -> None:
    assert "held both as" in decision.headline_reason(a_verdict(2))
    tones = [c.tone for c in decision.checks(a_verdict(3))]
    assert tones == ["trouble", "calm", "calm", "calm", "chosen"]


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
