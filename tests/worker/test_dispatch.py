"""The engine of a process: it runs what is owed, goes on after a stop, stands by, and leaves alone what it must."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_messages import Gaps, Hang, Server, wants
from tests.store import released
from tests.worker.conftest import House
from vada.llm.probe import check
from vada.models.events import EventKind
from vada.models.outputs import GateDecision
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateAction, GateMode
from vada.settings import load
from vada.store import Database, debates, workers
from vada.store.migrate import upgrade
from vada.worker import start_engine


def doubled(run: Run) -> list[tuple[str, int]]:
    """The attempts that were made more than once and came to an end."""
    made = Counter((c.slot, c.attempt) for c in run.calls if c.status not in ("interrupted", "cancelled"))
    return [attempt for attempt, times in made.items() if times > 1]


@pytest.fixture
def anywhere(database_url: str, fake_server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house on either kind of database."""
    monkeypatch.setenv("VADA_DATABASE_URL", database_url)
    made = House(fake_server)
    yield made
    for engine in made.engines:
        engine.stop()
    made.debates.close()


def test_debates_run_to_their_end(anywhere: House) -> None:
    assert anywhere.engine().start()
    ids = [anywhere.start(rounds=1) for _ in range(3)]
    for id_ in ids:
        run = anywhere.rest(id_)
        assert run.state.ended
        assert run.state is not DebateState.FAILED, run.reason
        assert anywhere.debates.verify(id_) == []


def test_an_endpoint_that_was_checked_is_not_asked_for_what_it_refuses(house: House) -> None:
    house.server.gaps = Gaps(schema="refused", stream="refused")
    house.debates.keep_report(asyncio.run(check(house.settings, "anthropic", call=True)))
    house.server.log.clear()
    house.engine().start()
    assert house.rest(house.start(rounds=1)).deliverable
    assert {e.status for e in house.server.calls} == {200}


@pytest.mark.parametrize(("gate", "kept"), [(GateMode.AUTOPILOT, {None}), (GateMode.EVERY, {"1h"})])
def test_the_provider_keeps_the_prompt_for_an_hour_where_a_gate_may_wait(
    house: House, gate: GateMode, kept: set[str | None]
) -> None:
    house.engine().start()
    house.rest(house.start(rounds=1, gate=gate))
    blocks = [b for e in house.server.calls for m in e.body["messages"] for b in m["content"]]
    assert {b["cache_control"].get("ttl") for b in blocks if "cache_control" in b} == kept


def test_what_was_running_goes_on_when_an_engine_is_there_again(anywhere: House) -> None:
    anywhere.server.script(Hang(), match=wants("SynthesisReply"))
    first = anywhere.engine()
    first.start()
    id_ = anywhere.start(rounds=1)
    anywhere.until(lambda: any(wants("SynthesisReply")(e.body) for e in anywhere.server.calls))
    first.stop()
    assert anywhere.debates.run(id_).state is DebateState.RUNNING
    anywhere.engine().start()
    run = anywhere.rest(id_)
    assert run.deliverable, run.reason
    assert doubled(run) == []
    assert EventKind.RESUMED in {e.kind for e in anywhere.debates.events(id_)}
    assert anywhere.debates.verify(id_) == []


def test_a_debate_started_while_no_engine_runs_begins_with_the_next(house: House) -> None:
    id_ = house.start(rounds=1)
    time.sleep(0.3)
    assert house.debates.run(id_).state is DebateState.QUEUED
    house.engine().start()
    assert house.rest(id_).deliverable


def test_a_decision_made_while_no_engine_runs_is_carried_out_by_the_next(house: House) -> None:
    first = house.engine()
    first.start()
    id_ = house.start(gate=GateMode.EVERY, rounds=1)
    assert house.rest(id_).state is DebateState.WAITING
    first.stop()
    house.debates.finish(id_)
    house.engine().start()
    assert house.rest(id_).deliverable


