"""Values in words: never a false zero, never a formula, cut at words."""

import pytest

from vada.models.run import Usage
from vada.views import words


@pytest.mark.parametrize(
    ("dollars", "said"),
    [(None, "price unknown"), (0, "$0.00"), (0.004, "< $0.01"), (0.01, "$0.01"), (1234.5, "$1,234.50")],
)
def test_money_is_never_a_false_zero(dollars: float | None, said: str) -> None:
    assert words.money(dollars) == said


def test_a_rehearsal_has_cost_nothing_even_where_no_price_is_known() -> None:
    assert words.spend(Usage(dollars=None), rehearsal=True) == "$0.00"
    assert words.spend(Usage(dollars=None), rehearsal=False) == "price unknown"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-3, "0 s"), (59.4, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (3900, "1 h 5 min")],
)
def test_a_span_is_read_at_a_glance(seconds: float, said: str) -> None:
    assert words.span(seconds) == said


@pytest.mark.parametrize(("number", "said"), [(7, "7"), (950, "950"), (12_400, "12.4k"), (3_100_000, "3.1M")])
def test_a_count_stays_short(number: int, said: str) -> None:
    assert words.count(number) == said


def test_no_change_has_no_sign() -> None:
    assert [words.change(v) for v in (None, 0, -0.04, 0.04, 0.5, -1)] == ["", "0.0", "0.0", "0.0", "+0.5", "-1.0"]


def test_a_text_is_cut_at_a_word_on_one_line() -> None:
    cut = words.clipped("one two\nthree four, five six", 24)
    assert cut == "one two three four…"
    assert words.clipped("short") == "short"


def test_things_are_listed_as_a_person_lists_them() -> None:
    assert [words.listed(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_a_time_without_a_zone_is_utc() -> None:
    assert words.moment("2026-11-30T09:00:00") == words.moment("2026-11-30T10:00:00+01:00")


def test_an_issue_and_an_agent_are_named_as_a_person_reads_them() -> None:
    assert words.issue("reversal_trigger") == "What would reverse it"
    assert words.issue("first_step") == "First step"
    assert words.issue("Is the free plan_x worth it?") == "Is the free plan_x worth it?"
    assert words.agents(["optimizer_a", "Optimizer B"]) == "Optimizer A and Optimizer B"
