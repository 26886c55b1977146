"""The ledger: what may be sent within a budget, with calls running beside, a reserve for the ending, and a clock."""

import pytest

from tests.llm.test_pricing import config
from vada.errors import LLMError
from vada.llm.ledger import Ledger, OverBudgetError, unheld
from vada.llm.pricing import Taken
from vada.models.debate import Budget, DebateConfig
from vada.models.run import Usage
from vada.models.vocabulary import DEBATERS
from vada.settings import Settings

EACH = Usage(input_tokens=800, output_tokens=200, seconds=60, dollars=0.01)
ROUND = [f"r1.propose.{r}" for r in DEBATERS] + ["r1.defend.optimizer_a", "r1.synthesize", "r1.verify"]


def debate(**limits: float) -> DebateConfig:
    return config("best", budget=Budget.model_validate(limits))


def ledger(given: DebateConfig, slots: list[str], minutes: float = 0, now: list[float] | None = None) -> Ledger:
    """A ledger after these calls, each of a thousand tokens, a minute and a cent; `now` is the clock in seconds."""
    clock = now if now is not None else [0.0]
    model = str(given.seats[0].model)
    done: list[Taken] = [(s, model, EACH) for s in slots]
    return Ledger(given, Settings(), done, minutes, clock=lambda: clock[0])


def test_without_a_limit_everything_may_be_sent() -> None:
    free = ledger(debate(), ROUND)
    free.book("r2.synthesize")
    assert free.limit(2) == ""


def test_a_call_that_leaves_no_room_for_the_ending_is_not_sent() -> None:
    tight = ledger(debate(tokens=len(ROUND) * 1000 + 2000), ROUND)
    with pytest.raises(OverBudgetError, match=r"7,000 tokens used.*kept for what must follow"):
        tight.book("r1.compress")
    tight.book("end.format")


def test_calls_that_are_running_count_until_they_are_settled_or_released() -> None:
    given = debate(tokens=20_000)
    held = ledger(given, ROUND)
    passes = ["r2.verify" + "1" * i for i in range(20)]  # as many second looks, sent at the same moment
    sent = 0
    for slot in passes:
        try:
            held.book(slot)
        except OverBudgetError as error:
            assert "in calls that are running" in error.message  # noqa: PT017  which call is refused is not known before
            break
        sent += 1
    assert 0 < sent < 20
    held.release(passes[0])
    held.book(passes[-1])


def test_a_defence_that_does_not_fit_is_left_out_and_the_round_goes_on() -> None:
    tight = ledger(debate(tokens=7500), ROUND[:4])
    with pytest.raises(LLMError, match="Not asked") as refused:
        tight.book("r1.defend.optimizer_b")
    assert refused.value.kind == "over_budget"


def test_past_its_cap_even_the_ending_is_refused_so_that_its_fallbacks_say_so() -> None:
    with pytest.raises(LLMError, match="is reached"):
        ledger(debate(tokens=6000), ROUND).book("end.format")


def test_minutes_run_while_a_step_runs() -> None:
    now = [0.0]
    timed = ledger(debate(minutes=20), ROUND, minutes=6, now=now)
    timed.book("r2.synthesize")
    timed.release("r2.synthesize")
    now[0] = 13.5 * 60
    assert timed.minutes == pytest.approx(19.5)
    with pytest.raises(OverBudgetError, match=r"limit of 20 minutes: 19\.5 minutes used"):
        timed.book("r2.synthesize")
    assert "20 minutes" in timed.limit(2)


def test_a_round_is_not_recommended_when_it_does_not_fit() -> None:
    assert ledger(debate(dollars=1), ROUND).limit(2) == ""
    assert "round 2 does not fit into the cap of $0.08: $0.07 used" in ledger(debate(dollars=0.08), ROUND).limit(2)


def test_an_unknown_price_is_named_only_where_there_is_a_cap_in_dollars() -> None:
    settings = Settings(
        endpoints={"house": {"url": "http://localhost:1"}}, panels={"house": {"model": "some-model@house"}}
    )
    assert "some-model@house" in unheld(config("house", settings, budget=Budget(dollars=1)))
    assert unheld(config("house", settings, budget=Budget(tokens=1))) == ""
    assert unheld(debate(dollars=1)) == ""
