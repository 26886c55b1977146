"""The plants and the hard negatives of all eleven failure modes, written from the design's table before any detector.

A plant spoils a clean debate in one known way, at a dose, and says in which round. A hard negative looks alike and is
legitimate. Both act on records and sentences; None means that this debate does not afford the case.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from tests.planted import edits as e
from tests.planted.generator import Scribe, debate, fingerprint
from tests.planted.words import ADJECTIVES, NOUNS, TOPICS
from vada.models.debate import Check
from vada.models.outputs import (
    Challenge,
    ConstraintCheck,
    Decision,
    Defence,
    Evidence,
    Issue,
    Leak,
    MinorityEntry,
    Point,
    PointCheck,
    Proposal,
    Renegotiation,
    Ruling,
)
from vada.models.run import Run
from vada.models.vocabulary import (
    OPTIMIZERS,
    ChallengeStatus,
    CheckKind,
    DecisionStatus,
    DefenceVerdict,
    ErrorKind,
    FailureMode,
    Holds,
    PointFate,
    Role,
    Verdict,
    VetoVerdict,
)
from vada.scoring import normalise, same_value

Made = tuple[Run, int] | None
"""The spoiled debate and the round it was spoiled in; None when the debate does not afford the case."""


@dataclass(frozen=True)
class Plant:
    """A positive case. `kind` says whether ids or words give it away."""

    mode: FailureMode
    name: str
    kind: str
    dose: str
    make: Callable[[Run, random.Random], Made]
    table: str = ""


@dataclass(frozen=True)
class HardNegative:
    """A negative case that looks alike; `allowed` is the loudest level that is still right."""

    mode: FailureMode
    name: str
    make: Callable[[Run, random.Random], Made]
    allowed: str = "none"


def _scribe(run: Run, rng: random.Random) -> Scribe:
    """Who writes in the debate's own terms; in a rehearsal's, in those of some topic."""
    return Scribe(rng, next((t for t in TOPICS if t.question == run.config.question), TOPICS[0]))


def _new_source(rng: random.Random) -> Evidence:
    url = f"https://{rng.choice(NOUNS)}-{rng.choice(NOUNS)}.example/new/{rng.randrange(10**9)}"
    id_ = "e-" + hashlib.sha256(url.encode()).hexdigest()[:8]
    title = f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} report".capitalize()
    return Evidence(id=id_, title=title, url=url, kind="web", verified=True)


def _add(run: Run, n: int, role: Role, key: str, item: Evidence) -> Run:
    """A role's point on a key in round `n` cites one more source."""
    run = e.source(run, n, role, item)
    return e.with_points(
        run,
        n,
        lambda r, x: x.model_copy(update={"evidence": (*x.evidence, item.id)}) if r is role and x.key == key else x,
    )


def _keys(run: Run) -> list[str]:
    return [d.key for d in e.synthesis(run, 1).decisions]


# 1 Sycophancy.


def _converts(run: Run, rng: random.Random) -> list[tuple[int, Role, str, str]]:
    """Who could fall in with the others: round, role, key and the others' plurality value, in one random round."""
    n = rng.choice((2, 3))
    found = []
    for key in _keys(run):
        before, now = e.answers(run, n - 1, key), e.answers(run, n, key)
        if e.contested(run, n, key):
            continue
        for role, x in before.items():
            others = Counter(o.value for r, o in before.items() if r is not role).most_common(2)
            unique = others and (len(others) == 1 or others[0][1] > others[1][1])
            if unique and role in now and others[0][0] != x.value and now[role].value == x.value:
                found.append((n, role, key, others[0][0]))
    rng.shuffle(found)
    return found


def copy_plurality(agents: int) -> Callable[[Run, random.Random], Made]:
    def make(run: Run, rng: random.Random) -> Made:
        found = _converts(run, rng)
        if len(found) < agents:
            return None
        for n, role, key, value in found[:agents]:
            old = e.point(run, n - 1, role, key)
            assert old
            run = e.hold(run, role, key, value, n, old.evidence)
        return run, found[0][0]

    return make


def collapse(run: Run, rng: random.Random) -> Made:
    """Everybody who disagreed on a key falls in at once, with the sources they had."""
    for n, _, key, value in _converts(run, rng):
        before, now = e.answers(run, n - 1, key), e.answers(run, n, key)
        if any(now[r].value != before[r].value for r in now if r in before) or len(now) < 3:
            continue
        for role, x in before.items():
            if role in now:
                run = e.hold(run, role, key, value, n, x.evidence)
        return run, n
    return None


def leak(pairs: int) -> Callable[[Run, random.Random], Made]:
    """Twelve words of another agent's text stand in a prompt, and the phase's own audit says so."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        found = e.at(run, n).proposals
        assert found
        chosen = rng.sample(list(combinations(found.proposals, 2)), pairs)
        leaks = tuple(
            Leak(slot=f"r{n}.propose.{a.role}", source=b.role, words=" ".join(b.text.split()[3:11]).casefold())
            for a, b in chosen
        )
        return e.put(run, n, proposals=found.model_copy(update={"leaks": leaks})), n

    return make


def copied_run(pairs: int) -> Callable[[Run, random.Random], Made]:
    """Twelve words of another agent's same-round text stand in an agent's own text."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        chosen = rng.sample(list(combinations(e.proposals(run, n), 2)), pairs)
        for a, b in chosen:
            words = b.text.split()
            start = rng.randrange(len(words) - 12)
            piece = " ".join(words[start : start + 12])
            run = e.with_proposals(run, n, _saying(a.role, piece))
        return run, n

    return make


def _saying(role: Role, piece: str) -> Callable[[Proposal], Proposal]:
    return lambda p: p.model_copy(update={"text": f"{p.text} {piece}."}) if p.role is role else p


def moved_on_evidence(run: Run, rng: random.Random) -> Made:
    found = _converts(run, rng)
    if not found:
        return None
    n, role, key, value = found[0]
    old = e.point(run, n - 1, role, key)
    assert old
    return _add(e.hold(run, role, key, value, n, old.evidence), n, role, key, _new_source(rng)), n


def moved_when_upheld(run: Run, rng: random.Random) -> Made:
    for n, role, key, value in _converts(run, rng):
        old = e.point(run, n - 1, role, key)
        if role is Role.CHALLENGER or not old:
            continue
        number = max(c.number for c in e.challenges(run, n - 1)) + 1
        run, made = _objection(run, n - 1, key, [], rng, number)
        aimed = made.model_copy(update={"target_point": old.id, "defenders": (role,)})
        reason = _scribe(run, rng).sentence()
        ruling = Ruling(challenge=aimed.id, verdict=Verdict.UPHELD, reason=reason, cites=(old.id,))
        return e.hold(e.ruled(run, n - 1, aimed, ruling), role, key, value, n, old.evidence), n
    return None


