"""`python -m tests.sample` rehearses the sample debate and writes it where the package ships it from."""

import os
import sys
import tempfile
import time

from pages.parts.sample import FILE
from vada.models.debate import DebateConfig, constraints_from
from vada.models.outputs import GateDecision, Whisper
from vada.models.vocabulary import DebateState, GateAction, GateMode
from vada.prompts import PromptBook
from vada.settings import default_seats, load
from vada.worker import Debates
from vada.worker.dispatch import Engine

QUESTION = (
    "We are nine engineers on a six-year-old Django monolith. Deploys take 40 minutes and two teams wait for each "
    "other every week. Should we split billing into its own service this year, and if so, in which steps?"
)
CONSTRAINTS = ["At most 400 words.", "No new hires before March.", "Invoices go out on the 1st of every month."]
NOTE = "The two teams share one on-call rota; say who carries the pager."
SEED = 3
PERSON = "A person"


def main() -> int:
    """Rehearse the debate, decide its gates, ask one model once, write the bundle."""
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(VADA_HOME=home, VADA_REHEARSAL_SPEED="4")
        settings, pack = load(), PromptBook.load().packs["software_architecture"]
        engine, debates = Engine(settings), Debates.open(settings)
        engine.start()
        id_ = debates.start(
            DebateConfig(
                question=QUESTION,
                constraints=constraints_from(CONSTRAINTS),
                priorities="Fewer weeks lost to waiting, without a risk to invoicing.",
                pack=pack,
                seats=default_seats(settings, pack, panel="rehearsal"),
                gate=GateMode.EVERY,
                seed=SEED,
            )
        )
        while not _rested(debates, id_).ended:
            _decide(debates, id_)
        debates.ask_once(id_, by=PERSON)
        while debates.asking(id_):
            time.sleep(0.1)
        engine.stop()
        assert debates.verify(id_) == []
        FILE.write_bytes(debates.export_bundle(id_))
    print(f"{FILE.name}: {FILE.stat().st_size} bytes")
    return 0


def _rested(debates: Debates, id_: str) -> DebateState:
    """How the debate stands when it waits or has ended."""
    while (state := debates.run(id_).state) in (DebateState.QUEUED, DebateState.RUNNING):
        time.sleep(0.1)
    return state


def _decide(debates: Debates, id_: str) -> None:
    """Go on twice, with a note the first time; then stop."""
    last = debates.run(id_).last
    assert last is not None
    assert last.verdict is not None
    action = GateAction.CONTINUE if last.number < 3 else GateAction.STOP
    notes = (Whisper(text=NOTE),) if last.number == 1 else ()
    decision = GateDecision(action=action, recommended=last.verdict.recommendation, by=PERSON, at="", whispers=notes)
    debates.decide(id_, last.number, decision)


if __name__ == "__main__":
    sys.exit(main())
