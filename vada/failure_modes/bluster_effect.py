"""Bluster: a confident claim without evidence wins over a calmer one that has some."""

from statistics import mean

from vada.failure_modes import links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.positions import answered_twice
from vada.failure_modes.reading import Reading
from vada.models.outputs import Challenge, Point
from vada.models.run import Run
from vada.models.vocabulary import ErrorKind, FailureMode, PhaseName, Role, Verdict
from vada.scoring import same_value, spoken

MODE = Mode(
    mode=FailureMode.BLUSTER_EFFECT,
    line="Vivid and wrong beats calm and right.",
    about=(
        "An unanswered confident advocate misleads; two-sided challenge with evidence reverses it (Khan 2024; "
        "Kraidia 2026). In public policy debates 15 % of claims were held with 0.75 or more and no evidence, 7 % "
        "with 0.85 or more; the most assertive speeches did not win more often (42 % against 53 %, suggestive "
        "only). So assertive words count as colour, and the event is an unsupported confident point that wins "
        "over a supported one."
    ),
    means=("A claim won by how sure it sounds, and not by what it rests on."),
    advice=("Ask for its source in a note at the gate, and rely on that claim only once there is one."),
    measured_by=(
        "Points with confidence of 0.75 or more and no evidence that were taken up unchallenged; issues won by "
        "such a point over a rival with evidence and lower confidence; confidence rising by 10 points in a round "
        "without new evidence."
    ),
    blind_spots=(
        "The number of sources is not their quality; a made-up source counts unless a search or the material shows it."
    ),
    sources=(
        "Khan et al. 2024, Debating with More Persuasive LLMs Leads to More Truthful Answers, arXiv:2402.06782",
        "Kraidia 2026 (cited after a secondary source)",
        (
            "pradyuprasad, llms_overconfidence: public debates with private bets (the figures above were "
            "computed from them)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P word caps, a confidence for every claim",
        PhaseName.CHALLENGE: "D evidence is asked for",
        PhaseName.SYNTHESIZE: "P authors are anonymous and shuffled",
        PhaseName.VERIFY: "D evidence check",
        PhaseName.FORMAT: "P rhetoric is stripped",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, calibration=calibration)


ASSERTIVE = ("boosters", "intensifiers")


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    points = r.points(n)
    draft.nothing = "Nobody has stated a claim yet."
    draft.chance(len(points), PhaseName.PROPOSE)
    if not points:
        return
    bare = [(role, x) for role, x in points if unsupported(r, x)]
    draft.number("confident points without evidence", len(bare))
    draft.number("their share of all points", len(bare) / len(points))
    if r.round(n).synthesis:
        for role, x in bare:
            _judge(draft, n, role, x)
    _wording(draft, n, {s.links[0].id for s in draft.signals if s.links})
    _escalation(draft, n)


def unsupported(r: Reading, x: Point) -> bool:
    """Held with confidence and resting on nothing."""
    return x.confidence >= r.cut(Cut.CONFIDENT).value and not x.evidence


def _judge(draft: Draft, n: int, role: Role, x: Point) -> None:
    """What became of a confident point without evidence."""
    r = draft.reading
    draft.chances[PhaseName.SYNTHESIZE] = draft.chances.get(PhaseName.SYNTHESIZE, 0) + 1
    draft.chances[PhaseName.VERIFY] = draft.chances.get(PhaseName.VERIFY, 0) + 1
    who = f"{role.title}'s claim on {spoken(x.key)} (confidence {x.confidence:.2f}, no evidence)"
    if challenge := _answered(r, n, x):
        draft.caught(
            PhaseName.CHALLENGE, f"{who} was challenged, and the challenge upheld.", [links.challenge(challenge, n)]
        )
    elif not _won(r, n, x):
        draft.caught(PhaseName.SYNTHESIZE, f"{who} did not prevail.", [links.point(x, n)])
    elif _flagged(r, n, x):
        draft.caught(PhaseName.VERIFY, f"{who} was found unsupported by the Verifier.", [links.point(x, n)])
    elif not _carried(r, n, role, x):
        _prevails(draft, n, who, x)


def _prevails(draft: Draft, n: int, who: str, x: Point) -> None:
    r = draft.reading
    rivals = [o for o in r.answers(n, x.key).values() if not same_value(o.value, x.value)]
    beaten = [o for o in rivals if o.evidence and o.confidence < x.confidence]
    missed = (PhaseName.CHALLENGE, PhaseName.SYNTHESIZE, PhaseName.VERIFY)
    decision = r.decisions(n)[x.key]
    if beaten:
        draft.signal(
            "won over evidence",
            Kind.ID,
            Level.RED,
            PhaseName.SYNTHESIZE,
            f"{who} won over a rival with evidence and lower confidence.",
            [links.point(x, n), *(links.point(o, n) for o in beaten), links.decision(decision, n)],
            missed,
        )
    else:
        draft.signal(
            "taken up unsupported",
            Kind.ID,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"{who} was taken up, and nobody had asked for evidence.",
            [links.point(x, n), links.decision(decision, n)],
            missed,
        )


def _answered(r: Reading, n: int, x: Point) -> Challenge | None:
    """A challenge of this round against the point, or its stance, that was upheld, even partly."""
    for c in r.challenges(n):
        ruling = r.ruling(n, c.id)
        aimed = r.point_of.get(c.target_point or "")
        at_it = c.target_point == x.id or (
            c.target_key == x.key and (aimed is None or same_value(aimed.value, x.value))
        )
        if at_it and ruling and ruling.verdict in (Verdict.UPHELD, Verdict.PARTIAL):
            return c
    return None


def _won(r: Reading, n: int, x: Point) -> bool:
    """Whether the decision on its issue says what it says, or names it as a source."""
    decision = r.decisions(n).get(x.key)
    return decision is not None and (x.id in decision.source_points or same_value(decision.value, x.value))


def _carried(r: Reading, n: int, role: Role, x: Point) -> bool:
    """Whether somebody else holds the same stance with evidence."""
    said = r.answers(n, x.key)
    return any(who is not role and o.evidence and same_value(o.value, x.value) for who, o in said.items())


def _flagged(r: Reading, n: int, x: Point) -> bool:
    v = r.round(n).verification
    return any(i.target in (x.id, x.key) and i.kind is ErrorKind.UNSUPPORTED_NUMBER for i in v.issues) if v else False


def _wording(draft: Draft, n: int, prevailing: set[str]) -> None:
    """Assertive words: shown for every turn, a signal only beside a claim that prevailed unsupported."""
    r = draft.reading
    top = 0.0
    for p in r.proposals(n):
        text = " ".join((p.text, *(x.claim for x in p.points)))
        language = signals.english(text)
        if language is False:
            draft.notes.append("Assertive words are counted in English texts only.")
        if not language:
            continue
        dense = signals.density(ASSERTIVE, text)
        top = max(top, dense)
        if dense >= r.cut(Cut.ASSERTIVE).value and prevailing & {x.id for x in p.points}:
            quotes = [s for s in signals.sentences(text) if signals.hits(ASSERTIVE, s)]
            draft.signal(
                "assertive wording",
                Kind.LEXICAL,
                Level.AMBER,
                PhaseName.PROPOSE,
                f"{p.role.title} says it in unusually assertive words.",
                [links.sentence(f"r{n}.{p.role}", n, q) for q in quotes[:3]],
            )
    draft.number("assertive words per 1 000, highest turn", top, Cut.ASSERTIVE)


def _escalation(draft: Draft, n: int) -> None:
    """Confidence that rises by itself."""
    r = draft.reading
    pairs = answered_twice(r, n)
    if not pairs:
        return
    change = mean(r.answers(n, key)[role].confidence - r.answers(n - 1, key)[role].confidence for role, key in pairs)
    draft.number("change of the mean confidence", change, Cut.ESCALATION)
    if change >= r.cut(Cut.ESCALATION).value and not r.cited(n) - r.seen(n):
        draft.signal(
            "escalation",
            Kind.ID,
            Level.AMBER,
            PhaseName.PROPOSE,
            f"The agents grew {100 * change:.0f} points more confident, and nobody brought new evidence.",
            [links.point(r.answers(n, key)[role], n) for role, key in pairs[:4]],
            missed=(PhaseName.PROPOSE,),
        )
