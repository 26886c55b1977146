"""Builders of the values tests work with: one coherent, varied debate, cut at any stage. Nothing here calls a model.

`a_run()` is a finished three-round debate with everything that can occur: concessions, a partial and an undecided
ruling, a veto that stands and one overruled, a missing agent, a skipped verification where asked for, a renegotiation,
an oscillating decision, an override at the gate, a flag of the Blind Critic and its one-field fix. `a_run(rounds=2,
stage=PhaseName.SYNTHESIZE)` is the same debate as it stood in the middle of round 2; `events(run)` is its record.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from vada.models.base import Value
from vada.models.debate import (
    REHEARSAL,
    Check,
    Constraint,
    DebateConfig,
    Dimension,
    Material,
    ModelRef,
    Pack,
    Seat,
)
from vada.models.events import Event, EventKind
from vada.models.outputs import (
    ActiveItem,
    Amendment,
    Audit,
    AuditPass,
    Branch,
    Breach,
    Brief,
    Challenge,
    ChallengeRegister,
    Conclusion,
    ConstraintCheck,
    Decision,
    Defence,
    Degraded,
    Deliverable,
    Dossier,
    Evidence,
    ForkOption,
    GateCheck,
    GateDecision,
    GateVerdict,
    Issue,
    MinorityEntry,
    Objection,
    Participant,
    Point,
    PointCheck,
    Proposal,
    Proposals,
    Renegotiation,
    RenegotiationAnswer,
    Revision,
    Ruling,
    Score,
    Sunset,
    Synthesis,
    UnresolvedPoint,
    Verification,
    Veto,
    VetoRuling,
    Whisper,
)
from vada.models.run import CallTrace, Ending, Round, Run, Usage
from vada.models.vocabulary import (
    DEBATERS,
    AmendmentKind,
    AuditVerdict,
    ChallengeStatus,
    CheckKind,
    ConclusionField,
    DebateState,
    DecisionStatus,
    DefenceVerdict,
    ErrorKind,
    GateAction,
    Holds,
    Method,
    PhaseName,
    PointFate,
    Role,
    Verdict,
    VetoVerdict,
)
from vada.scoring import stance, trajectory, weighted

A, B, CHALLENGER, SIMPLIFIER = DEBATERS
START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
QUESTION = "Should we move billing out of our monolith into its own service this year, and if so, in which steps?"
CONSTRAINTS = (
    Constraint(
        id="C1", text="The page must not exceed 700 words.", check=Check(kind=CheckKind.MAX_WORDS, args=("700",))
    ),
    Constraint(id="C2", text="At most two engineers may be taken off the roadmap."),
    Constraint(id="C3", text="Invoices must keep going out on the 1st of every month, without exception."),
    Constraint(id="C4", text="Must name a rollback.", check=Check(kind=CheckKind.MUST_INCLUDE, args=("rollback",))),
)


def stamp(seconds: float = 0) -> str:
    """The ISO time so many seconds after the debate began."""
    return (START + timedelta(seconds=seconds)).isoformat()


# What a person entered.


def a_dimension(key: str = "risk", weight: float = 0.25) -> Dimension:
    """A scoring dimension."""
    return Dimension(
        key=key,
        name=key.capitalize(),
        weight=weight,
        scale_0=f"Nothing of {key}.",
        scale_5=f"Some {key}, with gaps a reader must fill.",
        scale_10=f"Full {key}, checked.",
    )


def a_pack(**changes: Any) -> Pack:
    """A domain pack with five dimensions."""
    weights = {"soundness": 0.3, "evidence": 0.2, "risk": 0.2, "actionability": 0.2, "readability": 0.1}
    given: dict[str, Any] = {
        "key": "software_architecture",
        "name": "Software architecture",
        "description": "Structure, data and operation of software systems.",
        "expertise_a": "Distributed systems and service boundaries",
        "expertise_b": "Operations and incremental delivery",
        "dimensions": tuple(a_dimension(k, w) for k, w in weights.items()),
        "examples": (QUESTION,),
        "pitfalls": ("Advice that prices the new system and forgets the move.",),
    }
    return Pack(**{**given, **changes})


def a_seat(role: Role, **changes: Any) -> Seat:
    """Who sits in a role; the Optimizers differ in expertise, method and model."""
    model = {B: "other-model", Role.VERIFIER: "other-model"}.get(role, "large-model")
    method = {A: Method.FIRST_PRINCIPLES, B: Method.PRECEDENT, CHALLENGER: Method.FAILURE_ANALYSIS}.get(role)
    given: dict[str, Any] = {"role": role, "model": ModelRef(name=model), "method": method, "web": role in DEBATERS}
    return Seat(**{**given, **changes})


def a_config(**changes: Any) -> DebateConfig:
    """What a person enters for the billing question."""
    given: dict[str, Any] = {
        "question": QUESTION,
        "constraints": CONSTRAINTS,
        "material": (Material(name="incidents.md", text="Billing was part of 4 of 11 incidents in the last year."),),
        "priorities": "No missed invoice run matters more than speed.",
        "pack": a_pack(),
        "seats": tuple(a_seat(role) for role in Role),
        "seed": 7,
    }
    return DebateConfig(**{**given, **changes})


def a_rehearsal(**changes: Any) -> DebateConfig:
    """The same with the offline engine in every seat."""
    model = ModelRef(name=REHEARSAL, endpoint=REHEARSAL)
    return a_config(seats=tuple(a_seat(role, model=model, web=False) for role in Role), **changes)


# Evidence that turns up in several rounds.

EVIDENCE: dict[str, Evidence] = {
    e.id: e
    for e in (
        Evidence(
            id="e-11111111",
            title="Monolith first",
            url="https://martinfowler.com/bliki/MonolithFirst.html",
            quote="Almost all the successful microservice stories have started with a monolith that got too big.",
            kind="web",
            verified=True,
        ),
        Evidence(
            id="e-22222222",
            title="incidents.md",
            quote="Billing was part of 4 of 11 incidents in the last year.",
            kind="material",
            verified=True,
        ),
        Evidence(
            id="e-33333333",
            title="Strangler fig application",
            url="https://martinfowler.com/bliki/StranglerFigApplication.html",
            quote="gradually create a new system around the edges of the old",
            age="2024",
            kind="web",
            verified=True,
        ),
        Evidence(id="e-44444444", title="Two years of shadow invoicing, a talk of 2023", kind="named"),
        Evidence(
            id="e-55555555",
            title="Shared tables and deploy coupling",
            url="https://example.org/papers/shared-tables",
            quote="teams that shared tables deployed together in 71 % of the cases",
            kind="web",
            verified=True,
        ),
    )
}

# What each agent claims per round: (key, claim, value, confidence, evidence).
_Claim = tuple[str, str, str, float, tuple[str, ...]]
_POINTS: dict[int, dict[Role, tuple[_Claim, ...]]] = {
    1: {
        A: (
            (
                "split",
                "Billing should become a service of its own behind a thin facade.",
                "extract now",
                0.78,
                ("e-33333333",),
            ),
            ("data", "Billing owns its tables from the first day on.", "own schema", 0.72, ("e-55555555",)),
            (
                "rollout",
                "Five per cent of the customers move first, the rest after two clean invoice runs.",
                "5 % canary",
                0.66,
                (),
            ),
        ),
        B: (
            (
                "split",
                "A module boundary inside the monolith comes before any service.",
                "module first",
                0.81,
                ("e-11111111",),
            ),
            ("data", "The tables stay shared until the boundary holds in code.", "shared schema", 0.62, ()),
            ("deadline", "No billing deploy may happen between the 28th and the 2nd.", "freeze 28th to 2nd", 0.9, ()),
        ),
        CHALLENGER: (
            (
                "split",
                "Only 4 of 11 incidents touched billing, which does not pay for a service.",
                "module first",
                0.58,
                ("e-22222222",),
            ),
        ),
        SIMPLIFIER: (("team", "One engineer and a reviewer are enough for the boundary.", "two engineers", 0.7, ()),),
    },
    2: {
        A: (
            (
                "split",
                "The boundary comes first; a service follows when deploys still wait for each other.",
                "module first",
                0.74,
                ("e-22222222",),
            ),
            (
                "data",
                "Billing owns its tables, because shared tables keep the deploys coupled.",
                "own schema",
                0.83,
                ("e-55555555",),
            ),
            ("rollout", "Five per cent of the customers move first.", "5 % canary", 0.75, ("e-33333333",)),
        ),
        B: (
            ("split", "The module boundary comes first.", "module first", 0.84, ("e-11111111",)),
            (
                "rollout",
                "Both paths run for two months and only the old one sends.",
                "shadow run",
                0.77,
                ("e-44444444",),
            ),
            ("deadline", "The freeze from the 28th to the 2nd stays.", "freeze 28th to 2nd", 0.9, ()),
        ),
        CHALLENGER: (("rollout", "A canary on invoices is a partial invoice run.", "shadow run", 0.71, ()),),
        SIMPLIFIER: (("team", "Two engineers for six weeks are the ceiling.", "two engineers", 0.72, ()),),
    },
    3: {
        A: (
            (
                "split",
                "The boundary comes first, with a dated trigger for the service.",
                "module first",
                0.82,
                ("e-22222222",),
            ),
            ("data", "Own tables remain right once the trigger fires.", "own schema", 0.64, ("e-55555555",)),
        ),
        B: (
            ("split", "The module boundary comes first.", "module first", 0.88, ("e-11111111",)),
            ("data", "Moving the tables before the trigger buys nothing.", "shared schema", 0.8, ("e-22222222",)),
            ("rollout", "A two-month shadow run.", "shadow run", 0.82, ("e-44444444",)),
        ),
        CHALLENGER: (("split", "The trigger needs a number, or it will never fire.", "module first", 0.69, ()),),
    },
}
_WEAKNESS = {
    A: "The obvious answer, a rewrite behind a flag, names no incident it would have prevented.",
    B: "The obvious answer prices the new service and forgets the cost of running two billing paths.",
    CHALLENGER: "Everyone assumes that billing is the part that hurts; the incident list says otherwise.",
    SIMPLIFIER: "Every plan so far adds parts and none takes one away.",
}
_TEXT = {
    A: "Draw the boundary where invoices are created, put a facade before it, and let the old code answer until the "
    "new one has sent two clean invoice runs. Keep a rollback switch that sends all traffic back within five minutes.",
    B: "Keep one deployable. Move billing into a module with a checked interface, forbid imports across it in CI, and "
    "measure for one quarter how often a billing change still forces a deploy of everything.",
    CHALLENGER: "The plan should answer the incident list. Four of eleven incidents is not most of them, and two of "
    "those four were a certificate and a full disk.",
    SIMPLIFIER: "Take out the event bus and the second database. Two engineers cannot run a bus.",
}
_DRAFT = (
    "Keep billing in the monolith this quarter and give it a hard boundary. In week one, list every call into billing. "
    "In weeks two to four, route them through one interface and let CI refuse the others. Run the new path in shadow "
    "for "
    "two invoice runs. Rollback is one switch. Extract a service only when, after a quarter, more than one in five "
    "billing "
    "changes still forces a deploy of everything."
)
_TARGETS: dict[int, tuple[tuple[str, str | None, str, float], ...]] = {
    1: (
        ("split", "r1.optimizer_a.p1", "A service of its own would not have prevented any of the four incidents.", 0.8),
        ("data", "r1.optimizer_a.p2", "Own tables on day one mean a migration during an invoice run.", 0.66),
        ("deadline", "r1.optimizer_b.p3", "A freeze of five days a month is claimed without any source.", 0.55),
    ),
    2: (
        ("rollout", "r2.optimizer_a.p3", "A canary on invoices is a partial invoice run, which C3 forbids.", 0.76),
        ("data", "r2.optimizer_a.p2", "The 71 % come from teams of another size.", 0.6),
    ),
    3: (("split", "r3.optimizer_a.p1", "A trigger without a number never fires.", 0.72),),
}
_DECISIONS: dict[int, tuple[tuple[str, str, str, DecisionStatus, float], ...]] = {
    1: (
        (
            "split",
            "Billing gets a boundary inside the monolith before anything is extracted.",
            "module first",
            DecisionStatus.ACTIVE,
            0.64,
        ),
        ("data", "The tables stay shared for now.", "shared schema", DecisionStatus.ACTIVE, 0.55),
        (
            "deadline",
            "No billing deploys from the 28th to the 2nd.",
            "freeze 28th to 2nd",
            DecisionStatus.DECIDED,
            0.86,
        ),
        ("team", "Two engineers work on it.", "two engineers", DecisionStatus.DECIDED, 0.74),
    ),
    2: (
        (
            "split",
            "Billing gets a boundary inside the monolith before anything is extracted.",
            "module first",
            DecisionStatus.DECIDED,
            0.79,
        ),
        ("data", "Billing owns its tables.", "own schema", DecisionStatus.ACTIVE, 0.7),
        ("rollout", "The new path runs in shadow for two invoice runs.", "shadow run", DecisionStatus.ACTIVE, 0.73),
        (
            "deadline",
            "No billing deploys from the 28th to the 2nd.",
            "freeze 28th to 2nd",
            DecisionStatus.DECIDED,
            0.86,
        ),
        ("team", "Two engineers work on it for six weeks.", "two engineers", DecisionStatus.DECIDED, 0.76),
    ),
    3: (
        (
            "split",
            "Billing gets a boundary first; a service follows when more than one in five changes forces a full deploy.",
            "module first",
            DecisionStatus.DECIDED,
            0.86,
        ),
        ("data", "The tables stay shared until the trigger fires.", "shared schema", DecisionStatus.DECIDED, 0.78),
        ("rollout", "The new path runs in shadow for two invoice runs.", "shadow run", DecisionStatus.DECIDED, 0.82),
        (
            "deadline",
            "No billing deploys from the 28th to the 2nd.",
            "freeze 28th to 2nd",
            DecisionStatus.DECIDED,
            0.87,
        ),
        ("team", "Two engineers work on it for six weeks.", "two engineers", DecisionStatus.DECIDED, 0.78),
    ),
}
_SYNTHESIS = {
    1: "Billing gets a boundary inside the monolith before anything is extracted. The tables stay shared for now. Two "
    "engineers work on it, and no billing deploy happens from the 28th to the 2nd. Rollback is one switch in the "
    "facade.",
    2: "Billing gets a boundary inside the monolith before anything is extracted. Billing owns its tables, because "
    "shared tables kept deploys coupled in 71 % of the cases. The new path runs in shadow for two invoice "
    "runs. Two engineers work on it for six weeks, and no billing deploy happens from the 28th to the 2nd. Rollback is "
    "one switch in the facade.",
    3: "Billing gets a boundary inside the monolith first. The tables stay shared until the trigger fires: more than "
    "one in five billing changes in a quarter still forces a full deploy. The new path runs in shadow for two "
    "invoice runs. Two engineers work on it for six weeks, and no billing deploy happens from the 28th to the 2nd. "
    "Rollback is one switch.",
}
_SCORES = {
    1: (6.0, 5.5, 6.0, 6.5, 7.0),
    2: (7.0, 6.5, 7.0, 6.5, 6.0),
    3: (7.5, 6.5, 7.5, 7.0, 6.5),
}
_ISSUE = Issue(
    id="i-0a0a0a0a",
    kind=ErrorKind.UNSUPPORTED_NUMBER,
    target="data",
    claim="shared tables kept deploys coupled in 71 % of the cases",
    correction="The 71 % come from teams of more than forty people.",
)


# The phases' outputs.


def a_point(role: Role = A, round_: int = 1, number: int = 1, **changes: Any) -> Point:
    """One claim, `r{round}.{role}.p{number}`."""
    key, claim, value, confidence, evidence = _POINTS[round_][role][number - 1]
    given: dict[str, Any] = {
        "id": f"r{round_}.{role.value}.p{number}",
        "key": key,
        "claim": claim,
        "value": value,
        "confidence": confidence,
        "evidence": evidence,
    }
    return Point(**{**given, **changes})


def a_proposal(role: Role = A, round_: int = 1, **changes: Any) -> Proposal:
    """An agent's blind proposal; only the Challenger objects and only the Simplifier vetoes."""
    claims = _POINTS[round_].get(role, ())
    points = tuple(a_point(role, round_, i) for i in range(1, len(claims) + 1))
    cited = dict.fromkeys(e for p in points for e in p.evidence)
    draft = _DRAFT if role in (A, B) else ""
    given: dict[str, Any] = {
        "role": role,
        "model": a_seat(role).model,
        "round": round_,
        "weakness": _WEAKNESS[role],
        "weakness_first": not (role is B and round_ == 2),
        "text": _TEXT[role],
        "points": points,
        "change_my_mind": "A quarter of deploy records that show billing changes going out alone.",
        "draft": draft,
        "objections": _objections(round_) if role is CHALLENGER else (),
        "vetoes": _vetoes(round_) if role is SIMPLIFIER else (),
        "evidence": tuple(EVIDENCE[e] for e in cited),
        "words": len(f"{_WEAKNESS[role]} {_TEXT[role]}".split()) + sum(len(p.claim.split()) for p in points),
        "draft_words": len(draft.split()),
        "call_id": f"call-r{round_}-propose-{role.value}",
    }
    return Proposal(**{**given, **changes})


