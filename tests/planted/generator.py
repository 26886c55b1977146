"""A clean three-round debate for any seed: varied, complete, and with nothing wrong in it that a failure mode names.

What agents disagree on is ruled on, kept in the minority report, and changed only with new evidence or an upheld
challenge. The generator writes records and sentences as the phases would; it calls no phase and reads no detector.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.planted.words import (
    ADJECTIVES,
    BOOSTERS,
    HEDGES,
    NOUNS,
    PREPOSITIONS,
    TOPICS,
    VERBS,
    Issue,
    Topic,
)
from vada.models.debate import Constraint, DebateConfig, Dimension, ModelRef, Pack, Seat
from vada.models.outputs import (
    ActiveItem,
    Amendment,
    Audit,
    AuditPass,
    Brief,
    Challenge,
    ChallengeRegister,
    Conclusion,
    ConstraintCheck,
    Decision,
    Defence,
    Deliverable,
    Dossier,
    Evidence,
    GateCheck,
    GateDecision,
    GateVerdict,
    MinorityEntry,
    Objection,
    Point,
    PointCheck,
    Proposal,
    Proposals,
    Ruling,
    Score,
    Synthesis,
    Verification,
    Veto,
    VetoRuling,
)
from vada.models.outputs import Issue as Fault
from vada.models.run import CallTrace, Round, Run
from vada.models.vocabulary import (
    DEBATERS,
    OPTIMIZERS,
    AmendmentKind,
    AuditVerdict,
    ChallengeStatus,
    DebateState,
    DecisionStatus,
    DefenceVerdict,
    ErrorKind,
    GateAction,
    Holds,
    PhaseName,
    PointFate,
    Role,
    Verdict,
    VetoVerdict,
)
from vada.scoring import delta, same_value, stance, trajectory, weighted

ROUNDS = 3
MODELS = ("north-large", "south-large", "east-medium", "west-medium", "delta-large", "gamma-small")
DIMENSIONS = tuple(
    Dimension(key=k, name=k.title(), weight=w, scale_0="absent", scale_5="partly", scale_10="fully")
    for k, w in (("correctness", 0.3), ("evidence", 0.25), ("actionability", 0.25), ("readability", 0.2))
)
STAMP = "2031-01-01T00:00:00Z"


def debate(seed: int) -> Run:
    """The clean debate of a seed."""
    return _Maker(seed).run()


def cut(run: Run, number: int, phase: PhaseName) -> Run:
    """The run as it stood in round `number` when `phase` had just finished."""
    fields = {
        PhaseName.PREPARE: "dossier",
        PhaseName.PROPOSE: "proposals",
        PhaseName.CHALLENGE: "challenges",
        PhaseName.SYNTHESIZE: "synthesis",
        PhaseName.VERIFY: "verification",
        PhaseName.COMPRESS: "brief",
    }
    last = run.rounds[number - 1]
    blank = {f: None for p, f in fields.items() if p > phase}
    if phase < PhaseName.DECIDE:
        blank |= {"verdict": None}
    last = last.model_copy(update={**blank, "decision": None, "finished": phase >= PhaseName.DECIDE})
    return run.model_copy(
        update={
            "rounds": (*run.rounds[: number - 1], last),
            "deliverable": None,
            "audit": None,
            "state": DebateState.RUNNING,
            "phase": phase,
            "calls": tuple(c for c in run.calls if 0 < c.round <= number and (c.round, c.phase) <= (number, phase)),
        }
    )


def verbatim(constraints: Sequence[Constraint]) -> str:
    """The constraints block as phase 1 lays it."""
    return "\n".join(f"{c.id}: {c.text}" for c in constraints)


def fingerprint(kind: ErrorKind, target: str, claim: str) -> str:
    """An issue's id: the same fault has the same id in every round."""
    mark = hashlib.sha256(f"{kind}|{target.split('.')[-1]}|{' '.join(claim.casefold().split())}".encode()).hexdigest()[
        :8
    ]
    return f"i-{mark}"


