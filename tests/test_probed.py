"""What follows from reports: the file wins, a new address voids them, aliases are not gone, families are mixed."""

from typing import Any

import pytest

from vada.models.debate import ModelRef, Seat
from vada.models.reports import EndpointReport, ModelReport
from vada.models.vocabulary import Role
from vada.probed import MIXED, applied, mixed, nearest, offered, standing, troubles
from vada.settings import Panel, Settings, family

DESK = "http://desk"
PART: dict[str, Any] = {"keeps_schema": False, "streams": False, "searches": True, "takes_tools": True}


def a_report(name: str = "desk", url: str = DESK, **changes: Any) -> EndpointReport:
    given: dict[str, Any] = {"name": name, "url": url, "key": "not needed", "reachable": True}
    return EndpointReport(**{**given, **changes})


def asked(name: str = "qwen3", **found: Any) -> ModelReport:
    return ModelReport(**{"name": name, "answers": True, **found})


def at_desk(**endpoint: Any) -> Settings:
    return Settings(endpoints={"desk": {"url": DESK, **endpoint}})


def desk_of(settings: Settings, *models: ModelReport, **report: Any) -> tuple[str, bool, bool | None]:
    """Schema, streaming and search of the endpoint once a report is applied."""
    e = applied(settings, {"desk": a_report(models=models, **report)}).endpoints["desk"]
    return e.structure, e.stream, e.search


# How calls are made.


def test_where_the_file_is_silent_calls_are_made_as_the_check_found() -> None:
    assert desk_of(at_desk(), asked(**PART)) == ("prompt", False, True)
    assert desk_of(at_desk(), asked(keeps_schema=True, streams=True, searches=False)) == ("native", True, False)
    assert desk_of(at_desk(), asked()) == ("native", True, None)


def test_what_the_file_says_wins() -> None:
    given = at_desk(schema="native", stream=True, search=False)
    assert desk_of(given, asked(**PART)) == ("native", True, False)


def test_an_endpoint_is_taken_for_what_each_of_its_models_can() -> None:
    assert desk_of(at_desk(), asked(keeps_schema=True, streams=True), asked("glm", **PART)) == ("prompt", False, True)


def test_a_search_needs_tools_to_hand_its_reply_in() -> None:
    assert desk_of(at_desk(), asked(searches=True, takes_tools=False))[2] is False


def test_a_report_of_another_address_is_void() -> None:
    moved = Settings(endpoints={"desk": {"url": "http://elsewhere"}})
    report = a_report(models=(asked(**PART),), listed=("qwen3",))
    assert standing(moved, {"desk": report}) == {}
    assert desk_of(moved, asked(**PART)) == ("native", True, None)
    assert "qwen3@desk" not in offered(moved, {"desk": report})


# What is kept of an earlier report.


def test_a_list_read_anew_keeps_what_was_learned_by_asking() -> None:
    earlier = a_report(models=(asked(**PART), asked("gone")), listed=("qwen3", "gone"))
    later = a_report(models=(ModelReport(name="qwen3", listed=True),), listed=("qwen3", "new")).after(earlier)
    assert later.listed == ("qwen3", "new")
    assert [(m.name, m.listed, m.keeps_schema) for m in later.models] == [("qwen3", True, False)]
    moved = a_report(url="http://elsewhere").after(earlier)
    assert moved.models == ()


def test_a_model_that_answered_though_it_was_never_listed_is_not_forgotten() -> None:
    earlier = a_report(models=(asked("mine", listed=False),), listed=("file.gguf",))
    said = ModelReport(name="mine", listed=False, error="desk does not list the model mine.")
    later = a_report(models=(said,), listed=("file.gguf",)).after(earlier)
    assert later.ok
    assert nearest(ModelRef.parse("mine@desk"), {"desk": later}) is None


def test_a_new_answer_stands_in_the_place_of_an_old_one() -> None:
    later = a_report(models=(asked(streams=True),)).after(a_report(models=(asked(streams=False),)))
    assert later.can("streams")


# A model that is gone.


@pytest.mark.parametrize(
    ("name", "listed", "near"),
    [
        ("claude-sonnet-5-5", ("claude-sonnet-5-5",), None),
        ("claude-sonnet-5-5-20261001", ("claude-sonnet-5-5",), None),
        ("claude-sonnet-5-5", ("claude-sonnet-5-5-20261001",), None),
        ("gpt-6@2026-05-01", ("gpt-6",), None),
        ("qwen3", ("qwen3:latest",), None),
        ("claude-sonnet-5-5-20250101", ("claude-sonnet-5-5-20261001",), ("claude-sonnet-5-5-20261001",)),
        ("claude-sonet-5-5", ("qwen3", "claude-sonnet-5-5"), ("claude-sonnet-5-5",)),
        ("claude-sonnet-5-5", ("qwen3",), ()),
        ("qwen3", (), None),
    ],
)
def test_a_model_is_gone_when_neither_it_nor_its_alias_is_listed(
    name: str, listed: tuple[str, ...], near: tuple[str, ...] | None
) -> None:
    model = ModelRef(name=name, endpoint="desk")
    assert nearest(model, {"desk": a_report(listed=listed)}) == near
    assert nearest(model, {}) is None


