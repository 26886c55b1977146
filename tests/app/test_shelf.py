"""The Library's order, tree, search, moments and comparison."""

from datetime import UTC, datetime, timedelta

import pytest

from pages.parts import shelf
from tests.builders import a_run, events, stamp
from vada.failure_modes import Finding, State, measure
from vada.models.events import EventKind
from vada.models.run import fold
from vada.models.vocabulary import DebateState, FailureMode
from vada.store import DebateRow


def a_row(id: str, at: float = 0, **changes: object) -> DebateRow:
    fields = {
        "id": id, "question": "Q?", "state": DebateState.CLEAN, "created_at": stamp(at), "updated_at": stamp(at),
        "dollars": 0.0, "rounds": 1, "parent": None, "parent_round": None, "pack": "p", "rehearsal": True,
        "score": None,
    }  # fmt: skip
    return DebateRow(**{**fields, **changes})  # type: ignore[arg-type]


def ids(leaves: list[shelf.Leaf]) -> list[tuple[str, int]]:
    return [(leaf.row.id, leaf.depth) for leaf in leaves]


def test_what_waits_for_a_person_stands_first_then_what_runs_then_the_latest() -> None:
    rows = [
        a_row("old", 1),
        a_row("new", 9),
        a_row("runs", 2, state=DebateState.RUNNING),
        a_row("waits", 3, state=DebateState.WAITING),
    ]
    assert [row.id for row in shelf.ordered(rows)] == ["waits", "runs", "new", "old"]


def test_children_stand_below_their_parent_oldest_first() -> None:
    rows = [
        a_row("root", 1),
        a_row("b", 3, parent="root", parent_round=1),
        a_row("a", 2, parent="root", parent_round=1),
        a_row("aa", 4, parent="a", parent_round=0),
        a_row("other", 9),
    ]
    assert ids(shelf.tree(rows)) == [("other", 0), ("root", 0), ("a", 1), ("aa", 2), ("b", 1)]


def test_a_child_whose_parent_is_not_shown_is_a_root_and_a_circle_shows_each_once() -> None:
    assert ids(shelf.tree([a_row("lost", parent="gone")])) == [("lost", 0)]
    circle = shelf.tree([a_row("a", parent="b"), a_row("b", parent="a")])
    assert sorted(leaf.row.id for leaf in circle) == ["a", "b"]


@pytest.mark.parametrize(
    ("back", "said"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=14), "14 d ago"),
        (timedelta(days=30), "31 Oct 2026"),
    ],
)
def test_how_long_ago_is_said_in_one_unit(back: timedelta, said: str) -> None:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert shelf.ago((now - back).isoformat(), now) == said


def test_a_search_looks_at_question_constraints_decisions_minority_and_result() -> None:
    run = a_run()
    text = shelf.searchable(run)
    synthesis = run.rounds[-1].synthesis
    assert synthesis
    assert run.deliverable
    for wanted in (run.config.question, synthesis.decisions[0].statement, run.deliverable.text):
        assert wanted.casefold() in text


def test_every_moment_of_a_replay_can_be_shown_and_the_last_one_is_the_whole_debate() -> None:
    run = a_run()
    told = events(run)
    moments = shelf.moments(told)
    assert moments[0].text == "The debate is entered."
    assert all(fold(told[: m.events]) for m in moments)
    assert fold(told[: moments[-1].events]).state is run.state
    assert [m.events for m in moments] == sorted({m.events for m in moments})


def test_a_wait_of_days_is_seconds_on_the_clock_of_a_replay() -> None:
    told = [e.model_copy(update={"at": stamp(86_400.0 * i)}) for i, e in enumerate(events(a_run(rounds=1)))]
    moments = shelf.moments(told)
    assert moments[-1].seconds == (moments[-1].events - 1) * shelf.LONGEST_PAUSE


def test_a_call_that_ended_is_no_moment() -> None:
    told = [e for e in events(a_run(rounds=1)) if e.kind in (EventKind.DEBATE_CREATED, EventKind.CALL_ENDED)]
    assert len(shelf.moments(told)) == 1


def test_decisions_are_compared_by_key_those_of_both_first() -> None:
    left, right = a_run(), a_run(rounds=2)
    pairs = shelf.decisions(left, right)
    both = [p for p in pairs if p.same is not None]
    assert pairs[: len(both)] == both
    assert {p.same for p in both} == {True, False}


def test_the_right_score_says_by_how_much_it_differs() -> None:
    weighted = shelf.scores(a_run(), a_run(rounds=2))[0]
    assert (weighted.name, weighted.left) == ("Weighted", "7.1")
    assert weighted.right == "6.7 (-0.4)"
    assert shelf.scores(a_run(), a_run())[0].right == "7.1"


def test_failure_modes_are_compared_over_the_whole_debate() -> None:
    left = measure(a_run())
    pairs = shelf.modes(left, left)
    assert 0 < len(pairs) <= len(FailureMode)
    assert {p.same for p in pairs} == {None}
    assert all(isinstance(f, Finding) and isinstance(f.state, State) for f in left)
