"""Calls as rows: order, time without the pauses, attempts, words."""

from dataclasses import replace

import pytest

from pages.parts import trace
from tests.app.kept import a_record
from tests.builders import a_call, a_run, stamp
from vada.llm.base import CallRecord, Part
from vada.models.run import Usage
from vada.models.vocabulary import PhaseName, Role


def a_kept(slot: str = "r1.propose.challenger", **changes: object) -> CallRecord:
    return replace(a_record(a_call(slot, Role.CHALLENGER, PhaseName.PROPOSE, 1)), **changes)  # type: ignore[arg-type]


def test_calls_stand_in_the_order_they_began() -> None:
    records = [a_record(c) for c in a_run().calls]
    rows, _ = trace.rows(reversed(records))
    begins = [row.begin for row in rows]
    assert begins == sorted(begins)
    assert begins[0] == 0


def test_a_wait_at_a_gate_is_cut_out_and_marked() -> None:
    first = a_kept(started_at=stamp(0), seconds=10.0)
    later = a_kept("r2.propose.challenger", started_at=stamp(3600), seconds=5.0)
    rows, (pause,) = trace.rows([first, later])
    assert rows[1].begin == 10 + trace.CUT
    assert pause.seconds == 3590
    assert 10 < pause.at < rows[1].begin


def test_calls_that_overlap_make_no_pause() -> None:
    long = a_kept(started_at=stamp(0), seconds=60.0)
    short = a_kept("r1.propose.simplifier", started_at=stamp(30), seconds=1.0)
    after = a_kept("r1.synthesize", started_at=stamp(61), seconds=1.0)
    _, pauses = trace.rows([long, short, after])
    assert pauses == []


def test_an_attempt_that_was_tried_again_is_marked() -> None:
    failed = a_kept(attempt=1, error={"kind": "overloaded", "message": "busy"}, message=None)
    rows, _ = trace.rows([failed, a_kept(attempt=2)])
    assert [(row.retried, row.ok, row.status) for row in rows] == [
        (True, False, "overloaded"),
        (False, True, "answered"),
    ]
    assert rows[1].label.endswith(", attempt 2")


def test_calls_taken_over_from_a_parent_are_not_paid_again() -> None:
    paid, taken = a_kept(usage=Usage(dollars=1.0)), a_kept("r1.verify", id="taken", usage=Usage(dollars=9.0))
    rows, _ = trace.rows([paid, taken], reused={"taken"})
    assert trace.total(rows).dollars == 1.0


@pytest.mark.parametrize(
    ("slot", "label"),
    [
        ("r1.propose.optimizer_a", "Round 1 · propose Optimizer A"),
        ("r2.verify2", "Round 2 · verify again"),
        ("end.audit.1", "End · audit look 1"),
        ("end.format", "End · format"),
    ],
)
def test_a_slot_is_told_in_words(slot: str, label: str) -> None:
    assert trace.label(slot, 1) == label


def test_an_unknown_kind_of_error_is_shown_as_it_is() -> None:
    assert trace.status(a_kept(error={"kind": "new_kind", "message": ""})) == "new kind"


def test_the_shares_of_a_prompt_add_up() -> None:
    parts = (Part("shared", "abcd"), Part("anchor", "ab"), Part("round", ""))
    assert trace.shares(parts, len) == [("shared", 4, 4 / 6), ("anchor", 2, 2 / 6), ("round", 0, 0)]
    assert trace.shares((Part("shared", ""),), len) == [("shared", 0, 0)]


def test_a_reply_is_readable_whatever_its_blocks() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "server_tool_use", "name": "web_search", "input": {"query": "ü"}},
        {"type": "web_search_tool_result", "content": [{"title": "T", "url": "https://a.example"}]},
        {"type": "text", "text": '{"a":1}'},
        {"type": "text", "text": "not json"},
    ]
    text = trace.reply(a_kept(message={"content": blocks}))
    for wanted in ("Hm.", '"query": "ü"', "T — https://a.example", '{\n  "a": 1\n}', "not json"):
        assert wanted in text


def test_the_download_holds_what_was_sent_and_what_came_back() -> None:
    data = trace.download(a_kept())
    assert b'"request"' in data
    assert b"Text of anchor" in data
    assert b"weakness" in data
