"""A whole debate on the wire: how many calls, in which order, what each of them holds and where its anchor stands."""

import re
from typing import Any

import pytest

from tests.fake_messages import Server
from tests.fake_messages.fixture import fake_server  # noqa: F401
from tests.fake_messages.matching import title
from tests.phases.table import CONSTRAINTS, QUESTION, Played, Table, asked, config, texts
from vada.models.vocabulary import DEBATERS, PhaseName

ORDER = ["ProposalReply", "DefenceReply", "SynthesisReply", "VerificationReply"]


@pytest.fixture
async def debate(fake_server: Server) -> tuple[Played, Server]:  # noqa: F811
    fake_server.latency = 0.05
    played = await Table(config()).whole()
    return played, fake_server


def per_round(server: Server) -> dict[int, list]:
    """Requests by the round their prompt names; the critic's and the ending's are not among them."""
    found: dict[int, list] = {}
    for entry in server.calls:
        if title(entry.body) in ORDER and (n := re.search(r"^Round (\d) of", "\n".join(texts(entry.body)), re.M)):
            found.setdefault(int(n.group(1)), []).append(entry)
    return found


async def test_three_rounds_of_six_to_nine_calls_and_at_most_27_in_all(debate):
    played, server = debate
    rounds = per_round(server)
    assert sorted(rounds) == [1, 2, 3]
    assert all(6 <= len(calls) <= 9 for calls in rounds.values())
    assert len(server.calls) <= 27
    assert played.notes.degradations == []
    assert played.deliverable.text


async def test_no_call_of_a_phase_comes_before_what_it_takes(debate):
    _, server = debate
    for calls in per_round(server).values():
        ends = {kind: [c.ended for c in calls if title(c.body) == kind] for kind in ORDER}
        starts = {kind: [c.started for c in calls if title(c.body) == kind] for kind in ORDER}
        assert min(starts["SynthesisReply"]) >= max(ends["ProposalReply"] + ends["DefenceReply"])
        assert min(starts["VerificationReply"]) >= max(ends["SynthesisReply"])
        challenger = next(
            c for c in calls if title(c.body) == "ProposalReply" and "# Challenger" in "\n".join(texts(c.body))
        )
        assert all(s >= challenger.ended for s in starts["DefenceReply"])


async def test_the_four_proposals_of_a_round_overlap(debate):
    _, server = debate
    for calls in per_round(server).values():
        proposals = [c for c in calls if title(c.body) == "ProposalReply"]
        assert len(proposals) == len(DEBATERS)
        assert max(c.started for c in proposals) < min(c.ended for c in proposals)


async def test_the_anchor_is_the_last_text_of_every_call_with_question_and_number(debate):
    _, server = debate
    assert len(server.calls) > 20
    for entry in server.calls:
        last = texts(entry.body)[-1]
        if title(entry.body) == "AuditReply":
            assert not last.startswith("CRITICAL REMINDER")
            continue
        assert entry.body["messages"][-1]["content"][-1]["text"] == last
        assert last.startswith("CRITICAL REMINDER:")
        assert QUESTION in last
        assert re.search(r"Do not exceed \d+ words", last)


async def test_the_blind_critic_sees_question_conclusion_and_its_rules_only(debate):
    played, server = debate
    bodies = asked(server, "AuditReply")
    assert bodies
    conclusion = played.rounds[played.deliverable.base_round - 1].synthesis.conclusion
    for body in bodies:
        whole = "\n".join(texts(body))
        assert QUESTION in whole
        assert "<conclusion>" in whole
        for never in (
            "<constraints>",
            "<proposals>",
            "<register>",
            "<synthesis>",
            "<material",
            "Optimizer A",
            *CONSTRAINTS,
        ):
            assert never not in whole
    assert conclusion.recommendation[:40] in "\n".join(texts(bodies[0])).replace('\\"', '"')


async def test_no_proposal_request_holds_eight_words_of_another_agents_text_of_that_round(debate):
    """What was given to all (question, constraints, material, the last brief) is nobody's text of this round."""
    played, server = debate
    for now in played.rounds:
        assert now.proposals.leaks == ()
        for entry in per_round(server)[now.number]:
            if title(entry.body) != "ProposalReply":
                continue
            shared = common(entry.body)
            own = [t for t in texts(entry.body) if t not in shared]
            prompt = runs(" ".join((*shared, *own))) - given(shared)
            heard = [p for p in now.proposals.proposals if f"# {p.role.title}" not in "\n".join(own)]
            assert len(heard) == len(now.proposals.proposals) - 1
            for p in heard:
                said = (p.weakness, p.text, p.draft, *(x.claim for x in p.points))
                objected = (f"{o.steel_man} {o.objection}" for o in p.objections)
                assert not prompt & (runs(" ".join((*said, *objected))) - given(shared)), (now.number, p.role)


def test_the_leak_check_can_fail():
    said = "one two three four five six seven eight nine"
    assert runs(f"before {said} after") & runs(said)
    assert not runs("one two three four five six seven") & runs(said)


def common(body: dict[str, Any]) -> list[str]:
    """What all agents of a round are given: the case, which comes first, and the context."""
    first, *rest = texts(body)
    return [first, *(t for t in rest if t.startswith("<context "))]


def given(shared: list[str]) -> set[str]:
    return set().union(*(runs(text) for text in shared))


async def test_a_call_begins_with_what_a_later_round_reads_from_the_cache(debate):
    """The case is one prefix for all calls; up to its task, a role's call of round 2 is its call of round 3."""
    _, server = debate
    rounds = per_round(server)
    assert len(rounds) == 3
    calls = [c for now in rounds.values() for c in now]
    for call in calls:
        marks = ["cache_control" in b for b in call.body["messages"][0]["content"]]
        assert marks[:3] == [True, False, True]
        assert not any(marks[3:])
    assert len({texts(c.body)[0] for c in calls}) == 1
    second, third = ({tuple(texts(c.body)[:3]) for c in rounds[n] if title(c.body) != "DefenceReply"} for n in (2, 3))
    assert second == third


def runs(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[i : i + 8]) for i in range(len(words) - 7)}


async def test_what_agents_of_a_round_share_is_byte_for_byte_the_same(debate):
    _, server = debate
    for calls in per_round(server).values():
        given_to_all = {tuple(common(c.body)) for c in calls}
        assert len(given_to_all) == 1
        case, context = given_to_all.pop()
        assert context.startswith("<context source=")
        assert all(x in case for x in CONSTRAINTS)


async def test_every_phase_gives_its_output_once_and_in_order(debate):
    played, _ = debate
    ends = [phase for phase, n in played.notes.outputs if n == 1]
    assert ends == [p for p in PhaseName if p not in (PhaseName.FORMAT, PhaseName.AUDIT)]
    assert len(played.notes.cards) == len(DEBATERS) * len(played.rounds)


async def test_a_debate_played_again_from_its_record_sends_nothing(fake_server):  # noqa: F811
    table = Table(config())
    first = await table.whole()
    sent = len(fake_server.calls)
    again = Table(config())
    again.journal.records = table.journal.records
    second = await again.whole()
    assert len(fake_server.calls) == sent
    assert second.deliverable == first.deliverable
    assert second.audit == first.audit
    assert second.rounds == first.rounds
