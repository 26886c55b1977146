"""No new signal: several masks of one model say the same thing, and a round adds nothing."""

from itertools import combinations
from statistics import mean

from vada.failure_modes import links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Proposal
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, GateAction, PhaseName
from vada.scoring import MOVE

MODE = Mode(
    mode=FailureMode.NO_NEW_SIGNAL,
    line="One model, several masks: no diversity.",
    about=(
        "Openings of the same model on the same motion share more words (median 0.26) than those of different "
        "models (0.19) or of another topic (0.10); a panel of four of one model is told apart with recall 0.93 at "
        "15 % false alarms. So shared words alone are amber. A round in which nobody says a new point and nobody "
        "brings new evidence is an event."
    ),
    means=("The agents say much the same. Their agreement is hardly more than one opinion, counted several times."),
    advice=(
        "Put roles on different models in the next debate, give material of your own, or stop: a further "
        "round would add little."
    ),
    measured_by=(
        "Mean and closest pairwise word overlap of the blind proposals; share of two-word runs not heard before; "
        "points unlike all earlier points, plus new evidence; overlap of the cited domains."
    ),
    blind_spots=(
        "The cut-offs depend on length and template and come from policy debates: recalibrate on your own debates."
    ),
    sources=(
        "pradyuprasad, llms_overconfidence: 590 openings by ten models (the figures above were computed from them)",
        (
            "Kaesberg et al. 2025, Voting or Consensus? Decision-Making in Multi-Agent Debate, arXiv:2502.19130 "
            "(more rounds can hurt)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P different models, methods and web searches",
        PhaseName.VERIFY: "D novelty",
        PhaseName.DECIDE: "D stop when nothing is new",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, calibration=calibration)


SHORTEST = 40
"""Words a proposal needs before its overlap says anything. [default]"""


def _read(draft: Draft, n: int) -> None:
    draft.nothing = "Fewer than two proposals to compare, and no earlier round."
    if not draft.reading.round(n).proposals:
        return
    _panel(draft, n)
    _domains(draft, n)
    _novelty(draft, n)
    _new_points(draft, n)


def _panel(draft: Draft, n: int) -> None:
    """How much the blind proposals share."""
    r = draft.reading
    texts = [t for t in r.said(n) if len(signals.words(t)) >= SHORTEST]
    found = signals.overlap(texts)
    if found is None:
        return
    draft.chance(1, PhaseName.PROPOSE)
    average, closest = found
    pair = len(texts) == 2
    cut, cut_pair = (Cut.PAIR_OVERLAP, Cut.PAIR_OVERLAP) if pair else (Cut.OVERLAP, Cut.CLOSEST_PAIR)
    draft.number("word overlap of the blind proposals, mean", average, cut)
    if not pair:
        draft.number("word overlap of the closest two", closest, cut_pair)
    if average >= r.cut(cut).value or closest >= r.cut(cut_pair).value:
        draft.signal(
            "overlapping proposals",
            Kind.LEXICAL,
            Level.RED,
            PhaseName.PROPOSE,
            f"The blind proposals share unusually many words (mean {average:.2f}, closest two {closest:.2f}).",
            [links.sentence(f"r{n}.{p.role}", n, "") for p in _closest(r, n)],
            missed=(PhaseName.PROPOSE,),
        )


def _closest(r: Reading, n: int) -> list[Proposal]:
    pairs = combinations(zip(r.proposals(n), r.said(n), strict=True), 2)
    best = max(pairs, key=lambda p: signals.jaccard(signals.tok(p[0][1]), signals.tok(p[1][1])))
    return [p for p, _ in best]


def _domains(draft: Draft, n: int) -> None:
    """Whether the agents looked in different places."""
    r = draft.reading
    sites = [
        {d for x in p.points for i in x.evidence if i in r.evidence and (d := signals.domain(r.evidence[i]))}
        for p in r.proposals(n)
    ]
    sites = [s for s in sites if len(s) >= 2]
    if len(sites) < 2:
        return
    draft.chance(1, PhaseName.PROPOSE)
    shared = mean(signals.jaccard(a, b) for a, b in combinations(sites, 2))
    draft.number("overlap of the cited sites", shared, Cut.DOMAINS)
    if shared >= r.cut(Cut.DOMAINS).value:
        draft.signal(
            "same sites",
            Kind.ID,
            Level.AMBER,
            PhaseName.PROPOSE,
            f"The agents cite the same sites ({shared:.0%} overlap).",
            [links.point(x, n) for _, x in r.points(n) if x.evidence][:4],
            missed=(PhaseName.PROPOSE,),
        )


def _novelty(draft: Draft, n: int) -> None:
    """Share of what is said that was not said before."""
    r = draft.reading
    before = [t for m in r.numbers if m < n for t in r.said(m)]
    fresh = signals.novelty(r.said(n), before) if before else None
    if fresh is None:
        return
    draft.chance(1, PhaseName.VERIFY)
    draft.number("share of two-word runs not heard before", fresh, Cut.NOVELTY, "<")
    if fresh < r.cut(Cut.NOVELTY).value:
        draft.signal(
            "little new wording",
            Kind.LEXICAL,
            Level.RED,
            PhaseName.PROPOSE,
            f"Only {fresh:.0%} of the two-word runs of this round are new.",
            missed=(PhaseName.VERIFY,),
        )


def new_points(r: Reading, n: int) -> tuple[list[str], list[str]]:
    """The ids of round `n`'s points unlike every earlier point, and of evidence not seen before."""
    earlier = tuple(x.claim for m in r.numbers if m < n for _, x in r.points(m))
    floor = r.cut(Cut.CARRIED).value
    points = [x.id for _, x in r.points(n) if signals.cov(x.claim, earlier) < floor]
    return points, sorted(r.cited(n) - r.seen(n))


def _new_points(draft: Draft, n: int) -> None:
    """A round without a new point or source; caught when the gate stops or forks for want of movement."""
    r = draft.reading
    if n == r.numbers[0] or not r.points(n) or not any(r.points(m) for m in r.numbers if m < n):
        return
    draft.chance(1, PhaseName.VERIFY, PhaseName.DECIDE)
    points, evidence = new_points(r, n)
    draft.number("new points and new sources", len(points) + len(evidence), Cut.NEW_POINTS, "<")
    if points or evidence:
        return
    verdict = r.round(n).verdict
    flat = verdict is not None and verdict.delta is not None and abs(verdict.delta) < MOVE
    if verdict and (verdict.recommendation is GateAction.FORK or (verdict.recommendation is GateAction.STOP and flat)):
        draft.caught(PhaseName.DECIDE, f"Nothing new was said, and the gate advised to {verdict.recommendation}.")
        return
    draft.signal(
        "nothing new",
        Kind.ID,
        Level.RED if verdict else Level.AMBER,
        PhaseName.PROPOSE,
        "Nobody said a new point, and nobody brought a new source.",
        [links.point(x, n) for _, x in r.points(n)],
        missed=(PhaseName.VERIFY, PhaseName.DECIDE),
    )
