"""What each phase gives: one output a phase, every point, evidence item, challenge, decision and veto with a stable id.

Ids are given by code, never by a model: `r1.optimizer_a.p2` a point, `r1.x3` a challenge, `r2.v1` a veto, `r1.n1` a
renegotiation, `r1.m2` an amendment, `e-<8 hex>` an evidence item (same source, same id in every round), `i-<8 hex>`
an issue's fingerprint, and a decision's own `key`.
"""

from typing import Literal

from pydantic import Field

from vada.models.base import Value
from vada.models.debate import ModelRef
from vada.models.vocabulary import (
    AmendmentKind,
    AuditVerdict,
    ChallengeStatus,
    ConclusionField,
    DecisionStatus,
    DefenceVerdict,
    ErrorKind,
    GateAction,
    Holds,
    PhaseName,
    PointFate,
    Role,
    Trajectory,
    Verdict,
    VetoVerdict,
)


class Degraded(Value):
    """A fallback that was taken. Shown above everything it touches."""

    phase: PhaseName
    round: int
    key: str = Field(description="the fallback's name, for example `agent_missing` or `verification_skipped`")
    message: str = Field(description="what happened and what stands in its place, in plain words")
    role: Role | None = None
    cause: str = Field(default="", description="the provider's own message, status and request id")


class Evidence(Value):
    """Something a claim rests on."""

    id: str
    title: str
    url: str = ""
    quote: str = ""
    age: str = ""
    kind: str = Field(default="named", pattern="^(web|material|named)$")
    verified: bool = Field(default=False, description="a search returned it, or it stands in the material")


class Point(Value):
    """One claim of a proposal."""

    id: str
    key: str = Field(description="the issue it answers, a slug; agents that answer the same issue share it")
    claim: str
    value: str = Field(default="", description="the stance in a few words, comparable between agents and rounds")
    confidence: float = Field(ge=0, le=1)
    evidence: tuple[str, ...] = Field(default=(), description="evidence ids")


class Objection(Value):
    """What the Challenger objects, before it is numbered in the register."""

    target: str = Field(description="what it aims at: a decision key, a claim in the brief, or the expected answer")
    steel_man: str
    objection: str
    evidence: tuple[str, ...] = ()
    confidence: float = Field(ge=0, le=1)


class Veto(Value):
    """A removal the Simplifier demands; it stands unless overruled with a constraint or evidence."""

    id: str
    target: str
    remove: str
    reason: str


