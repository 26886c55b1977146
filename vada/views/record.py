"""A finished or half-finished round as tables: register, decisions, vetoes, verification, and what was degraded.

One row type a table, rows in the order of the record; ids become names through `references`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vada import minority as report
from vada.models.outputs import Breach, Challenge, Defence, Degraded, GateDecision, RenegotiationAnswer, Ruling
from vada.models.run import Round, Run
from vada.models.vocabulary import DecisionStatus, PhaseName, PointFate, Role, VetoVerdict
from vada.scoring import spoken
from vada.views import words
from vada.views.references import Reference, Source, name_of, names_of, sources


@dataclass(frozen=True)
class ChallengeRow:
    """A challenge with everything that became of it. `ruling` is None until the Coordinator has ruled."""

    id: str
    number: int
    round: int
    target: str
    against: str
    aimed_at: str
    steel_man: str
    objection: str
    confidence: float
    sources: tuple[Source, ...]
    defenders: tuple[Role, ...]
    defences: tuple[Defence, ...]
    status: str
    verdict: str
    reason: str
    cites: tuple[str, ...]


def register(run: Run, r: Round, found: dict[str, Reference]) -> tuple[ChallengeRow, ...]:
    """The challenge register of a round."""
    rulings = {x.challenge: x for x in (r.synthesis.rulings if r.synthesis else ())}
    known = sources(run)
    return tuple(
        _challenge(c, r, rulings.get(c.id), found, known) for c in (r.challenges.challenges if r.challenges else ())
    )


def _challenge(
    c: Challenge, r: Round, ruling: Ruling | None, found: dict[str, Reference], known: dict[str, Source]
) -> ChallengeRow:
    return ChallengeRow(
        id=c.id,
        number=c.number,
        round=r.number,
        target=words.issue(c.target_key or words.clipped(c.target, 40)),
        against=words.listed([who.title for who in c.against]),
        aimed_at=found[c.target_point].text if c.target_point in found else c.target,
        steel_man=c.steel_man,
        objection=c.objection,
        confidence=c.confidence,
        sources=tuple(known[e] for e in c.evidence if e in known),
        defenders=c.defenders,
        defences=c.defences,
        status=words.STATUSES[c.status],
        verdict=ruling.verdict.title if ruling else "Not ruled yet",
        reason=ruling.reason if ruling else "",
        cites=tuple(names_of(ruling.cites, found)) if ruling else (),
    )


@dataclass(frozen=True)
class Item:
    """An entry of the Decided, Active or Minority column; `held` says by whom, `given_up` that nobody holds it now."""

    key: str
    text: str
    value: str
    confidence: float | None
    holders: tuple[Role, ...]
    why: str = ""
    is_new: bool = False
    changed_from: str = ""
    held: str = ""
    given_up: bool = False


@dataclass(frozen=True)
class Columns:
    """What a synthesis settled, left open, and overruled but keeps."""

    decided: tuple[Item, ...]
    active: tuple[Item, ...]
    minority: tuple[Item, ...]


def columns(run: Run, r: Round, found: dict[str, Reference]) -> Columns:
    """The three columns of a round; what a person or the Verifier added to the active items is among them."""
    if not r.synthesis:
        return Columns((), (), ())
    before = {d.key: d for p in run.rounds if p.number == r.number - 1 and p.synthesis for d in p.synthesis.decisions}
    by: dict[DecisionStatus, list[Item]] = {s: [] for s in DecisionStatus}
    for d in r.synthesis.decisions:
        old = before.get(d.key)
        by[d.status].append(
            Item(
                key=d.key,
                text=d.statement,
                value=d.value,
                confidence=d.confidence,
                holders=d.holders,
                held=words.listed([h.title for h in d.holders]),
                why=words.listed(names_of(d.reasons, found)),
                is_new=old is None and bool(before),
                changed_from=old.value if old and old.stance != d.stance else "",
            )
        )
    minority = tuple(
        Item(
            key=name_of(v.entry.point, found),
            text=v.entry.position,
            value="",
            confidence=v.entry.confidence or None,
            holders=v.entry.holders,
            why=v.entry.reason,
            held=v.held,
            given_up=v.given_up,
        )
        for v in report.views(run.rounds, r.number)
    )
    return Columns(tuple(by[DecisionStatus.DECIDED]), (*by[DecisionStatus.ACTIVE], *_added(r)), minority)


def _added(r: Round) -> Iterator[Item]:
    """Active items that come from elsewhere than a decision: dropped points, undecided challenges, errors, a person."""
    for a in r.brief.active if r.brief else ():
        if a.origin and a.origin != "decision":
            yield Item(a.origin, a.text, "", None, ())


@dataclass(frozen=True)
class VetoRow:
    """A veto and its ruling. `verdict` is None until it is ruled on."""

    id: str
    target: str
    remove: str
    reason: str
    verdict: VetoVerdict | None
    ruling: str
    cites: tuple[str, ...]


def vetoes(r: Round, found: dict[str, Reference]) -> tuple[VetoRow, ...]:
    """The Simplifier's vetoes of a round."""
    rulings = {x.veto: x for x in (r.synthesis.veto_rulings if r.synthesis else ())}
    made = r.proposals.of(Role.SIMPLIFIER) if r.proposals else None
    rows = []
    for v in made.vetoes if made else ():
        x = rulings.get(v.id)
        cites = tuple(names_of(x.cites, found)) if x else ()
        rows.append(VetoRow(v.id, v.target, v.remove, v.reason, x.verdict if x else None, x.reason if x else "", cites))
    return tuple(rows)