def _steel_man(target: str) -> str:
    return (
        f"The strongest case on {target} is that a clear owner and a clear interface remove the waiting between teams, "
        "which is what the roadmap loses most of its weeks to."
    )


def _objections(round_: int) -> tuple[Objection, ...]:
    return tuple(
        Objection(
            target=key, steel_man=_steel_man(key), objection=text, evidence=("e-22222222",), confidence=confidence
        )
        for key, _, text, confidence in _TARGETS[round_]
    )


def _vetoes(round_: int) -> tuple[Veto, ...]:
    target = {1: ("rollout", "the event bus"), 2: ("data", "the second database")}.get(round_)
    if target is None:
        return ()
    return (Veto(id=f"r{round_}.v1", target=target[0], remove=target[1], reason="Two engineers cannot operate it."),)


def a_dossier(round_: int = 1, **changes: Any) -> Dossier:
    """What phase 1 lays before the agents."""
    block = "\n".join(f"{c.id}: {c.text}" for c in CONSTRAINTS)
    given: dict[str, Any] = {
        "round": round_,
        "context": a_brief(round_ - 1).text if round_ > 1 else "",
        "source": "brief" if round_ > 1 else "original",
        "constraints_block": block,
        "constraints_sha": hashlib.sha256(block.encode()).hexdigest(),
        "instructions": {role: f"Give the {role.title}'s view of round {round_}." for role in DEBATERS},
        "caps": {A: 250, B: 250, CHALLENGER: 350, SIMPLIFIER: 200},
    }
    return Dossier(**{**given, **changes})


