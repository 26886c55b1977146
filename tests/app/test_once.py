"""Ask one model once: the price before, one request for one click, the answer beside the deliverable, inert."""

from typing import Any

import pytest

from tests.app.screens import active_markup, labels, opened, words
from tests.builders import a_rehearsal, a_run
from tests.hostile import CASES, HOST
from tests.recorded import put
from vada.models.debate import REHEARSAL, ModelRef
from vada.models.events import EventKind
from vada.models.outputs import Baseline
from vada.models.run import Run
from vada.models.vocabulary import PhaseName, Role
from vada.settings import load
from vada.store import Database, Draft, debates, events
from vada.worker import Debates


def kept(run: Run, **changes: Any) -> str:
    """Write the run and how its one answer stands."""
    id_ = put(run)
    seat = run.config.seat(Role.COORDINATOR)
    found = Baseline(
        **{"state": "answered", "seat": seat.role, "model": seat.model, "text": "# Wait", "words": 1} | changes
    )
    database = Database.open(load().database_url)
    database.write(lambda c: events.append(c, id_, Draft(EventKind.BASELINE, "baseline.g1.x", payload=found)))
    database.close()
    return id_


def test_the_price_stands_before_the_button_and_one_click_asks_once() -> None:
    run = a_run(config=a_rehearsal())
    id_ = put(run)
    screen = opened("deliverable.py", id=id_)
    assert "1 call, no cost (rehearsal)" in words(screen)
    screen.button(key="once-ask").click().run()
    assert "is writing, thinking" in words(screen)
    assert not [b for b in screen.button if b.key == "once-ask"]
    record = Debates.open(load())
    assert [d.step for d in record._database.read(debates.owed)] == ["baseline"]
    record.close()


def test_a_models_known_price_is_said_and_an_unknown_one_too() -> None:
    assert "1 call, price unknown" in words(opened("deliverable.py", id=put(a_run())))
    config = a_run().config
    known = tuple(s.model_copy(update={"model": ModelRef(name="claude-sonnet-4-5")}) for s in config.seats)
    run = a_run(config=config.model_copy(update={"seats": known}), id="d-known")
    assert "1 call, about $0.0" in words(opened("deliverable.py", id=put(run)))


def test_the_answer_stands_beside_the_deliverable_and_says_what_it_is() -> None:
    said = words(opened("deliverable.py", id=kept(a_run(), text="Wait a quarter. Then decide.", words=5)))
    assert said.index("Keep billing in the monolith") < said.index("One answer, no debate")
    assert said.index("One answer, no debate") < said.index("Wait a quarter. Then decide.")
    assert "5 words" in said


def test_a_failure_says_the_providers_words_and_offers_another_try() -> None:
    screen = opened("deliverable.py", id=kept(a_run(), state="failed", problem="529 overloaded_error", text=""))
    assert "529 overloaded_error" in words(screen)
    assert screen.button(key="once-ask").label == "Ask again"


def test_a_request_that_came_to_nothing_can_be_made_again() -> None:
    screen = opened("deliverable.py", id=kept(a_run(), state="asked", text=""))
    assert "Interrupted" in words(screen)
    assert screen.button(key="once-ask").label == "Ask again"


@pytest.mark.parametrize("stage", [None, PhaseName.SYNTHESIZE])
def test_nothing_is_offered_while_the_debate_runs(stage: PhaseName | None) -> None:
    screen = opened("deliverable.py", id=put(a_run(rounds=1, stage=stage)))
    assert not [b for b in screen.button if b.key == "once-ask"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_no_answer_becomes_markup_or_stands_in_a_label(case: Any) -> None:
    model = ModelRef(name=case.text[:60] or "m", endpoint=REHEARSAL)
    screen = opened("deliverable.py", id=kept(a_run(), text=case.text, model=model))
    assert not screen.exception
    assert not active_markup(screen)
    assert HOST not in labels(screen)
