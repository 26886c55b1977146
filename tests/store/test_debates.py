"""The debates' rows: what the engine owes, what the library finds."""

import re

import pytest
from sqlalchemy import Connection

from tests import builders
from vada.errors import NotFoundError
from vada.models.debate import DebateConfig
from vada.models.vocabulary import DebateState
from vada.store import Database, Due, debates


def enter(database: Database, id_: str, question: str = builders.QUESTION) -> None:
    config = builders.a_config(question=question)
    database.write(lambda c: debates.create(c, id_, config, step="r1"))


def found(database: Database, text: str) -> list[str]:
    return [d.id for d in database.read(lambda c: debates.listed(c, text=text))]


def test_ids_sort_by_time_fit_a_url_and_differ() -> None:
    ids = [debates.new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(re.fullmatch(r"[0-9a-z]{18}", i) for i in ids)
    assert ids[0][:7] <= ids[-1][:7]


def test_a_debate_is_entered_once(database: Database) -> None:
    enter(database, "a")
    enter(database, "a", "another question")
    row = database.read(lambda c: debates.get(c, "a"))
    assert DebateConfig.model_validate_json(row.config) == builders.a_config()
    assert row.version == 1


def test_the_question_is_kept_verbatim_and_found_whatever_its_case(database: Database) -> None:
    hostile = "100% Größe_\x00 of the <|endoftext|> {x}?"
    enter(database, "a", hostile)
    enter(database, "b")
    row = database.read(lambda c: debates.get(c, "a"))
    assert DebateConfig.model_validate_json(row.config).question == hostile
    assert [found(database, text) for text in ("größe_", "100%", "GRÖSSE", "{x}")] == [["a"]] * 4
    assert found(database, "0% G_öße") == []


def test_the_library_is_filtered_by_state_and_hides_the_deleted(database: Database) -> None:
    enter(database, "a")
    enter(database, "b")
    database.write(lambda c: debates.set_(c, "b", deleted_at="2026-01-01"))
    assert [d.id for d in database.read(debates.listed)] == ["a"]
    assert [d.id for d in database.read(lambda c: debates.listed(c, deleted=True))] == ["b"]
    assert database.read(lambda c: debates.listed(c, states=[DebateState.WAITING])) == []
    assert [d.id for d in database.read(lambda c: debates.listed(c, states=[DebateState.QUEUED]))] == ["a"]


def test_what_is_owed_is_claimed_only_while_it_is_owed(database: Database) -> None:
    enter(database, "a")
    due = Due("a", "r1", 1)
    assert database.read(debates.owed) == [due]
    assert database.write(lambda c: debates.claim(c, due, "x")) == debates.Claim(False, "")
    assert database.write(lambda c: debates.again(c, due)) is True
    assert database.write(lambda c: debates.again(c, due)) is False
    assert database.write(lambda c: debates.claim(c, due, "y")) is None
    database.write(lambda c: debates.owe(c, "a", ""))
    assert database.read(debates.owed) == []


def test_purging_removes_everything_of_a_debate(database: Database) -> None:
    enter(database, "a")
    database.write(lambda c: debates.purge(c, "a"))
    with pytest.raises(NotFoundError):
        database.read(lambda c: debates.get(c, "a"))


def test_only_ended_debates_expire(database: Database) -> None:
    def end(c: Connection) -> None:
        debates.set_(c, "a", due="", state=DebateState.CLEAN, updated_at="2020-01-01")
        debates.set_(c, "b", due="", state=DebateState.WAITING, updated_at="2020-01-01")

    enter(database, "a")
    enter(database, "b")
    database.write(end)
    assert database.read(lambda c: debates.expired(c, "2021-01-01")) == ["a"]
