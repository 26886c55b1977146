"""What a claim rests on, over HTTP: a citation that the search never returned is marked and said, and a search that
fails is said and costs nobody the proposal."""

from typing import Any

import pytest

from tests.fake_messages import Changed, Default, LooksUp, SearchFails, Server, role
from tests.fake_messages.answers import Exchange
from tests.fake_messages.fixture import fake_server
from tests.fake_messages.matching import title
from tests.llm.shelf import SURVEY, Shelf
from tests.phases.table import Played, Table, asked, config, texts
from vada.llm.endpoints import Endpoints
from vada.models.outputs import Evidence, Proposal
from vada.models.vocabulary import DEBATERS, Role
from vada.settings import default_seats, load

__all__ = ["fake_server"]

MADE_UP = "https://journal.example/made-up-2026"


def table() -> Table:
    """One round in which every debater searches."""
    given = config(rounds=1)
    return Table(given.model_copy(update={"seats": default_seats(load(), given.pack, panel="balanced", web=True)}))


class Cites:
    """The default answer with one source more: the first result's address, or one that no search returned."""

    def __init__(self, url: str = "") -> None:
        self._url = url

    def play(self, exchange: Exchange) -> None:
        url = self._url or results(exchange)[0]["url"]

        def with_source(reply: dict[str, Any]) -> dict[str, Any]:
            source = {"ref": "S9", "title": "A study", "url": url, "quote": "Nine in ten did."}
            points = [{**p, "evidence": ["S9"]} for p in reply["points"]]
            return {**reply, "sources": [*reply["sources"], source], "points": points}

        Changed(with_source).play(exchange)


def results(exchange: Exchange) -> list[dict[str, Any]]:
    """What the search of the default answer returned."""
    return next(b["content"] for b in exchange.default()["content"] if b["type"] == "web_search_tool_result")


def card(played: Played, who: Role) -> Proposal:
    proposals = played.rounds[0].proposals
    assert proposals
    return next(p for p in proposals.proposals if p.role is who)


def cited(played: Played, who: Role, host: str) -> Evidence:
    return next(e for e in card(played, who).evidence if host in e.url)


@pytest.fixture
def optimizer_cites(fake_server: Server) -> Server:
    """Optimizer A cites what no search returned, in every call."""
    fake_server.script(Cites(MADE_UP), match=_proposals_of("Optimizer A"), times=None)
    return fake_server


def _proposals_of(name: str) -> Any:
    return lambda body: title(body) == "ProposalReply" and role(name)(body)


async def test_a_citation_the_search_never_returned_is_marked_and_the_judges_are_told(optimizer_cites: Server) -> None:
    played = await table().whole(most=1)
    item = cited(played, Role.OPTIMIZER_A, "journal.example")
    assert (item.kind, item.verified) == ("web", False)
    assert all(item.id in p.evidence for p in card(played, Role.OPTIMIZER_A).points)
    for kind in ("SynthesisReply", "VerificationReply"):
        told = "\n".join(texts(asked(optimizer_cites, kind)[0]))
        line = next(x for x in told.split("\n") if MADE_UP in x)
        assert 'verified="no"' in line


async def test_a_citation_of_a_result_is_verified_with_its_title_from_the_result(fake_server: Server) -> None:
    fake_server.script(Cites(), match=_proposals_of("Optimizer A"), times=None)
    played = await table().whole(most=1)
    item = next(e for e in card(played, Role.OPTIMIZER_A).evidence if e.quote == "Nine in ten did.")
    assert item.verified
    assert item.title not in ("", "A study")


async def test_an_address_that_only_looks_like_a_result_is_not_verified(fake_server: Server) -> None:
    fake_server.script(Cites("https://survey.example.evil.example/x"), match=_proposals_of("Challenger"), times=None)
    played = await table().whole(most=1)
    assert not cited(played, Role.CHALLENGER, "evil.example").verified


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("unavailable", "the search is unavailable"),
        ("too_many_requests", "too many searches for now"),
        ("max_uses_exceeded", "the call's searches are used up"),
        ("something_new", "something_new"),
    ],
)
async def test_a_search_that_fails_is_said_and_the_proposal_stands(fake_server: Server, code: str, words: str) -> None:
    fake_server.script(SearchFails(code), match=_proposals_of("Challenger"))
    fake_server.script(Default(), times=None)
    played = await table().whole(most=1)
    said = [d for d in played.notes.degradations if d.key == "search_failed" and d.role is Role.CHALLENGER]
    assert [d.cause for d in said] == [f"A web search failed: {words}."]
    assert "Challenger" in said[0].message
    assert card(played, Role.CHALLENGER).points
    proposals = played.rounds[0].proposals
    assert proposals
    assert {p.role for p in proposals.proposals} == set(DEBATERS)
    assert not any(e.verified for e in card(played, Role.CHALLENGER).evidence if e.kind == "web")


