"""One decision wins a gate, and whoever comes later learns by whom."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from tests import builders
from vada.errors import AlreadyDecidedError, NotFoundError
from vada.store import Database, debates, gates

ID = "d0000000"


@pytest.fixture
def database(database: Database) -> Database:
    def open_(c: Connection) -> None:
        debates.create(c, ID, builders.a_config(), step="r1")
        gates.open_(c, ID, 1, builders.a_verdict(1))

    database.write(open_)
    return database


def test_of_twenty_racing_decisions_one_wins_and_the_others_are_told_by_whom(database: Database) -> None:
    def decide(number: int) -> str | None:
        decision = builders.a_gate_decision(1, by=f"person {number}", at=f"2026-01-01T00:00:{number:02}")
        try:
            database.write(lambda c: gates.decide(c, ID, 1, decision))
        except AlreadyDecidedError as error:
            return error.decided_by
        return None

    with ThreadPoolExecutor(20) as pool:
        told = list(pool.map(decide, range(20)))
    winner = f"person {told.index(None)}"
    assert told.count(None) == 1
    assert set(told) == {None, winner}
    gate = database.read(lambda c: gates.find(c, ID, 1))
    assert gate is not None
    assert gate.decision is not None
    assert gate.decision.by == winner


def test_the_same_decision_sent_twice_is_one(database: Database) -> None:
    decision = builders.a_gate_decision(1)
    database.write(lambda c: gates.decide(c, ID, 1, decision))
    database.write(lambda c: gates.decide(c, ID, 1, decision))
    assert [g.decision for g in database.read(lambda c: gates.read(c, ID))] == [decision]


def test_a_gate_opens_once_and_keeps_its_decision(database: Database) -> None:
    decision = builders.a_gate_decision(1)
    database.write(lambda c: gates.decide(c, ID, 1, decision))
    database.write(lambda c: gates.open_(c, ID, 1, builders.a_verdict(2)))
    assert [(g.verdict, g.decision) for g in database.read(lambda c: gates.read(c, ID))] == [
        (builders.a_verdict(1), decision)
    ]


def test_a_round_without_a_gate_cannot_be_decided(database: Database) -> None:
    with pytest.raises(NotFoundError, match="Round 2"):
        database.write(lambda c: gates.decide(c, ID, 2, builders.a_gate_decision(2)))


def test_a_gate_whose_round_is_played_again_is_taken_back_decided_or_not(database: Database) -> None:
    database.write(lambda c: gates.decide(c, ID, 1, builders.a_gate_decision(1)))
    database.write(lambda c: gates.withdraw(c, ID, 1))
    assert database.read(lambda c: gates.read(c, ID)) == []
    database.write(lambda c: gates.open_(c, ID, 1, builders.a_verdict(1)))
    database.write(lambda c: gates.decide(c, ID, 1, builders.a_gate_decision(1, by="someone else")))