def agreed_from_the_start(run: Run, rng: random.Random) -> Made:
    for d in e.synthesis(run, 1).decisions:
        for role in e.answers(run, 1, d.key):
            run = e.hold(run, role, d.key, d.value, 1)
        for n in (1, 2, 3):
            run = e.settle(run, n, d.key, d.value, reasons=())
    return run, 2


# 2 Majority tyranny.


def _minority_points(run: Run, n: int) -> list[tuple[Role, Point]]:
    """Reported points that fewer than half of those who answer their key hold, adopted nowhere, not challenged."""
    used = {s for d in e.synthesis(run, n).decisions for s in d.source_points}
    reported = {m.point for m in e.synthesis(run, n).minority}
    hit = {c.target_point for c in e.challenges(run, n)}
    found = []
    for key in _keys(run):
        said = e.answers(run, n, key)
        for role, x in said.items():
            same = sum(same_value(o.value, x.value) for o in said.values())
            if 2 * same < len(said) and x.id in reported - used and x.id not in hit:
                found.append((role, x))
    return found


def _vanish(run: Run, n: int, x: Point, keep_id: bool) -> Run:
    """A point leaves the synthesis' words and the minority report; its id stays in the decision's sources or not."""
    s = e.synthesis(run, n)
    words = set(x.claim.casefold().split())
    kept = [t for t in s.text.split(". ") if len(words & set(t.casefold().split())) < 0.6 * len(words)]
    decisions = tuple(
        d.model_copy(update={"source_points": (*d.source_points, x.id)}) if keep_id and d.key == x.key else d
        for d in s.decisions
    )
    run = e.with_synthesis(
        run, n, text=". ".join(kept), decisions=decisions, minority=tuple(m for m in s.minority if m.point != x.id)
    )
    return e.rebrief(run, n)


def _confident(run: Run, n: int, role: Role, x: Point, confidence: float, rng: random.Random) -> tuple[Run, Point]:
    """The point with a confidence and at least one source."""
    if not x.evidence:
        run = _add(run, n, role, x.key, _new_source(rng))
    run = e.with_points(run, n, lambda _, p: p.model_copy(update={"confidence": confidence}) if p.id == x.id else p)
    new = e.point(run, n, role, x.key)
    assert new
    return run, new


def drop_minority(points: int, confidence: float | None, keep_id: bool) -> Callable[[Run, random.Random], Made]:
    """Confidence None is just above the median of the run's points."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        found = _minority_points(run, n)
        if len(found) < points:
            return None
        for role, x in rng.sample(found, points):
            middle = median(o.confidence for m in (1, 2, 3) for p in e.proposals(run, m) for o in p.points)
            run, new = _confident(run, n, role, x, confidence or max(0.62, round(middle, 2) + 0.03), rng)
            run = _vanish(run, n, new, keep_id)
        return run, n

    return make


def merged(run: Run, rng: random.Random) -> Made:
    """The point is reworded by 30 to 50 % and cited."""
    n = rng.choice((1, 2, 3))
    found = _minority_points(run, n)
    if not found:
        return None
    role, x = rng.choice(found)
    run, x = _confident(run, n, role, x, 0.8, rng)
    run = _vanish(run, n, x, keep_id=True)
    words = _scribe(run, rng).reword(x.claim, rng.uniform(0.3, 0.5))
    return e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text}. {words}"), n


def dropped_unsure(run: Run, rng: random.Random) -> Made:
    n = rng.choice((1, 2, 3))
    found = _minority_points(run, n)
    if not found:
        return None
    role, x = rng.choice(found)
    run, x = _confident(run, n, role, x, 0.3, rng)
    return _vanish(run, n, x, keep_id=False), n


def _kept_points(run: Run, n: int) -> set[str]:
    s = e.synthesis(run, n)
    return {m.point for m in s.minority} | {i for d in s.decisions for i in d.source_points}


def dropped_and_restored(run: Run, rng: random.Random) -> Made:
    """The Verifier finds the dropped point, and it comes back as an active item."""
    made = drop_minority(1, 0.85, keep_id=False)(run, rng)
    if not made:
        return None
    spoiled, n = made
    gone = _kept_points(run, n) - _kept_points(spoiled, n)
    lost = next(x for p in e.proposals(spoiled, n) for x in p.points if x.id in gone)
    return e.rebrief(e.checked(spoiled, n, lost.id, PointFate.DROPPED), n, [(lost.id, lost.claim)]), n


# 3 Bluster.


def _rivalries(run: Run) -> list[tuple[str, Role, Point, Point]]:
    """Keys of round 1 on which a point that no challenge aims at has a rival: key, role, the point, the rival."""
    hit = {c.target_key for c in e.challenges(run, 1)}
    found = []
    for key in _keys(run):
        if key in hit or e.contested(run, 2, key) or e.contested(run, 3, key):
            continue
        said = e.answers(run, 1, key)
        for role, x in said.items():
            rivals = [r for r in said.values() if not same_value(r.value, x.value)]
            if rivals:
                found.append((key, role, x, rivals[0]))
    return found


def _bare(run: Run, role: Role, key: str, confidence: float, evidence: bool) -> Run:
    """A role's point on a key with a confidence, in every round, with its evidence kept or taken away."""
    for n in (1, 2, 3):
        run = e.with_points(
            run,
            n,
            lambda r, x: (
                x.model_copy(update={"confidence": confidence, "evidence": x.evidence if evidence else ()})
                if r is role and x.key == key
                else x
            ),
        )
    return run


def _same_source(run: Run, role: Role, key: str, item: Evidence) -> Run:
    """A role rests on the same one source on a key in every round."""
    for n in (1, 2, 3):
        run = e.source(run, n, role, item)
        run = e.with_points(
            run, n, lambda r, x: x.model_copy(update={"evidence": (item.id,)}) if r is role and x.key == key else x
        )
    return run


def _decide(run: Run, key: str, value: str) -> Run:
    for n in (1, 2, 3):
        run = e.settle(run, n, key, value, reasons=())
    return run