def proposals(round_: int = 1, missing: Sequence[Role] | None = None) -> Proposals:
    """Phase 2; in round 3 the Simplifier did not answer."""
    gone = tuple(missing if missing is not None else ((SIMPLIFIER,) if round_ == 3 else ()))
    return Proposals(proposals=tuple(a_proposal(r, round_) for r in DEBATERS if r not in gone), missing=gone)


def a_challenge(round_: int = 1, number: int = 1, **changes: Any) -> Challenge:
    """An entry of the register; the first is defended, the second conceded, the third undefended."""
    key, point, text, confidence = _TARGETS[round_][number - 1]
    status = tuple(ChallengeStatus)[(number - 1) % 3]
    defender = Role(point.split(".")[1]) if point else A
    given: dict[str, Any] = {
        "id": f"r{round_}.x{number}",
        "number": number,
        "target": key,
        "target_point": point,
        "target_key": key,
        "steel_man": _steel_man(key),
        "objection": text,
        "evidence": ("e-22222222",),
        "confidence": confidence,
        "defenders": (defender,),
        "defences": () if status is ChallengeStatus.UNDEFENDED else (_a_defence(defender, status),),
        "status": status,
    }
    return Challenge(**{**given, **changes})


def _a_defence(role: Role, status: ChallengeStatus) -> Defence:
    if status is ChallengeStatus.CONCEDED:
        return Defence(role=role, verdict=DefenceVerdict.CONCEDE, reason="The flaw is named and shown; I withdraw it.")
    return Defence(
        role=role,
        verdict=DefenceVerdict.DEFEND,
        reason="The incident list counts outages only; waiting for each other's deploys is not in it.",
        evidence=("e-33333333",),
    )