async def test_a_search_that_fails_for_all_leaves_nobody_out_and_says_so_of_each(fake_server: Server) -> None:
    for name in ("Optimizer A", "Optimizer B", "Challenger", "Simplifier"):
        fake_server.script(SearchFails(), match=_proposals_of(name))
    played = await table().whole(most=1)
    assert {d.role for d in played.notes.degradations if d.key == "search_failed"} == set(DEBATERS)
    assert played.deliverable


# The same through a search provider of the settings.


def looking_up(fails: str = "") -> tuple[Table, Shelf]:
    """One round at an endpoint that does not search, with a provider in its place; every debater may search."""
    table_, shelf = table(), Shelf(fails=fails)
    table_.endpoints = Endpoints(table_.settings, shelf)
    return table_, shelf


@pytest.fixture
def searched_for(fake_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Every debater searches once before it proposes."""
    monkeypatch.setenv("VADA_SEARCH_PROVIDER", "ddgs")
    monkeypatch.setenv("VADA_ENDPOINTS__ANTHROPIC__SEARCH", "false")
    fake_server.script(LooksUp(), match=lambda body: "tools" in body and len(body["messages"]) == 1, times=None)
    return fake_server


async def test_what_a_provider_found_is_verified_evidence_with_age_and_words(searched_for: Server) -> None:
    searched_for.script(Cites(SURVEY.url), match=_proposals_of("Optimizer A"), times=None)
    played = await looking_up()[0].whole(most=1)
    item = cited(played, Role.OPTIMIZER_A, "survey.example")
    assert (item.kind, item.verified, item.title, item.age) == ("web", True, SURVEY.title, SURVEY.age)
    assert item.quote == "Nine in ten did."
    assert "search_failed" not in played.notes.taken


async def test_what_no_provider_found_is_marked(searched_for: Server) -> None:
    searched_for.script(Cites(MADE_UP), match=_proposals_of("Challenger"), times=None)
    played = await looking_up()[0].whole(most=1)
    assert not cited(played, Role.CHALLENGER, "journal.example").verified
    told = "\n".join(texts(asked(searched_for, "SynthesisReply")[0]))
    assert 'verified="no"' in next(x for x in told.split("\n") if MADE_UP in x)


async def test_a_provider_that_fails_is_said_of_each_who_searched_and_nobody_is_left_out(
    searched_for: Server,
) -> None:
    played = await looking_up(fails="the search engines said: No results found")[0].whole(most=1)
    said = [d for d in played.notes.degradations if d.key == "search_failed"]
    assert {d.role for d in said} == set(DEBATERS)
    assert {d.cause for d in said} == {"A web search failed: the search engines said: No results found."}
    assert played.deliverable


async def test_a_debate_that_searched_is_played_again_without_wire_or_search(searched_for: Server) -> None:
    first, shelf = looking_up()
    played = await first.whole(most=1)
    sent, found = len(searched_for.calls), len(shelf.asked)
    assert found >= len(DEBATERS)
    again, other = looking_up()
    again.journal.records = first.journal.records
    assert (await again.whole(most=1)).rounds == played.rounds
    assert (len(searched_for.calls), other.asked) == (sent, [])


async def test_the_anchor_is_the_last_text_of_every_call_that_searched(searched_for: Server) -> None:
    await looking_up()[0].round()
    calls = [e.body for e in searched_for.calls if len(e.body["messages"]) > 1]
    assert len(calls) >= len(DEBATERS)
    assert all(b["messages"][-1]["content"][-1]["text"].startswith("CRITICAL REMINDER:") for b in calls)


async def test_the_closed_room_searches_nothing(searched_for: Server) -> None:
    shelf, room = Shelf(), Table(config(rounds=1))
    room.endpoints = Endpoints(room.settings, shelf)
    await room.round()
    assert shelf.asked == []
    assert not any("tools" in e.body for e in searched_for.calls)
