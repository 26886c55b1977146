"""Edits of a run's record that keep it whole: what refers to what is changed is changed with it."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.planted.generator import written_brief
from vada.models.outputs import (
    ActiveItem,
    Challenge,
    Decision,
    Evidence,
    MinorityEntry,
    Point,
    PointCheck,
    Proposal,
    Ruling,
    Synthesis,
    Verification,
)
from vada.models.run import Round, Run
from vada.models.vocabulary import DecisionStatus, PointFate, Role, Verdict
from vada.scoring import same_value, stance, trajectory, weighted


def at(run: Run, n: int) -> Round:
    """Round `n`."""
    return run.rounds[n - 1]


def put(run: Run, n: int, **fields: Any) -> Run:
    """The run with fields of round `n` replaced."""
    rounds = list(run.rounds)
    rounds[n - 1] = rounds[n - 1].model_copy(update=fields)
    return run.model_copy(update={"rounds": tuple(rounds)})


def synthesis(run: Run, n: int) -> Synthesis:
    """Round `n`'s synthesis, which a generated round always has."""
    found = at(run, n).synthesis
    assert found
    return found


def verification(run: Run, n: int) -> Verification:
    """Round `n`'s verification."""
    found = at(run, n).verification
    assert found
    return found


def proposals(run: Run, n: int) -> tuple[Proposal, ...]:
    """Round `n`'s proposals."""
    found = at(run, n).proposals
    assert found
    return found.proposals


def challenges(run: Run, n: int) -> tuple[Challenge, ...]:
    """Round `n`'s register."""
    found = at(run, n).challenges
    assert found
    return found.challenges


def with_synthesis(run: Run, n: int, **fields: Any) -> Run:
    """The run with fields of round `n`'s synthesis replaced; its words are counted again."""
    new = synthesis(run, n).model_copy(update=fields)
    return put(run, n, synthesis=new.model_copy(update={"words": len(new.text.split())}))


def with_verification(run: Run, n: int, **fields: Any) -> Run:
    """The run with fields of round `n`'s verification replaced."""
    return put(run, n, verification=verification(run, n).model_copy(update=fields))


def with_proposals(run: Run, n: int, change: Callable[[Proposal], Proposal]) -> Run:
    """The run with every proposal of round `n` passed through `change`."""
    old = at(run, n).proposals
    assert old
    new = old.model_copy(update={"proposals": tuple(change(p) for p in old.proposals)})
    return put(run, n, proposals=new, replied=new.proposals)


def with_points(run: Run, n: int, change: Callable[[Role, Point], Point]) -> Run:
    """The run with every point of round `n` passed through `change`; new sources are added by `cite` first."""
    return with_proposals(run, n, lambda p: p.model_copy(update={"points": tuple(change(p.role, x) for x in p.points)}))


def point(run: Run, n: int, role: Role, key: str) -> Point | None:
    """What a role says on a key in round `n`."""
    found = next((p for p in proposals(run, n) if p.role is role), None)
    return next((x for x in found.points if x.key == key), None) if found else None


def answers(run: Run, n: int, key: str) -> dict[Role, Point]:
    """Who says what on a key in round `n`."""
    return {p.role: x for p in proposals(run, n) for x in p.points if x.key == key}


def decision(run: Run, n: int, key: str) -> Decision | None:
    """Round `n`'s decision on a key."""
    return next((d for d in synthesis(run, n).decisions if d.key == key), None)


def source(run: Run, n: int, role: Role, item: Evidence) -> Run:
    """The run with a source added to what a role brings in round `n`."""
    return with_proposals(
        run, n, lambda p: p.model_copy(update={"evidence": (*p.evidence, item)}) if p.role is role else p
    )


def hold(run: Run, role: Role, key: str, value: str, start: int, evidence: tuple[str, ...] | None = None) -> Run:
    """A role takes a stance from round `start` on: claims say the new value; in `start` its evidence is `evidence`."""

    def change(n: int) -> Callable[[Role, Point], Point]:
        def one(who: Role, x: Point) -> Point:
            if who is not role or x.key != key:
                return x
            claim = x.claim.replace(x.value, value).replace(x.value[0].upper() + x.value[1:], value)
            new = x.model_copy(update={"value": value, "claim": claim})
            return new.model_copy(update={"evidence": evidence}) if n == start and evidence is not None else new

        return one

    for n in range(start, len(run.rounds) + 1):
        run = with_points(run, n, change(n))
        run = settle(run, n, key)
    return run