def a_register(round_: int = 1) -> ChallengeRegister:
    """Phase 3."""
    count = len(_TARGETS[round_])
    return ChallengeRegister(challenges=tuple(a_challenge(round_, i) for i in range(1, count + 1)))


def a_decision(key: str = "split", round_: int = 1, **changes: Any) -> Decision:
    """A decision of a round's synthesis."""
    _, statement, value, status, confidence = next(d for d in _DECISIONS[round_] if d[0] == key)
    sources = [
        a_point(role, round_, i)
        for role, claims in _POINTS[round_].items()
        for i, c in enumerate(claims, 1)
        if c[0] == key and c[2] == value
    ]
    given: dict[str, Any] = {
        "key": key,
        "statement": statement,
        "value": value,
        "status": status,
        "confidence": confidence,
        "holders": tuple(Role(p.id.split(".")[1]) for p in sources),
        "source_points": tuple(p.id for p in sources),
        "reasons": ("e-55555555",) if (key, round_) == ("data", 2) else (),
        "stance": stance(key, value),
    }
    return Decision(**{**given, **changes})


def a_ruling(round_: int = 1, number: int = 1, **changes: Any) -> Ruling:
    """A ruling on a challenge: upheld, partial, undecided in 1; upheld, overruled in 2; partial in 3."""
    verdict = {
        1: (Verdict.UPHELD, Verdict.PARTIAL, Verdict.UNDECIDED),
        2: (Verdict.UPHELD, Verdict.OVERRULED),
        3: (Verdict.PARTIAL,),
    }[round_][number - 1]
    given: dict[str, Any] = {
        "challenge": f"r{round_}.x{number}",
        "verdict": verdict,
        "reason": "The incident list answers the objection; the trigger gets a number.",
        "cites": ("e-22222222", "C3"),
    }
    return Ruling(**{**given, **changes})


def _veto_rulings(round_: int) -> tuple[VetoRuling, ...]:
    if round_ == 1:
        return (
            VetoRuling(
                veto="r1.v1", verdict=VetoVerdict.STANDS, reason="Nobody names a constraint that needs the bus."
            ),
        )
    if round_ == 2:
        return (
            VetoRuling(
                veto="r2.v1",
                verdict=VetoVerdict.OVERRULED,
                reason="Own tables answer the coupling.",
                cites=("e-55555555",),
            ),
        )
    return ()


def _minority(round_: int) -> tuple[MinorityEntry, ...]:
    entries = {
        1: ("r1.optimizer_a.p1", "Extract billing now, while the team still knows the code.", (A,), 0.78),
        2: ("r2.v1", "A second database is more than two engineers can operate.", (SIMPLIFIER,), 0.7),
        3: (
            "r3.optimizer_a.p2",
            "Billing should own its tables, because shared tables keep deploys coupled.",
            (A,),
            0.64,
        ),
    }
    point, position, holders, confidence = entries[round_]
    reason = "No incident of the list would have been prevented."
    return (
        MinorityEntry(
            id=f"r{round_}.n1", point=point, position=position, holders=holders, reason=reason, confidence=confidence
        ),
    )


