"""A builder's run written into a real record, so that pages, exports and commands read it as they read any debate."""

from tests.builders import events as told
from vada.models.run import Run
from vada.settings import load
from vada.store import Database, Draft, debates, events, gates


def put(run: Run, *, due: str = "") -> str:
    """Write a run into the record of this test's data folder; returns its id. With nothing `due` no engine acts on it,
    and it has no live calls."""
    database = Database.open(load().database_url)
    database.write(lambda c: _write(c, run, due))
    database.close()
    return run.id


def _write(c, run: Run, due: str) -> None:  # type: ignore[no-untyped-def]
    debates.create(c, run.id, run.config, step=due)
    for e in told(run):
        events.append(c, run.id, Draft(e.kind, e.key, e.round, e.phase, e.payload, e.at))
    for r in run.rounds:
        if r.verdict:
            gates.open_(c, run.id, r.number, r.verdict)
        if r.decision:
            gates.decide(c, run.id, r.number, r.decision)
