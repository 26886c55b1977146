"""A debate's cap in dollars, tokens and minutes: it stops in time to end well, says why, and never pays past it."""

import pytest

from tests.engine.conftest import Stage
from tests.engine.test_steps import decision
from tests.fake_messages import Status, wants
from vada.llm import pricing
from vada.models.debate import Budget
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateAction, GateMode
from vada.settings import Settings

GOOD = (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)


def tokens(run: Run) -> int:
    used = run.usage
    return used.input_tokens + used.cache_read_tokens + used.cache_write_tokens + used.output_tokens


async def whole(stage: Stage) -> Run:
    """The same debate without a cap."""
    return await stage.play(stage.start())


@pytest.mark.parametrize("part", [0.35, 0.5, 0.7, 0.9])
async def test_within_a_cap_in_dollars_it_ends_formatted_and_audited(stage: Stage, part: float) -> None:
    free = await whole(stage)
    cap = round((free.usage.dollars or 0) * part, 4)
    run = await stage.play(stage.start(budget=Budget(dollars=cap)))
    assert run.state in GOOD, run.reason
    assert run.deliverable
    assert not run.deliverable.fallback
    assert run.audit
    assert run.audit.passes
    assert run.usage.dollars is not None
    assert run.usage.dollars <= cap
    assert len(run.rounds) < 3 or run.rounds[-1].verdict is None or run.rounds[-1].synthesis is None or part > 0.8
    assert "$" in run.reason or len(run.rounds) == 3


@pytest.mark.parametrize("part", [0.5, 0.8])
async def test_within_a_cap_in_tokens_it_ends_formatted_and_audited(stage: Stage, part: float) -> None:
    cap = int(tokens(await whole(stage)) * part)
    run = await stage.play(stage.start(budget=Budget(tokens=cap)))
    assert run.state in GOOD, run.reason
    assert run.deliverable
    assert run.audit
    assert tokens(run) <= cap
    assert "tokens" in run.reason


async def test_half_the_estimate_is_never_passed(stage: Stage) -> None:
    config = (await whole(stage)).config
    found = pricing.estimate(config, stage.settings).dollars
    assert found
    cap = round((found.low + found.high) / 4, 4)
    run = await stage.play(stage.start(budget=Budget(dollars=cap)))
    assert run.state in GOOD, run.reason
    assert (run.usage.dollars or 0) <= cap


async def test_the_gate_recommends_to_stop_and_names_the_figures(stage: Stage) -> None:
    cap = round(((await whole(stage)).usage.dollars or 0) * 0.5, 4)
    run = await stage.play(stage.start(gate=GateMode.EVERY, budget=Budget(dollars=cap)))
    assert run.state is DebateState.WAITING
    verdict = run.rounds[-1].verdict
    assert verdict
    assert verdict.recommendation is GateAction.STOP
    assert f"${cap:.2f}" in verdict.limit
    assert "kept for" in verdict.limit
    assert next(c.reason for c in verdict.checks if c.name == "Stop").startswith("Round 2 does not fit into the cap")


async def test_who_goes_on_past_the_recommendation_pays_nothing_more(stage: Stage) -> None:
    cap = round(((await whole(stage)).usage.dollars or 0) * 0.5, 4)
    run = await stage.play(stage.start(gate=GateMode.EVERY, budget=Budget(dollars=cap)))
    paid, number = run.usage.dollars, len(run.rounds)
    stage.debates.decide(run.id, number, decision(GateAction.CONTINUE))
    run = await stage.play(run.id)
    assert (run.state, len(run.rounds)) == (DebateState.WAITING, number + 1)
    assert run.usage.dollars == paid
    assert run.rounds[-1].proposals is None
    stage.debates.decide(run.id, number + 1, decision(GateAction.STOP, recommended=GateAction.STOP))
    run = await stage.play(run.id)
    assert run.state in GOOD
    assert run.deliverable
    assert (run.usage.dollars or 0) <= cap
    assert stage.debates.verify(run.id) == []


async def test_a_cap_that_no_round_fits_into_is_said_before_anything_is_paid(stage: Stage) -> None:
    run = await stage.play(stage.start(budget=Budget(dollars=0.01)))
    assert run.state is DebateState.FAILED
    assert "does not fit into the cap of $0.01" in run.reason
    assert "higher limit" in run.reason
    assert stage.server.calls == []
    asked = await stage.play(stage.start(gate=GateMode.EVERY, budget=Budget(dollars=0.01)))
    assert asked.state is DebateState.WAITING
    assert asked.rounds[-1].verdict
    assert "cap of $0.01" in asked.rounds[-1].verdict.limit


async def test_within_a_limit_of_minutes_it_ends_well(stage: Stage) -> None:
    stage.server.latency = 0.15
    run = await stage.play(stage.start(budget=Budget(minutes=0.05)))
    assert run.state in (*GOOD, DebateState.FAILED)
    assert "minutes" in run.reason or len(run.rounds) == 3


async def test_what_re_asks_cost_counts_against_the_cap(stage: Stage) -> None:
    free = await whole(stage)
    cap = round((free.usage.dollars or 0) * 0.5, 4)
    stage.server.script(Status(500), match=wants("SynthesisReply"), times=2)
    run = await stage.play(stage.start(budget=Budget(dollars=cap)))
    assert run.state in GOOD, run.reason
    assert (run.usage.dollars or 0) <= cap


async def test_an_unknown_price_is_said_and_tokens_still_hold(stage: Stage) -> None:
    stage.server.models = ()
    endpoint = {"url": stage.server.url, "key_env": "ANTHROPIC_API_KEY"}
    stage.settings = Settings(
        home=stage.settings.home,
        endpoints={"house": endpoint, "anthropic": endpoint},
        panels={"house": {"model": "some-model@house"}},
    )
    from tests.phases.table import config
    from vada.llm.endpoints import Endpoints
    from vada.settings import default_seats

    stage.endpoints = Endpoints(stage.settings)
    seats = default_seats(stage.settings, config().pack, panel="house", web=False)
    free = await stage.play(stage.start(seats=seats, rounds=2))
    assert free.usage.dollars is None
    capped = await stage.play(stage.start(seats=seats, rounds=2, budget=Budget(dollars=0.01)))
    assert capped.rounds[0].verdict
    said = " ".join(c.reason for c in capped.rounds[0].verdict.checks)
    assert "cannot be held, because no price of some-model@house is known" in said
    cap = int(tokens(free) * 0.7)
    held = await stage.play(stage.start(seats=seats, rounds=2, budget=Budget(tokens=cap)))
    assert tokens(held) <= cap
    assert held.deliverable