def a_conclusion(**changes: Any) -> Conclusion:
    """The structured conclusion."""
    given: dict[str, Any] = {
        "recommendation": "Keep billing in the monolith, give it a checked module boundary in six weeks with two "
        "engineers, and run the new path in shadow for two invoice runs.",
        "key_condition": "The boundary is enforced in CI, not by agreement.",
        "caveats": (
            "The 71 % figure comes from teams of more than forty people.",
            "A shadow run doubles the database load.",
        ),
        "conditional_branches": (
            Branch(
                condition="More than one in five billing changes still forces a full deploy",
                path="Extract the service.",
            ),
        ),
        "unresolved_points": (
            UnresolvedPoint(
                point="Who owns the tables after the trigger",
                position_a="Billing owns them at once.",
                position_b="They stay shared until the service has run for a month.",
                agents=("Optimizer A", "Optimizer B"),
            ),
        ),
        "review_by": "2027-03-01",
        "participants": tuple(Participant(role=r, model=str(a_seat(r).model)) for r in DEBATERS),
    }
    return Conclusion(**{**given, **changes})


def a_synthesis(round_: int = 1, **changes: Any) -> Synthesis:
    """Phase 4."""
    renegotiation = Renegotiation(
        id="r2.n1", constraint="C2", request="Three engineers for the first two weeks.", reason="The call list is long."
    )
    given: dict[str, Any] = {
        "text": _SYNTHESIS[round_],
        "rulings": tuple(a_ruling(round_, i) for i in range(1, len(_TARGETS[round_]) + 1)),
        "veto_rulings": _veto_rulings(round_),
        "decisions": tuple(a_decision(d[0], round_) for d in _DECISIONS[round_]),
        "minority": _minority(round_),
        "renegotiations": (renegotiation,) if round_ == 2 else (),
        "removed": ("the event bus",) if round_ == 1 else (),
        "base_draft": B,
        "why_not_obvious": "The obvious answer, a service at once, would have prevented none of the four incidents.",
        "amendments": (
            Amendment(
                id=f"r{round_}.m1",
                kind=AmendmentKind.TRIGGER,
                text="Give the trigger a number: one in five.",
                where="the last sentence",
                tied_to=(f"r{round_}.x1",),
            ),
        ),
        "conclusion": a_conclusion(),
        "words": len(_SYNTHESIS[round_].split()),
        "letters": {"A": B, "B": CHALLENGER, "C": A, "D": SIMPLIFIER},
        "call_id": f"call-r{round_}-synthesize",
    }
    return Synthesis(**{**given, **changes})


def a_verification(round_: int = 1, **changes: Any) -> Verification:
    """Phase 5, with its delta against the round before."""
    scores, pack = _scores(round_), a_pack()
    total = weighted(scores, pack.dimensions)
    change = total - weighted(_scores(round_ - 1), pack.dimensions) if round_ > 1 else None
    checked = [p for role in _POINTS[round_] for p in a_proposal(role, round_).points if p.confidence >= 0.7]
    given: dict[str, Any] = {
        "scores": scores,
        "total": total,
        "delta": change,
        "trajectory": trajectory(change),
        "raw_vs_synthesis": tuple(_fate(p, round_) for p in checked),
        "diff": "The tables moved from shared to owned." if round_ == 2 else "",
        "sunsets": (Sunset(key="team", reason="Nobody has looked at the head count since round 1."),)
        if round_ == 3
        else (),
        "constraint_checks": tuple(_constraint_check(c, round_) for c in CONSTRAINTS),
        "issues": (_ISSUE,) if round_ == 2 else (),
        "words": 120,
        "call_id": f"call-r{round_}-verify",
    }
    return Verification(**{**given, **changes})


def _scores(round_: int) -> tuple[Score, ...]:
    return tuple(
        Score(dimension=d.key, score=s, reason=f"{d.name} is carried by the incident list.")
        for d, s in zip(a_pack().dimensions, _SCORES[round_], strict=True)
    )


def _fate(point: Point, round_: int) -> PointCheck:
    if (point.key, round_) == ("rollout", 2) and point.value == "5 % canary":
        return PointCheck(point=point.id, fate=PointFate.DROPPED, note="Nowhere in the synthesis.", by_code=True)
    kept = any(d[0] == point.key and d[2] == point.value for d in _DECISIONS[round_])
    return PointCheck(point=point.id, fate=PointFate.KEPT if kept else PointFate.OVERRULED, note="As decided.")


def _constraint_check(constraint: Constraint, round_: int) -> ConstraintCheck:
    holds = Holds.UNCLEAR if (constraint.id, round_) == ("C2", 2) else Holds.YES
    reason = "Three engineers are asked for." if holds is Holds.UNCLEAR else "It stands in the text."
    return ConstraintCheck(constraint=constraint.id, holds=holds, reason=reason, by_code=constraint.check is not None)


def a_brief(round_: int = 1, **changes: Any) -> Brief:
    """Phase 6: the four sections."""
    by = {s: [d for d in _DECISIONS[round_] if d[3] is s] for s in DecisionStatus}
    decided = tuple(f"[{k}] {t} ({v}; confidence {c:.2f})" for k, t, v, _, c in by[DecisionStatus.DECIDED])
    active = tuple(
        ActiveItem(id=f"r{round_}.a{i}", text=d[1], origin="decision")
        for i, d in enumerate(by[DecisionStatus.ACTIVE], 1)
    )
    minority = tuple(m.position for m in _minority(round_))
    block = "\n".join(f"{c.id}: {c.text}" for c in CONSTRAINTS)
    sections = (
        ("ORIGINAL CONSTRAINTS", block),
        ("DECIDED", "\n".join(f"- {x}" for x in decided)),
        ("ACTIVE", "\n".join(f"- [{a.id}] {a.text}" for a in active)),
        ("MINORITY REPORT", "\n".join(f"- {m}" for m in minority)),
    )
    given: dict[str, Any] = {
        "constraints_block": block,
        "decided": decided,
        "active": active,
        "minority": minority,
        "text": "\n\n".join(f"{head}\n{body}" for head, body in sections),
        "tokens": 240 + 40 * round_,
        "restored": ("r2.optimizer_a.p3",) if round_ == 2 else (),
    }
    return Brief(**{**given, **changes})