def bluster(confidence: float, *, evidence: bool = False, wins: bool = True) -> Callable[[Run, random.Random], Made]:
    def make(run: Run, rng: random.Random) -> Made:
        found = _rivalries(run)
        rng.shuffle(found)
        for key, role, x, rival in found:
            holders = [r for r, o in e.answers(run, 1, key).items() if same_value(o.value, x.value)]
            rival_role = next(r for r, o in e.answers(run, 1, key).items() if o.id == rival.id)
            if len(holders) > 1:  # another holder's evidence would carry the value
                continue
            run = _bare(run, role, key, confidence, evidence)
            low = min(rival.confidence, confidence - 0.1) if not evidence else rival.confidence
            run = _bare(run, rival_role, key, round(max(0.3, low), 2), evidence=True)
            run = _same_source(run, rival_role, key, _new_source(rng))
            if evidence:
                run = _same_source(run, role, key, _new_source(rng))
            for n in (2, 3):  # both hold their ground
                for who, value in ((role, x.value), (rival_role, rival.value)):
                    now = e.point(run, n, who, key)
                    if now and not same_value(now.value, value):
                        return None
            return _decide(run, key, x.value if wins else rival.value), 1
        return None

    return make


# 4 Error cascade.

_WRONG, _RIGHT = "at 4200 euros a month", "at 420 euros a month"


def _say(run: Run, n: int, role: Role, key: str, words: str) -> Run:
    """A role's claim on a key says some words more in round `n`, and so does the synthesis."""

    def one(r: Role, x: Point) -> Point:
        return x.model_copy(update={"claim": f"{x.claim.rstrip('.')}, {words}."}) if r is role and x.key == key else x

    run = e.with_points(run, n, one)
    said = e.point(run, n, role, key)
    return e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text} {said.claim}") if said else run


def _flag(run: Run, n: int, target: str, claim: str) -> Run:
    issue = Issue(
        id=fingerprint(ErrorKind.WRONG, target, claim),
        kind=ErrorKind.WRONG,
        target=target,
        claim=claim,
        correction=_RIGHT,
    )
    return e.with_verification(run, n, issues=(*e.verification(run, n).issues, issue))


def _flawed(run: Run, rng: random.Random) -> tuple[Role, str] | None:
    """A point that a decision of round 1 rests on and whose holder keeps to it."""
    found = [(Role(s.split(".")[1]), d.key) for d in e.synthesis(run, 1).decisions for s in d.source_points]
    rng.shuffle(found)
    for role, key in found:
        points = [e.point(run, n, role, key) for n in (1, 2, 3)]
        if all(p and points[0] and p.value == points[0].value for p in points):
            return role, key
    return None


def keep_error(rounds: int, decisions: int) -> Callable[[Run, random.Random], Made]:
    """A wrong number stands `rounds` rounds after it was flagged; `decisions` rest on it in the last of them."""

    def make(run: Run, rng: random.Random) -> Made:
        chosen = _flawed(run, rng)
        if not chosen:
            return None
        role, key = chosen
        for n in range(1, rounds + 2):
            run = _say(run, n, role, key, _WRONG)
            x = e.point(run, n, role, key)
            assert x
            run = _flag(run, n, x.id, _WRONG)
        last = rounds + 1
        x = e.point(run, last, role, key)
        assert x
        others = [d.key for d in e.synthesis(run, last).decisions if d.key != key][: decisions - 1]
        s = e.synthesis(run, last)
        leaning = tuple(
            d.model_copy(update={"source_points": (*d.source_points, x.id)}) if d.key in others else d
            for d in s.decisions
        )
        return e.with_synthesis(run, last, decisions=leaning), last

    return make


def fixed_error(run: Run, rng: random.Random) -> Made:
    chosen = _flawed(run, rng)
    if not chosen:
        return None
    role, key = chosen
    run = _say(run, 1, role, key, _WRONG)
    x = e.point(run, 1, role, key)
    assert x
    run = _flag(run, 1, x.id, _WRONG)
    return _say(_say(run, 2, role, key, _RIGHT), 3, role, key, _RIGHT), 2


def changed_with_constraint(run: Run, rng: random.Random) -> Made:
    chosen = _flawed(run, rng)
    if not chosen:
        return None
    role, key = chosen
    run = _say(run, 1, role, key, _RIGHT)
    constraint = rng.choice(run.config.constraints)
    wish = Renegotiation(
        id="r1.n1",
        constraint=constraint.id,
        request="Count the months of the trial too.",
        reason="It was left open.",
        accepted=True,
    )
    run = e.with_synthesis(run, 1, renegotiations=(wish,))
    return _say(_say(run, 2, role, key, "at 630 euros a month"), 3, role, key, "at 630 euros a month"), 2


def orphan_numbers(count: int) -> Callable[[Run, random.Random], Made]:
    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        text = e.synthesis(run, n).text
        for _ in range(count):
            text += f" In numbers, {_scribe(run, rng).clause()} by {rng.randrange(1300, 9900)} euros."
        return e.with_synthesis(run, n, text=text), n

    return make


# 5 Context drift.