class Scribe:
    """Writes sentences. Two sentences of one scribe share words as two writers on one subject do, and no more."""

    def __init__(self, rng: random.Random, topic: Topic) -> None:
        self.rng = rng
        self.topic = topic

    def thing(self) -> str:
        return f"{self.rng.choice(ADJECTIVES)} {self.rng.choice(NOUNS)}"

    def clause(self) -> str:
        r = self.rng
        return f"the {self.thing()} {r.choice(VERBS)} the {self.thing()} {r.choice(PREPOSITIONS)} the {r.choice(NOUNS)}"

    def sentence(self) -> str:
        """A sentence; one in nine is hedged and one in five boosted, about as often as in public debates."""
        r = self.rng
        shape = r.randrange(4)
        if shape == 0:
            place = f"{r.choice(PREPOSITIONS)} the {r.choice(NOUNS)}"
            text = f"{self.clause()}, while a {self.thing()} {r.choice(VERBS)} {place}"
        elif shape == 1:
            text = f"{r.choice(PREPOSITIONS)} the {self.thing()}, {self.clause()}"
        elif shape == 2:
            text = f"for the {r.choice(self.topic.terms)}, {self.clause()}"
        else:
            text = f"{self.clause()}, which {r.choice(VERBS)} the {self.thing()}"
        if r.random() < 0.11:
            text += f", {r.choice(HEDGES)}"
        elif r.random() < 0.2:
            text += f", {r.choice(BOOSTERS)}"
        return text[0].upper() + text[1:] + "."

    def claim(self, issue: Issue, value: str) -> str:
        text = self.rng.choice(
            (
                f"{issue.noun} should be {value}, because {self.clause()}",
                f"choose {value} for {issue.noun}, since {self.clause()}",
                f"{value} fits {issue.noun} best: {self.clause()}",
                f"with {self.thing()} in view, {issue.noun} ought to be {value}, as {self.clause()}",
            )
        )
        return text[0].upper() + text[1:] + "."

    def reword(self, text: str, share: float) -> str:
        """The text with a share of its longer words replaced by others; digits and the first word stay."""
        words = text.split()
        places = [i for i, w in enumerate(words) if i and w.strip(".,:").isalpha() and len(w) > 3]
        for i in self.rng.sample(places, round(share * len(places))):
            end = words[i][len(words[i].rstrip(".,:")) :]
            words[i] = self.rng.choice(NOUNS if self.rng.random() < 0.6 else ADJECTIVES) + end
        return " ".join(words)


@dataclass
class _Agent:
    """What an agent holds from round to round."""

    role: Role
    issues: list[Issue]
    values: dict[str, str]
    confidence: dict[str, float]
    evidence: dict[str, list[str]] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)