def a_verdict(round_: int = 1, **changes: Any) -> GateVerdict:
    """Phase 7: continue in round 1, fork in round 2, stop in round 3."""
    action = {1: GateAction.CONTINUE, 2: GateAction.FORK, 3: GateAction.STOP}[round_]
    change = a_verification(round_).delta
    said = {
        "oscillation": (
            round_ == 3,
            "data went back to shared schema." if round_ == 3 else "No decision returned to an earlier stance.",
        ),
        "human_review": (True, "You asked to be consulted after every round."),
        "continue": (
            round_ == 1,
            "Two items are active and two rounds remain." if round_ == 1 else "The score moved, but less is open.",
        ),
        "fork": (
            round_ == 2,
            "rollout is held both as 5 % canary (0.75) and as shadow run (0.77)."
            if round_ == 2
            else "No two incompatible decisions are both held.",
        ),
        "stop": (
            round_ == 3,
            "The score moved by less than 0.5 and nothing is active." if round_ == 3 else "Work remains.",
        ),
    }
    fork = ForkOption(key="rollout", value_a="5 % canary", value_b="shadow run", confidence_a=0.75, confidence_b=0.77)
    given: dict[str, Any] = {
        "recommendation": action,
        "wait": True,
        "checks": tuple(GateCheck(name=n, result=r, reason=t) for n, (r, t) in said.items()),
        "trouble": ("data went back to shared schema.",) if round_ == 3 else (),
        "delta": change,
        "fork": fork if round_ == 2 else None,
        "best_round": round_,
    }
    return GateVerdict(**{**given, **changes})


def a_gate_decision(round_: int = 1, **changes: Any) -> GateDecision:
    """What the person did: went on with a whisper, overrode a fork, stopped."""
    action = GateAction.STOP if round_ == 3 else GateAction.CONTINUE
    given: dict[str, Any] = {
        "action": action,
        "recommended": a_verdict(round_).recommendation,
        "by": "Ada",
        "at": stamp(600 * round_ - 20),
        "note": "One branch is enough." if round_ == 2 else "",
        "whispers": (Whisper(text="Read the incident list line by line.", to=CHALLENGER),) if round_ == 1 else (),
        "renegotiations": (RenegotiationAnswer(id="r2.n1", accepted=False),) if round_ == 2 else (),
    }
    return GateDecision(**{**given, **changes})


_FIELDS: tuple[tuple[PhaseName, str], ...] = (
    (PhaseName.PREPARE, "dossier"),
    (PhaseName.PROPOSE, "proposals"),
    (PhaseName.CHALLENGE, "challenges"),
    (PhaseName.SYNTHESIZE, "synthesis"),
    (PhaseName.VERIFY, "verification"),
    (PhaseName.COMPRESS, "brief"),
)


def a_round(
    number: int = 1, *, stage: PhaseName = PhaseName.DECIDE, decided: bool = True, skipped: bool = False, **changes: Any
) -> Round:
    """A round after `stage`, the phases past it None; with DECIDE it has its verdict, and its decision unless `decided`
    is False; `skipped` is a round whose verification could not be had."""
    made = {
        "dossier": a_dossier(number),
        "proposals": proposals(number),
        "challenges": a_register(number),
        "synthesis": a_synthesis(number),
        "verification": None if skipped else a_verification(number),
        "brief": a_brief(number),
    }
    given: dict[str, Any] = {f: made[f] if stage >= p else None for p, f in _FIELDS}
    answered = DEBATERS[:2] if stage is PhaseName.PREPARE else [p.role for p in proposals(number).proposals]
    given |= {"number": number, "replied": tuple(a_proposal(r, number) for r in answered)}
    if stage >= PhaseName.DECIDE:
        given |= {"verdict": a_verdict(number), "finished": True}
        given |= {"decision": a_gate_decision(number)} if decided else {}
    return Round(**{**given, **changes})


def a_deliverable(**changes: Any) -> Deliverable:
    """Phase 8: the page."""
    text = (
        "# Keep billing in the monolith and give it a boundary\n\nGive billing a **checked module boundary** in six "
        "weeks with "
        "two engineers. Extract a service only if the trigger below fires.\n\n## Why\n\nBilling was part of 4 of 11 "
        "incidents "
        "last year, and a service would have prevented none of the four.\n\n## Steps\n\n1. In week one, list every "
        "call into "
        "billing.\n2. In weeks two to four, route the calls through one interface and let CI refuse the others.\n3. "
        "Run the "
        "new path in shadow for two invoice runs. Rollback is one switch.\n\n| Trigger | Then |\n|---|---|\n| More "
        "than one "
        "in five changes forces a full deploy | Extract the service |\n\nOne reviewer holds that billing should own "
        "its "
        "tables at once."
    )
    given: dict[str, Any] = {
        "text": text,
        "words": len(text.split()),
        "applied": ("r3.m1",),
        "left_open": ("Who owns the tables after the trigger.",),
        "base_round": 3,
        "call_id": "call-end-format",
    }
    return Deliverable(**{**given, **changes})


def an_audit(*verdicts: AuditVerdict, **changes: Any) -> Audit:
    """The blind audit: flagged once and passed, unless other verdicts are given."""
    looks = verdicts or (AuditVerdict.FLAG, AuditVerdict.PASS)
    objection = "The recommendation leaves open whether the shadow run may send invoices."
    passes = tuple(
        AuditPass(
            attempt=i,
            verdict=v,
            field=ConclusionField.RECOMMENDATION if v is AuditVerdict.FLAG else None,
            objection=objection if v is AuditVerdict.FLAG else "",
            call_id=f"call-end-audit-{i}",
        )
        for i, v in enumerate(looks, 1)
    )
    before = a_conclusion().recommendation
    after = before.replace("in shadow", "in shadow, where it sends nothing,")
    fixed = looks[0] is AuditVerdict.FLAG
    revision = Revision(field=ConclusionField.RECOMMENDATION, before=json.dumps(before), after=json.dumps(after))
    given: dict[str, Any] = {
        "passes": passes,
        "revision": revision if fixed else None,
        "conclusion": a_conclusion(recommendation=after if fixed else before),
    }
    return Audit(**{**given, **changes})


