"""What a claim rests on, over HTTP: a citation that the search never returned is marked and said, and a search that
fails is said and costs nobody the proposal."""

from typing import Any

import pytest

from tests.fake_messages import Changed, Default, SearchFails, Server, role
from tests.fake_messages.answers import Exchange
from tests.fake_messages.fixture import fake_server
from tests.phases.table import Played, Table, asked, config, texts
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
    from tests.fake_messages.matching import title

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
