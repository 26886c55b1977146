"""Each fallback of the table, forced over HTTP: what is recorded, what goes on, and how often it was tried."""

import json
from pathlib import Path

import pytest

from tests.fake_messages import Changed, Hang, SearchFails, Server, Status, Text, asked_again, role, wants
from tests.fake_messages.fixture import fake_server  # noqa: F401
from tests.phases.table import QUESTION, Table, asked, config, texts
from vada.errors import PhaseFailedError
from vada.models.debate import ModelRef
from vada.models.vocabulary import (
    AuditVerdict,
    ChallengeStatus,
    ConclusionField,
    DebateState,
    GateMode,
    Role,
)
from vada.phases import PHASES

DOWN = Status(500, "the provider's own words", {"retry-after-ms": "1"})


def both(*matches):
    return lambda body: all(m(body) for m in matches)


def proposing(name: str):
    return both(wants("ProposalReply"), role(name))


@pytest.fixture
def server(fake_server: Server) -> Server:  # noqa: F811
    return fake_server


# p2


async def test_a_missing_agent_is_tried_three_times_and_then_the_round_goes_on(server):
    server.script(DOWN, match=proposing("Optimizer B"), times=None)
    table = Table(config())
    now = await table.round()
    assert len(asked(server, "ProposalReply", "Optimizer B")) == 3
    assert now.proposals.missing == (Role.OPTIMIZER_B,)
    assert now.synthesis is not None
    (degraded,) = table.notes.degradations
    assert degraded.key == "agent_missing"
    assert degraded.role is Role.OPTIMIZER_B
    assert "the provider's own words" in degraded.cause
    assert "Optimizer B" in degraded.message
    assert "Missing: Optimizer B" in "\n".join(texts(asked(server, "SynthesisReply")[0]))


async def test_every_reply_is_saved_as_it_ends_even_when_the_round_fails(server):
    for name in ("Optimizer A", "Optimizer B", "Simplifier"):
        server.script(DOWN, match=proposing(name), times=None)
    table = Table(config())
    with pytest.raises(PhaseFailedError, match="1 of 4"):
        await table.round()
    assert [p.role for p in table.notes.cards] == [Role.CHALLENGER]


async def test_without_the_challenger_the_round_stops_and_asks_the_person(server):
    server.script(DOWN, match=proposing("Challenger"), times=None)
    table = Table(config(gate=GateMode.TROUBLE))
    now = await table.round()
    assert now.synthesis is None
    assert now.verdict.wait
    assert table.notes.taken == ["challenger_missing"]
    assert asked(server, "SynthesisReply") == []


async def test_without_the_challenger_nobody_goes_on_by_autopilot(server):
    server.script(DOWN, match=proposing("Challenger"), times=None)
    with pytest.raises(PhaseFailedError, match="Challenger"):
        await Table(config()).round()


async def test_a_hung_agent_costs_one_time_out_and_is_benched(server, monkeypatch):
    monkeypatch.setenv("VADA_ROLES__SIMPLIFIER__TIMEOUT", "0.6")
    server.script(Hang(), match=proposing("Simplifier"), times=None)
    table = Table(config())
    first = await table.round()
    second = await table.round((first,))
    assert len(asked(server, "ProposalReply", "Simplifier")) == 1
    assert first.proposals.timed_out == (Role.SIMPLIFIER,)
    assert second.dossier.benched == (Role.SIMPLIFIER,)
    assert table.notes.taken == ["agent_missing", "agent_benched"]


async def test_a_challenger_without_an_objection_is_asked_again_with_the_fault_named(server):
    server.script(Changed(lambda r: {**r, "objections": []}), match=proposing("Challenger"))
    now = await Table(config()).round()
    first, second = asked(server, "ProposalReply", "Challenger")
    assert "objections" in texts(second)[-2]
    assert texts(second)[-1] == texts(first)[-1], "the anchor is last again"
    assert now.challenges.challenges


# p3


async def test_a_failed_defence_leaves_the_challenge_undefended_and_still_ruled_on(server):
    server.script(DOWN, match=wants("DefenceReply"), times=None)
    table = Table(config())
    now = await table.round()
    assert {c.status for c in now.challenges.challenges} == {ChallengeStatus.UNDEFENDED}
    assert {r.challenge for r in now.synthesis.rulings} == {c.id for c in now.challenges.challenges}
    assert set(table.notes.taken) == {"undefended"}