def a_degraded(**changes: Any) -> Degraded:
    """A fallback that was taken: the Simplifier did not answer in round 3."""
    given: dict[str, Any] = {
        "phase": PhaseName.PROPOSE,
        "round": 3,
        "key": "agent_missing",
        "message": "The Simplifier did not answer; the round went on without it.",
        "role": SIMPLIFIER,
        "cause": "529 overloaded_error (request req_011)",
    }
    return Degraded(**{**given, **changes})


def a_breach(**changes: Any) -> Breach:
    """A structural rule an output broke: Optimizer B named its weakness after proposing."""
    given: dict[str, Any] = {
        "rule": 2,
        "phase": PhaseName.PROPOSE,
        "round": 2,
        "role": B,
        "message": "Optimizer B named its weakness after its proposal.",
        "refs": ("r2.optimizer_b.p1",),
    }
    return Breach(**{**given, **changes})


def a_call(slot: str, role: Role, phase: PhaseName, round_: int, **changes: Any) -> CallTrace:
    """What the run keeps of one model call."""
    usage = Usage(
        input_tokens=1200,
        cache_read_tokens=900 * (round_ > 1),
        output_tokens=640,
        searches=int(phase is PhaseName.PROPOSE),
        seconds=11.5,
        dollars=0.0123,
    )
    given: dict[str, Any] = {
        "id": "call-" + slot.replace(".", "-"),
        "slot": slot,
        "attempt": 1,
        "role": role,
        "phase": phase,
        "round": round_,
        "model": a_seat(role).model,
        "prompt_hash": hashlib.sha256(slot.encode()).hexdigest(),
        "constraints_sha": a_dossier(1).constraints_sha if role is not Role.CRITIC else "",
        "started_at": stamp(600 * max(round_ - 1, 0)),
        "status": "ok",
        "stop_reason": "end_turn",
        "usage": usage,
    }
    return CallTrace(**{**given, **changes})


def calls(rounds: Sequence[Round], *, deliverable: bool = False, audit: Audit | None = None) -> tuple[CallTrace, ...]:
    """The calls behind the given outputs."""
    made: list[CallTrace] = []
    for r in rounds:
        made += [a_call(f"r{r.number}.propose.{p.role.value}", p.role, PhaseName.PROPOSE, r.number) for p in r.replied]
        for role in dict.fromkeys(
            d.role for c in (r.challenges.challenges if r.challenges else ()) for d in c.defences
        ):
            made.append(a_call(f"r{r.number}.defend.{role.value}", role, PhaseName.CHALLENGE, r.number))
        if r.synthesis:
            made.append(a_call(f"r{r.number}.synthesize", Role.COORDINATOR, PhaseName.SYNTHESIZE, r.number))
        if r.verification:
            made.append(a_call(f"r{r.number}.verify", Role.VERIFIER, PhaseName.VERIFY, r.number))
    if deliverable:
        made.append(a_call("end.format", Role.FORMATTER, PhaseName.FORMAT, 0))
    if audit:
        made += [a_call(f"end.audit.{p.attempt}", Role.CRITIC, PhaseName.AUDIT, 0) for p in audit.passes]
        made += [a_call("end.revise", Role.COORDINATOR, PhaseName.AUDIT, 0)] if audit.revision else []
    return tuple(made)


def a_failed_call(round_: int = 3, role: Role = SIMPLIFIER, **changes: Any) -> CallTrace:
    """A call that failed, with the provider's own words."""
    given: dict[str, Any] = {
        "status": "overloaded",
        "stop_reason": "",
        "message": "529 overloaded_error",
        "usage": Usage(seconds=4),
    }
    return a_call(f"r{round_}.propose.{role.value}", role, PhaseName.PROPOSE, round_, **{**given, **changes})


# The whole run.


def a_run(
    *, rounds: int = 3, stage: PhaseName | None = PhaseName.AUDIT, skipped: Sequence[int] = (), **changes: Any
) -> Run:
    """A debate after `rounds` rounds. `stage` is the last phase its last round finished: None is queued, PREPARE to
    COMPRESS is running (the next phase has started), DECIDE waits at the gate, FORMAT has its deliverable but no audit
    yet, AUDIT has ended `revised`. `skipped` names rounds without verification; `changes` replace fields."""
    reached = stage or PhaseName.PREPARE
    made = [a_round(n, skipped=n in skipped) for n in range(1, rounds)]
    made += (
        [a_round(rounds, stage=reached, decided=reached > PhaseName.DECIDE, skipped=rounds in skipped)] if stage else []
    )
    ended, formatted = stage is PhaseName.AUDIT, reached >= PhaseName.FORMAT
    audit = an_audit() if ended else None
    traces = calls(made, deliverable=formatted, audit=audit) if stage else ()
    late = rounds == 3 and reached > PhaseName.PREPARE and stage is not None
    state, reason, phase = _standing(stage, rounds)
    given: dict[str, Any] = {
        "id": "billing-7f3a",
        "config": a_config(),
        "state": state,
        "reason": reason,
        "created_at": stamp(),
        "updated_at": stamp(600 * rounds),
        "version": 40 * len(made) + len(traces),
        "head": "f" * 64,
        "phase": phase,
        "rounds": tuple(made),
        "deliverable": a_deliverable() if formatted else None,
        "audit": audit,
        "degraded": tuple(_skips(skipped)) + ((a_degraded(),) if late else ()),
        "breaches": (a_breach(),) if rounds >= 2 and len(made) >= 2 else (),
        "calls": traces + ((a_failed_call(),) if late else ()),
        "phase_times": dict(_times(made, phase, formatted, ended)),
    }
    return Run(**{**given, **changes})


