"""Majority tyranny: a minority's confident point disappears without a ruling, right or wrong."""

from collections.abc import Sequence
from statistics import median

from vada.failure_modes import links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Point
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, PhaseName, PointFate, Role
from vada.scoring import same_value, spoken

MODE = Mode(
    mode=FailureMode.MAJORITY_TYRANNY,
    line="Dissenters conform to the many, right or wrong.",
    about=(
        "When the plurality of 100 public maths discussions was wrong, a minority had the right answer in 10 of "
        "26 cases. So a confident minority point must be adopted, ruled on, or kept in the minority report; what "
        "is shown is a point that vanished without any of the three."
    ),
    means=("A confident view of few was neither adopted, nor ruled on, nor kept. It may have been right."),
    advice=(
        "Read the point that vanished. If it matters, put it among the active items at the gate, and the next "
        "round has to answer it."
    ),
    measured_by=(
        "Points held by fewer than half of the agents that answer an issue, with a confidence of at least 0.60 "
        "and the run's median: is their id in the decisions' sources, the minority report, or a ruling with a "
        "reason? And if it is cited, does the synthesis say anything like it?"
    ),
    blind_spots=(
        "Ids can be cited falsely, hence the wording cross-check; agreement by paraphrase alone passes that check."
    ),
    sources=(
        (
            "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (10 of 26 wrong pluralities; computed "
            "from them)"
        ),
        (
            "pradyuprasad, llms_overconfidence: 2 000 stated confidences (median 0.65, upper quartile 0.75; "
            "computed from them)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P agents are blind",
        PhaseName.CHALLENGE: "P each challenge is ruled on alone",
        PhaseName.SYNTHESIZE: "P confidence and evidence decide, not counts",
        PhaseName.VERIFY: "D dropped points",
        PhaseName.COMPRESS: "P minority report",
        PhaseName.DECIDE: "D a person sees it",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, calibration=calibration)


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    draft.nothing = "There is no synthesis yet." if r.round(n).synthesis is None else "No confident minority point."
    if r.round(n).synthesis is None:
        return
    found = minority_points(r, n)
    draft.chance(len(found), *(p for p in MODE.defended_in if p is not PhaseName.DECIDE), *draft.person(n))
    accounted, lost = accounted_for(r, n), 0
    said = r.written(n)
    for role, x in found:
        if x.id not in accounted:
            lost += _lost(draft, n, role, x, said)
        elif signals.cov(x.claim, said) < r.cut(Cut.CARRIED).value:
            _unsaid(draft, n, role, x)
        elif x.id in _reported(r, n):
            draft.caught(
                PhaseName.COMPRESS,
                f"{role.title}'s point on {spoken(x.key)} stands in the minority report.",
                [links.point(x, n)],
            )
    if found:
        draft.number("share of confident minority points that vanished", lost / len(found))
        draft.number("confident minority points that vanished", lost)


def minority_points(r: Reading, n: int) -> list[tuple[Role, Point]]:
    """Confident points that one agent holds, or fewer than half of those who answer their issue."""
    confidences = [x.confidence for m in r.numbers for _, x in r.points(m)]
    least = max(r.cut(Cut.MINORITY_CONFIDENCE).value, median(confidences)) if confidences else 1.0
    return [(role, x) for role, x in r.points(n) if x.confidence >= least and _minority(r, n, x)]


def _minority(r: Reading, n: int, x: Point) -> bool:
    said = r.answers(n, x.key).values()
    same = sum(same_value(o.value, x.value) for o in said)
    return same <= 1 or 2 * same < len(said)


def accounted_for(r: Reading, n: int) -> frozenset[str]:
    """The ids that round `n`'s synthesis adopted, reported, or ruled on with a reason."""
    s = r.round(n).synthesis
    if s is None:
        return frozenset()
    ids = {i for d in s.decisions for i in (*d.source_points, *d.reasons)} | {m.point for m in s.minority}
    ids |= {i for a in s.amendments for i in a.tied_to} | {i for v in s.veto_rulings if v.reason for i in v.cites}
    for ruling in s.rulings:
        if ruling.reason.strip():
            ids |= set(ruling.cites)
            ids |= {c.target_point for c in r.challenges(n) if c.id == ruling.challenge and c.target_point}
    return frozenset(ids)


def _reported(r: Reading, n: int) -> frozenset[str]:
    s = r.round(n).synthesis
    return frozenset(m.point for m in s.minority) if s else frozenset()


def _dropped(r: Reading, n: int) -> frozenset[str]:
    """The points the Verifier, or code beside it, found dropped."""
    v = r.round(n).verification
    return frozenset(c.point for c in v.raw_vs_synthesis if c.fate is PointFate.DROPPED) if v else frozenset()


def _lost(draft: Draft, n: int, role: Role, x: Point, said: Sequence[str]) -> int:
    """A point without a trace: red when it was held firmly or the Verifier says so, unless it came back or a sentence
    carries it without naming it. 1 if lost."""
    r = draft.reading
    found_dropped, brief = x.id in _dropped(r, n), r.round(n).brief
    link = links.point(x, n)
    if brief and x.id in brief.restored:
        draft.caught(PhaseName.VERIFY, f"{role.title}'s point on {spoken(x.key)} was found dropped.", [link])
        draft.caught(PhaseName.COMPRESS, "It came back as an active item.", [link])
        return 0
    unsaid = signals.cov(x.claim, said) < r.cut(Cut.CARRIED).value
    firm = x.confidence >= r.cut(Cut.LOST_CONFIDENCE).value and unsaid
    draft.signal(
        "vanished point",
        Kind.ID,
        Level.RED if firm or found_dropped else Level.AMBER,
        PhaseName.SYNTHESIZE,
        f"{role.title}'s point on {spoken(x.key)} ({x.confidence:.2f}) is in no decision, ruling or minority report.",
        [link],
        missed=(PhaseName.SYNTHESIZE, PhaseName.COMPRESS, *(() if found_dropped else (PhaseName.VERIFY,))),
    )
    return 1


def _unsaid(draft: Draft, n: int, role: Role, x: Point) -> None:
    """Cited, but no sentence says anything like it."""
    dropped = x.id in _dropped(draft.reading, n)
    draft.signal(
        "cited but not said",
        Kind.LEXICAL,
        Level.RED if dropped else Level.AMBER,
        PhaseName.SYNTHESIZE,
        f"{role.title}'s point on {spoken(x.key)} is cited, but no sentence of the synthesis is like it.",
        [links.point(x, n)],
        missed=(PhaseName.SYNTHESIZE, *(() if dropped else (PhaseName.VERIFY,))),
    )
    if dropped:
        draft.signal(
            "found dropped",
            Kind.ID,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            "The Verifier found it dropped.",
            [links.point(x, n)],
        )