class Proposal(Value):
    """One agent's blind proposal."""

    role: Role
    model: ModelRef
    round: int
    weakness: str
    weakness_first: bool = Field(description="the weakness stood before the proposal in the reply's own text")
    text: str
    points: tuple[Point, ...]
    change_my_mind: str = ""
    draft: str = ""
    objections: tuple[Objection, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    cannot: str = Field(default="", description="why the agent could not answer; empty when it did")
    words: int = Field(description="words of everything but the draft")
    draft_words: int = 0
    call_id: str = ""


class Leak(Value):
    """Eight or more consecutive words of another agent's same-round text, found where blindness forbids them."""

    slot: str
    source: Role
    words: str


class Dossier(Value):
    """What phase 1 lays before the agents of a round."""

    round: int
    context: str = Field(description="the brief's text, a fallback's text, or empty in round 1")
    source: str = Field(pattern="^(original|brief|synthesis|transcript)$", description="where `context` came from")
    constraints_block: str = Field(description="the constraints verbatim, one a line with their ids")
    constraints_sha: str
    instructions: dict[Role, str] = Field(description="per role: its one instruction for this round")
    caps: dict[Role, int] = Field(description="per role: word cap")
    benched: tuple[Role, ...] = ()


class Proposals(Value):
    """Phase 2: who proposed, who did not answer, and the audit of their blindness."""

    proposals: tuple[Proposal, ...]
    missing: tuple[Role, ...] = ()
    timed_out: tuple[Role, ...] = Field(default=(), description="of the missing: who hung; benched in the next rounds")
    leaks: tuple[Leak, ...] = ()

    def of(self, role: Role) -> Proposal | None:
        """The proposal of a role, or None when it is missing."""
        return next((p for p in self.proposals if p.role == role), None)


class Defence(Value):
    """An answer to one challenge."""

    role: Role
    verdict: DefenceVerdict
    reason: str
    evidence: tuple[str, ...] = ()


class Challenge(Value):
    """An entry of the challenge register."""

    id: str
    number: int
    target: str
    target_point: str | None = None
    target_key: str | None = None
    steel_man: str
    objection: str
    evidence: tuple[str, ...] = ()
    confidence: float = Field(ge=0, le=1)
    defenders: tuple[Role, ...] = ()
    defences: tuple[Defence, ...] = ()
    status: ChallengeStatus

    @property
    def against(self) -> tuple[Role, ...]:
        """Whom it is aimed at: who has to answer it, else who made the attacked point; empty for nobody's own claim."""
        owner = next((r for r in Role if self.target_point and f".{r.value}." in self.target_point), None)
        return self.defenders or ((owner,) if owner else ())


class ChallengeRegister(Value):
    """Phase 3."""

    challenges: tuple[Challenge, ...]
    evidence: tuple[Evidence, ...] = Field(default=(), description="evidence that the defences brought")


class Ruling(Value):
    """The Coordinator's ruling on a challenge."""

    challenge: str
    verdict: Verdict
    reason: str
    cites: tuple[str, ...] = Field(default=(), description="ids: evidence, constraints, points")


class VetoRuling(Value):
    """The Coordinator's ruling on a veto."""

    veto: str
    verdict: VetoVerdict
    reason: str
    cites: tuple[str, ...] = ()


class Decision(Value):
    """A decision of the synthesis; `key` is stable over rounds."""

    key: str
    statement: str
    value: str
    status: DecisionStatus
    confidence: float = Field(ge=0, le=1)
    holders: tuple[Role, ...] = ()
    source_points: tuple[str, ...] = ()
    reasons: tuple[str, ...] = Field(default=(), description="ids that changed it: evidence or upheld challenges")
    stance: str = Field(description="hash of key and normalised value (12 hex)")


class MinorityEntry(Value):
    """A position that did not prevail and is kept; built by code from overruled points, worded by the Coordinator."""

    id: str
    point: str = Field(description="id of the point, challenge or veto that was overruled")
    position: str
    holders: tuple[Role, ...]
    reason: str = Field(default="", description="why it did not prevail")
    confidence: float = Field(default=0, ge=0, le=1)


class Renegotiation(Value):
    """A formal request to change a constraint; the constraint holds until a person accepts."""

    id: str
    constraint: str
    request: str
    reason: str
    accepted: bool | None = Field(default=None, description="None while pending")


class Amendment(Value):
    """A change to the base draft."""

    id: str
    kind: AmendmentKind
    text: str
    where: str
    tied_to: tuple[str, ...] = Field(default=(), description="ids: ruling's challenge, veto, point or constraint")


class Branch(Value):
    """If this, then that path."""

    condition: str
    path: str


class UnresolvedPoint(Value):
    """A disagreement the debate did not settle."""

    point: str
    position_a: str
    position_b: str
    agents: tuple[str, ...] = ()


class Participant(Value):
    """Who took part, on what model."""

    role: Role
    model: str


class Conclusion(Value):
    """The structured conclusion: what the Blind Critic audits."""

    recommendation: str
    key_condition: str = ""
    caveats: tuple[str, ...] = ()
    conditional_branches: tuple[Branch, ...] = ()
    unresolved_points: tuple[UnresolvedPoint, ...] = ()
    review_by: str = Field(default="", description="ISO date or empty")
    participants: tuple[Participant, ...] = ()


class ActiveItem(Value):
    """Something still open that the next round works on."""

    id: str
    text: str
    key: str = Field(default="", description="the decision key it is about, if any; agents see this, never the id")
    origin: str = Field(
        default="", description="decision, dropped point, undecided challenge, error, or a person's edit"
    )


class Synthesis(Value):
    """Phase 4: the rulings and what came of them."""

    text: str
    rulings: tuple[Ruling, ...] = ()
    veto_rulings: tuple[VetoRuling, ...] = ()
    decisions: tuple[Decision, ...] = ()
    minority: tuple[MinorityEntry, ...] = ()
    renegotiations: tuple[Renegotiation, ...] = ()
    removed: tuple[str, ...] = ()
    base_draft: Role | None = None
    why_not_obvious: str = Field(default="", description="why the obvious answer is wrong, where it was left")
    amendments: tuple[Amendment, ...] = ()
    conclusion: Conclusion
    words: int = 0
    letters: dict[str, Role] = Field(default={}, description="anonymous letter to role, as shown to the Coordinator")
    call_id: str = ""


class Score(Value):
    """A dimension's score, 0–10."""

    dimension: str
    score: float = Field(ge=0, le=10)
    reason: str


class PointCheck(Value):
    """What became of one proposal point, by the Verifier and cross-checked by code."""

    point: str
    fate: PointFate
    note: str = ""
    by_code: bool = Field(default=False, description="code found it dropped although the Verifier did not say so")


class Sunset(Value):
    """A decision the Verifier finds stale or no longer needed."""

    key: str
    reason: str


class ConstraintCheck(Value):
    """Whether a constraint is kept in the synthesis."""

    constraint: str
    holds: Holds
    reason: str
    by_code: bool = False


class Issue(Value):
    """A fault the Verifier found; the id is a fingerprint, so that the same fault has the same id in every round."""

    id: str
    kind: ErrorKind
    target: str = Field(description="point id, decision key or `synthesis`")
    claim: str
    correction: str = ""


class Verification(Value):
    """Phase 5. Totals and deltas are computed by code."""

    scores: tuple[Score, ...]
    total: float = Field(ge=0, le=10, description="weighted mean of the scores")
    delta: float | None = Field(default=None, description="change of `total` against the last verified round")
    trajectory: Trajectory
    raw_vs_synthesis: tuple[PointCheck, ...] = ()
    diff: str = ""
    sunsets: tuple[Sunset, ...] = ()
    constraint_checks: tuple[ConstraintCheck, ...] = ()
    issues: tuple[Issue, ...] = ()
    second: tuple[Score, ...] = Field(default=(), description="scores of the second pass after a skipped one")
    words: int = 0
    call_id: str = ""


class Brief(Value):
    """Phase 6: the four sections that the next round starts from."""

    constraints_block: str
    decided: tuple[str, ...] = ()
    active: tuple[ActiveItem, ...] = ()
    minority: tuple[str, ...] = ()
    text: str
    tokens: int = Field(description="cl100k tokens of `text`")
    cut: tuple[str, ...] = Field(default=(), description="what the triage left out, so that nothing vanishes silently")
    restored: tuple[str, ...] = Field(default=(), description="ids of dropped points that came back as active")


class GateCheck(Value):
    """One of the five checks, with its reason in plain words."""

    name: str
    result: bool
    reason: str


class ForkOption(Value):
    """Two incompatible decisions, both held with confidence of 0.7 or more."""

    key: str
    value_a: str
    value_b: str
    confidence_a: float
    confidence_b: float


class GateVerdict(Value):
    """Phase 7: what the gate recommends and why."""

    recommendation: GateAction = Field(description="continue, fork or stop; what it would do without a person")
    wait: bool = Field(description="whether a person is asked before anything runs")
    checks: tuple[GateCheck, ...]
    trouble: tuple[str, ...] = Field(default=(), description="reasons that make `on trouble` wait")
    delta: float | None = None
    fork: ForkOption | None = None
    best_round: int
    limit: str = Field(default="", description="why the budget allows no further round; empty when it does")


class RenegotiationAnswer(Value):
    """A person's answer to a renegotiation."""

    id: str
    accepted: bool


class Whisper(Value):
    """A person's note at the gate; `to` None reaches all agents, else that role alone, in the next round."""

    text: str
    to: Role | None = None


class GateDecision(Value):
    """What was decided at a gate, by whom, and the recommendation it replaced."""

    action: GateAction
    recommended: GateAction
    by: str = Field(description="a person's name, or `autopilot`")
    at: str = Field(description="ISO time, UTC")
    note: str = ""
    whispers: tuple[Whisper, ...] = ()
    renegotiations: tuple[RenegotiationAnswer, ...] = ()
    active: tuple[ActiveItem, ...] | None = Field(default=None, description="the person's edit of the active items")
    base_round: int | None = Field(default=None, description="the round the person wants the deliverable from")
    children: tuple[str, ...] = ()


class Deliverable(Value):
    """Phase 8: the page for the person who must decide."""

    text: str
    words: int
    applied: tuple[str, ...] = Field(default=(), description="ids of the amendments applied")
    left_open: tuple[str, ...] = ()
    base_round: int
    checks: tuple[ConstraintCheck, ...] = Field(
        default=(), description="constraints that code can check, checked on `text`"
    )
    fallback: bool = Field(default=False, description="raw synthesis with scores, because formatting failed")
    call_id: str = ""


class Baseline(Value):
    """One model asked the debate's question once, without a debate: what was asked for, then what came of it."""

    state: Literal["asked", "answered", "failed"]
    seat: Role = Field(description="the seat whose model is asked")
    model: ModelRef
    by: str = ""
    text: str = ""
    words: int = 0
    checks: tuple[ConstraintCheck, ...] = Field(
        default=(), description="constraints that code can check, checked on `text`"
    )
    problem: str = Field(default="", description="why there is no answer, in the provider's own words")
    call_id: str = ""


class AuditPass(Value):
    """One look of the Blind Critic."""

    attempt: int
    verdict: AuditVerdict
    field: ConclusionField | None = None
    objection: str = ""
    call_id: str = ""


class Revision(Value):
    """The one-field fix after a flag; values are canonical JSON."""

    field: ConclusionField
    before: str
    after: str
    touched_others: bool = Field(
        default=False, description="the reply changed other fields too; those changes were not taken"
    )


class Audit(Value):
    """The blind audit: the passes, the fix, and the conclusion as it stands after them."""

    passes: tuple[AuditPass, ...]
    revision: Revision | None = None
    conclusion: Conclusion


class Breach(Value):
    """A structural rule that an output broke. Recorded and shown, never aborts."""

    rule: int = Field(ge=1, le=11)
    phase: PhaseName
    round: int
    role: Role | None = None
    message: str
    refs: tuple[str, ...] = ()