def test_after_a_failed_check_nothing_is_known_to_be_gone_but_the_failure_is_noticed() -> None:
    failed = a_report(reachable=False, error="desk could not be reached.", listed=("other",))
    seat = Seat(role=Role.CRITIC, model=ModelRef.parse("qwen3@desk"))
    assert nearest(seat.model, {"desk": failed}) is None
    assert troubles([seat], at_desk(), {"desk": failed}) == [
        "The last check of desk failed: desk could not be reached."
    ]


def test_a_model_that_did_not_answer_and_a_fallback_that_is_gone_are_noticed() -> None:
    silent = ModelReport(name="qwen3", answers=False, error="it refused")
    seat = Seat(role=Role.CRITIC, model=ModelRef.parse("qwen3@desk"), fallbacks=(ModelRef.parse("old@desk"),))
    said = troubles([seat], at_desk(), {"desk": a_report(models=(silent,), listed=("qwen3",))})
    assert said == [
        "qwen3@desk did not answer when it was last checked: it refused",
        "The fallback old@desk is not on its endpoint's list.",
    ]


def test_listed_models_are_offered_after_those_of_panels() -> None:
    found = offered(at_desk(), {"desk": a_report(listed=("qwen3", "glm-5"))})
    assert found[0].endswith("@anthropic")
    assert found[-2:] == ["qwen3@desk", "glm-5@desk"]


# The panel of mixed families.


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")


def families(panel: Panel) -> dict[Role, str]:
    return {role: family(panel.of(role).name) for role in Role}


def test_two_families_in_reach_make_a_panel_that_mixes_them(key: None) -> None:
    panel = mixed(at_desk(), {"desk": a_report(listed=("nomic-embed-text", "qwen3:0.6b", "qwen3:32b"))})
    assert panel is not None
    sits = families(panel)
    assert sits[Role.OPTIMIZER_A] != sits[Role.OPTIMIZER_B]
    assert sits[Role.COORDINATOR] not in (sits[Role.CHALLENGER], sits[Role.VERIFIER], sits[Role.CRITIC])
    assert str(panel.of(Role.COORDINATOR)) == "claude-sonnet-5-5@anthropic"
    assert str(panel.of(Role.VERIFIER)) == "qwen3:32b@desk"


def test_a_third_family_takes_the_challenger(key: None) -> None:
    panel = mixed(at_desk(), {"desk": a_report(listed=("qwen3", "glm-5"))})
    assert panel is not None
    assert len(set(families(panel).values())) == 3


def test_a_model_that_answered_is_taken_before_one_that_is_only_listed(key: None) -> None:
    panel = mixed(at_desk(), {"desk": a_report(listed=("qwen3", "qwen4"), models=(asked("qwen4"),))})
    assert panel is not None
    assert panel.of(Role.VERIFIER).name == "qwen4"


def test_one_family_or_none_makes_no_panel(key: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mixed(Settings(), {}) is None
    assert mixed(at_desk(), {"desk": a_report(listed=("claude-opus-5-5", "my-own", "nomic-embed-text"))}) is None
    assert mixed(at_desk(), {"desk": a_report(reachable=False, error="down", listed=("qwen3",))}) is None
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert mixed(at_desk(), {"desk": a_report(listed=("qwen3",))}) is None


def test_families_that_panels_name_need_no_list(key: None) -> None:
    own = Settings(endpoints={"desk": {"url": DESK}}, panels={"mine": {"model": "zephyr@desk"}})
    panel = mixed(own, {})
    assert panel is not None
    assert str(panel.of(Role.OPTIMIZER_B)) == "zephyr@desk"


def test_the_mixed_panel_stands_with_the_others_and_the_files_own_wins(key: None) -> None:
    reports = {"desk": a_report(listed=("qwen3",))}
    assert list(applied(at_desk(), reports).panels) == ["fast", "balanced", "best", MIXED, "rehearsal"]
    assert MIXED not in applied(at_desk(), {}).panels
    own = Settings(endpoints={"desk": {"url": DESK}}, panels={MIXED: {"model": "glm-5@desk"}})
    assert str(applied(own, {"desk": a_report(listed=("qwen3", "glm-5"))}).panels[MIXED].model) == "glm-5@desk"
