"""Whole debates with the offline engine, through the real phases: what happens in them, and what must never happen."""

import asyncio
import itertools
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import pytest

from vada import failure_modes
from vada.llm.base import Answer, Ask, CallRecord
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.llm.reading import hits_of, reply_of, text_of
from vada.llm.rehearsal import Rehearsal
from vada.llm.request import Plan, body
from vada.models.base import Value
from vada.models.debate import REHEARSAL, DebateConfig, Material, ModelRef, Seat, constraints_from
from vada.models.outputs import Audit, Breach, Degraded, Deliverable, Proposal, Whisper
from vada.models.replies import Reply
from vada.models.run import Round, Run
from vada.models.vocabulary import (
    DEBATERS,
    METHODS,
    ChallengeStatus,
    DebateState,
    GateAction,
    GateMode,
    PhaseName,
    PointFate,
    Role,
    Verdict,
    VetoVerdict,
)
from vada.phase import Turn
from vada.play import play_ending, play_round
from vada.prompts import PromptBook
from vada.scoring import best_round
from vada.settings import Settings

R = TypeVar("R", bound=Reply)

MOST_CALLS = 27
QUESTION = "Should a 12-person startup move its monolith to microservices?"
QUESTIONS: tuple[tuple[str, str], ...] = (
    (QUESTION, "software_architecture"),
    ("Should we use Postgres or MySQL for our analytics?", "software_architecture"),
    ("How can our team of 6 reduce on-call load?", "software_architecture"),
    ("Which pricing model should we use for our app?", "product_strategy"),
    ("Should cities ban short-term rentals?", "policy_ethics"),
    ("Should schools ban smartphones?", "policy_ethics"),
    ("Does remote work reduce productivity?", "research_evidence"),
    ("Is intermittent fasting effective for weight loss?", "research_evidence"),
    ("Write an RFC for adopting OpenTelemetry in our 8 services.", "writing_specification"),
    ("Draft the letter to our members about the new fee of $40.", "writing_specification"),
    ("Should I rent or buy a flat?", "personal_decision"),
    ("Should I quit my job and study medicine?", "personal_decision"),
    ("How do I learn Spanish in six months?", "personal_decision"),
    ("¿Deberíamos mudarnos a Madrid?", "personal_decision"),
)


@cache
def book() -> PromptBook:
    return PromptBook.load()


def every_question() -> tuple[tuple[str, str], ...]:
    """The questions above and every example that the packs show."""
    return (*QUESTIONS, *((x, p.key) for p in book().packs.values() for x in p.examples))


class Direct:
    """The engine behind the seam without a stream in between: the body of each call and its reply, read as always."""

    def __init__(self) -> None:
        self.engine = Rehearsal()
        self.slots: list[str] = []

    async def ask(self, ask: Ask[R]) -> Answer[R]:
        plan = Plan(web="endpoint" if ask.seat.web else "", structure="native", room=8000, stream=False)
        message = self.engine.answer(body(ask, REHEARSAL, plan))
        self.slots.append(ask.slot)
        value = reply_of(message, ask.reply)
        assert ask.check is None or not ask.check(value), (ask.slot, ask.check and ask.check(value))
        return Answer(value=value, call_id=message["id"], text=text_of(message), hits=hits_of(message))


@dataclass
class Record:
    """Who is told what happens."""

    degradations: list[Degraded] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)

    async def started(self, phase: PhaseName, round: int) -> None: ...
    async def finished(self, phase: PhaseName, round: int, output: Value) -> None: ...
    async def replied(self, proposal: Proposal) -> None: ...
    async def degraded(self, degraded: Degraded) -> None:
        self.degradations.append(degraded)

    async def breached(self, breach: Breach) -> None:
        self.breaches.append(breach)


