"""Prices and the estimate: equal to a calculation by hand, unknown where unknown, free for rehearsal."""

import pytest

from tests.test_settings import PACK
from vada.llm.pricing import estimate, kind_of, learned, price, rates, usage_of
from vada.models.debate import DebateConfig, Material
from vada.models.run import Usage
from vada.models.vocabulary import DEBATERS, GateMode, Role
from vada.settings import Settings, default_seats


def config(panel: str, settings: Settings | None = None, **changes: object) -> DebateConfig:
    settings = settings or Settings()
    seats = default_seats(settings, PACK, panel=panel, web=False)
    return DebateConfig(**{"question": "Should we move?", "pack": PACK, "seats": seats, **changes})


MESSAGE = {
    "usage": {
        "input_tokens": 1200,
        "cache_creation_input_tokens": 3000,
        "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000},
        "cache_read_input_tokens": 9000,
        "output_tokens": 800,
        "output_tokens_details": {"thinking_tokens": 200},
        "server_tool_use": {"web_search_requests": 3},
    }
}


def test_a_calls_price_is_that_of_a_calculation_by_hand() -> None:
    by_hand = (1200 * 2 + 1000 * 2.5 + 2000 * 4 + 9000 * 0.1 + 800 * 10) / 1e6 + 3 * 0.01
    assert price("claude-sonnet-5-5", MESSAGE) == pytest.approx(by_hand)


def test_usage_is_read_with_cache_thinking_and_searches() -> None:
    used = usage_of(MESSAGE)
    assert (used.input_tokens, used.cache_write_tokens, used.cache_read_tokens) == (1200, 3000, 9000)
    assert (used.output_tokens, used.thinking_tokens, used.searches) == (800, 200, 3)
    assert usage_of({"usage": {"input_tokens": 5, "output_tokens": None}}).input_tokens == 5
    assert usage_of({}).output_tokens == 0


@pytest.mark.parametrize("name", ["qwen3:8b", "claude-opus-99", "rehearsal"])
def test_an_unknown_price_stays_unknown(name: str) -> None:
    assert price(name, MESSAGE) is None
    assert rates(name) is None


def test_the_rates_are_list_prices_per_million() -> None:
    found = rates("claude-opus-5-5")
    assert found is not None
    assert (found.input, found.output, found.search) == (4, 20, 0.01)


def test_an_estimate_spans_the_shortest_likely_to_the_longest_debate() -> None:
    found = estimate(config("balanced"), Settings())
    assert (found.calls.low, found.calls.high) == (14, 31)
    assert found.dollars is not None
    assert 0 < found.dollars.low < found.dollars.high
    assert 0 < found.minutes.low < found.minutes.high
    assert found.assumptions
    one = estimate(config("balanced", rounds=1), Settings())
    assert (one.calls.low, one.calls.high) == (8, 13)


def test_an_estimate_grows_with_the_material_and_with_the_price() -> None:
    plain = estimate(config("fast"), Settings()).dollars
    more = estimate(config("fast", material=(Material(name="m", text="word " * 5000),)), Settings()).dollars
    dear = estimate(config("best"), Settings()).dollars
    assert plain is not None
    assert more is not None
    assert dear is not None
    assert plain.high < more.high < dear.high


def test_an_estimate_with_an_unpriced_model_is_unknown_and_names_it() -> None:
    settings = Settings(
        endpoints={"local": {"url": "http://localhost:1"}},
        panels={"mixed": {"model": "claude-opus-5-5", "roles": {"challenger": "qwen3:8b@local"}}},
    )
    found = estimate(config("mixed", settings), settings)
    assert found.dollars is None
    assert found.unpriced == ("qwen3:8b@local",)
    assert found.calls.high == 31


def test_a_rehearsal_costs_nothing_and_takes_its_own_time() -> None:
    settings = Settings(rehearsal_speed=0)
    found = estimate(config("rehearsal", settings), settings)
    assert found.dollars is not None
    assert found.dollars.high == 0
    assert found.minutes.high == 0
    assert found.unpriced == ()


def test_fewer_calls_at_once_take_longer() -> None:
    slow = Settings(endpoints={"anthropic": {"concurrency": 1}})
    assert estimate(config("best"), slow).minutes.high > estimate(config("best"), Settings()).minutes.high * 1.3


def test_an_estimate_learns_from_debates_that_were_held() -> None:
    held = config("balanced", rounds=1)
    used = Usage(input_tokens=2000, cache_read_tokens=1000, output_tokens=500, seconds=4, dollars=0.01)
    slots = [f"r1.propose.{r}" for r in DEBATERS] + ["r1.synthesize", "r1.verify", "end.format", "end.audit.1"]
    taken = [(s, str(held.seat(Role.COORDINATOR).model), used) for s in slots]
    found = estimate(held, Settings(), learned([(held, taken)]))
    assert found.tokens.low == pytest.approx(len(slots) * 3500)
    more = estimate(held.model_copy(update={"question": "Why? " * 400}), Settings(), learned([(held, taken)]))
    assert more.tokens.low > found.tokens.low + 7 * 700
    assert "debates so far" in found.assumptions[-1]


def test_what_is_kept_for_an_hour_costs_more_to_write_and_an_estimate_counts_that() -> None:
    held = config("balanced", rounds=1)
    used = Usage(input_tokens=0, cache_write_tokens=10_000, output_tokens=1, seconds=4)
    slots = [f"r1.propose.{r}" for r in DEBATERS] + ["r1.synthesize", "r1.verify", "end.format", "end.audit.1"]
    habits = learned([(held, [(s, str(held.seat(Role.COORDINATOR).model), used) for s in slots])])
    spans = [estimate(held, Settings(cache_ttl=ttl), habits).dollars for ttl in ("5m", "1h", "auto")]
    short, long, auto = (span.low for span in spans if span)
    assert long / short == pytest.approx(1.6, rel=0.01)  # 2 instead of 1.25 times the price of input
    assert auto == long
    by_itself = estimate(held.model_copy(update={"gate": GateMode.AUTOPILOT}), Settings(), habits).dollars
    assert by_itself is not None
    assert by_itself.low == short


@pytest.mark.parametrize(
    ("slot", "kind"),
    [("r1.propose.challenger", "propose.challenger"), ("r2.defend.simplifier", "defend"), ("r3.verify2", "verify"),
     ("end.audit.2", "audit"), ("end.revise", "revise")],
)  # fmt: skip
def test_a_slot_tells_its_kind_of_call(slot: str, kind: str) -> None:
    assert kind_of(slot) == kind


def test_only_an_endpoints_own_searches_are_charged_by_it() -> None:
    own, other = Settings(), Settings(search_provider="ddgs", endpoints={"anthropic": {"search": False}})
    asked = config("balanced", seats=default_seats(own, PACK, panel="balanced", web=True))
    by_itself, through = estimate(asked, own), estimate(asked, other)
    assert through.tokens == by_itself.tokens
    assert by_itself.dollars
    assert through.dollars
    assert by_itself.dollars.high - through.dollars.high == pytest.approx(0.01 * 3 * (4 * 3 + 2))