@dataclass(frozen=True)
class RenegotiationRow:
    """A request to change a constraint. `answer` is pending, accepted or rejected."""

    id: str
    constraint: str
    constraint_text: str
    request: str
    reason: str
    answer: str


def renegotiations(run: Run, r: Round) -> tuple[RenegotiationRow, ...]:
    """The renegotiations of a round, with the person's answer where there is one."""
    texts = {c.id: c.text for c in run.config.constraints}
    answers = {a.id: a.accepted for a in _answers(r.decision)}
    rows = []
    for g in r.synthesis.renegotiations if r.synthesis else ():
        accepted = answers.get(g.id, g.accepted)
        answer = {None: "pending, the constraint holds", True: "accepted", False: "rejected"}[accepted]
        rows.append(RenegotiationRow(g.id, g.constraint, texts.get(g.constraint, ""), g.request, g.reason, answer))
    return tuple(rows)


def _answers(decision: GateDecision | None) -> tuple[RenegotiationAnswer, ...]:
    return decision.renegotiations if decision else ()


# Verification.


@dataclass(frozen=True)
class ScoreRow:
    """A dimension's score with its change against the last verified round."""

    dimension: str
    weight: float
    score: float
    change: float | None
    reason: str
    meaning: str


def scores(run: Run, r: Round) -> tuple[ScoreRow, ...]:
    """The scores of a round; `weight` is the dimension's share of 1."""
    if not r.verification:
        return ()
    total = sum(d.weight for d in run.config.pack.dimensions)
    earlier = [p.verification for p in run.rounds if p.number < r.number and p.verification]
    old = {s.dimension: s.score for s in earlier[-1].scores} if earlier else {}
    given = {s.dimension: s for s in r.verification.scores}
    return tuple(
        ScoreRow(
            dimension=d.name,
            weight=d.weight / total,
            score=given[d.key].score,
            change=given[d.key].score - old[d.key] if d.key in old else None,
            reason=given[d.key].reason,
            meaning=f"0: {d.scale_0} 5: {d.scale_5} 10: {d.scale_10}",
        )
        for d in run.config.pack.dimensions
        if d.key in given
    )


@dataclass(frozen=True)
class FateRow:
    """What became of a high-confidence point in the synthesis."""

    point: str
    claim: str
    fate: str
    dropped: bool
    note: str
    by: str


def fates(r: Round, found: dict[str, Reference]) -> tuple[FateRow, ...]:
    """Raw against synthesis; the silently dropped stand first."""
    rows = [
        FateRow(
            point=name_of(c.point, found),
            claim=found[c.point].text if c.point in found else "",
            fate=words.FATES[c.fate],
            dropped=c.fate is PointFate.DROPPED,
            note=c.note,
            by="code" if c.by_code else "Verifier",
        )
        for c in (r.verification.raw_vs_synthesis if r.verification else ())
    ]
    return tuple(sorted(rows, key=lambda row: not row.dropped))


@dataclass(frozen=True)
class FaultRow:
    """A fault the Verifier found, and how often it was found before."""

    id: str
    kind: str
    where: str
    claim: str
    correction: str
    rounds: tuple[int, ...]


def faults(run: Run, r: Round, found: dict[str, Reference]) -> tuple[FaultRow, ...]:
    """The faults of a round; the same fault has the same id in every round."""
    seen: dict[str, list[int]] = {}
    for p in run.rounds:
        for i in p.verification.issues if p.verification else ():
            seen.setdefault(i.id, []).append(p.number)
    return tuple(
        FaultRow(
            id=i.id,
            kind=words.ISSUES[i.kind],
            where=spoken(name_of(i.target, found)),
            claim=i.claim,
            correction=i.correction,
            rounds=tuple(seen[i.id]),
        )
        for i in (r.verification.issues if r.verification else ())
    )


# What went less well than it should.


def degraded(run: Run, round_: int, *phases: PhaseName) -> tuple[Degraded, ...]:
    """The fallbacks taken in a round, of the given phases (of all when none is given)."""
    return tuple(d for d in run.degraded if d.round == round_ and (not phases or d.phase in phases))


def breaches(run: Run, round_: int, *phases: PhaseName) -> tuple[Breach, ...]:
    """The rules broken in a round, of the given phases (of all when none is given)."""
    return tuple(b for b in run.breaches if b.round == round_ and (not phases or b.phase in phases))


def last_synthesis(run: Run, before: int) -> tuple[int, str] | None:
    """The last round before `before` that has a synthesis, and its text; None when none has."""
    found = (p for p in reversed(run.rounds) if p.number < before)
    return next(((p.number, p.synthesis.text) for p in found if p.synthesis), None)