class _Maker:
    """Makes one debate. Everything random comes from the seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(f"clean {seed}")
        self.topic = self.rng.choice(TOPICS)
        self.scribe = Scribe(self.rng, self.topic)
        numeric = [i for i in self.topic.issues if i.values[0][0].isdigit()]
        chosen = self.rng.sample(numeric, 2)
        rest = [i for i in self.topic.issues if i not in chosen]
        self.issues = chosen + self.rng.sample(rest, self.rng.choice((2, 3)))
        self.config = self._config()
        self.block = verbatim(self.config.constraints)
        self.sha = hashlib.sha256(self.block.encode()).hexdigest()
        self.evidence: dict[str, Evidence] = {}
        self.agents = self._agents()
        self.rounds: list[Round] = []
        self.moved: set[str] = set()  # decision keys that changed once already
        self.length = self.rng.randrange(230, 300)
        self.calls: list[CallTrace] = []

    def run(self) -> Run:
        for n in range(1, ROUNDS + 1):
            self.rounds.append(self._round(n))
        deliverable = self._deliverable()
        synthesis = self.rounds[-1].synthesis
        assert synthesis
        audit = Audit(passes=(AuditPass(attempt=1, verdict=AuditVerdict.PASS),), conclusion=synthesis.conclusion)
        self._call("end.format", Role.FORMATTER, PhaseName.FORMAT, 0)
        self._call("end.audit.1", Role.CRITIC, PhaseName.AUDIT, 0)
        return Run(
            id=f"planted-{self.seed}",
            config=self.config,
            state=DebateState.CLEAN,
            created_at=STAMP,
            updated_at=STAMP,
            version=1,
            head="",
            phase=PhaseName.AUDIT,
            rounds=tuple(self.rounds),
            deliverable=deliverable,
            audit=audit,
            calls=tuple(self.calls),
        )

    # Who sits there and what they hold.

    def _config(self) -> DebateConfig:
        models = self.rng.sample(MODELS, 4)
        seats = [Seat(role=role, model=ModelRef(name=models[i % 4], endpoint="planted")) for i, role in enumerate(Role)]
        return DebateConfig(
            question=self.topic.question,
            constraints=tuple(Constraint(id=f"C{i}", text=t) for i, t in enumerate(self.topic.constraints, 1)),
            pack=Pack(
                key="planted", name="Planted", description="", expertise_a="a", expertise_b="b", dimensions=DIMENSIONS
            ),
            seats=tuple(seats),
            seed=self.seed,
        )

    def _agents(self) -> dict[Role, _Agent]:
        """Four agents; on every issue two stances or more are held by somebody, except on one now and then."""
        favourite = {i.key: self.rng.choice(i.values) for i in self.issues}
        agents = {}
        for role in DEBATERS:
            mine = list(self.issues) if role in OPTIMIZERS else self.rng.sample(self.issues, self.rng.choice((2, 3)))
            values = {i.key: favourite[i.key] if self.rng.random() < 0.55 else self.rng.choice(i.values) for i in mine}
            confidence = {i.key: self.rng.uniform(0.45, 0.92) for i in mine}
            agents[role] = _Agent(role, mine, values, confidence)
        first, second = agents[OPTIMIZERS[0]], agents[OPTIMIZERS[1]]
        issue = self.issues[0]
        others = [v for v in issue.values if v != first.values[issue.key]]
        second.values[issue.key] = self.rng.choice(others)
        return agents

    def _source(self) -> str:
        title = (
            f"{self.scribe.thing()} {self.rng.choice(('study', 'report', 'survey', 'review', 'count'))}".capitalize()
        )
        host = f"{self.rng.choice(NOUNS)}-{self.rng.choice(NOUNS)}.example"
        url = f"https://{host}/{self.rng.randrange(10**6)}"
        id_ = "e-" + hashlib.sha256(url.encode()).hexdigest()[:8]
        self.evidence[id_] = Evidence(id=id_, title=title, url=url, kind="web", verified=True)
        return id_

    # One round.

    def _round(self, n: int) -> Round:
        dossier = self._dossier(n)
        proposals = Proposals(proposals=tuple(self._proposal(n, a) for a in self.agents.values()))
        register = self._register(n, proposals)
        synthesis = self._synthesis(n, proposals, register)
        verification = self._verification(n, proposals, synthesis)
        brief = self._brief(n, synthesis, register)
        verdict, decision = self._gate(n, verification)
        for role in DEBATERS:
            self._call(f"r{n}.propose.{role}", role, PhaseName.PROPOSE, n)
        for role in {d.role for c in register.challenges for d in c.defences}:
            self._call(f"r{n}.defend.{role}", role, PhaseName.CHALLENGE, n)
        self._call(f"r{n}.synthesize", Role.COORDINATOR, PhaseName.SYNTHESIZE, n)
        self._call(f"r{n}.verify", Role.VERIFIER, PhaseName.VERIFY, n)
        return Round(
            number=n,
            dossier=dossier,
            replied=proposals.proposals,
            proposals=proposals,
            challenges=register,
            synthesis=synthesis,
            verification=verification,
            brief=brief,
            verdict=verdict,
            decision=decision,
            finished=True,
        )

    def _call(self, slot: str, role: Role, phase: PhaseName, n: int) -> None:
        self.calls.append(
            CallTrace(
                id=f"call-{slot}",
                slot=slot,
                attempt=1,
                role=role,
                phase=phase,
                round=n,
                model=self.config.seat(role).model,
                prompt_hash=slot,
                constraints_sha="" if role is Role.CRITIC else self.sha,
                started_at=STAMP,
                status="ok",
            )
        )

    def _dossier(self, n: int) -> Dossier:
        last = self.rounds[-1].brief if self.rounds else None
        return Dossier(
            round=n,
            context=last.text if last else "",
            source="brief" if last else "original",
            constraints_block=self.block,
            constraints_sha=self.sha,
            instructions={r: f"{r.title}: speak for round {n}." for r in DEBATERS},
            caps=dict.fromkeys(DEBATERS, 250),
        )

    def _proposal(self, n: int, agent: _Agent) -> Proposal:
        if n > 1:
            self._reconsider(n, agent)
        points = tuple(self._point(n, i, agent, issue) for i, issue in enumerate(agent.issues, 1))
        text = " ".join(self.scribe.sentence() for _ in range(self.rng.randrange(6, 9)))
        weakness = self.scribe.sentence()
        objections = self._objections(n, agent) if agent.role is Role.CHALLENGER else ()
        vetoes = self._vetoes(n) if agent.role is Role.SIMPLIFIER else ()
        draft = " ".join(self.scribe.sentence() for _ in range(8)) if agent.role in OPTIMIZERS else ""
        cited = {e for p in points for e in p.evidence} | {e for o in objections for e in o.evidence}
        return Proposal(
            role=agent.role,
            model=self.config.seat(agent.role).model,
            round=n,
            weakness=weakness,
            weakness_first=True,
            text=text,
            points=points,
            change_my_mind=self.scribe.sentence(),
            draft=draft,
            objections=objections,
            vetoes=vetoes,
            evidence=tuple(self.evidence[e] for e in sorted(cited)),
            words=len(" ".join((weakness, text, *(p.claim for p in points))).split()),
            draft_words=len(draft.split()),
        )

    def _reconsider(self, n: int, agent: _Agent) -> None:
        """Now and then an agent moves to what was decided: with a source it had not cited, or after an upheld
        challenge against what it held."""
        last = self.rounds[-1]
        assert last.synthesis
        assert last.challenges
        assert last.proposals
        upheld = {r.challenge for r in last.synthesis.rulings if r.verdict is Verdict.UPHELD}
        hit = {c.target_point for c in last.challenges.challenges if c.id in upheld}
        old = last.proposals.of(agent.role)
        assert old
        for decision in last.synthesis.decisions:
            if decision.key not in agent.values or same_value(agent.values[decision.key], decision.value):
                continue
            attacked = any(p.key == decision.key and p.id in hit for p in old.points)
            if attacked or self.rng.random() < 0.15:
                agent.values[decision.key] = decision.value
                agent.claims.pop(decision.key, None)
                if not attacked:
                    agent.evidence[decision.key] = [*agent.evidence.get(decision.key, [])[:1], self._source()]

    def _point(self, n: int, i: int, agent: _Agent, issue: Issue) -> Point:
        key = issue.key
        sources = agent.evidence.setdefault(key, [])
        if n > 1:
            agent.confidence[key] = min(0.93, max(0.4, agent.confidence[key] + self.rng.uniform(-0.05, 0.05)))
        if (agent.confidence[key] >= 0.74 and not sources) or self.rng.random() < (0.55 if n == 1 else 0.4):
            sources.append(self._source())
        if key not in agent.claims or self.rng.random() < 0.7:
            agent.claims[key] = self.scribe.claim(issue, agent.values[key])
        return Point(
            id=f"r{n}.{agent.role}.p{i}",
            key=key,
            claim=agent.claims[key],
            value=agent.values[key],
            confidence=round(agent.confidence[key], 2),
            evidence=tuple(sources[-2:]),
        )

    def _leading(self, key: str) -> tuple[str, Role]:
        """The stance most agents take on an issue, and an agent who holds it."""
        held = [(a.values[key], a.role) for a in self.agents.values() if key in a.values]
        top = Counter(v for v, _ in held).most_common(1)[0][0]
        return next((v, r) for v, r in held if v == top)

    def _objections(self, n: int, agent: _Agent) -> tuple[Objection, ...]:
        """Two objections to leading stances. The Optimizers have spoken before: their claims are there to attack."""
        keys = self.rng.sample([i.key for i in self.issues], 2)
        made = []
        for key in keys:
            _, role = self._leading(key)
            holder = self.agents[role]
            claim = holder.claims.get(key) or self.scribe.claim(self._issue(key), holder.values[key])
            made.append(
                Objection(
                    target=key,
                    steel_man=f"At its strongest the view is this: {claim} It holds where {self.scribe.clause()}.",
                    objection=f"{self.scribe.sentence()} {self.scribe.sentence()}",
                    evidence=(self._source(),) if self.rng.random() < 0.6 else (),
                    confidence=round(self.rng.uniform(0.5, 0.9), 2),
                )
            )
        return tuple(made)

    def _issue(self, key: str) -> Issue:
        return next(i for i in self.issues if i.key == key)

    def _vetoes(self, n: int) -> tuple[Veto, ...]:
        return tuple(
            Veto(
                id=f"r{n}.v{i}",
                target=self.rng.choice(self.issues).key,
                remove=f"the {self.scribe.thing()}",
                reason=self.scribe.sentence(),
            )
            for i in range(1, self.rng.choice((2, 3)))
        )

    def _register(self, n: int, proposals: Proposals) -> ChallengeRegister:
        challenger = proposals.of(Role.CHALLENGER)
        assert challenger
        entries = []
        for i, o in enumerate(challenger.objections, 1):
            value, _ = self._leading(o.target)
            point = next(
                (
                    p
                    for a in proposals.proposals
                    if a.role is not Role.CHALLENGER
                    for p in a.points
                    if p.key == o.target and p.value == value
                ),
                None,
            )
            role = Role(point.id.split(".")[1]) if point else Role.OPTIMIZER_A
            if point:  # the steel man restates the very claim under attack
                strongest = f"At its strongest the view is this: {point.claim}"
                o = o.model_copy(update={"steel_man": f"{strongest} It holds where {self.scribe.clause()}."})
            concede = self.rng.random() < 0.25
            entries.append(
                Challenge(
                    id=f"r{n}.x{i}",
                    number=i,
                    target=o.target,
                    target_point=point.id if point else None,
                    target_key=o.target,
                    steel_man=o.steel_man,
                    objection=o.objection,
                    evidence=o.evidence,
                    confidence=o.confidence,
                    defenders=(role,),
                    defences=(
                        Defence(
                            role=role,
                            verdict=DefenceVerdict.CONCEDE if concede else DefenceVerdict.DEFEND,
                            reason=self.scribe.sentence(),
                        ),
                    ),
                    status=ChallengeStatus.CONCEDED if concede else ChallengeStatus.DEFENDED,
                )
            )
        return ChallengeRegister(challenges=tuple(entries))

    # Phase 4.

    def _synthesis(self, n: int, proposals: Proposals, register: ChallengeRegister) -> Synthesis:
        rulings = self._rulings(n, register)
        upheld = {r.challenge for r in rulings if r.verdict is Verdict.UPHELD}
        hit = {c.target_key: c for c in register.challenges if c.id in upheld}
        decisions = tuple(self._decision(n, i, proposals, hit.get(i.key)) for i in self.issues)
        minority = self._minority(proposals, decisions, register, rulings)
        vetoes = [v for p in proposals.proposals for v in p.vetoes]
        veto_rulings = tuple(self._veto_ruling(v) for v in vetoes)
        stood = {v.veto for v in veto_rulings if v.verdict is VetoVerdict.STANDS}
        text = self._text(proposals, decisions, minority)
        decided = [d for d in decisions if d.status is DecisionStatus.DECIDED]
        return Synthesis(
            text=text,
            rulings=rulings,
            veto_rulings=veto_rulings,
            decisions=decisions,
            minority=minority,
            removed=tuple(v.remove for v in vetoes if v.id in stood),
            base_draft=OPTIMIZERS[0],
            amendments=tuple(
                Amendment(
                    id=f"r{n}.m{i}",
                    kind=AmendmentKind.CAVEAT,
                    text=self.scribe.sentence(),
                    where="step 1",
                    tied_to=(r.challenge,),
                )
                for i, r in enumerate(rulings, 1)
                if r.verdict is not Verdict.OVERRULED
            ),
            conclusion=Conclusion(
                recommendation=" ".join(d.statement for d in decided[:2]),
                key_condition=self.scribe.sentence(),
                caveats=(self.scribe.sentence(),),
                review_by="2031-06-30",
            ),
            words=len(text.split()),
            letters=dict(zip("ABCD", self.rng.sample(DEBATERS, 4), strict=True)),
        )

    def _rulings(self, n: int, register: ChallengeRegister) -> tuple[Ruling, ...]:
        """One ruling for each challenge; an overruling names evidence or a constraint. One of two is not overruled."""
        made: list[Ruling] = []
        for c in register.challenges:
            changed = c.target_key in self.moved and n > 1
            verdict = self.rng.choices((Verdict.UPHELD, Verdict.PARTIAL, Verdict.OVERRULED), (2, 4, 4))[0]
            if verdict is Verdict.UPHELD and changed:
                verdict = Verdict.PARTIAL
            if c.number == 2 and n == 2 and all(r.verdict is Verdict.OVERRULED for r in made):
                verdict = Verdict.PARTIAL
            cites = (self.rng.choice(sorted(self.evidence)), f"C{self.rng.randrange(1, 4)}")
            made.append(
                Ruling(
                    challenge=c.id,
                    verdict=verdict,
                    reason=f"{self.scribe.sentence()} {self.scribe.sentence()}",
                    cites=cites,
                )
            )
        return tuple(made)

    def _decision(self, n: int, issue: Issue, proposals: Proposals, hit: Challenge | None) -> Decision:
        """By confidence and evidence; kept from round to round unless an upheld challenge, once, moves it."""
        points = [(a.role, p) for a in proposals.proposals for p in a.points if p.key == issue.key]
        weight: Counter[str] = Counter()
        for _, p in points:
            weight[p.value] += p.confidence * (0.3 + len(p.evidence))  # type: ignore[assignment]
        before = self._before(issue.key)
        reasons: tuple[str, ...] = ()
        value = before.value if before else weight.most_common(1)[0][0]
        others = [v for v, _ in weight.most_common() if v != value]
        if hit and others and issue.key not in self.moved:
            value = others[0]
            self.moved.add(issue.key)
            reasons = (hit.id, *hit.evidence) if before else ()
        sources = [(r, p) for r, p in points if p.value == value]
        first_open = n == 1 and issue is self.issues[-1]
        return Decision(
            key=issue.key,
            statement=f"{issue.noun[0].upper()}{issue.noun[1:]} is {value}.",
            value=value,
            status=DecisionStatus.ACTIVE if first_open else DecisionStatus.DECIDED,
            confidence=round(max((p.confidence for _, p in sources), default=0.6), 2),
            holders=tuple(r for r, _ in sources),
            source_points=tuple(p.id for _, p in sources),
            reasons=reasons,
            stance=stance(issue.key, value),
        )

    def _before(self, key: str) -> Decision | None:
        last = self.rounds[-1].synthesis if self.rounds else None
        return next((d for d in last.decisions if d.key == key), None) if last else None

    def _minority(
        self,
        proposals: Proposals,
        decisions: Sequence[Decision],
        register: ChallengeRegister,
        rulings: Sequence[Ruling],
    ) -> tuple[MinorityEntry, ...]:
        used = {s for d in decisions for s in d.source_points}
        entries = [
            MinorityEntry(
                id=f"m.{p.id}",
                point=p.id,
                position=p.claim,
                holders=(a.role,),
                reason=self.scribe.sentence(),
                confidence=p.confidence,
            )
            for a in proposals.proposals
            for p in a.points
            if p.id not in used
        ]
        overruled = {r.challenge: r for r in rulings if r.verdict is Verdict.OVERRULED}
        entries += [
            MinorityEntry(
                id=f"m.{c.id}",
                point=c.id,
                position=c.objection,
                holders=(Role.CHALLENGER,),
                reason=overruled[c.id].reason,
                confidence=c.confidence,
            )
            for c in register.challenges
            if c.id in overruled
        ]
        return tuple(entries)

    def _veto_ruling(self, veto: Veto) -> VetoRuling:
        stands = self.rng.random() < 0.75
        return VetoRuling(
            veto=veto.id,
            verdict=VetoVerdict.STANDS if stands else VetoVerdict.OVERRULED,
            reason=self.scribe.sentence(),
            cites=() if stands else (f"C{self.rng.randrange(1, 4)}",),
        )

    def _text(self, proposals: Proposals, decisions: Sequence[Decision], minority: Sequence[MinorityEntry]) -> str:
        """The synthesis: the question taken up, each decision with its claims reworded, then sentences of the proposals
        to a length that stays about the same."""
        claims = {p.id: p.claim for a in proposals.proposals for p in a.points}
        asked = self.topic.question.rstrip("?").split()
        kept = [w for w in asked if self.rng.random() < 0.92]
        parts = [f"Asked was: {' '.join(kept)}."]
        for d in decisions:
            parts.append(d.statement)
            parts += [self.scribe.reword(claims[s], 0.12) for s in d.source_points]
        parts += [f"Against it stands: {m.position}" for m in minority if m.point in claims][:2]
        pool = [s.strip() + "." for a in proposals.proposals for s in a.text.split(". ")]
        self.rng.shuffle(pool)
        while pool and len(" ".join(parts).split()) < self.length:
            parts.append(self.scribe.reword(pool.pop().replace("..", "."), 0.1))
        return " ".join(parts)

    # Phases 5 to 8.

    def _verification(self, n: int, proposals: Proposals, synthesis: Synthesis) -> Verification:
        last = self.rounds[-1].verification if self.rounds else None
        before = {s.dimension: s.score for s in last.scores} if last else {}
        scores = tuple(
            Score(
                dimension=d.key,
                score=round(
                    min(10, before.get(d.key, self.rng.uniform(5.5, 7)) + (self.rng.uniform(-0.2, 0.9) if last else 0)),
                    1,
                ),
                reason=self.scribe.sentence(),
            )
            for d in DIMENSIONS
        )
        total = weighted(scores, DIMENSIONS)
        change = delta(total, self.rounds)
        used = {s for d in synthesis.decisions for s in d.source_points}
        fates = tuple(
            PointCheck(point=p.id, fate=PointFate.KEPT if p.id in used else PointFate.OVERRULED)
            for a in proposals.proposals
            for p in a.points
            if p.confidence >= 0.7
        )
        return Verification(
            scores=scores,
            total=total,
            delta=change,
            trajectory=trajectory(change),
            raw_vs_synthesis=fates,
            diff="" if n == 1 else self.scribe.sentence(),
            constraint_checks=tuple(
                ConstraintCheck(constraint=c.id, holds=Holds.YES, reason=self.scribe.sentence())
                for c in self.config.constraints
            ),
            issues=self._faults(n, synthesis),
        )

    def _faults(self, n: int, synthesis: Synthesis) -> tuple[Fault, ...]:
        """What a Verifier finds in a sound debate: something unclear, or a slip that is gone in the next round."""
        found = []
        if self.rng.random() < 0.5:
            kind = self.rng.choice((ErrorKind.UNCLEAR, ErrorKind.NOT_ACTIONABLE))
            claim = self.scribe.clause()
            found.append(Fault(id=fingerprint(kind, "synthesis", claim), kind=kind, target="synthesis", claim=claim))
        if n < ROUNDS and self.rng.random() < 0.4:
            claim = self.scribe.clause()
            target = self.rng.choice(synthesis.decisions).key
            found.append(
                Fault(
                    id=fingerprint(ErrorKind.WRONG, target, claim),
                    kind=ErrorKind.WRONG,
                    target=target,
                    claim=claim,
                    correction=self.scribe.clause(),
                )
            )
        return tuple(found)

    def _brief(self, n: int, synthesis: Synthesis, register: ChallengeRegister) -> Brief:
        decided = tuple(
            f"[{d.key}] {d.statement} ({d.value}; confidence {d.confidence:.2f})"
            for d in synthesis.decisions
            if d.status is DecisionStatus.DECIDED
        )
        active = tuple(
            ActiveItem(id=d.key, text=d.statement, origin="decision")
            for d in synthesis.decisions
            if d.status is DecisionStatus.ACTIVE
        )
        minority = tuple(f"{m.position} ({m.reason})" for m in synthesis.minority)
        return written_brief(self.block, decided, active, minority)

    def _gate(self, n: int, verification: Verification) -> tuple[GateVerdict, GateDecision]:
        last = n == ROUNDS
        action = GateAction.STOP if last else GateAction.CONTINUE
        verdict = GateVerdict(
            recommendation=action,
            wait=False,
            checks=(
                GateCheck(name="Oscillation", result=False, reason="No decision has returned to an earlier stance."),
                GateCheck(name="Stop", result=last, reason="The last round." if last else "No reason to stop."),
            ),
            delta=verification.delta,
            best_round=n,
        )
        return verdict, GateDecision(action=action, recommended=action, by="autopilot", at=STAMP)

    def _deliverable(self) -> Deliverable:
        synthesis = self.rounds[-1].synthesis
        assert synthesis
        text = f"{synthesis.conclusion.recommendation} {' '.join(self.scribe.sentence() for _ in range(8))}"
        return Deliverable(text=text, words=len(text.split()), base_round=ROUNDS)


def written_brief(
    block: str,
    decided: Sequence[str],
    active: Sequence[ActiveItem],
    minority: Sequence[str],
    restored: Sequence[str] = (),
) -> Brief:
    """A brief with its four sections as text; tokens are estimated, nothing is cut."""
    sections = (
        ("ORIGINAL CONSTRAINTS", [block]),
        ("DECIDED", [f"- {d}" for d in decided]),
        ("ACTIVE", [f"- [{a.id}] {a.text}" for a in active]),
        ("MINORITY REPORT", [f"- {m}" for m in minority]),
    )
    text = "\n\n".join("\n".join((title, *lines)) for title, lines in sections)
    return Brief(
        constraints_block=block,
        decided=tuple(decided),
        active=tuple(active),
        minority=tuple(minority),
        text=text,
        tokens=len(text) // 4,
        restored=tuple(restored),
    )
