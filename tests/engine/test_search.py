"""Searches of a debate on the real record: what was found is kept with the call it was sent in, in a fork too."""

import pytest

from tests.engine.conftest import Stage, fake_server, stage
from tests.fake_messages import LooksUp, Server
from tests.llm.shelf import SURVEY, Shelf
from tests.phases.table import config
from vada.llm.endpoints import Endpoints
from vada.llm.reading import hits_in
from vada.models.debate import DebateConfig
from vada.models.vocabulary import DEBATERS
from vada.settings import default_seats

__all__ = ["fake_server", "stage"]


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch, fake_server: Server) -> Shelf:
    """Who searches for the stage's debates; every debater does so once before it proposes or defends."""
    monkeypatch.setenv("VADA_SEARCH_PROVIDER", "ddgs")
    monkeypatch.setenv("VADA_ENDPOINTS__ANTHROPIC__SEARCH", "false")
    fake_server.script(LooksUp(), match=lambda body: "tools" in body and len(body["messages"]) == 1, times=None)
    return Shelf()


def searching(stage: Stage, shelf: Shelf) -> DebateConfig:
    """One round whose debaters may search."""
    stage.endpoints = Endpoints(stage.settings, shelf)
    given = config(rounds=1)
    seats = default_seats(stage.settings, given.pack, panel="balanced", web=True)
    return given.model_copy(update={"seats": seats})


async def test_a_step_begun_again_searches_nothing_that_was_searched(shelf: Shelf, stage: Stage) -> None:
    id_ = stage.debates.start(searching(stage, shelf))
    await stage.broken_off(id_, "SynthesisReply")
    before = len(shelf.asked)
    assert before >= len(DEBATERS)
    run = await stage.play(id_)
    assert run.state.ended
    assert len(shelf.asked) == before
    assert run.usage.searches == before
    assert stage.debates.verify(id_) == []


async def test_a_fork_searches_nothing_again_and_has_what_was_found(shelf: Shelf, stage: Stage) -> None:
    parent = await stage.play(stage.debates.start(searching(stage, shelf)))
    before = len(shelf.asked)
    child = await stage.play(stage.debates.fork(parent.id, 1))
    assert child.state.ended
    assert len(shelf.asked) == before
    turns = [t for c in stage.debates.calls(child.id) for t in c.request["messages"] if t["role"] == "user"]
    assert SURVEY in [hit for turn in turns for hit in hits_in(turn)]
