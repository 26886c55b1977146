"""Consensus inertia: a decision stands because it stands."""

from vada.failure_modes import links
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Challenge, Decision
from vada.models.run import Run
from vada.models.vocabulary import DecisionStatus, FailureMode, PhaseName, Verdict
from vada.scoring import same_value, spoken

MODE = Mode(
    mode=FailureMode.CONSENSUS_INERTIA,
    line="Wrong decisions solidify.",
    about=(
        "In public maths discussions a group that was wrong kept the same wrong answer in 54 % of cases (interval "
        "36 to 71 %). A decision may well stand against new evidence; what is shown is that it stood with a "
        "rationale that names no evidence."
    ),
    means=("A decision was kept although something new spoke against it, and nobody said why."),
    advice=("Read the objection or the new source yourself. Reopen the decision as an active item, or fork on it."),
    measured_by=(
        "Decided issues hit by a challenge or a contrary point with evidence not seen before: were they kept with "
        "a ruling that cites neither evidence nor a constraint? Also five challenges without a single one upheld, "
        "and decisions nobody looked at for two rounds."
    ),
    blind_spots=(
        "Whether the cited evidence answers the new one is not judged. The shares of 0.5 and the five challenges "
        "are choices."
    ),
    sources=(
        (
            "Liang et al. 2023, Encouraging Divergent Thinking through Multi-Agent Debate, arXiv:2305.19118 "
            "(degeneration of thought)"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (54 %; computed from them)",
    ),
    defended_in={
        PhaseName.PROPOSE: "P critique before proposal",
        PhaseName.CHALLENGE: "D decided items may be challenged",
        PhaseName.SYNTHESIZE: "P rulings carry reasons",
        PhaseName.VERIFY: "D sunsets",
        PhaseName.COMPRESS: "P decided apart from active",
        PhaseName.DECIDE: "D fork",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, _close, calibration=calibration)


STALE = 2
"""Rounds a decision may stand unlooked at. [default]"""


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    draft.nothing = "No locked decision met new evidence, and too few challenges were ruled on."
    if r.round(n).synthesis is None:
        return
    hit = [d for d in r.locked(n - 1).values() if against(r, n, d)]
    _weigh(draft, n, hit)
    _never_upheld(draft, n)
    _stale(draft, n)


def against(r: Reading, n: int, d: Decision) -> tuple[tuple[Challenge, ...], tuple[str, ...]] | None:
    """The challenges and the contrary points of round `n` that bring unseen evidence against a locked decision: the
    challenges, and the points' ids; None when nothing does."""
    seen = r.seen(n)
    challenges = tuple(c for c in r.challenges(n) if r.key_of(c) == d.key and set(c.evidence) - seen)
    points = tuple(
        x.id
        for _, x in r.points(n)
        if x.key == d.key and x.value and not same_value(x.value, d.value) and set(x.evidence) - seen
    )
    return (challenges, points) if challenges or points else None


def _weigh(draft: Draft, n: int, hit: list[Decision]) -> None:
    """Each locked decision that met new evidence: changed, kept for a reason, or kept because it was there."""
    r = draft.reading
    if not hit:
        return
    draft.chance(len(hit), PhaseName.PROPOSE, PhaseName.CHALLENGE, PhaseName.SYNTHESIZE, PhaseName.DECIDE)
    inert = [d for d in hit if _inert(draft, n, d)]
    draft.number(
        "share of decisions kept against new evidence without a reason", len(inert) / len(hit), Cut.INERT_SHARE
    )
    draft.number("decisions that met new evidence", len(hit))
    draft.count("hit", len(hit))
    draft.count("inert", len(inert))
    for d in inert:
        draft.signal(
            "kept without a reason",
            Kind.ID,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"{spoken(d.key)} met new evidence and was kept; the ruling cites neither evidence nor a constraint.",
            [links.decision(r.decisions(n)[d.key], n), *(links.challenge(c, n) for c in _challenges(r, n, d))],
            missed=(PhaseName.CHALLENGE, PhaseName.SYNTHESIZE),
        )
    _many(draft, len(inert), len(hit))


def _challenges(r: Reading, n: int, d: Decision) -> tuple[Challenge, ...]:
    found = against(r, n, d)
    return found[0] if found else ()


def _inert(draft: Draft, n: int, d: Decision) -> bool:
    """Whether a decision stood for no named reason; what else became of it is noted as a catch."""
    r = draft.reading
    now = r.decisions(n).get(d.key)
    if now is None or now.status is DecisionStatus.ACTIVE or not same_value(now.value, d.value):
        draft.caught(PhaseName.CHALLENGE, f"{spoken(d.key)} was reopened on new evidence.", [links.decision(d, n - 1)])
        return False
    verdict = r.round(n).verdict
    if verdict and verdict.fork and verdict.fork.key == d.key:
        draft.caught(PhaseName.DECIDE, f"The gate found {spoken(d.key)} worth a fork.", [links.decision(now, n)])
        return False
    if _reasoned(r, n, now):
        draft.caught(
            PhaseName.SYNTHESIZE,
            f"{spoken(d.key)} was kept for a reason that names evidence.",
            [links.decision(now, n)],
        )
        return False
    return True


def _reasoned(r: Reading, n: int, now: Decision) -> bool:
    """Whether the rulings on the challenges cite evidence or a constraint, or give way at least in part; where only
    points speak against the decision, whether its own sources of this round have evidence."""
    if r.grounded(now.reasons):
        return True
    challenges = _challenges(r, n, now)
    if challenges:
        return all(_answered(r, n, c) for c in challenges)
    return any(r.point_of[i].evidence for i in now.source_points if i in r.point_of)


def _answered(r: Reading, n: int, c: Challenge) -> bool:
    ruling = r.ruling(n, c.id)
    if ruling is None:
        return False
    return ruling.verdict is not Verdict.OVERRULED or r.grounded(ruling.cites)


def _many(draft: Draft, inert: int, hit: int) -> None:
    if hit >= 2 and inert / hit >= draft.reading.cut(Cut.INERT_SHARE).value:
        draft.signal(
            "many kept without a reason",
            Kind.ID,
            Level.RED,
            PhaseName.SYNTHESIZE,
            f"{inert} of {hit} decisions that met new evidence were kept without a reason.",
            missed=(PhaseName.CHALLENGE, PhaseName.SYNTHESIZE),
        )


def _never_upheld(draft: Draft, n: int) -> None:
    """Many challenges, and never one that prevailed even in part."""
    r = draft.reading
    rulings = [(m, c, r.ruling(m, c.id)) for m in r.numbers if m <= n for c in r.challenges(m)]
    ruled = [(m, c, x) for m, c, x in rulings if x]
    least = r.cut(Cut.NEVER_UPHELD).value
    if len(ruled) < least:
        return
    draft.chance(1, PhaseName.CHALLENGE, PhaseName.SYNTHESIZE)
    upheld = sum(x.verdict in (Verdict.UPHELD, Verdict.PARTIAL) for _, _, x in ruled)
    draft.number("challenges ruled on so far", len(ruled), Cut.NEVER_UPHELD)
    draft.number("of them upheld, even partly", upheld)
    if upheld == 0:
        draft.signal(
            "nothing is ever upheld",
            Kind.ID,
            Level.RED,
            PhaseName.SYNTHESIZE,
            f"{len(ruled)} challenges so far, and none was upheld even in part.",
            [links.challenge(c, m) for m, c, _ in ruled],
            missed=(PhaseName.CHALLENGE, PhaseName.SYNTHESIZE),
        )


def _stale(draft: Draft, n: int) -> None:
    """Decisions that nobody has looked at since they were locked."""
    r = draft.reading
    old = [d for d in r.locked(n - STALE).values() if d.key in r.locked(n)]
    draft.chance(len(old), PhaseName.VERIFY)
    for d in old:
        sunset = next((m for m in (n - 1, n) if d.key in _sunsets(r, m)), None)
        if sunset:
            draft.caught(
                PhaseName.VERIFY,
                f"The Verifier asks whether {spoken(d.key)} is still needed.",
                [links.decision(d, sunset)],
            )
        elif not any(_touched(r, m, d.key) for m in (n - 1, n)):
            draft.signal(
                "stale decision",
                Kind.ID,
                Level.AMBER,
                PhaseName.VERIFY,
                f"{spoken(d.key)} was decided in round {n - STALE}, and nobody has looked at it since.",
                [links.decision(d, n - STALE)],
                missed=(PhaseName.VERIFY,),
            )


def _sunsets(r: Reading, n: int) -> frozenset[str]:
    v = r.round(n).verification
    return frozenset(s.key for s in v.sunsets) if v else frozenset()


def _touched(r: Reading, n: int, key: str) -> bool:
    """Whether anybody speaks of a key: a point, a challenge, or a fault found."""
    v = r.round(n).verification
    named = {x.key for _, x in r.points(n)} | {r.key_of(c) for c in r.challenges(n)}
    named |= {i.target for i in v.issues} if v else set()
    return key in named


def _close(draft: Draft) -> None:
    if not any(s.name == "many kept without a reason" for s in draft.signals):
        _many(draft, draft.tally.get("inert", 0), draft.tally.get("hit", 0))
