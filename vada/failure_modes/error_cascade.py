"""Error cascade: a fault that was found, or never checked, is built upon."""

from rapidfuzz import fuzz

from vada.failure_modes import audited, links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Issue, Point
from vada.models.run import Run
from vada.models.vocabulary import ErrorKind, FailureMode, PhaseName
from vada.scoring import same_value

MODE = Mode(
    mode=FailureMode.ERROR_CASCADE,
    line="An unchecked error is built upon.",
    about=(
        "Errors amplify 17.2x in independent multi-agent systems, where nobody checks, against 4.4x with a "
        "central coordinator (Kim et al. 2025, first version). An uncorrected error normally survives: a wrong "
        "plurality was still there a round later in 23 of 26 public discussions (88 %). So a fault that stands "
        "two rounds after it was flagged means that the defence failed."
    ),
    means=("A fault that was found is still there, and later decisions may rest on it."),
    advice=(
        "Read the fault and its correction. Put it among the active items at the gate, or have the result "
        "written from the round before it."
    ),
    measured_by=(
        "Every fault the Verifier flags has a fingerprint. Counted are the rounds it stands after it was flagged, "
        "the decisions that rest on it now against then, and numbers of the synthesis that stand in no proposal, "
        "evidence or constraint."
    ),
    blind_spots=(
        "An error nobody flags is not seen: only the process is measured, never correctness. Derived sums count "
        "as unsourced numbers."
    ),
    sources=(
        (
            "Kim et al. 2025, Towards a Science of Scaling Agent Systems, arXiv:2512.08296 (later versions drop "
            "the figure)"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (23 of 26; computed from them)",
    ),
    defended_in={
        PhaseName.PROPOSE: "P independent proposals",
        PhaseName.CHALLENGE: "D objections",
        PhaseName.VERIFY: "D errors are tracked by id until they are gone",
        PhaseName.DECIDE: "D a person sees it",
        PhaseName.FORMAT: "D blind audit",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, _close, calibration=calibration)


FAULTS = (ErrorKind.WRONG, ErrorKind.UNSUPPORTED_NUMBER, ErrorKind.CONTRADICTION)
"""What can be built upon; a sentence that is unclear or not actionable cannot."""

STANDS = 90.0
"""From this likeness on (rapidfuzz partial_ratio) the faulty words still stand. [default]"""


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    draft.nothing = "No fault was flagged before, and the synthesis holds no numbers to check."
    if r.round(n).synthesis is None:
        draft.nothing = "There is no synthesis yet."
        return
    known = flagged_before(r, n)
    now = {fingerprint(r, i) for i in _issues(r, n)}
    draft.chance(len(known), PhaseName.PROPOSE, PhaseName.VERIFY, *draft.person(n))
    if known and r.challenges(n):
        draft.chances[PhaseName.CHALLENGE] = draft.chances.get(PhaseName.CHALLENGE, 0) + len(known)
    for mark, (first, issue) in known.items():
        if mark in now:
            _stands(draft, n, first, issue)
        elif r.round(n).verification is None:
            draft.notes.append("Round without verification: whether flagged faults are gone is not known.")
        elif not _still_said(draft, n, issue):
            draft.caught(PhaseName.VERIFY, f"A fault flagged in round {first} is gone.", [links.issue(issue, first)])
    _orphans(draft, n)


def flagged_before(r: Reading, n: int) -> dict[str, tuple[int, Issue]]:
    """The faults of earlier rounds that were flagged in every round since, with the round that flagged them first."""
    found: dict[str, tuple[int, Issue]] = {}
    for m in (m for m in r.numbers if m < n):
        here = {fingerprint(r, i): i for i in _issues(r, m)}
        if r.round(m).verification is not None:
            found = {k: v for k, v in found.items() if k in here}
        for mark, issue in here.items():
            found.setdefault(mark, (m, issue))
    return found


def fingerprint(r: Reading, issue: Issue) -> str:
    """What makes two faults of different rounds one: their kind, the key they are about and their folded words. A point
    has another id in each round, and another place where its agent orders its points anew."""
    aimed = r.point_of.get(issue.target)
    return f"{issue.kind}|{aimed.key if aimed else issue.target}|{' '.join(signals.words(issue.claim))}"


def _issues(r: Reading, n: int) -> tuple[Issue, ...]:
    v = r.round(n).verification
    return tuple(i for i in v.issues if i.kind in FAULTS) if v else ()


def _stands(draft: Draft, n: int, first: int, issue: Issue) -> None:
    """A fault that was flagged and is still there; red after two rounds, or when more decisions rest on it."""
    r = draft.reading
    lasted = n - first
    then, now = leaning(r, first, first, issue), leaning(r, first, n, issue)
    grown = len(now) / len(then) if then else 0.0
    draft.number("rounds a flagged fault stands", lasted, Cut.ERROR_ROUNDS)
    draft.number("decisions on it now, against when it was flagged", grown, Cut.AMPLIFICATION)
    amplified = grown >= r.cut(Cut.AMPLIFICATION).value
    more = f", and {len(now)} decisions rest on it instead of {len(then)}" if amplified else ""
    decisions = r.decisions(n)
    draft.signal(
        "flagged fault stands",
        Kind.ID,
        Level.RED if lasted >= 2 or amplified else Level.AMBER,
        PhaseName.SYNTHESIZE,
        f"“{issue.claim}”, flagged in round {first}, still stands in round {n}{more}.",
        [links.issue(issue, n), *(links.decision(decisions[k], n) for k in sorted(now))],
        missed=(PhaseName.PROPOSE, PhaseName.VERIFY),
    )


def leaning(r: Reading, first: int, n: int, issue: Issue) -> frozenset[str]:
    """The decisions of round `n` that rest on a fault flagged in round `first`: the one it names, those whose sources
    hold the faulty point or a later one of the same agent that says the same."""
    flawed = _flawed(r, first, issue)
    if flawed is None:
        here = r.decisions(n).get(issue.target)
        return frozenset({here.key}) if here else frozenset()
    role, point = flawed
    ids = {point.id}
    for m in (m for m in r.numbers if first < m <= n):
        ids |= {
            x.id for who, x in r.points(m) if who == role and x.key == point.key and same_value(x.value, point.value)
        }
    return frozenset(d.key for d in r.decisions(n).values() if ids & set(d.source_points))


def _flawed(r: Reading, n: int, issue: Issue) -> tuple[str, Point] | None:
    return next(((role.value, x) for role, x in r.points(n) if x.id == issue.target), None)


def _still_said(draft: Draft, n: int, issue: Issue) -> bool:
    """Whether the faulty words still stand although nobody flags them any more."""
    r = draft.reading
    s = r.round(n).synthesis
    if s is None or len(signals.words(issue.claim)) < 4:
        return False
    text = " ".join((s.text, *(d.statement for d in s.decisions)))
    if fuzz.partial_ratio(issue.claim.casefold(), text.casefold()) < STANDS:
        return False
    if not set(signals.all_numbers(issue.claim)) <= set(signals.all_numbers(text)):
        return False  # the number was put right and the words around it stayed
    draft.signal(
        "faulty words stand",
        Kind.LEXICAL,
        Level.AMBER,
        PhaseName.SYNTHESIZE,
        f"“{issue.claim}” was flagged before and still stands, though nobody flags it now.",
        [links.issue(issue, n), links.sentence(f"r{n}.synthesis", n, issue.claim)],
        missed=(PhaseName.VERIFY,),
    )
    return True


def _orphans(draft: Draft, n: int) -> None:
    """Numbers of the synthesis that nobody brought."""
    s = draft.reading.round(n).synthesis
    if s is None:
        return
    found = signals.numbers(" ".join((s.text, *(d.statement for d in s.decisions))))
    if not found:
        return
    draft.chance(1, PhaseName.PROPOSE, PhaseName.VERIFY)
    known = _brought(draft.reading, n)
    orphans = sorted(x for x in found if not signals.same_number(x, known))
    draft.number("numbers of the synthesis without a source", len(orphans), Cut.ORPHAN_NUMBERS)
    draft.number("their share of all numbers", len(orphans) / len(found))
    if orphans:
        quotes = [t for t in signals.sentences(s.text) if signals.numbers(t) & set(orphans)]
        listed = ", ".join(f"{x:g}" for x in orphans[:5])
        draft.signal(
            "orphan numbers",
            Kind.LEXICAL,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"The synthesis holds numbers that stand in no proposal, evidence or constraint: {listed}.",
            [links.sentence(f"r{n}.synthesis", n, q) for q in quotes[:5]],
            missed=(PhaseName.VERIFY,),
        )


def _brought(r: Reading, n: int) -> frozenset[float]:
    """Every number that was there for the Coordinator to use, scores and confidences included."""
    config = r.run.config
    texts = [
        config.question,
        config.priorities,
        *(c.text for c in config.constraints),
        *(m.text for m in config.material),
    ]
    known: set[float] = set()
    for m in (m for m in r.numbers if m <= n):
        now = r.round(m)
        for p in r.proposals(m):
            texts += [p.weakness, p.text, p.change_my_mind, p.draft, *(f"{x.claim} {x.value}" for x in p.points)]
            texts += [f"{o.steel_man} {o.objection}" for o in p.objections] + [
                f"{v.remove} {v.reason}" for v in p.vetoes
            ]
            texts += [f"{e.title} {e.quote} {e.age}" for e in p.evidence]
            known |= {x.confidence for x in p.points}
        texts += [d.reason for c in r.challenges(m) for d in c.defences]
        register = now.challenges
        texts += [f"{e.title} {e.quote}" for e in register.evidence] if register else []
        texts += [now.dossier.context] if now.dossier else []
        if now.verification:
            known |= {s.score for s in now.verification.scores} | {round(now.verification.total, 1)}
            texts += [f"{i.claim} {i.correction}" for i in now.verification.issues] if m < n else []
        if now.decision:
            texts += [w.text for w in now.decision.whispers] + [a.text for a in now.decision.active or ()]
        known |= {d.confidence for d in r.decisions(m).values()}
    return frozenset(known).union(*(signals.numbers(t) for t in texts))


def _close(draft: Draft) -> None:
    audited.look(draft, "error")