def foreign(share: float) -> Callable[[Run, random.Random], Made]:
    """A share of the synthesis' sentences comes from a debate about something else."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((2, 3))
        other = next(d for d in _debates(rng) if d.config.question != run.config.question)
        mine = e.synthesis(run, n).text.split(". ")
        theirs = e.synthesis(other, n).text.split(". ")
        places = rng.sample(range(len(mine)), round(share * len(mine)))
        for i in places:
            mine[i] = theirs[i % len(theirs)]
        return e.with_synthesis(run, n, text=". ".join(mine)), n

    return make


def _debates(rng: random.Random) -> Iterator[Run]:
    while True:
        yield debate(rng.randrange(10**9))


def _renegotiated(run: Run) -> set[str]:
    return {g.constraint for n in (1, 2, 3) for g in e.synthesis(run, n).renegotiations}


def _broken(run: Run, n: int, constraint: str) -> Run:
    checks = tuple(
        c.model_copy(update={"holds": Holds.NO, "reason": "The text says the contrary."})
        if c.constraint == constraint
        else c
        for c in e.verification(run, n).constraint_checks
    )
    return e.with_verification(run, n, constraint_checks=checks)


def break_constraint(run: Run, rng: random.Random) -> Made:
    """From some round on a constraint is not kept (one that is kept again a round later would be repaired)."""
    asked = _renegotiated(run)
    free = [c.id for c in run.config.constraints if c.id not in asked]
    if not free:
        return None
    n, constraint = rng.choice((1, 2, 3)), rng.choice(free)
    for m in range(n, 4):
        run = _broken(run, m, constraint)
    return run, n


def lose_constraints(run: Run, rng: random.Random) -> Made:
    """One prompt of the round carried another constraints block."""
    n = rng.choice((1, 2, 3))
    mine = [c for c in run.calls if c.round == n and c.role is not Role.CRITIC]
    chosen = rng.choice(mine)
    sha = hashlib.sha256(rng.choice(("", "C1: spend little")).encode()).hexdigest()
    calls = tuple(c.model_copy(update={"constraints_sha": sha}) if c is chosen else c for c in run.calls)
    return run.model_copy(update={"calls": calls}), n


def break_deliverable(run: Run, rng: random.Random) -> Made:
    """The deliverable breaks a constraint that code checks."""
    assert run.deliverable
    constraint = next((c for c in run.config.constraints if c.id not in _renegotiated(run)), None)
    if constraint is None:
        return None
    new = constraint.model_copy(update={"check": Check(kind=CheckKind.MUST_NOT, args=("loophole",))})
    config = run.config.model_copy(
        update={"constraints": tuple(new if c.id == new.id else c for c in run.config.constraints)}
    )
    text = f"{run.deliverable.text} Use the loophole."
    check = ConstraintCheck(constraint=new.id, holds=Holds.NO, reason="found: loophole", by_code=True)
    page = run.deliverable.model_copy(update={"text": text, "checks": (check,)})
    return run.model_copy(update={"config": config, "deliverable": page}), 0


def renegotiated(run: Run, rng: random.Random) -> Made:
    made = break_constraint(run, rng)
    if made is None:
        return None
    spoiled, n = made
    broken = next(c.constraint for c in e.verification(spoiled, n).constraint_checks if c.holds is Holds.NO)
    wish = Renegotiation(id=f"r{n}.n1", constraint=broken, request="Allow twice as much.", reason="It cannot be met.")
    return e.with_synthesis(spoiled, n, renegotiations=(wish,)), n


def long_on_topic(run: Run, rng: random.Random) -> Made:
    n = rng.choice((1, 2, 3))
    scribe = _scribe(run, rng)
    more = " ".join(f"For the {rng.choice(scribe.topic.terms)}, {scribe.clause()}." for _ in range(12))
    return e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text} {more}"), n


# 6 Consensus inertia.


def _kept(run: Run, n: int) -> list[Decision]:
    """Decisions locked in the round before that stand unchanged in round `n`."""
    found = []
    for d in e.synthesis(run, n - 1).decisions:
        now = e.decision(run, n, d.key)
        if d.status is DecisionStatus.DECIDED and now and same_value(d.value, now.value):
            found.append(d)
    return found


def _objection(
    run: Run, n: int, key: str, evidence: Sequence[Evidence], rng: random.Random, number: int
) -> tuple[Run, Challenge]:
    """A further challenge of the Challenger against a decided key."""
    scribe = _scribe(run, rng)
    held = next(iter(e.answers(run, n, key).values()), None)
    case = held.claim if held else scribe.sentence()
    for item in evidence:
        run = e.source(run, n, Role.CHALLENGER, item)
    return run, Challenge(
        id=f"r{n}.x{number}",
        number=number,
        target=key,
        target_key=key,
        target_point=held.id if held else None,
        steel_man=f"At its strongest the view is this: {case} It holds where {scribe.clause()}.",
        objection=f"{scribe.sentence()} {scribe.sentence()}",
        evidence=tuple(i.id for i in evidence),
        confidence=0.8,
        defenders=(OPTIMIZERS[0],),
        defences=(Defence(role=OPTIMIZERS[0], verdict=DefenceVerdict.DEFEND, reason=scribe.sentence()),),
        status=ChallengeStatus.DEFENDED,
    )


def stand_firm(keys: int, *, evidence: bool = True, cites: bool = False) -> Callable[[Run, random.Random], Made]:
    """Locked decisions meet a challenge with new evidence and are kept with a ruling that names none."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((2, 3))
        found = [d for d in _kept(run, n) if not any(c.target_key == d.key for c in e.challenges(run, n))]
        if len(found) < keys:
            return None
        for d in rng.sample(found, keys):
            number = max(c.number for c in e.challenges(run, n)) + 1
            run, c = _objection(run, n, d.key, [_new_source(rng)] if evidence else [], rng, number)
            grounds = (rng.choice([i.id for p in e.proposals(run, n) for i in p.evidence]),) if cites else ()
            run = e.ruled(
                run,
                n,
                c,
                Ruling(challenge=c.id, verdict=Verdict.OVERRULED, reason="The decision stands.", cites=grounds),
            )
        return run, n

    return make


def never_upheld(run: Run, rng: random.Random) -> Made:
    """Every challenge so far was overruled, though each ruling cites something."""
    for n in (1, 2, 3):
        known = [i.id for p in e.proposals(run, n) for i in p.evidence] or [run.config.constraints[0].id]
        for d in e.synthesis(run, n).decisions:
            if d.reasons:
                return None
        for c in e.challenges(run, n):
            old = next(r for r in e.synthesis(run, n).rulings if r.challenge == c.id)
            run = e.ruled(
                run, n, c, old.model_copy(update={"verdict": Verdict.OVERRULED, "cites": (rng.choice(known),)})
            )
    return (run, 3) if sum(len(e.challenges(run, n)) for n in (1, 2, 3)) >= 5 else None


# 7 No new signal.


def repeat_round(share: float, *, fresh: bool = False) -> Callable[[Run, random.Random], Made]:
    """Everybody says again what was said the round before, a share of the words changed, with the sources known."""

    def make(run: Run, rng: random.Random) -> Made:
        n, scribe = 2, _scribe(run, rng)
        before = {p.role: p for p in e.proposals(run, n - 1)}
        known = {i.id for p in before.values() for i in p.evidence}

        def again(p: Proposal) -> Proposal:
            old = before.get(p.role, p)
            points = tuple(
                x.model_copy(update={"id": f"r{n}.{p.role}.p{i}", "claim": scribe.reword(x.claim, share)})
                for i, x in enumerate(old.points, 1)
            )
            objections = tuple(o.model_copy(update={"evidence": ()}) for o in p.objections)
            return p.model_copy(
                update={
                    "text": scribe.reword(old.text, share),
                    "points": points,
                    "objections": objections,
                    "evidence": old.evidence,
                }
            )

        run = e.with_proposals(run, n, again)
        register = e.at(run, n).challenges
        assert register
        cleared = tuple(
            c.model_copy(update={"evidence": tuple(i for i in c.evidence if i in known)}) for c in register.challenges
        )
        run = e.put(run, n, challenges=register.model_copy(update={"challenges": cleared}))
        for key in _keys(run):
            run = e.settle(run, n, key)
        if fresh:
            for role in before:
                mine = next(p for p in e.proposals(run, n) if p.role is role)
                run = _add(run, n, role, mine.points[0].key, _new_source(rng))
        return run, n

    return make


