"""Complexity creep: each round adds, none takes away."""

from vada.failure_modes import links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Synthesis
from vada.models.run import Run
from vada.models.vocabulary import CheckKind, FailureMode, GateAction, PhaseName, VetoVerdict

MODE = Mode(
    mode=FailureMode.COMPLEXITY_CREEP,
    line="Each round adds, none takes away.",
    about=(
        "Unrestrained rebuttals in public debates grew to 1.48 times the opening, later rounds by 1.35 and 1.07 "
        "(medians). Growth is not a fault when the score rises with it. No judgement by people stands behind "
        "these cut-offs yet."
    ),
    means=("The answer has grown without becoming better by its score."),
    advice=(
        "Say in a note at the gate what can go, add a limit of words as a constraint, or have the result "
        "written from an earlier round."
    ),
    measured_by=(
        "Words of the synthesis against the last round's; decisions, parameters and sections; what was taken out; "
        "the change of the weighted score."
    ),
    blind_spots="Length stands for complexity. A short text can be the more complicated one.",
    sources=("pradyuprasad, llms_overconfidence: public debates (growth medians; computed from them)",),
    defended_in={
        PhaseName.PROPOSE: "P Simplifier",
        PhaseName.CHALLENGE: "P the Simplifier's veto",
        PhaseName.SYNTHESIZE: "P vetoes are ruled on",
        PhaseName.VERIFY: "D growth against score",
        PhaseName.COMPRESS: "P the cap of 800 tokens",
        PhaseName.DECIDE: "D stop",
        PhaseName.FORMAT: "P the page's word cap",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, _close, calibration=calibration)


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    now, before = r.round(n).synthesis, r.round(n - 1).synthesis
    draft.nothing = "There is no earlier synthesis to compare with."
    if now is None or before is None or not before.words:
        return
    draft.chance(1, *(p for p in MODE.defended_in if p not in (PhaseName.FORMAT,)))
    growth, removed = now.words / before.words, taken_out(now)
    gain = _gain(r, n)
    draft.number("words against the last synthesis", growth, Cut.GROWTH)
    draft.number("decisions, parameters and sections", parts(now))
    draft.number("taken out", removed)
    if gain is not None:
        draft.number("change of the score", gain, Cut.SCORE_GAIN, "<")
    if gain is None or gain < r.cut(Cut.SCORE_GAIN).value:
        _crept(draft, n, growth, removed, scored=gain is not None)
    if removed and growth <= 1:
        _shrunk(draft, n, now)


def taken_out(s: Synthesis) -> int:
    """What the synthesis took out: removals it names, vetoes that stand."""
    return max(len(s.removed), sum(v.verdict is VetoVerdict.STANDS for v in s.veto_rulings))


def parts(s: Synthesis) -> int:
    """Decisions, numbers in their values, and headings: what a reader has to keep in mind."""
    parameters = frozenset[tuple[str, float]]().union(
        *({(d.key, x) for x in signals.numbers(d.value)} for d in s.decisions)
    )
    return len(s.decisions) + len(parameters) + sum(t.startswith("#") for t in s.text.splitlines())


def _gain(r: Reading, n: int) -> float | None:
    v = r.round(n).verification
    return v.delta if v else None


def _crept(draft: Draft, n: int, growth: float, removed: int, *, scored: bool) -> None:
    """Growth that did not pay. Without a score it is amber at most."""
    r = draft.reading
    strong = growth >= r.cut(Cut.STRONG_GROWTH).value
    steady = _steady_growth(r, n)
    plain = growth >= r.cut(Cut.GROWTH).value and removed == 0
    if not (plain or ((strong or steady) and scored)):
        return
    verdict = r.round(n).verdict
    went_on = verdict is not None and verdict.recommendation is GateAction.CONTINUE
    what = (
        f"The synthesis grew to {growth:.2f} times the last one"
        if strong or plain
        else "Parts were added two rounds running"
    )
    draft.signal(
        "growth without gain",
        Kind.ID,
        Level.RED if (strong or steady) and scored else Level.AMBER,
        PhaseName.SYNTHESIZE,
        f"{what}, and the score did not rise by {r.cut(Cut.SCORE_GAIN).value:g}.",
        [links.decision(d, n) for k, d in r.decisions(n).items() if k not in r.decisions(n - 1)],
        missed=(PhaseName.SYNTHESIZE, *((PhaseName.DECIDE,) if went_on else ())),
    )


def _steady_growth(r: Reading, n: int) -> bool:
    """Parts grew in two rounds running, by a quarter together: one more decision a round is no creep yet. [default]"""
    line = [parts(s) for m in (n - 2, n - 1, n) if (s := r.round(m).synthesis)]
    return len(line) == 3 and line[0] < line[1] < line[2] and line[2] >= r.cut(Cut.GROWTH).value * line[0]


def _shrunk(draft: Draft, n: int, now: Synthesis) -> None:
    what = ", ".join(now.removed[:3]) or "what a veto named"
    draft.caught(PhaseName.SYNTHESIZE, f"The synthesis did not grow, and took out {what}.")
    if any(v.verdict is VetoVerdict.STANDS for v in now.veto_rulings):
        draft.caught(PhaseName.CHALLENGE, "A veto of the Simplifier stands.")


def _close(draft: Draft) -> None:
    """The page's own cap, unless a constraint sets another."""
    run = draft.reading.run
    page = run.deliverable
    own = any(c.check and c.check.kind in (CheckKind.MAX_WORDS, CheckKind.MIN_WORDS) for c in run.config.constraints)
    if page is None or page.fallback or own:
        return
    draft.chance(1, PhaseName.FORMAT)
    cap = run.config.caps.deliverable
    if page.words > cap:
        draft.signal(
            "page over its cap",
            Kind.ID,
            Level.AMBER,
            PhaseName.FORMAT,
            f"The deliverable has {page.words} words; its cap is {cap}.",
            missed=(PhaseName.FORMAT,),
        )