@dataclass(frozen=True)
class Played:
    """A debate that was played to its end."""

    config: DebateConfig
    rounds: tuple[Round, ...]
    deliverable: Deliverable
    audit: Audit
    state: DebateState
    record: Record
    slots: tuple[str, ...]

    @property
    def verdicts(self) -> list[Verdict]:
        return [r.verdict for now in self.rounds if now.synthesis for r in now.synthesis.rulings]

    @property
    def run(self) -> Run:
        at = "2026-11-30T00:00:00Z"
        return Run(
            id="d",
            config=self.config,
            state=self.state,
            created_at=at,
            updated_at=at,
            version=1,
            head="",
            rounds=self.rounds,
            deliverable=self.deliverable,
            audit=self.audit,
        )


def config(
    question: str, pack: str, constraints: tuple[str, ...] = (), material: str = "", **changes: Any
) -> DebateConfig:
    """A debate with the offline engine in every seat."""
    chosen, ref = book().packs[pack], ModelRef(name=REHEARSAL, endpoint=REHEARSAL)
    expertise = {Role.OPTIMIZER_A: chosen.expertise_a, Role.OPTIMIZER_B: chosen.expertise_b}
    web = changes.pop("web", False)
    return DebateConfig(
        question=question,
        constraints=constraints_from(list(constraints)),
        material=(Material(name="notes.md", text=material),) if material else (),
        pack=chosen,
        seats=tuple(
            Seat(role=r, model=ref, expertise=expertise.get(r, ""), method=METHODS.get(r), web=web and r in DEBATERS)
            for r in Role
        ),
        gate=GateMode.AUTOPILOT,
        **changes,
    )


async def play(chosen: DebateConfig, llm: Any, whispers: tuple[Whisper, ...] = ()) -> Played:
    """Play a debate to its end as autopilot would."""
    record, rounds = Record(), list[Round]()

    def turn(n: int) -> Turn:
        return Turn(
            config=chosen,
            round=n,
            past=tuple(rounds),
            llm=llm,
            prompts=book(),
            degrade=record.degraded,
            whispers=whispers if rounds else (),
            today="2026-11-30",
        )

    while True:
        rounds.append(await play_round(turn(len(rounds) + 1), record))
        verdict = rounds[-1].verdict
        if verdict is None or verdict.recommendation is GateAction.STOP or len(rounds) >= chosen.rounds:
            break
    deliverable, audit, state = await play_ending(turn(len(rounds)), record, best_round(rounds))
    slots = tuple(getattr(llm, "slots", ()))
    return Played(chosen, tuple(rounds), deliverable, audit, state, record, slots)


BOUND = ("Budget of $50,000", "No downtime during business hours", "At most 300 words", 'Must mention "handover"')
NOTES = "Last quarter 3 of 10 releases were late by 9 days.\nWe tried a smaller change in May and it took 4 weeks."


@cache
def debates() -> tuple[Played, ...]:
    """All questions once; every third with constraints, every fourth with material."""
    out = []
    for i, (question, pack) in enumerate(every_question()):
        chosen = config(question, pack, BOUND if i % 3 == 0 else (), NOTES if i % 4 == 0 else "")
        out.append(asyncio.run(play(chosen, Direct())))
    return tuple(out)


def test_every_debate_runs_three_rounds_without_a_breach_or_a_fallback() -> None:
    for d in debates():
        assert len(d.rounds) == 3, d.config.question
        assert not d.record.breaches, (d.config.question, d.record.breaches)
        assert not d.record.degradations, d.config.question
        assert not any(leak for r in d.rounds if r.proposals for leak in r.proposals.leaks)


def test_no_debate_takes_more_calls_than_the_budget_allows() -> None:
    assert all(len(d.slots) <= MOST_CALLS for d in debates())
    assert not any("compress" in slot for d in debates() for slot in d.slots)


def test_the_score_rises_and_then_settles() -> None:
    for d in debates():
        totals = [r.verification.total for r in d.rounds if r.verification]
        assert 5.3 <= totals[0] <= 7.0
        assert 0.6 <= totals[1] - totals[0] <= 1.2
        assert 0 <= totals[2] - totals[1] < 0.5


