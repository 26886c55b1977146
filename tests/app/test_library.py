"""The Library: every debate found, opened, compared, replayed, exported, imported, deleted and brought back."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import kept
from tests.app.screens import active_markup, labels, opened, words
from tests.builders import a_rehearsal, a_run
from tests.hostile import CASES, HOST, Case
from tests.recorded import put
from vada.models.debate import Lineage
from vada.models.run import Run
from vada.models.vocabulary import PhaseName
from vada.settings import load
from vada.worker import Debates

PAGE = "library.py"


def debates() -> Debates:
    """The record of this test."""
    return Debates.open(load())


def a_debate(id: str, question: str, **changes: Any) -> Run:
    """A debate of one round about a question, in the record."""
    run = a_run(rounds=1)
    config = run.config.model_copy(update={"question": question, **changes})
    run = run.model_copy(update={"id": id, "config": config})
    put(run)
    return run


def rows(screen: AppTest) -> list[str]:
    """The ids of the debates that are shown, in their order."""
    keys = [b.key or "" for b in [*screen.checkbox, *screen.button]]
    return [k.partition(".")[2] for k in keys if k.startswith(("pick.", "restore."))]


def test_an_empty_library_says_what_will_stand_there_and_leads_to_the_first_question() -> None:
    screen = opened(PAGE)
    assert not screen.exception
    assert "No debates yet" in [s.value for s in screen.subheader]
    assert "Ask the first question" in [link.label for link in screen.page_link]


def test_a_debate_stands_there_with_state_score_cost_and_domain() -> None:
    a_debate("one111", "Do we move the clinic's records?")
    said = words(opened(PAGE))
    for wanted in ("Revised", "Do we move the clinic's records?", "Software architecture", "1 round", "Score", "$0."):
        assert wanted in said


def test_a_rehearsal_says_so_instead_of_a_cost() -> None:
    put(a_run(config=a_rehearsal()))
    assert "Cost rehearsal" in words(opened(PAGE))


def test_a_debate_that_waits_for_a_person_stands_first() -> None:
    put(a_run(rounds=1, stage=PhaseName.DECIDE).model_copy(update={"id": "waits1"}))
    a_debate("ended1", "Newer?")
    screen = opened(PAGE)
    assert rows(screen)[0] == "waits1"
    assert "Needs you" in words(screen)


def test_search_finds_words_of_the_question_and_of_what_came_of_it_in_any_order() -> None:
    a_debate("one111", "Do we move the clinic's records?")
    a_debate("two222", "Which database for three years?")
    screen = opened(PAGE, q="RECORDS clinic")
    assert rows(screen) == ["one111"]
    statement = debates().run("one111").rounds[0].synthesis.decisions[0].statement  # type: ignore[union-attr]
    assert sorted(rows(opened(PAGE, q=statement))) == ["one111", "two222"]


def test_a_search_that_finds_nothing_says_what_to_change() -> None:
    a_debate("one111", "Do we move the clinic's records?")
    screen = opened(PAGE, q="zebra")
    assert rows(screen) == []
    assert "No debate matches." in words(screen)


def test_a_filter_of_the_address_is_applied() -> None:
    put(a_run(rounds=1, stage=PhaseName.DECIDE).model_copy(update={"id": "waits1"}))
    a_debate("ended1", "Ended?")
    screen = opened(PAGE, state="Needs you")
    assert rows(screen) == ["waits1"]
    screen.pills(key="state").set_value([]).run()
    assert len(rows(screen)) == 2


def test_the_family_tree_sets_a_fork_below_its_parent() -> None:
    a_debate("old111", "Parent?")
    a_debate("new222", "Newer?")
    a_debate("fork33", "Parent?", lineage=Lineage(parent="old111", round=1))
    screen = opened(PAGE, view="Family tree")
    shown = rows(screen)
    assert shown.index("fork33") == shown.index("old111") + 1
    assert "fork after round 1" in words(screen)


def test_a_deleted_debate_goes_and_can_be_brought_back_at_once() -> None:
    a_debate("one111", "Do we move the clinic's records?")
    screen = opened(PAGE)
    screen.button(key="delete.one111").click().run()
    assert rows(screen) == []
    assert debates().list() == []
    screen.button(key="undo.delete").click().run()
    assert rows(screen) == ["one111"]


def test_a_deleted_debate_is_among_the_deleted_ones_and_can_be_brought_back_later() -> None:
    a_debate("one111", "Do we move the clinic's records?")
    debates().delete("one111")
    screen = opened(PAGE, deleted="true")
    assert rows(screen) == ["one111"]
    screen.button(key="restore.one111").click().run()
    assert [row.id for row in debates().list()] == ["one111"]


def test_two_chosen_debates_are_compared_and_stand_in_the_address() -> None:
    put(a_run().model_copy(update={"id": "full11"}))
    a_debate("one111", "Do we move the clinic's records?")
    screen = opened(PAGE)
    screen.checkbox(key="pick.full11").check().run()
    assert any("Choose a second one" in c.value for c in screen.caption)
    screen.checkbox(key="pick.one111").check().run()
    said = words(screen)
    for wanted in ("What was asked", "Decisions", "Scores", "Failure modes", "Do we move the clinic's records?"):
        assert wanted in said
    assert sorted(screen.query_params.get("compare", [])) == ["full11", "one111"]
    screen.button(key="compare.close").click().run()
    assert "Failure modes" not in words(screen)
    assert not screen.checkbox(key="pick.full11").value


def test_a_third_choice_pushes_the_oldest_out() -> None:
    for id in ("one111", "two222", "thr333"):
        a_debate(id, f"{id}?")
    screen = opened(PAGE)
    for id in ("one111", "two222", "thr333"):
        screen.checkbox(key=f"pick.{id}").check().run()
    assert not screen.checkbox(key="pick.one111").value
    assert screen.checkbox(key="pick.two222").value
    assert screen.checkbox(key="pick.thr333").value


def test_an_exported_record_is_taken_up_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept.put(a_run(rounds=1).model_copy(update={"id": "one111"}))
    bundle = debates().export_bundle("one111")
    monkeypatch.setenv("VADA_HOME", str(tmp_path / "elsewhere"))
    screen = opened(PAGE)
    assert rows(screen) == []
    screen.file_uploader[0].set_value([("vada-one111.zip", bundle, "application/zip")]).run()
    assert "Imported. Open it" in [link.label for link in screen.page_link]
    assert rows(screen) == ["one111"]


def test_a_file_that_is_no_record_is_refused_with_the_reason() -> None:
    screen = opened(PAGE)
    screen.file_uploader[0].set_value([("holiday.zip", b"no zip at all", "application/zip")]).run()
    assert "bundle" in words(screen)
    assert debates().list() == []


def test_a_replay_shows_the_debate_as_it_stood() -> None:
    put(a_run().model_copy(update={"id": "full11"}))
    screen = opened(PAGE, replay="full11")
    assert not screen.exception
    assert screen.title[0].value == "Replay"
    assert "Weighted score" in [m.label for m in screen.metric]
    first = words(screen)
    screen.slider(key="replay.at").set_value(screen.slider(key="replay.at").max).run()
    last = words(screen)
    assert "The debate ends: revised." in last
    assert len(last) > 2 * len(first)
    screen.button(key="replay.back").click().run()
    assert "The debate ends" not in words(screen)


def test_a_replay_plays_to_its_end_and_stops_there() -> None:
    put(a_run(rounds=1).model_copy(update={"id": "full11"}))
    screen = opened(PAGE, replay="full11")
    screen.button(key="replay.play").click().run()
    at = screen.slider(key="replay.at").value
    screen.run()
    assert screen.slider(key="replay.at").value == at + 1
    for _ in range(int(screen.slider(key="replay.at").max)):
        screen.run()
    assert screen.button(key="replay.play").label == "Play"
    assert screen.slider(key="replay.at").value == screen.slider(key="replay.at").max


def test_a_replay_of_a_debate_nobody_has_says_so() -> None:
    screen = opened(PAGE, replay="nobody")
    assert not screen.exception
    assert "There is no debate nobody." in words(screen)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_hostile_question_stays_a_text(case: Case) -> None:
    a_debate("evil11", case.text)
    a_debate("evil22", case.text)
    screen = opened(PAGE)
    screen.checkbox(key="pick.evil11").check().run()
    screen.checkbox(key="pick.evil22").check().run()
    assert case.shows in words(screen)
    assert active_markup(screen) == []
    assert HOST not in labels(screen)