def _standing(stage: PhaseName | None, rounds: int) -> tuple[DebateState, str, PhaseName | None]:
    """State, reason and the phase now running (or last run)."""
    if stage is None:
        return (DebateState.QUEUED, "", None) if rounds == 1 else (DebateState.RUNNING, "", PhaseName.DECIDE)
    if stage is PhaseName.AUDIT:
        return DebateState.REVISED, "The Blind Critic flagged the recommendation; the fix passed.", stage
    if stage is PhaseName.DECIDE:
        return DebateState.WAITING, f"waiting at the gate of round {rounds}", stage
    following = tuple(PhaseName)[tuple(PhaseName).index(stage) + 1]
    return DebateState.RUNNING, "", following


def _skips(rounds: Sequence[int]) -> Iterator[Degraded]:
    for n in rounds:
        yield a_degraded(
            phase=PhaseName.VERIFY, round=n, key="verification_skipped", role=Role.VERIFIER, cause="timed out",
            message="Verification was skipped; the next round is verified twice.",
        )  # fmt: skip


def _times(
    rounds: Sequence[Round], phase: PhaseName | None, formatted: bool, ended: bool
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Start and end of every phase that ran, a minute each; the one now running has no end."""
    for r in rounds:
        begin = 600 * (r.number - 1)
        phases = [p for p, f in _FIELDS if getattr(r, f) is not None] + ([PhaseName.DECIDE] if r.verdict else [])
        for i, p in enumerate(phases):
            yield f"r{r.number}.{p.value}", (stamp(begin + 60 * i), stamp(begin + 60 * i + 55))
    end = 600 * len(rounds)
    if formatted:
        yield f"r0.{PhaseName.FORMAT.value}", (stamp(end), stamp(end + 40))
    if ended:
        yield f"r0.{PhaseName.AUDIT.value}", (stamp(end + 41), stamp(end + 80))
    elif phase is PhaseName.AUDIT:
        yield f"r0.{phase.value}", (stamp(end + 41), "")
    elif rounds and phase and phase <= PhaseName.DECIDE and not rounds[-1].verdict:
        yield f"r{rounds[-1].number}.{phase.value}", (stamp(600 * (len(rounds) - 1) + 360), "")


# The record of a run.


def events(run: Run) -> tuple[Event, ...]:
    """The record that folds to `run` (up to times, version and head), its hashes chained the plain way."""
    made: list[Event] = []
    prev = ""
    for kind, round_, phase, key, payload in _told(run):
        seq = len(made) + 1
        data = payload.model_dump(mode="json") if isinstance(payload, Value) else payload
        at = stamp(seq * 5)
        digest = hashlib.sha256(json.dumps([prev, seq, at, kind, key, data], sort_keys=True).encode()).hexdigest()
        made.append(
            Event(
                debate=run.id,
                seq=seq,
                at=at,
                kind=kind,
                round=round_,
                phase=phase,
                key=key,
                payload=data,
                prev=prev,
                hash=digest,
            )
        )
        prev = digest
    return tuple(made)


_Told = tuple[EventKind, int, PhaseName | None, str, Value | dict[str, Any]]


def _told(run: Run) -> Iterator[_Told]:
    """What happened, in order."""
    yield EventKind.DEBATE_CREATED, 0, None, "created", run.config
    for r in run.rounds:
        yield from _told_round(run, r)
    ending = ((PhaseName.FORMAT, run.deliverable), (PhaseName.AUDIT, run.audit))
    for phase, output in ending:
        if output is not None or f"r0.{phase.value}" in run.phase_times:
            yield EventKind.PHASE_STARTED, 0, phase, f"end.{phase.value}.started", {}
            yield from _told_calls(run, 0, phase)
        if output is not None:
            yield EventKind.PHASE_FINISHED, 0, phase, f"end.{phase.value}.finished", output
    if run.children:
        yield EventKind.FORKED, 0, None, "forked", {"children": list(run.children)}
    if run.state.ended:
        yield EventKind.DEBATE_ENDED, 0, None, "ended", Ending(state=run.state, reason=run.reason)


def _told_round(run: Run, r: Round) -> Iterator[_Told]:
    n = r.number
    yield EventKind.ROUND_STARTED, n, None, f"r{n}.started", {}
    for phase, field in _FIELDS:
        output = getattr(r, field)
        if f"r{n}.{phase.value}" in run.phase_times:
            yield EventKind.PHASE_STARTED, n, phase, f"r{n}.{phase.value}.started", {}
        if phase is PhaseName.PROPOSE:
            for p in r.replied:
                yield EventKind.REPLIED, n, phase, f"r{n}.replied.{p.role.value}", p
        yield from _told_calls(run, n, phase)
        for i, d in enumerate(x for x in run.degraded if (x.round, x.phase) == (n, phase)):
            yield EventKind.DEGRADED, n, phase, f"r{n}.{phase.value}.degraded.{i}", d
        for i, b in enumerate(x for x in run.breaches if (x.round, x.phase) == (n, phase)):
            yield EventKind.BREACHED, n, phase, f"r{n}.{phase.value}.breached.{i}", b
        if output is not None:
            yield EventKind.PHASE_FINISHED, n, phase, f"r{n}.{phase.value}.finished", output
    if f"r{n}.{PhaseName.DECIDE.value}" in run.phase_times:
        yield EventKind.PHASE_STARTED, n, PhaseName.DECIDE, f"r{n}.{PhaseName.DECIDE.value}.started", {}
    if r.verdict:
        yield EventKind.PHASE_FINISHED, n, PhaseName.DECIDE, f"r{n}.{PhaseName.DECIDE.value}.finished", r.verdict
        yield EventKind.ROUND_FINISHED, n, None, f"r{n}.finished", {}
        yield EventKind.GATE_OPENED, n, PhaseName.DECIDE, f"r{n}.gate.opened", r.verdict
    if r.decision:
        yield EventKind.GATE_DECIDED, n, PhaseName.DECIDE, f"r{n}.gate.decided", r.decision


def _told_calls(run: Run, round_: int, phase: PhaseName) -> Iterator[_Told]:
    for c in run.calls:
        if (c.round, c.phase) == (round_, phase):
            yield EventKind.CALL_ENDED, round_, phase, f"call.{c.slot}.{c.attempt}.{c.status}", c
