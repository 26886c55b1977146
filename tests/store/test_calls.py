"""Calls are kept once, a retry makes room without losing what was paid for, live text never outlives its call."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import builders
from vada.store import Database, calls, debates
from vada.store.calls import Call

ID = "d0000000"


@pytest.fixture
def database(database: Database) -> Database:
    database.write(lambda c: debates.create(c, ID, builders.a_config(), step="r1"))
    return database


def a_call(id_: str = "c1", slot: str = "r1.synthesize", attempt: int = 1, **body: Any) -> Call:
    return Call(id=id_, slot=slot, attempt=attempt, round=1, started_at="2026-01-01", body=body)


def test_the_first_writer_of_an_attempt_wins(database: Database) -> None:
    def save(number: int) -> Call:
        return database.write(lambda c: calls.save(c, ID, a_call(f"c{number}", text=str(number))), durable=True)

    with ThreadPoolExecutor(8) as pool:
        standing = list(pool.map(save, range(16)))
    kept = database.read(lambda c: calls.read(c, ID))
    stands = [c for c in kept if not c.superseded]
    assert len(stands) == 1
    assert {c.id for c in standing} == {stands[0].id}
    assert database.read(lambda c: calls.find(c, ID, "r1.synthesize", 1)) == stands[0]
    assert {c.id for c in kept} == {f"c{n}" for n in range(16)}, "what was paid for is kept"


def test_a_call_that_was_cut_off_does_not_stand_in_the_way_of_one_that_ended(database: Database) -> None:
    cut = replace(a_call("cut"), broken=True)
    assert database.write(lambda c: calls.save(c, ID, cut)).id == "cut"
    assert database.write(lambda c: calls.save(c, ID, a_call("whole"))).id == "whole"
    assert database.write(lambda c: calls.save(c, ID, replace(a_call("late"), broken=True))).id == "whole"
    assert database.write(lambda c: calls.save(c, ID, a_call("whole"))).id == "whole"
    assert len(database.read(lambda c: calls.read(c, ID))) == 3


def test_a_retry_makes_room_for_spent_attempts_only_and_keeps_them(database: Database) -> None:
    def fail(c: Connection) -> None:
        calls.save(c, ID, a_call("good", "r1.propose.challenger"))
        calls.save(c, ID, a_call("bad1"))
        calls.save(c, ID, a_call("bad2", attempt=2))
        calls.give_up(c, ID, "r1.synthesize")

    database.write(fail)
    assert database.write(lambda c: calls.supersede(c, ID, step="r2")) == 0
    assert database.write(lambda c: calls.supersede(c, ID, step="r1")) == 2
    assert database.read(lambda c: calls.find(c, ID, "r1.synthesize", 1)) is None
    assert database.read(lambda c: calls.find(c, ID, "r1.propose.challenger", 1)) is not None
    again = database.write(lambda c: calls.save(c, ID, a_call("again")))
    assert again.id == "again"
    assert {c.id for c in database.read(lambda c: calls.read(c, ID))} == {"good", "bad1", "bad2", "again"}


def test_live_text_is_replaced_and_disappears_with_its_call(database: Database) -> None:
    slot = "r1.synthesize"
    database.write(lambda c: calls.write_partials(c, {(ID, slot): (1, "Hel")}))
    database.write(lambda c: calls.write_partials(c, {(ID, slot): (1, "Hello \x00\ud800")}))
    assert database.read(lambda c: calls.read_partials(c, ID)) == {slot: "Hello ?"}
    database.write(lambda c: calls.save(c, ID, a_call()))
    assert database.read(lambda c: calls.read_partials(c, ID)) == {}
    database.write(lambda c: calls.write_partials(c, {(ID, slot): (2, "Again")}))
    assert database.read(lambda c: calls.read_partials(c, ID)) == {slot: "Again"}
    database.write(lambda c: calls.clear_partials(c, ID))
    assert database.read(lambda c: calls.read_partials(c, ID)) == {}
