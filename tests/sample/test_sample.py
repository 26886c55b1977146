"""The sample debate that ships: sound, small, a rehearsal with everything the tour speaks of."""

from pages.parts.sample import FILE
from vada.models.vocabulary import DebateState
from vada.settings import load
from vada.store import Database
from vada.worker import Debates


def test_the_shipped_sample_is_a_sound_and_finished_rehearsal(database: Database) -> None:
    desk = Debates(load(), database)
    id_ = desk.import_bundle(FILE.read_bytes())
    run = desk.run(id_)
    assert desk.verify(id_) == []
    assert run.config.rehearsal
    assert run.usage.dollars == 0
    assert run.state in (DebateState.CLEAN, DebateState.REVISED)
    assert len(run.rounds) == 3
    assert all(r.challenges and r.challenges.challenges and r.verification and r.decision for r in run.rounds)
    assert run.deliverable
    assert run.baseline
    assert run.baseline.text not in ("", run.deliverable.text)
    assert not desk.asking(id_)


def test_it_is_small() -> None:
    assert FILE.stat().st_size < 300_000