def settle(run: Run, n: int, key: str, value: str | None = None, **fields: Any) -> Run:
    """Round `n`'s decision on a key with `value` (else its own): sources, holders, minority, fates, text and brief are
    made to agree with it. `fields` replace further fields of the decision."""
    old = decision(run, n, key)
    if old is None:
        return run
    value = old.value if value is None else value
    said = answers(run, n, key)
    sources = {r: x for r, x in said.items() if same_value(x.value, value)}
    new = old.model_copy(
        update={
            "value": value,
            "statement": old.statement.replace(old.value, value),
            "stance": stance(key, value),
            "holders": tuple(sources),
            "source_points": tuple(x.id for x in sources.values()),
            **fields,
        }
    )
    s = synthesis(run, n)
    cited = set(new.source_points)
    minority = [m for m in s.minority if m.point not in cited]
    kept = {m.point for m in minority}
    minority += [
        MinorityEntry(
            id=f"m.{x.id}",
            point=x.id,
            position=x.claim,
            holders=(r,),
            reason="Decided otherwise.",
            confidence=x.confidence,
        )
        for r, x in said.items()
        if x.id not in cited and x.id not in kept
    ]
    fresh = [x.claim for x in sources.values() if x.claim not in s.text and x.id not in old.source_points]
    text = " ".join((s.text.replace(old.statement, new.statement), *fresh))
    run = with_synthesis(
        run, n, decisions=tuple(new if d.key == key else d for d in s.decisions), minority=tuple(minority), text=text
    )
    fates = {x.id: PointFate.KEPT if x.id in cited else PointFate.OVERRULED for x in said.values()}
    run = with_verification(
        run,
        n,
        raw_vs_synthesis=tuple(
            c.model_copy(update={"fate": fates.get(c.point, c.fate)}) for c in verification(run, n).raw_vs_synthesis
        ),
    )
    return rebrief(run, n)


def rebrief(run: Run, n: int, restored: Sequence[tuple[str, str]] = ()) -> Run:
    """Round `n`'s brief written again from its synthesis; `restored` are ids and texts of points that came back."""
    s, old = synthesis(run, n), at(run, n).brief
    assert old
    decided = [
        f"[{d.key}] {d.statement} ({d.value}; confidence {d.confidence:.2f})"
        for d in s.decisions
        if d.status is DecisionStatus.DECIDED
    ]
    active = [
        ActiveItem(id=d.key, text=d.statement, origin="decision")
        for d in s.decisions
        if d.status is DecisionStatus.ACTIVE
    ]
    active += [ActiveItem(id=id_, text=text, origin="dropped point") for id_, text in restored]
    minority = [f"{m.position} ({m.reason})" for m in s.minority]
    return put(run, n, brief=written_brief(old.constraints_block, decided, active, minority, [i for i, _ in restored]))


def ruled(run: Run, n: int, challenge: Challenge, ruling: Ruling) -> Run:
    """The run with a challenge and its ruling added to round `n` (or put in place of those of the same id)."""
    register, s = at(run, n).challenges, synthesis(run, n)
    assert register
    entries = (*(c for c in register.challenges if c.id != challenge.id), challenge)
    run = put(run, n, challenges=register.model_copy(update={"challenges": entries}))
    minority = tuple(m for m in s.minority if m.point != challenge.id)
    if ruling.verdict is Verdict.OVERRULED:
        minority += (
            MinorityEntry(
                id=f"m.{challenge.id}",
                point=challenge.id,
                position=challenge.objection,
                holders=(Role.CHALLENGER,),
                reason=ruling.reason,
                confidence=challenge.confidence,
            ),
        )
    rulings = (*(r for r in s.rulings if r.challenge != challenge.id), ruling)
    run = with_synthesis(run, n, rulings=rulings, minority=minority)
    return rebrief(run, n)


def scored(run: Run, n: int, move: float) -> Run:
    """Round `n`'s scores moved by `move` against the round before, on every dimension; later deltas follow."""
    before = {s.dimension: s.score for s in verification(run, n - 1).scores}
    new = tuple(
        s.model_copy(update={"score": min(10.0, max(0.0, round(before[s.dimension] + move, 2)))})
        for s in verification(run, n).scores
    )
    total = weighted(new, run.config.pack.dimensions)
    change = total - verification(run, n - 1).total
    run = with_verification(run, n, scores=new, total=total, delta=change, trajectory=trajectory(change))
    verdict = at(run, n).verdict
    if verdict:
        run = put(run, n, verdict=verdict.model_copy(update={"delta": change}))
    if n < len(run.rounds):
        later = verification(run, n + 1)
        run = with_verification(run, n + 1, delta=later.total - total, trajectory=trajectory(later.total - total))
    return run


def contested(run: Run, n: int, key: str) -> bool:
    """Whether a challenge on the key was upheld, even partly, in round `n` or the one before."""
    for m in (n - 1, n):
        if m < 1:
            continue
        hit = {c.id for c in challenges(run, m) if c.target_key == key}
        if any(
            r.challenge in hit and r.verdict in (Verdict.UPHELD, Verdict.PARTIAL) for r in synthesis(run, m).rulings
        ):
            return True
    return False


def checked(run: Run, n: int, id_: str, fate: PointFate) -> Run:
    """Round `n`'s verification with the fate of one point said."""
    rest = tuple(c for c in verification(run, n).raw_vs_synthesis if c.point != id_)
    return with_verification(run, n, raw_vs_synthesis=(*rest, PointCheck(point=id_, fate=fate)))