# p4


async def test_a_failed_synthesis_is_tried_four_times_and_the_raw_replies_are_kept_for_the_gate(server):
    server.script(DOWN, match=wants("SynthesisReply"), times=None)
    table = Table(config(gate=GateMode.EVERY))
    now = await table.round()
    assert len(asked(server, "SynthesisReply")) == 4
    assert len(now.proposals.proposals) == 4
    assert now.synthesis is None
    assert now.verdict.wait
    assert now.verdict.trouble == ("the round has no synthesis",)
    assert table.notes.taken == ["synthesis_failed"]


async def test_a_failed_synthesis_on_autopilot_fails_the_debate(server):
    server.script(DOWN, match=wants("SynthesisReply"), times=None)
    with pytest.raises(PhaseFailedError, match="no synthesis"):
        await Table(config()).round()


# p1


async def test_with_neither_brief_nor_synthesis_the_round_starts_from_the_original_input(server):
    server.script(DOWN, match=wants("SynthesisReply"), times=4)
    table = Table(config(gate=GateMode.EVERY))
    first = await table.round()
    second = await table.round((first,))
    assert second.dossier.source == "original"
    assert second.synthesis is not None
    assert table.notes.taken == ["synthesis_failed", "original_input"]


def long_winded(reply):
    for d in reply["decisions"]:
        d["statement"] = d["statement"] + " and so on in detail" * 80
    return reply


async def test_without_a_brief_the_next_round_starts_from_the_last_synthesis(server):
    server.script(Changed(long_winded), match=wants("SynthesisReply"))
    server.script(DOWN, match=wants("CompressionReply"), times=2)
    table = Table(config())
    first = await table.round()
    second = await table.round((first,))
    assert first.brief is None
    assert second.dossier.source == "synthesis"
    assert first.synthesis.text in second.dossier.context
    assert table.notes.taken == ["brief_missing", "brief_missing"]


# p6


async def test_a_brief_over_the_cap_is_shortened_by_one_call(server):
    server.script(Changed(long_winded), match=wants("SynthesisReply"))
    table = Table(config())
    now = await table.round()
    assert len(asked(server, "CompressionReply")) == 1
    assert now.brief.tokens <= 800
    assert table.notes.degradations == []


# p5


async def test_a_skipped_verification_is_flagged_and_the_next_round_verifies_twice(server):
    server.script(DOWN, match=wants("VerificationReply"), times=2)
    table = Table(config())
    first = await table.round()
    assert first.verification is None
    assert table.notes.taken == ["verification_skipped"]
    before = len(asked(server, "VerificationReply"))
    second = await table.round((first,))
    assert len(asked(server, "VerificationReply")) - before == 2
    assert len(second.verification.second) == len(second.verification.scores)
    assert second.verification.delta is None


# p8


async def test_when_formatting_fails_the_raw_synthesis_stands_with_its_scores(server):
    server.script(DOWN, match=wants("DeliverableReply"), times=None)
    table = Table(config(rounds=1))
    played = await table.whole()
    assert len(asked(server, "DeliverableReply")) == 3
    assert played.deliverable.fallback
    assert played.rounds[-1].synthesis.text in played.deliverable.text
    assert all(s.dimension in played.deliverable.text for s in played.rounds[-1].verification.scores)
    assert "format_failed" in played.notes.taken
    assert played.state is not DebateState.FAILED


# p9


def verdict(verdict_: str, field: str = "", objection: str = "") -> Text:
    return Text(json.dumps({"verdict": verdict_, "field": field, "objection": objection}))


async def ended(server, *answers):
    for answer in answers:
        server.script(answer, match=wants("AuditReply"))
    return await Table(config(rounds=1)).whole()


async def test_a_pass_is_clean(server):
    played = await ended(server, verdict("pass"))
    assert played.state is DebateState.CLEAN


