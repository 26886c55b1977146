"""What pages do with debates, with no engine anywhere: the record changes, and says what is owed."""

import pytest
from sqlalchemy import Connection, update

from tests import builders
from vada.errors import InputError, NotFoundError
from vada.models.events import EventKind
from vada.models.reports import EndpointReport
from vada.models.vocabulary import DebateState
from vada.settings import load
from vada.store import Database, Draft, debates, events
from vada.store.schema import events as events_table
from vada.worker import Debates


@pytest.fixture
def desk(database: Database) -> Debates:
    return Debates(load(), database)


def told(desk: Debates, id_: str) -> None:
    """Put the record of a finished debate under an id."""
    run = builders.a_run()

    def write(c: Connection) -> None:
        debates.create(c, id_, run.config, step="")
        for e in builders.events(run)[1:]:
            if e.kind is not EventKind.CALL_ENDED:
                events.append(c, id_, Draft(e.kind, e.key, e.round, e.phase, e.payload, e.at))

    desk._database.write(write)


def test_a_started_debate_is_queued_and_its_first_round_owed(desk: Debates) -> None:
    id_ = desk.start(builders.a_config())
    run = desk.run(id_)
    assert (run.state, run.config) == (DebateState.QUEUED, builders.a_config())
    assert [(d.debate, d.step) for d in desk._database.read(debates.owed)] == [(id_, "r1")]


def test_a_run_is_the_same_object_until_something_happens(desk: Debates) -> None:
    id_ = desk.start(builders.a_config())
    first = desk.run(id_)
    assert desk.run(id_) is first
    desk.cancel(id_)
    assert desk.run(id_) is not first


def test_the_record_folds_to_the_debate(desk: Debates) -> None:
    told(desk, "d1")
    run = desk.run("d1")
    assert run.deliverable == builders.a_run().deliverable
    assert run.rounds == builders.a_run().rounds
    assert desk.verify("d1") == []


def test_an_edited_event_and_an_edited_gate_are_found(desk: Debates) -> None:
    told(desk, "d1")
    desk._database.write(lambda c: c.execute(update(events_table).where(events_table.c.seq == 9).values(round=3)))
    assert any("event 9" in p for p in desk.verify("d1"))


def test_a_debate_that_was_not_begun_is_stopped_at_once(desk: Debates) -> None:
    for stop in (desk.cancel, desk.finish):
        id_ = desk.start(builders.a_config())
        stop(id_, by="Ada")
        assert (desk.run(id_).state, desk.run(id_).reason) == (DebateState.STOPPED, "Stopped by Ada.")
    assert desk._database.read(debates.owed) == []


def test_a_deleted_debate_is_out_of_sight_and_comes_back(desk: Debates) -> None:
    told(desk, "d1")
    desk.delete("d1")
    assert desk.list() == []
    assert [d.id for d in desk.list(deleted=True)] == ["d1"]
    desk.restore("d1")
    assert [d.id for d in desk.list()] == ["d1"]


def test_a_running_debate_is_stopped_when_it_is_deleted(desk: Debates) -> None:
    id_ = desk.start(builders.a_config())
    desk.delete(id_)
    assert desk.run(id_).state is DebateState.STOPPED
    assert desk._database.read(debates.owed) == []


def test_presets_and_values_are_kept_by_name(desk: Debates) -> None:
    desk.save_preset("mine", {"rounds": 2})
    desk.save_value("calibration", {"bins": [0.5]})
    assert desk.presets() == {"mine": {"rounds": 2}}
    assert desk.value("calibration") == {"bins": [0.5]}
    desk.delete_preset("mine")
    assert desk.presets() == {}


def test_an_ended_debate_is_not_resumed_but_forked(desk: Debates) -> None:
    told(desk, "d1")
    with pytest.raises(InputError, match="Fork it"):
        desk.resume("d1")


def test_a_follow_up_shares_nothing_but_its_lineage(desk: Debates) -> None:
    told(desk, "d1")
    run = desk.run(desk.fork("d1", 0, reason="follow-up"))
    assert run.rounds == ()
    assert run.config.lineage
    assert (run.config.lineage.parent, run.config.lineage.round) == ("d1", 0)
    assert [d.step for d in desk._database.read(debates.owed)] == ["r1"]


@pytest.mark.parametrize("name", ["run", "calls", "events", "verify", "cancel", "finish", "retry", "resume", "delete"])
def test_a_debate_that_is_not_there_is_said_so(desk: Debates, name: str) -> None:
    with pytest.raises(NotFoundError, match="nosuch"):
        getattr(desk, name)("nosuch")


def test_the_last_report_of_an_endpoint_is_kept_until_its_address_changes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", "http://desk")
    desk = Debates(load(), database)
    report = EndpointReport(name="desk", url="http://desk", key="not needed", reachable=True, listed=("qwen3",))
    desk.keep_report(report)
    desk.keep_report(report.model_copy(update={"at": "2026-11-30T10:00:00+00:00", "listed": ("qwen3", "glm-5")}))
    [kept] = Debates(load(), database).reports().values()
    assert (kept.at, kept.listed) == ("2026-11-30T10:00:00+00:00", ("qwen3", "glm-5"))
    monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", "http://elsewhere")
    assert Debates(load(), database).reports() == {}


def test_a_report_that_another_version_wrote_is_left_out(desk: Debates) -> None:
    desk.save_value("endpoint:anthropic", {"name": "anthropic", "of": "a later version"})
    assert desk.reports() == {}