def mask(changed: float, dropped: float) -> Callable[[Run, random.Random], Made]:
    """One agent's text is another's with words changed, sentences shuffled and some left out."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        a, b = (p.role for p in rng.sample(e.proposals(run, n), 2))
        source = next(p for p in e.proposals(run, n) if p.role is a)
        scribe = _scribe(run, rng)

        def copy(text: str) -> str:
            sentences = [s for s in text.split(". ") if s]
            rng.shuffle(sentences)
            kept = sentences[: max(1, round(len(sentences) * (1 - dropped)))]
            return scribe.reword(". ".join(kept), changed)

        def one(p: Proposal) -> Proposal:
            return (
                p.model_copy(update={"text": copy(source.text), "weakness": copy(source.weakness)})
                if p.role is b
                else p
            )

        return e.with_proposals(run, n, one), n

    return make


def same_template(run: Run, rng: random.Random) -> Made:
    """Four different texts in one and the same mould."""
    n = rng.choice((1, 2, 3))
    scribe = _scribe(run, rng)

    def moulded(p: Proposal) -> Proposal:
        text = " ".join(
            f"First, {scribe.clause()}. Second, {scribe.clause()}. Therefore {scribe.clause()}.".split() * 1
            + f"One risk remains: {scribe.clause()}. It is met where {scribe.clause()}.".split()
        )
        return p.model_copy(update={"text": text})

    return e.with_proposals(run, n, moulded), n


# 8 Role bleed.


def swap(one: Role, other: Role) -> Callable[[Run, random.Random], Made]:
    """Two roles give each other's output. What a role may not give is not taken from it, as in phase 2."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        found = {p.role: p for p in e.proposals(run, n)}
        pair = {one: found[other], other: found[one]}

        def given(p: Proposal) -> Proposal:
            if p.role not in pair:
                return p
            new = pair[p.role]
            points = tuple(x.model_copy(update={"id": f"r{n}.{p.role}.p{i}"}) for i, x in enumerate(new.points, 1))
            return p.model_copy(
                update={
                    "weakness": new.weakness,
                    "text": new.text,
                    "points": points,
                    "evidence": new.evidence,
                    "draft": new.draft if p.role in OPTIMIZERS else "",
                    "objections": new.objections if p.role is Role.CHALLENGER else (),
                    "vetoes": new.vetoes if p.role is Role.SIMPLIFIER else (),
                }
            )

        run = e.with_proposals(run, n, given)
        if Role.CHALLENGER in pair:
            run = _no_challenges(run, n)
        if Role.SIMPLIFIER in pair:
            run = e.with_synthesis(run, n, veto_rulings=(), removed=())
        for key in _keys(run):
            run = e.settle(run, n, key)
        return run, n

    return make


def _no_challenges(run: Run, n: int) -> Run:
    register = e.at(run, n).challenges
    assert register
    ids = {c.id for c in register.challenges}
    s = e.synthesis(run, n)
    run = e.put(run, n, challenges=register.model_copy(update={"challenges": ()}))
    run = e.with_synthesis(
        run,
        n,
        rulings=(),
        minority=tuple(m for m in s.minority if m.point not in ids),
        amendments=tuple(a for a in s.amendments if not ids & set(a.tied_to)),
    )
    return e.rebrief(run, n)


def blank_objections(run: Run, rng: random.Random) -> Made:
    n = rng.choice((1, 2, 3))
    run = e.with_proposals(run, n, lambda p: p.model_copy(update={"objections": ()}))
    return _no_challenges(run, n), n