def test_the_queue_may_be_lost_because_the_record_is_the_truth(house: House) -> None:
    house.server.script(Hang(), match=wants("SynthesisReply"))
    first = house.engine()
    first.start()
    id_ = house.start(rounds=1)
    house.until(lambda: any(wants("SynthesisReply")(e.body) for e in house.server.calls))
    first.stop()
    for file in Path(house.settings.home).glob("vada-queue.db*"):
        file.unlink()
    house.engine().start()
    run = house.rest(id_)
    assert run.deliverable
    assert doubled(run) == []


def test_stopping_a_debate_takes_less_than_two_seconds(house: House) -> None:
    house.server.script(Hang(), times=None)
    house.engine().start()
    id_ = house.start()
    house.until(lambda: len(house.server.calls) == 4)
    house.debates.cancel(id_)
    assert house.debates.run(id_).state is DebateState.STOPPED
    house.until(lambda: all(e.aborted for e in house.server.calls), 2)


def test_one_engine_a_folder_and_the_next_one_stands_by(house: House) -> None:
    first, second = house.engine(), house.engine()
    assert first.start()
    assert not second.start()
    second.stand_by()
    time.sleep(0.2)
    assert not second.running
    first.stop()
    house.until(lambda: second.running, 5)
    assert house.rest(house.start(rounds=1)).deliverable


def test_a_command_leaves_alone_what_it_was_not_asked_about(house: House) -> None:
    old = house.start(rounds=1)
    asked = house.start(rounds=1)
    command = house.engine(only=[asked])
    command.start()
    new = house.start(rounds=1)
    assert house.rest(asked).deliverable
    assert house.rest(new).deliverable
    assert house.debates.run(old).state is DebateState.QUEUED
    command.stop()
    house.engine().start()
    assert house.rest(old).deliverable


def test_a_step_that_came_to_nothing_is_tried_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue believes a step done which the record still owes."""
    old = house.start(rounds=1)
    command = house.engine(only=["another"])
    command.start()
    monkeypatch.setattr(command, "runs", lambda _: False)
    command._hand_over(house.debates._database.read(debates.owed)[0])
    time.sleep(1.5)
    command.stop()
    house.engine().start()
    assert house.rest(old).deliverable
    assert house.debates._database.read(lambda c: debates.get(c, old)).generation > 1


def test_no_engine_where_the_settings_say_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_WORKER", "off")
    assert start_engine(load()) is None


@pytest.mark.postgres
def test_a_stopped_worker_is_gone_at_once(
    postgres_url: str, fake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADA_DATABASE_URL", postgres_url)
    house = House(fake_server)
    engine = house.engine()
    engine.start()
    database = Database.open(postgres_url)
    assert database.write(lambda c: workers.living(c, workers.PATIENCE)) == {engine._id}
    engine.stop()
    assert database.write(lambda c: workers.living(c, workers.PATIENCE)) == set()
    database.close()
    house.debates.close()


@pytest.mark.parametrize("file", released.files(), ids=released.revision_of)
def test_a_debate_of_every_released_schema_opens_and_goes_on(
    file: Path, database_url: str, fake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADA_DATABASE_URL", database_url)
    old = Database(database_url)
    with old.engine.begin() as connection:
        upgrade(connection, released.revision_of(file))
        released.enter(connection, released.read(file))
    old.close()
    house = House(fake_server)
    try:
        (row,) = house.debates.list()
        assert (row.state, house.debates.verify(row.id)) == (DebateState.WAITING, [])
        assert house.debates.presets() == {"mine": {"rounds": 2}}
        house.engine().start()
        house.debates.decide(
            row.id, 1, GateDecision(action=GateAction.CONTINUE, recommended=GateAction.CONTINUE, by="Ada", at="")
        )
        run = house.rest(row.id)
        assert (run.state, len(run.rounds)) == (DebateState.WAITING, 2)
        assert run.rounds[1].synthesis
        assert house.debates.verify(row.id) == []
        assert fake_server.calls == [], "it was a rehearsal and goes on as one"
    finally:
        for engine in house.engines:
            engine.stop()
        house.debates.close()
