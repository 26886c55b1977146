"""Where the money went: every view sums to the debate's own bill, and an unknown price is not counted as nothing."""

import pytest

from tests.llm.test_pricing import config
from vada.models.debate import Expected, ModelRef
from vada.models.run import CallTrace, Run, Usage
from vada.models.vocabulary import DebateState, PhaseName, Role
from vada.views.spending import against, by_endpoint, by_phase, by_role


def call(role: Role, phase: PhaseName, model: str, dollars: float | None, *, reused: bool = False) -> CallTrace:
    return CallTrace(
        id=f"{role}{phase}{model}{reused}",
        slot="r1.x",
        attempt=1,
        role=role,
        phase=phase,
        round=1,
        model=ModelRef.parse(model),
        prompt_hash="",
        started_at="",
        status="ok",
        usage=Usage(input_tokens=100, cache_read_tokens=50, output_tokens=10, dollars=dollars),
        reused=reused,
    )


def run(*calls: CallTrace) -> Run:
    return Run(
        id="d",
        config=config("best"),
        state=DebateState.CLEAN,
        created_at="",
        updated_at="",
        version=1,
        head="",
        calls=calls,
    )


def test_every_view_sums_to_what_the_debate_paid_itself() -> None:
    held = run(
        call(Role.CHALLENGER, PhaseName.PROPOSE, "a@one", 0.1),
        call(Role.COORDINATOR, PhaseName.SYNTHESIZE, "a@one", 0.3),
        call(Role.COORDINATOR, PhaseName.COMPRESS, "b@two", 0.2),
        call(Role.VERIFIER, PhaseName.VERIFY, "b@two", 5, reused=True),
    )
    for view in (by_role, by_phase, by_endpoint):
        shares = view(held)
        assert sum(s.usage.dollars or 0 for s in shares) == pytest.approx(held.usage.dollars)
        assert sum(s.calls for s in shares) == 3
        assert sum(s.tokens for s in shares) == 480
    assert [s.name for s in by_role(held)] == ["Coordinator", "Challenger"]
    assert [s.name for s in by_phase(held)] == ["Synthesize", "Compress", "Propose"]
    assert [(s.name, s.calls) for s in by_endpoint(held)] == [("one", 2), ("two", 1)]


def test_an_unknown_price_stays_unknown_and_stands_first() -> None:
    held = run(
        call(Role.CHALLENGER, PhaseName.PROPOSE, "a@one", 0.1),
        call(Role.VERIFIER, PhaseName.VERIFY, "x@house", None),
    )
    assert [(s.name, s.usage.dollars) for s in by_endpoint(held)] == [("house", None), ("one", 0.1)]


def test_what_was_expected_stands_beside_what_it_took_and_a_parents_calls_do_not_count() -> None:
    made = run(
        call(Role.COORDINATOR, PhaseName.SYNTHESIZE, "m", 0.25),
        call(Role.VERIFIER, PhaseName.VERIFY, "m", 0.5),
        call(Role.CRITIC, PhaseName.AUDIT, "m", 9.0, reused=True),
    )
    expected = Expected(calls=(14, 27), minutes=(2, 5), dollars=(0.6, 1.4))
    said = "Expected before the start: 14 to 27 calls and $0.60 to $1.40. It took 2 calls and $0.75."
    assert against(made, expected) == said
    unpriced = expected.model_copy(update={"dollars": None})
    assert against(made, unpriced) == "Expected before the start: 14 to 27 calls. It took 2 calls."
