"""Coordinator hedging: positions are averaged instead of decided."""

from vada.failure_modes import audited, links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Challenge, Decision, Synthesis
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, PhaseName, Verdict
from vada.scoring import same_value, spoken

MODE = Mode(
    mode=FailureMode.COORDINATOR_HEDGING,
    line="Averages positions instead of deciding.",
    about=(
        "A challenge left undecided and a split difference are events. Hedging words are only a hint: 9 % of "
        "ordinary public speeches pass the cut-offs, and calibrated uncertainty beside a decision is good "
        "practice."
    ),
    means=("Something was left undecided or averaged, where a decision was asked for."),
    advice=("Ask in a note at the gate for a decision on exactly this point, or decide it yourself."),
    measured_by=(
        "Share of challenges left undecided; a numeric decision at the mean of proposals that lie far apart, "
        "equal to none and citing no evidence; hedges and non-committal phrases per thousand words of decisions "
        "and rulings."
    ),
    blind_spots=(
        "English word lists only. Most hedges planted in our own tests are of the same kind as the list, so their "
        "recall is an upper bound."
    ),
    sources=(
        "pradyuprasad, llms_overconfidence: 2 000 public speeches (hedge densities; computed from them)",
        "Hyland, hedges in research articles: about 14.5 per thousand words (cited after a secondary source)",
    ),
    defended_in={
        PhaseName.CHALLENGE: "P every challenge gets a verdict",
        PhaseName.SYNTHESIZE: "P rulings are an enum",
        PhaseName.VERIFY: "D undecided challenges, split differences",
        PhaseName.DECIDE: "D undecided items keep the debate open",
        PhaseName.FORMAT: "D decisiveness check",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, _close, calibration=calibration)


SHORTEST = 100
"""Words of decisions, rulings and synthesis before densities are counted. [default]"""

PHRASES = 2
"""Non-committal phrases before their density counts: one in a short text is no pattern. [default]"""

SPREAD, NEAR = 0.20, 0.05
"""Proposed numbers lie far apart from 20 % of their mean on; a decision within 5 % of the mean is the mean."""


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    s = r.round(n).synthesis
    draft.nothing = (
        "There is no synthesis yet." if s is None else "No challenge, no far-apart numbers, and too few words."
    )
    if s is None:
        return
    _undecided(draft, n)
    _averages(draft, n)
    _wording(draft, n, s)


def _undecided(draft: Draft, n: int) -> None:
    """Challenges without a verdict; one that gets its verdict in the next call is caught."""
    r = draft.reading
    challenges = r.challenges(n)
    if not challenges:
        return
    draft.chance(len(challenges), PhaseName.CHALLENGE, PhaseName.SYNTHESIZE, PhaseName.VERIFY)
    loose = [c for c in challenges if _verdict(r, n, c) is Verdict.UNDECIDED]
    left = [c for c in loose if not _forced(r, n, c)]
    for c in (c for c in loose if c not in left):
        draft.caught(
            PhaseName.SYNTHESIZE,
            f"Challenge {c.number} was left undecided and ruled on in the next round.",
            [links.challenge(c, n)],
        )
    share = len(left) / len(challenges)
    draft.number("share of challenges left undecided", share, Cut.UNDECIDED)
    if share >= r.cut(Cut.UNDECIDED).value:
        draft.signal(
            "undecided challenges",
            Kind.ID,
            Level.RED if share >= r.cut(Cut.MANY_UNDECIDED).value else Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"{len(left)} of {len(challenges)} challenges were left undecided.",
            [links.challenge(c, n) for c in left],
            missed=(PhaseName.SYNTHESIZE, *(() if _kept_open(draft, n, left) else (PhaseName.DECIDE,))),
        )


def _verdict(r: Reading, n: int, c: Challenge) -> Verdict:
    """The verdict; a challenge nobody ruled on is undecided."""
    ruling = r.ruling(n, c.id)
    return ruling.verdict if ruling else Verdict.UNDECIDED


def _forced(r: Reading, n: int, c: Challenge) -> bool:
    """Whether a challenge at the same target got its verdict in the next round."""
    key = r.key_of(c)
    return any(
        ((key and r.key_of(later) == key) or later.target == c.target)
        and _verdict(r, n + 1, later) is not Verdict.UNDECIDED
        for later in r.challenges(n + 1)
    )


def _kept_open(draft: Draft, n: int, left: list[Challenge]) -> bool:
    """Whether the brief carries every undecided challenge on as an active item, which keeps the debate open."""
    brief = draft.reading.round(n).brief
    if brief is None:
        return True  # the gate has not had its chance
    active = {a.id for a in brief.active}
    draft.chances[PhaseName.DECIDE] = draft.chances.get(PhaseName.DECIDE, 0) + len(left)
    kept = all(c.id in active for c in left)
    if kept:
        draft.caught(PhaseName.DECIDE, "What was left undecided stays active.", [links.challenge(c, n) for c in left])
    return kept


def averaged(r: Reading, n: int, d: Decision) -> bool:
    """A numeric decision at the mean of far-apart proposals, equal to none of them and naming no evidence."""
    value = _number(d.value)
    said = [x.value for x in r.answers(n, d.key).values()]
    proposed = sorted({v for x in said if (v := _number(x)) is not None})
    if value is None or len(proposed) < 2 or any(i in r.evidence for i in d.reasons):
        return False
    mean = sum(proposed) / len(proposed)
    if mean == 0 or (proposed[-1] - proposed[0]) / abs(mean) < SPREAD or any(same_value(d.value, x) for x in said):
        return False
    return abs(value - mean) <= NEAR * abs(mean)


def _number(value: str) -> float | None:
    """The one number of a stance; None when it has none or several."""
    found = signals.all_numbers(value)
    return found[0] if len(found) == 1 else None


def _averages(draft: Draft, n: int) -> None:
    r = draft.reading
    far = [d for d in r.decisions(n).values() if _far_apart(r, n, d.key)]
    if not far:
        return
    draft.chance(len(far), PhaseName.SYNTHESIZE, PhaseName.VERIFY)
    means = [d for d in far if averaged(r, n, d)]
    draft.number("decisions at the mean of far-apart proposals", len(means), Cut.AVERAGED)
    for d in means:
        draft.signal(
            "split difference",
            Kind.ID,
            Level.RED,
            PhaseName.SYNTHESIZE,
            f"{spoken(d.key)} is decided at the mean of what was proposed ({d.value}): nobody's value, and no evidence "
            "named.",
            [links.decision(d, n), *(links.point(x, n) for x in r.answers(n, d.key).values())],
            missed=(PhaseName.SYNTHESIZE, PhaseName.VERIFY),
        )


def _far_apart(r: Reading, n: int, key: str) -> bool:
    found = sorted({v for x in r.answers(n, key).values() if (v := _number(x.value)) is not None})
    mean = sum(found) / len(found) if found else 0.0
    return len(found) > 1 and mean != 0 and (found[-1] - found[0]) / abs(mean) >= SPREAD


def decided_text(s: Synthesis) -> str:
    """What the Coordinator decides and rules, as one text."""
    rulings = [*(r.reason for r in s.rulings), *(v.reason for v in s.veto_rulings)]
    return " ".join((s.text, *(d.statement for d in s.decisions), *rulings))


def _wording(draft: Draft, n: int, s: Synthesis) -> None:
    """Hedges and non-committal phrases: two separate lists, each only a hint."""
    text = decided_text(s)
    if len(signals.words(text)) < SHORTEST:
        return
    if not signals.english(text):
        draft.notes.append("Hedges are counted in English texts only.")
        return
    draft.chance(1, PhaseName.SYNTHESIZE)
    _dense(draft, n, text, "core_hedges", Cut.HEDGES, "hedges", 1)
    _dense(draft, n, text, "noncommittal", Cut.NONCOMMITTAL, "non-committal phrases", PHRASES)


def _dense(draft: Draft, n: int, text: str, lexicon: str, cut: Cut, what: str, least: int) -> None:
    dense, count = signals.density((lexicon,), text), len(signals.hits((lexicon,), text))
    draft.number(f"{what} per 1 000 words", dense, cut)
    if dense >= draft.reading.cut(cut).value and count >= least:
        quotes = [t for t in signals.sentences(text) if signals.hits((lexicon,), t)]
        draft.signal(
            what,
            Kind.LEXICAL,
            Level.RED,
            PhaseName.SYNTHESIZE,
            f"Decisions and rulings hold {dense:.1f} {what} per 1 000 words.",
            [links.sentence(f"r{n}.synthesis", n, q) for q in quotes[:5]],
            missed=(PhaseName.SYNTHESIZE,),
        )


def _close(draft: Draft) -> None:
    audited.look(draft, "hedging")
