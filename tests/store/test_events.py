"""The append-only record: a key is written once, the chain shows any edit, the debate's row follows the fold."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update

from tests import builders
from vada.errors import NotFoundError
from vada.models.events import EventKind
from vada.models.run import fold
from vada.models.vocabulary import PhaseName
from vada.store import Database, Draft, LostClaimError, chain, debates, events
from vada.store.schema import debates as debates_table
from vada.store.schema import events as events_table

ID = "d0000000"
TOLD = Draft(EventKind.PHASE_STARTED, "r1.p2_propose.started", round=1, phase=PhaseName.PROPOSE)


def begin(c: Connection) -> None:
    debates.create(c, ID, builders.a_config(), step="r1")
    events.append(c, ID, Draft(EventKind.ROUND_STARTED, "r1.started", round=1))


def problems(database: Database) -> list[str]:
    def check(c: Connection) -> list[str]:
        row = debates.get(c, ID)
        return chain.problems(events.read(c, ID), version=row.version, head=row.head)

    return database.read(check)


def test_a_second_append_of_a_key_returns_the_event_that_stands(database: Database) -> None:
    database.write(begin)
    first = database.write(lambda c: events.append(c, ID, TOLD))
    again = database.write(lambda c: events.append(c, ID, TOLD))
    assert again == first
    assert len(database.read(lambda c: events.read(c, ID))) == 3


def test_appends_by_many_at_once_form_one_sound_chain(database: Database) -> None:
    database.write(begin)

    def told(number: int) -> None:
        draft = Draft(EventKind.PHASE_STARTED, f"k{number % 20}", round=1, phase=PhaseName.PROPOSE)
        database.write(lambda c: events.append(c, ID, draft))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(told, range(40)))
    assert len(database.read(lambda c: events.read(c, ID))) == 22
    assert problems(database) == []


def test_an_event_reads_back_as_it_was_written(database: Database) -> None:
    database.write(begin)
    hostile = "nul \x00, lone \ud800, emoji 🜚, <|endoftext|>"
    draft = Draft(EventKind.FORKED, "forked", payload={"children": [hostile]})
    written = database.write(lambda c: events.append(c, ID, draft))
    assert database.read(lambda c: events.read(c, ID, after=2)) == [written]
    assert written.payload["children"] == [hostile]
    assert problems(database) == []


def test_an_edited_row_is_found(database: Database) -> None:
    database.write(begin)
    database.write(lambda c: events.append(c, ID, TOLD))
    edit = update(events_table).where(events_table.c.seq == 2).values(round=2)
    database.write(lambda c: c.execute(edit))
    assert any("event 2" in p and "changed" in p for p in problems(database))


def test_a_removed_row_is_found(database: Database) -> None:
    database.write(begin)
    database.write(lambda c: events.append(c, ID, TOLD))
    database.write(lambda c: c.execute(delete(events_table).where(events_table.c.seq == 3)))
    assert problems(database) == ["the debate had 3 events, the record holds 2"]
    database.write(lambda c: c.execute(delete(events_table).where(events_table.c.seq == 1)))
    assert any("event 1 is missing" in p for p in problems(database))


def test_an_added_row_is_found(database: Database) -> None:
    database.write(begin)
    row = {"seq": 3, "key": "x", "at": "", "kind": "resumed", "round": 0, "phase": None, "payload": "{}"}
    database.write(lambda c: c.execute(insert(events_table).values(debate=ID, prev="0" * 64, hash="1" * 64, **row)))
    assert len(problems(database)) == 3


def test_only_the_holder_may_write(database: Database) -> None:
    database.write(begin)
    due = database.read(debates.owed)[0]
    assert database.write(lambda c: debates.claim(c, due, "first")) == debates.Claim(False, "")
    assert database.write(lambda c: debates.claim(c, due, "second")) == debates.Claim(True, "")
    with pytest.raises(LostClaimError):
        database.write(lambda c: events.append(c, ID, TOLD, holder="first"))
    written = database.write(lambda c: events.append(c, ID, TOLD, holder="second"))
    assert database.write(lambda c: events.append(c, ID, TOLD, holder="first")) == written


def test_no_debate_no_event(database: Database) -> None:
    with pytest.raises(NotFoundError, match="nosuch"):
        database.write(lambda c: events.append(c, "nosuch", TOLD))


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_row_mirrors_the_folded_record(database: Database, rounds: int) -> None:
    run = builders.a_run(rounds=rounds)

    def tell(c: Connection) -> None:
        debates.create(c, ID, run.config, step="r1")
        for e in builders.events(run)[1:]:
            draft = Draft(e.kind, e.key, round=e.round, phase=e.phase, payload=e.payload, at=e.at)
            events.append(c, ID, draft)

    database.write(tell)
    row = database.read(debates.listed)[0]
    folded = fold(database.read(lambda c: events.read(c, ID)))
    last_verified = next(r.verification for r in reversed(folded.rounds) if r.verification)
    assert (row.state, row.rounds, row.updated_at, row.version) == (
        folded.state,
        len(folded.rounds),
        folded.updated_at,
        folded.version,
    )
    assert row.score == last_verified.total
    assert row.dollars == pytest.approx(folded.usage.dollars)
    assert database.read(lambda c: c.execute(select(debates_table.c.head)).scalar()) == folded.head


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_sqlite_is_opened_for_many_readers_and_one_writer(database: Database) -> None:
    def pragmas(c: Connection) -> list[object]:
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        return [c.execute(text(f"PRAGMA {n}")).scalar() for n in names]

    assert database.read(pragmas) == ["wal", 1, 30_000, 1]
    assert database.write(pragmas, durable=True) == ["wal", 1, 30_000, 2]
