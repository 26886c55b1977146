"""The gate's five checks, in the contract's order."""

import pytest

from tests.builders import a_brief, a_config, a_decision, a_point, a_round, a_synthesis, a_verification, proposals
from vada.models.debate import Budget
from vada.models.run import Usage
from vada.models.vocabulary import DecisionStatus, GateAction, GateMode, Role
from vada.phases.p7_decide import decide


def verdict(*rounds, **config):
    return decide(a_config(**{"gate": GateMode.AUTOPILOT, **config}), rounds, Usage(dollars=0.5), 1.0)


def scored(n: int, total: float, change: float | None, **changes):
    quiet = a_synthesis(
        n,
        renegotiations=(),
        veto_rulings=(),
        decisions=(a_decision("split", n, value="keep", status=DecisionStatus.DECIDED),),
    )
    values = {
        "synthesis": quiet,
        "verification": a_verification(n, total=total, delta=change, raw_vs_synthesis=()),
        **changes,
    }
    return a_round(n, **values)


def test_the_checks_come_in_the_contracts_order():
    made = verdict(scored(1, 6, None))
    assert [c.name for c in made.checks] == ["Oscillation", "Human review", "Continue", "Fork", "Stop"]
    assert all(c.reason for c in made.checks)


def test_a_first_round_with_something_active_goes_on():
    assert verdict(scored(1, 6, None)).recommendation is GateAction.CONTINUE


def test_a_first_round_with_nothing_active_stops():
    assert verdict(scored(1, 6, None, brief=a_brief(1, active=(), cut=()))).recommendation is GateAction.STOP


@pytest.mark.parametrize(
    ("change", "action"),
    [(0.5, GateAction.CONTINUE), (0.49, GateAction.STOP), (-0.49, GateAction.STOP), (-0.5, GateAction.CONTINUE)],
)
def test_half_a_point_decides(change, action):
    assert verdict(scored(1, 6, None), scored(2, 6 + change, change)).recommendation is action


def test_the_third_round_stops_even_when_it_rose():
    rounds = [scored(1, 5, None), scored(2, 6, 1.0), scored(3, 7, 1.0)]
    assert verdict(*rounds).recommendation is GateAction.STOP


def test_a_reached_budget_stops_and_says_so():
    made = verdict(scored(1, 6, None), budget=Budget(dollars=0.4))
    assert made.recommendation is GateAction.STOP
    assert "$0.40" in made.checks[4].reason


def test_two_firm_incompatible_stances_fork_once_another_round_moves_nothing():
    mine, theirs = (
        a_point(role, 1, key="split", value=value, confidence=0.8)
        for role, value in ((Role.OPTIMIZER_A, "keep it whole"), (Role.OPTIMIZER_B, "split into twelve"))
    )
    base = proposals(1)
    replaced = tuple(
        p.model_copy(
            update={
                "points": (mine,) if p.role is Role.OPTIMIZER_A else (theirs,) if p.role is Role.OPTIMIZER_B else ()
            }
        )
        for p in base.proposals
    )
    open_ = a_synthesis(
        1, decisions=(a_decision("split", 1, status=DecisionStatus.ACTIVE),), renegotiations=(), veto_rulings=()
    )
    torn = {"proposals": base.model_copy(update={"proposals": replaced}), "synthesis": open_}
    assert verdict(scored(1, 6, None, **torn)).recommendation is GateAction.CONTINUE
    made = verdict(scored(1, 6, None), scored(2, 6, 0.0, **torn))
    assert made.recommendation is GateAction.FORK
    assert {made.fork.value_a, made.fork.value_b} == {"keep it whole", "split into twelve"}


@pytest.mark.parametrize("mode", list(GateMode))
def test_who_is_asked_depends_on_the_mode(mode):
    calm, skipped = scored(1, 6, None), scored(1, 6, None, verification=None)
    assert verdict(calm, gate=mode).wait is (mode is GateMode.EVERY)
    assert verdict(skipped, gate=mode).wait is (mode is not GateMode.AUTOPILOT)
    assert "verification was skipped" in verdict(skipped, gate=mode).trouble