async def test_a_flag_fixes_only_the_flagged_field_and_a_fresh_critic_looks_once_more(server):
    server.script(
        Changed(
            lambda r: {"conclusion": {**r["conclusion"], "recommendation": "CHANGED", "caveats": ["A better caveat."]}}
        ),
        match=wants("RevisionReply"),
    )
    played = await ended(server, verdict("flag", "caveats", "The caveat is empty."), verdict("pass"))
    before = played.rounds[-1].synthesis.conclusion
    after = played.audit.conclusion
    assert played.state is DebateState.REVISED
    assert after.caveats == ("A better caveat.",)
    assert after == before.model_copy(update={"caveats": after.caveats}), "every other field is byte for byte the same"
    assert played.audit.revision.touched_others
    first, second = asked(server, "AuditReply")
    assert "The caveat is empty." not in json.dumps(second), "the second Critic knows nothing of the first"
    assert "A better caveat." in json.dumps(second)
    assert "A better caveat." not in json.dumps(first)


async def test_two_flags_are_unconverged_and_both_objections_are_kept(server):
    played = await ended(server, verdict("flag", "recommendation", "one"), verdict("flag", "recommendation", "two"))
    assert played.state is DebateState.UNCONVERGED
    assert [p.objection for p in played.audit.passes] == ["one", "two"]
    assert played.deliverable.text


@pytest.mark.parametrize(
    "unclear", [verdict("flag"), verdict("pass", "", "but it is vague"), verdict("flag", "nonsense", "x")]
)
async def test_what_is_unclear_counts_as_a_flag(server, unclear):
    played = await ended(server, unclear, unclear, verdict("pass"))
    assert played.audit.passes[0].verdict is AuditVerdict.FLAG
    assert played.audit.passes[0].field in set(ConclusionField)


async def test_an_audit_that_could_not_be_had_is_not_clean(server):
    server.script(DOWN, match=wants("AuditReply"), times=None)
    played = await Table(config(rounds=1)).whole()
    assert len(asked(server, "AuditReply")) == 3
    assert played.state is DebateState.UNCONVERGED
    assert "audit_skipped" in played.notes.taken


async def test_a_failed_revision_lets_the_flag_stand(server):
    server.script(DOWN, match=wants("RevisionReply"), times=None)
    played = await ended(server, verdict("flag", "recommendation", "one"))
    assert played.state is DebateState.UNCONVERGED
    assert "revision_failed" in played.notes.taken
    assert len(played.audit.passes) == 1


# all


def test_every_declared_fallback_has_a_test_that_forces_it():
    source = Path(__file__).read_text(encoding="utf-8")
    declared = {f.key for p in PHASES.values() for f in p.fallbacks}
    assert [k for k in declared if f'"{k}"' not in source] == []


async def test_a_re_ask_ends_with_the_anchor_again(server):
    server.script(Text("not json at all"), match=wants("SynthesisReply"))
    await Table(config()).round()
    again = next(e.body for e in server.calls if asked_again(e.body))
    assert texts(again)[-1].startswith("CRITICAL REMINDER:")
    assert QUESTION in texts(again)[-1]


async def test_a_fallback_model_is_used_and_said(server):
    spare = ModelRef.parse("claude-haiku-5-5@anthropic")
    seats = tuple(
        s.model_copy(update={"fallbacks": (spare,)}) if s.role is Role.COORDINATOR else s for s in config().seats
    )
    server.script(
        Status(404, "model: gone"), match=both(wants("SynthesisReply"), lambda b: b["model"] != spare.name), times=None
    )
    table = Table(config(seats=seats))
    now = await table.round()
    assert now.synthesis is not None
    assert table.notes.taken == ["model_replaced"]


async def test_a_second_verification_that_fails_is_said(server):
    server.script(DOWN, match=wants("VerificationReply"), times=2)
    table = Table(config())
    first = await table.round()
    server.script(Status(400, "no more"), match=wants("VerificationReply"), times=1)
    second = await table.round((first,))
    assert second.verification is not None
    assert second.verification.second == ()
    assert table.notes.taken == ["verification_skipped", "second_pass_missing"]


async def test_a_failed_search_is_said_and_the_proposal_stands(server):
    seats = tuple(s.model_copy(update={"web": s.role is Role.OPTIMIZER_A}) for s in config().seats)
    server.script(SearchFails(), match=proposing("Optimizer A"))
    table = Table(config(seats=seats))
    now = await table.round()
    assert now.proposals.of(Role.OPTIMIZER_A) is not None
    assert "search_failed" in table.notes.taken
