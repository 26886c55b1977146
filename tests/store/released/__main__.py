"""Writes the file of the present schema."""

import gzip
import json
import os
import sys
import tempfile
import time

from sqlalchemy import select

from tests.store.released import FOLDER
from vada.models.debate import DebateConfig, constraints_from
from vada.models.vocabulary import DebateState, GateMode
from vada.prompts import PromptBook
from vada.settings import default_seats, load
from vada.store import Database
from vada.store.schema import HEAD, metadata
from vada.worker import Debates
from vada.worker.dispatch import Engine

QUESTION = "Should a 12-person startup move its monolith to microservices?"


def main() -> int:
    """Rehearse a debate to its first gate and write every row."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(VADA_HOME=home, VADA_REHEARSAL_SPEED="0")
        settings, pack = load(), PromptBook.load().packs["software_architecture"]
        engine = Engine(settings)
        engine.start()
        debates = Debates.open(settings)
        seats = default_seats(settings, pack, panel="rehearsal")
        constraints = constraints_from(["No new hires before March."])
        id_ = debates.start(
            DebateConfig(
                question=QUESTION, constraints=constraints, pack=pack, seats=seats, rounds=2, gate=GateMode.EVERY
            )
        )
        while debates.run(id_).state is not DebateState.WAITING:
            time.sleep(0.05)
        debates.save_preset("mine", {"rounds": 2})
        engine.stop()
        database = Database.open(settings.database_url)
        rows = database.read(
            lambda c: {
                t.name: [dict(r._mapping) for r in c.execute(select(t))]
                for t in metadata.sorted_tables
                if t.name != "workers"
            }
        )
    file = FOLDER / f"{HEAD}.json.gz"
    file.write_bytes(gzip.compress(json.dumps(rows).encode(), mtime=0))
    print(f"{file.name}: {file.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