def test_rulings_go_both_ways_in_every_debate() -> None:
    for d in debates():
        kinds = set(d.verdicts)
        assert Verdict.UPHELD in kinds
        assert Verdict.OVERRULED in kinds
        assert Verdict.PARTIAL in kinds or Counter(d.verdicts)[Verdict.OVERRULED] > 1


def test_every_debate_has_a_concession_a_defence_and_a_minority_report() -> None:
    for d in debates():
        challenges = [c for r in d.rounds if r.challenges for c in r.challenges.challenges]
        assert {c.status for c in challenges} >= {ChallengeStatus.CONCEDED, ChallengeStatus.DEFENDED}
        assert all(c.target_key for c in challenges)
        assert all(r.synthesis and r.synthesis.minority for r in d.rounds)


def test_two_defend_in_the_first_rounds_and_one_in_the_last() -> None:
    for d in debates():
        n = Counter(slot.split(".")[0] for slot in d.slots if ".defend." in slot)
        assert (n["r1"], n["r2"], n["r3"]) == (2, 2, 1), d.config.question


def test_vetoes_stand_and_one_falls_to_a_constraint() -> None:
    for d in debates():
        rulings = [v for r in d.rounds if r.synthesis for v in r.synthesis.veto_rulings]
        assert any(v.verdict is VetoVerdict.STANDS for v in rulings)
        if d.config.constraints:
            fell = [v for v in rulings if v.verdict is VetoVerdict.OVERRULED]
            assert fell
            assert all(v.cites[0].startswith("C") for v in fell)


def test_a_constraint_is_renegotiated_in_about_half_of_the_debates_that_have_one() -> None:
    bound = [d for d in debates() if d.config.constraints]
    asked = [d for d in bound if any(r.synthesis and r.synthesis.renegotiations for r in d.rounds)]
    assert 0.2 <= len(asked) / len(bound) <= 0.8


def test_a_changed_decision_keeps_its_key_and_names_its_reason() -> None:
    for d in debates():
        syntheses = [r.synthesis for r in d.rounds if r.synthesis]
        for before, after in itertools.pairwise(syntheses):
            was = {x.key: x for x in before.decisions}
            assert set(was) <= {x.key for x in after.decisions}
            moved = [x for x in after.decisions if x.key in was and x.stance != was[x.key].stance]
            assert all(x.reasons for x in moved)
        assert any(
            x.stance != {y.key: y.stance for y in syntheses[0].decisions}.get(x.key, x.stance)
            for x in syntheses[1].decisions
        )


def test_agents_answer_the_same_issues_differently() -> None:
    for d in debates():
        first = d.rounds[0].proposals
        assert first is not None
        values: dict[str, set[str]] = {}
        for p in first.proposals:
            for point in p.points:
                values.setdefault(point.key, set()).add(point.value)
        assert len(values["answer"]) == 3
        assert sum(len(v) > 1 for v in values.values()) >= 2


def test_a_fault_that_the_verifier_finds_is_gone_in_the_next_round() -> None:
    for d in debates():
        found = [{i.id for i in r.verification.issues} for r in d.rounds if r.verification]
        assert found[0] | found[1]
        assert not found[0] & found[1]
        assert not found[1] & found[2]


def test_a_confident_point_is_dropped_in_some_debates_and_comes_back() -> None:
    dropped = [
        d
        for d in debates()
        if any(p.fate is PointFate.DROPPED for r in d.rounds if r.verification for p in r.verification.raw_vs_synthesis)
    ]
    assert 0.15 <= len(dropped) / len(debates()) <= 0.7
    for d in dropped:
        assert d.rounds[0].brief
        assert d.rounds[0].brief.restored


def test_debates_end_clean_revised_and_unconverged() -> None:
    assert {d.state for d in debates()} == {DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED}


def test_a_revision_answers_the_flag() -> None:
    revised = [d for d in debates() if d.audit.revision]
    assert revised
    for d in revised:
        assert d.audit.revision
        assert not d.audit.revision.touched_others
        assert d.audit.revision.before != d.audit.revision.after