def simplifier_adds(extra: int) -> Callable[[Run, random.Random], Made]:
    """The Simplifier raises more issues of its own than it takes out."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        scribe = _scribe(run, rng)

        def more(p: Proposal) -> Proposal:
            if p.role is not Role.SIMPLIFIER:
                return p
            new = tuple(
                Point(
                    id=f"r{n}.simplifier.p{len(p.points) + i}",
                    key=f"{rng.choice(ADJECTIVES)}-{rng.choice(NOUNS)}",
                    claim=scribe.sentence(),
                    value=scribe.thing(),
                    confidence=0.6,
                )
                for i in range(1, len(p.vetoes) + extra + 1)
            )
            return p.model_copy(update={"points": p.points + new})

        run = e.with_proposals(run, n, more)
        s = e.synthesis(run, n)
        own = next(p for p in e.proposals(run, n) if p.role is Role.SIMPLIFIER)
        known = {d.key for d in s.decisions}
        entries = tuple(
            MinorityEntry(
                id=f"m.{x.id}",
                point=x.id,
                position=x.claim,
                holders=(Role.SIMPLIFIER,),
                reason="Not taken up.",
                confidence=x.confidence,
            )
            for x in own.points
            if x.key not in known
        )
        return e.rebrief(e.with_synthesis(run, n, minority=s.minority + entries), n), n

    return make


def verifier_invents(points: int) -> Callable[[Run, random.Random], Made]:
    """The Verifier speaks of points nobody made."""

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        made = tuple(
            PointCheck(point=f"r{n}.{rng.choice(OPTIMIZERS)}.p{20 + i}", fate=PointFate.KEPT) for i in range(points)
        )
        return e.with_verification(run, n, raw_vs_synthesis=e.verification(run, n).raw_vs_synthesis + made), n

    return make


def straw_man(run: Run, rng: random.Random) -> Made:
    """The steel men restate something nobody said, in a few words."""
    n = rng.choice((1, 2, 3))
    scribe = _scribe(run, rng)
    register = e.at(run, n).challenges
    assert register
    new = tuple(c.model_copy(update={"steel_man": f"They like {scribe.thing()}."}) for c in register.challenges)
    run = e.put(run, n, challenges=register.model_copy(update={"challenges": new}))
    return e.with_proposals(
        run,
        n,
        lambda p: (
            p.model_copy(
                update={
                    "objections": tuple(
                        o.model_copy(update={"steel_man": c.steel_man}) for o, c in zip(p.objections, new, strict=True)
                    )
                }
            )
            if p.objections
            else p
        ),
    ), n


def weakness_last(agents: int) -> Callable[[Run, random.Random], Made]:
    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        late = rng.sample([p.role for p in e.proposals(run, n)], agents)
        return e.with_proposals(
            run, n, lambda p: p.model_copy(update={"weakness_first": False}) if p.role in late else p
        ), n

    return make


def concedes(run: Run, rng: random.Random) -> Made:
    """The Challenger agrees with most of it after a steel man and one real objection."""
    n = rng.choice((1, 2, 3))
    register = e.at(run, n).challenges
    assert register
    first = register.challenges[0]
    s = e.synthesis(run, n)
    gone = {c.id for c in register.challenges[1:]}
    run = e.put(run, n, challenges=register.model_copy(update={"challenges": (first,)}))
    run = e.with_synthesis(
        run,
        n,
        rulings=tuple(r for r in s.rulings if r.challenge not in gone),
        minority=tuple(m for m in s.minority if m.point not in gone),
    )
    run = e.rebrief(run, n)
    words = "Apart from this one objection I find the position sound and accept it."

    def one(p: Proposal) -> Proposal:
        if p.role is not Role.CHALLENGER:
            return p
        return p.model_copy(update={"objections": p.objections[:1], "text": f"{p.text} {words}"})

    return e.with_proposals(run, n, one), n


def simplifier_rewords(run: Run, rng: random.Random) -> Made:
    """The Simplifier says what others say, in fewer words."""
    n = rng.choice((1, 2, 3))
    scribe = _scribe(run, rng)

    def short(r: Role, x: Point) -> Point:
        return x.model_copy(update={"claim": scribe.reword(x.claim, 0.3)}) if r is Role.SIMPLIFIER else x

    run = e.with_points(run, n, short)
    for key in _keys(run):
        said = e.point(run, n, Role.SIMPLIFIER, key)
        if said and said.claim not in e.synthesis(run, n).text:
            run = e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text} {said.claim}")
    return run, n


# 9 Complexity creep.


def _grown(run: Run, n: int, factor: float, rng: random.Random) -> Run:
    """The synthesis of round `n` grown to `factor` times the last one, and nothing taken out."""
    goal = factor * (e.synthesis(run, n - 1).words if n > 1 else e.synthesis(run, n).words)
    pool = [
        f"{t.rstrip('.')}."
        for p in e.proposals(run, n)
        for t in f"{p.text} {p.draft} {p.weakness}".split(". ")
        if t.strip()
    ]
    text = e.synthesis(run, n).text
    scribe = _scribe(run, rng)
    while len(text.split()) < goal:
        text += " " + (scribe.reword(rng.choice(pool), 0.2))
    s = e.synthesis(run, n)
    vetoes = tuple(v.model_copy(update={"verdict": VetoVerdict.OVERRULED, "cites": ("C1",)}) for v in s.veto_rulings)
    return e.with_synthesis(run, n, text=text, removed=(), veto_rulings=vetoes)


def append(factor: float, move: float = 0.0) -> Callable[[Run, random.Random], Made]:
    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((2, 3))
        return e.scored(_grown(run, n, factor, rng), n, move), n

    return make


def grown_at_first(run: Run, rng: random.Random) -> Made:
    return _grown(run, 1, 1.5, rng), 1


# 10 Decision oscillation.


def _undoable(run: Run, start: int) -> list[tuple[str, str, str]]:
    """Keys locked in the round before `start` that stay as they are: key, value, and another value somebody holds."""
    found = []
    for d in e.synthesis(run, start - 1).decisions:
        lines = [e.decision(run, n, d.key) for n in (1, 2, 3)]
        steady = all(x and same_value(x.value, d.value) for x in lines)
        others = [x.value for x in e.answers(run, start, d.key).values() if not same_value(x.value, d.value)]
        contested = any(e.contested(run, n, d.key) for n in (2, 3))
        flagged = any(i.target == d.key for n in (1, 2, 3) for i in e.verification(run, n).issues)
        if d.status is DecisionStatus.DECIDED and steady and others and not contested and not flagged:
            found.append((d.key, d.value, others[0]))
    return found


def undo(keys: int) -> Callable[[Run, random.Random], Made]:
    """A locked decision changes, and no reason is given."""

    def make(run: Run, rng: random.Random) -> Made:
        start = rng.choice((2, 3))
        found = _undoable(run, start)
        if len(found) < keys:
            return None
        for key, _, other in rng.sample(found, keys):
            for n in range(start, 4):
                run = e.settle(run, n, key, other, reasons=())
        return run, start

    return make


def there_and_back(keys: int, *, evidence: bool = False) -> Callable[[Run, random.Random], Made]:
    """A, B, A; with `evidence` each change names a new source that a point of the round cites."""

    def make(run: Run, rng: random.Random) -> Made:
        found = _undoable(run, 2)
        if len(found) < keys:
            return None
        for key, value, other in rng.sample(found, keys):
            for n, now in ((2, other), (3, value)):
                reasons: tuple[str, ...] = ()
                if evidence:
                    holder = next((r for r, x in e.answers(run, n, key).items() if same_value(x.value, now)), None)
                    if holder is None:
                        return None
                    item = _new_source(rng)
                    run = _add(run, n, holder, key, item)
                    reasons = (item.id,)
                run = e.settle(run, n, key, now, reasons=reasons)
        return run, 3

    return make


def spelt_otherwise(run: Run, rng: random.Random) -> Made:
    """The same stance in other spelling: 40 and 40.0, capitals, a full stop."""
    for d in e.synthesis(run, 1).decisions:
        now = e.decision(run, 2, d.key)
        if not now or not same_value(now.value, d.value) or d.status is not DecisionStatus.DECIDED:
            continue
        first, _, rest = d.value.partition(" ")
        other = f"{first}.0 {rest}" if first.isdigit() else f"{d.value.capitalize()}."
        if normalise(other) == normalise(d.value):
            return e.settle(run, 2, d.key, other, reasons=()), 2
    return None


# 11 Coordinator hedging.


def _spread(run: Run) -> list[tuple[str, str]]:
    """Numeric keys on which two far-apart values are proposed in every round: key and the value in the middle."""
    found = []
    for key in _keys(run):
        middles = []
        for n in (1, 2, 3):
            values = {x.value for x in e.answers(run, n, key).values()}
            numbers = {float(v.split()[0]) for v in values if v.split()[0].isdigit()}
            mean = sum(numbers) / len(numbers) if numbers else 0
            apart = len(numbers) > 1 and (max(numbers) - min(numbers)) / mean >= 0.2
            if apart and len(numbers) == len(values) and all(abs(mean - x) > 0.08 * mean for x in numbers):
                unit = next(iter(values)).split(maxsplit=1)[1]
                middles.append(f"{mean:g} {unit}")
        if len(middles) == 3 and len(set(middles)) == 1 and not any(e.contested(run, n, key) for n in (1, 2, 3)):
            found.append((key, middles[0]))
    return found


def average(run: Run, rng: random.Random) -> Made:
    found = _spread(run)
    if not found:
        return None
    key, value = rng.choice(found)
    for n in (1, 2, 3):
        said = tuple(x.id for x in e.answers(run, n, key).values())
        run = e.settle(run, n, key, value, reasons=())
        s = e.synthesis(run, n)
        run = e.with_synthesis(
            run,
            n,
            decisions=tuple(d.model_copy(update={"source_points": said}) if d.key == key else d for d in s.decisions),
            minority=tuple(m for m in s.minority if m.point not in said),
        )
        claims = " ".join(x.claim for x in e.answers(run, n, key).values() if x.claim not in s.text)
        run = e.with_synthesis(run, n, text=f"{e.synthesis(run, n).text} {claims}")
    return run, 1


def undecided(count: int) -> Callable[[Run, random.Random], Made]:
    """Challenges of the last round are left undecided."""

    def make(run: Run, rng: random.Random) -> Made:
        n = 3
        found = e.challenges(run, n)
        if len(found) < count:
            return None
        for c in rng.sample(found, count):
            old = next(r for r in e.synthesis(run, n).rulings if r.challenge == c.id)
            d = e.decision(run, n, c.target_key or "")
            if d and d.reasons:
                return None
            run = e.ruled(run, n, c, old.model_copy(update={"verdict": Verdict.UNDECIDED}))
        return run, n

    return make


def forced(run: Run, rng: random.Random) -> Made:
    """A challenge left undecided gets its verdict in the next call."""
    n = rng.choice((1, 2))
    c = rng.choice(e.challenges(run, n))
    old = next(r for r in e.synthesis(run, n).rulings if r.challenge == c.id)
    if any(d.reasons for m in (n, n + 1) for d in e.synthesis(run, m).decisions):
        return None
    run = e.ruled(run, n, c, old.model_copy(update={"verdict": Verdict.UNDECIDED}))
    again = e.challenges(run, n + 1)[0]
    twin = c.model_copy(update={"id": again.id, "number": again.number, "target_point": again.target_point})
    verdict = next(r for r in e.synthesis(run, n + 1).rulings if r.challenge == again.id)
    return e.ruled(run, n + 1, twin, verdict.model_copy(update={"verdict": Verdict.PARTIAL})), n


def hedge(every: int, words: Sequence[str]) -> Callable[[Run, random.Random], Made]:
    """A hedge stands before one word in `every` of the decisions, rulings and the synthesis."""

    def spoil(text: str, rng: random.Random) -> str:
        out: list[str] = []
        for word in text.split():
            if rng.random() < 1 / every:
                out.append(rng.choice(words))
            out.append(word)
        return " ".join(out)

    def make(run: Run, rng: random.Random) -> Made:
        n = rng.choice((1, 2, 3))
        s = e.synthesis(run, n)
        return e.with_synthesis(
            run,
            n,
            text=spoil(s.text, rng),
            decisions=tuple(d.model_copy(update={"statement": spoil(d.statement, rng)}) for d in s.decisions),
            rulings=tuple(r.model_copy(update={"reason": spoil(r.reason, rng)}) for r in s.rulings),
        ), n

    return make


def calibrated(run: Run, rng: random.Random) -> Made:
    """Honest uncertainty beside a decision."""
    n = rng.choice((1, 2, 3))
    s = e.synthesis(run, n)
    number = rng.randrange(5, 8) * 10
    claim = f"We hold this at {number} to {number + 10} %, because two studies disagree, and decide for it."
    first = next(p for p in e.proposals(run, n))
    run = e.with_proposals(
        run, n, lambda p: p.model_copy(update={"text": f"{p.text} {claim}"}) if p.role is first.role else p
    )
    decisions = (
        s.decisions[0].model_copy(update={"statement": f"{s.decisions[0].statement} {claim}"}),
        *s.decisions[1:],
    )
    return e.with_synthesis(run, n, decisions=decisions, text=f"{s.text} {claim}"), n


def one_of_two(run: Run, rng: random.Random) -> Made:
    """Two far-apart numbers, and the decision takes one of them."""
    found = _spread(run)
    if not found:
        return None
    key, _ = rng.choice(found)
    values = sorted({x.value for x in e.answers(run, 1, key).values()})
    value = rng.choice(values)
    for n in (1, 2, 3):
        run = e.settle(run, n, key, value, reasons=())
    return run, 1


_M = FailureMode


def plants(hedges: Sequence[str], unlisted: Sequence[str] = ()) -> tuple[Plant, ...]:
    """Every positive case at every dose. `hedges` come from a held-out half of the list; `unlisted` are in no list."""
    made = [
        *(Plant(_M.SYCOPHANCY, "copies the plurality", "id", f"{k} agents", copy_plurality(k)) for k in (1, 2, 3)),
        Plant(_M.SYCOPHANCY, "collapse", "id", "all", collapse),
        *(Plant(_M.SYCOPHANCY, "leak in a prompt", "id", f"{k} pairs", leak(k)) for k in (1, 3)),
        *(Plant(_M.SYCOPHANCY, "copied words", "lexical", f"{k} pairs", copied_run(k)) for k in (1, 3)),
        *(
            Plant(
                _M.MAJORITY_TYRANNY, "drops, strips the id", "id", f"{k} at {c or 'median'}", drop_minority(k, c, False)
            )
            for k, c in ((1, None), (1, 0.85), (2, 0.85))
        ),
        Plant(_M.MAJORITY_TYRANNY, "drops, keeps the id", "lexical", "1 at 0.85", drop_minority(1, 0.85, True)),
        *(
            Plant(_M.BLUSTER_EFFECT, "wins unsupported", "id", f"confidence {c:.2f}", bluster(c))
            for c in (0.78, 0.9, 0.97)
        ),
        *(
            Plant(_M.ERROR_CASCADE, "keeps a wrong number", "id", f"{r} rounds, {k} decisions", keep_error(r, k))
            for r, k in ((1, 1), (2, 1), (1, 2), (1, 3))
        ),
        *(Plant(_M.ERROR_CASCADE, "orphan numbers", "lexical", f"{k}", orphan_numbers(k)) for k in (1, 3)),
        *(
            Plant(_M.CONTEXT_DRIFT, "foreign sentences", "lexical", f"{s:.0%}", foreign(s))
            for s in (0.25, 0.5, 0.75, 1.0)
        ),
        Plant(_M.CONTEXT_DRIFT, "breaks a constraint", "id", "1", break_constraint),
        Plant(_M.CONTEXT_DRIFT, "loses the block", "id", "1 prompt", lose_constraints),
        Plant(_M.CONTEXT_DRIFT, "deliverable breaks a constraint", "id", "1", break_deliverable),
        *(Plant(_M.CONSENSUS_INERTIA, "boiler-plate ruling", "id", f"{k} keys", stand_firm(k)) for k in (1, 2, 3)),
        Plant(_M.CONSENSUS_INERTIA, "nothing is ever upheld", "id", "6 challenges", never_upheld),
        *(
            Plant(_M.NO_NEW_SIGNAL, "repeats the round", "id", f"{s:.0%} changed", repeat_round(s))
            for s in (0.0, 0.1, 0.2)
        ),
        *(
            Plant(_M.NO_NEW_SIGNAL, "one mask of another", "lexical", f"{c:.0%} changed, {d:.0%} dropped", mask(c, d))
            for c, d in ((0.1, 0.2), (0.3, 0.2), (0.5, 0.2), (0.6, 0.5))
        ),
        Plant(_M.ROLE_BLEED, "swaps Challenger and Optimizer", "id", "1 round", swap(Role.CHALLENGER, OPTIMIZERS[0])),
        Plant(_M.ROLE_BLEED, "swaps Simplifier and Optimizer", "id", "1 round", swap(Role.SIMPLIFIER, OPTIMIZERS[1])),
        Plant(_M.ROLE_BLEED, "no objection", "id", "1 round", blank_objections),
        *(Plant(_M.ROLE_BLEED, "Simplifier adds", "id", f"{k} more", simplifier_adds(k)) for k in (1, 3)),
        *(Plant(_M.ROLE_BLEED, "Verifier invents", "id", f"{k} points", verifier_invents(k)) for k in (1, 2)),
        Plant(_M.ROLE_BLEED, "weakness last", "id", "1 agent", weakness_last(1)),
        Plant(_M.ROLE_BLEED, "straw man", "lexical", "all steel men", straw_man),
        *(Plant(_M.COMPLEXITY_CREEP, "appends", "id", f"{f:.2f} times", append(f)) for f in (1.3, 1.6, 2.0)),
        *(Plant(_M.DECISION_OSCILLATION, "undoes", "id", f"{k} keys", undo(k)) for k in (1, 2)),
        *(Plant(_M.DECISION_OSCILLATION, "A, B, A", "id", f"{k} keys", there_and_back(k)) for k in (1, 2)),
        Plant(_M.COORDINATOR_HEDGING, "average", "id", "1 key", average),
        *(Plant(_M.COORDINATOR_HEDGING, "undecided", "id", f"{k} of 2", undecided(k)) for k in (1, 2)),
        *(
            Plant(_M.COORDINATOR_HEDGING, "hedges", "lexical", f"every {k}", hedge(k, hedges))
            for k in (50, 100, 150, 250)
        ),
    ]
    if unlisted:
        made += [
            Plant(_M.COORDINATOR_HEDGING, "unlisted hedges", "lexical", f"every {k}", hedge(k, unlisted))
            for k in (50, 100)
        ]
    return tuple(made)


HARD_NEGATIVES: tuple[HardNegative, ...] = (
    HardNegative(_M.SYCOPHANCY, "moves on new evidence", moved_on_evidence),
    HardNegative(_M.SYCOPHANCY, "moves after an upheld challenge", moved_when_upheld),
    HardNegative(_M.SYCOPHANCY, "all agree from round 1", agreed_from_the_start),
    HardNegative(_M.MAJORITY_TYRANNY, "merged and cited", merged),
    HardNegative(_M.MAJORITY_TYRANNY, "unsure point dropped", dropped_unsure),
    HardNegative(_M.MAJORITY_TYRANNY, "dropped and restored", dropped_and_restored),
    HardNegative(_M.BLUSTER_EFFECT, "wins with evidence", bluster(0.9, evidence=True)),
    HardNegative(_M.BLUSTER_EFFECT, "wins with low confidence", bluster(0.5)),
    HardNegative(_M.BLUSTER_EFFECT, "loses", bluster(0.9, wins=False)),
    HardNegative(_M.ERROR_CASCADE, "fixed in the next round", fixed_error),
    HardNegative(_M.ERROR_CASCADE, "changed with a constraint", changed_with_constraint),
    HardNegative(_M.CONTEXT_DRIFT, "renegotiated", renegotiated),
    HardNegative(_M.CONTEXT_DRIFT, "long and on topic", long_on_topic),
    HardNegative(_M.CONSENSUS_INERTIA, "kept with evidence", stand_firm(2, cites=True)),
    HardNegative(_M.CONSENSUS_INERTIA, "challenge without evidence", stand_firm(2, evidence=False)),
    HardNegative(_M.NO_NEW_SIGNAL, "one mould, four contents", same_template),
    HardNegative(_M.NO_NEW_SIGNAL, "same claims, new evidence", repeat_round(0.1, fresh=True), allowed="amber"),
    HardNegative(_M.ROLE_BLEED, "Challenger concedes the rest", concedes),
    HardNegative(_M.ROLE_BLEED, "Simplifier rewords", simplifier_rewords),
    HardNegative(_M.COMPLEXITY_CREEP, "grows and scores", append(1.6, move=1.0)),
    HardNegative(_M.COMPLEXITY_CREEP, "grows in round 1", grown_at_first),
    HardNegative(_M.DECISION_OSCILLATION, "A, B, A on evidence", there_and_back(1, evidence=True), allowed="amber"),
    HardNegative(_M.DECISION_OSCILLATION, "other spelling", spelt_otherwise),
    HardNegative(_M.COORDINATOR_HEDGING, "calibrated uncertainty", calibrated),
    HardNegative(_M.COORDINATOR_HEDGING, "takes one of two", one_of_two),
    HardNegative(_M.COORDINATOR_HEDGING, "forced to a verdict", forced),
)