def test_the_deliverable_is_the_base_draft_amended_and_keeps_every_constraint() -> None:
    for d in debates():
        last = d.rounds[d.deliverable.base_round - 1]
        assert last.synthesis
        assert last.proposals
        assert last.synthesis.base_draft
        base = last.proposals.of(last.synthesis.base_draft)
        assert base
        assert d.deliverable.text != base.draft
        assert d.deliverable.text.split("\n")[0].split(".**")[0] == base.draft.split("\n")[0].split(".**")[0]
        assert len(d.deliverable.applied) == len(last.synthesis.amendments) > 0
        assert all(c.holds == "yes" for c in d.deliverable.checks)
        assert d.deliverable.words <= 700


def test_the_page_shows_nothing_of_the_debate() -> None:
    for d in debates():
        text = d.deliverable.text
        assert not any(word in text for word in ("Optimizer", "Challenger", "Coordinator", "veto", "ruling", "r1."))


def test_no_template_shows_through() -> None:
    for d in debates():
        for r in d.rounds:
            assert r.synthesis
            assert r.proposals
            texts = [r.synthesis.text, *(f"{p.weakness} {p.text} {p.draft}" for p in r.proposals.proposals)]
            texts += [x.reason for x in r.synthesis.rulings] + [
                c.objection for c in (r.challenges.challenges if r.challenges else ())
            ]
            for text in texts:
                assert "{" not in text
                assert ".." not in text.replace("...", "")
                assert "  " not in text


@pytest.mark.parametrize(
    "mode", ["sycophancy", "bluster_effect", "decision_oscillation", "no_new_signal", "role_bleed"]
)
def test_no_failure_mode_is_rehearsed_in_red(mode: str) -> None:
    for d in debates():
        for finding in failure_modes.measure(d.run):
            if finding.mode == mode:
                assert finding.level != "red", (d.config.question, finding.sentence)


def test_with_search_evidence_is_verified_and_changes_from_round_to_round() -> None:
    d = asyncio.run(play(config(QUESTION, "software_architecture", web=True), Direct()))
    assert not d.record.breaches
    kinds = {(e.kind, e.verified) for r in d.rounds if r.proposals for p in r.proposals.proposals for e in p.evidence}
    assert kinds == {("web", True)}
    per_round = [{e.id for p in r.proposals.proposals for e in p.evidence} for r in d.rounds if r.proposals]
    assert per_round[0] != per_round[1]


def test_a_whisper_changes_the_next_round_only() -> None:
    chosen = config(QUESTION, "software_architecture")
    plain = asyncio.run(play(chosen, Direct()))
    nudged = asyncio.run(play(chosen, Direct(), (Whisper(text="Think of the cost.", to=Role.OPTIMIZER_A),)))
    assert plain.rounds[0].proposals == nudged.rounds[0].proposals
    before, after = plain.rounds[1].proposals, nudged.rounds[1].proposals
    assert before
    assert after
    assert before.of(Role.OPTIMIZER_A) != after.of(Role.OPTIMIZER_A)
    assert before.of(Role.OPTIMIZER_B) == after.of(Role.OPTIMIZER_B)


class Kept:
    """A journal in memory."""

    def __init__(self) -> None:
        self.records: list[CallRecord] = []

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        return None

    async def save(self, record: CallRecord) -> CallRecord:
        self.records.append(record)
        return record

    def tell(self, slot: str, attempt: int, text: str) -> None: ...

    async def cancelled(self) -> bool:
        return False


async def test_a_debate_through_the_real_client_is_the_same_as_without_it() -> None:
    chosen = config(QUESTION, "software_architecture", BOUND, NOTES)
    journal, endpoints = Kept(), Endpoints(Settings(rehearsal_speed=0))
    try:
        streamed = await play(chosen, MessagesLLM(endpoints, journal))
    finally:
        await endpoints.aclose()
    direct = await play(chosen, Direct())
    assert streamed.deliverable.text == direct.deliverable.text
    assert streamed.state is direct.state
    assert len(journal.records) == len(direct.slots)
    assert all(r.attempt == 1 and r.error is None for r in journal.records)
