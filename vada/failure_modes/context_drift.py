"""Context drift: constraints are forgotten and the question shifts."""

from vada.failure_modes import audited, links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, Holds, PhaseName, Role

MODE = Mode(
    mode=FailureMode.CONTEXT_DRIFT,
    line="Constraints are forgotten, meanings shift.",
    about=(
        "A broken constraint that nobody renegotiated, or a prompt without the verbatim constraints, is an event. "
        "Shared words between question and synthesis are only a hint: on public debates a low share separated a "
        "wholly foreign text (recall 1.00, false alarms 12 %) but a half-foreign one only in 27 %."
    ),
    means=("The debate has moved away from what you asked or from a constraint of yours."),
    advice=(
        "Compare the result with your constraints. Repeat the one that was lost in a note at the gate, or "
        "answer the request to change it."
    ),
    measured_by=(
        "Constraint checks of the synthesis that failed and were not formally renegotiated; the hash of the "
        "constraints in every prompt of the round against the original; the share of the question's words that "
        "the synthesis still uses, and its fall since round 1."
    ),
    blind_spots=(
        "A constraint that code cannot check rests on the Verifier's word. Synonyms look like drift, and a text "
        "can keep the words and lose the meaning."
    ),
    sources=(
        (
            "Zhou et al. 2023, Instruction-Following Evaluation for Large Language Models (IFEval), "
            "arXiv:2311.07911 (constraints that code can check)"
        ),
        "Becker et al. 2025, Stay Focused: Problem Drift in Multi-Agent Debate, arXiv:2502.19559",
        "pradyuprasad, llms_overconfidence: public policy debates (the figures above were computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P constraints verbatim, anchor",
        PhaseName.PROPOSE: "P anchor",
        PhaseName.CHALLENGE: "P anchor",
        PhaseName.SYNTHESIZE: "P anchor; a constraint is renegotiated formally",
        PhaseName.VERIFY: "D constraint checks",
        PhaseName.COMPRESS: "P constraints are never cut",
        PhaseName.FORMAT: "D constraint audit",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, _close, calibration=calibration)


ENOUGH = 4
"""Words of meaning a question needs before its share in a text says anything. [default]"""


def _read(draft: Draft, n: int) -> None:
    draft.nothing = "There are no constraints to keep, and no synthesis to compare with the question."
    _block(draft, n)
    _checks(draft, n)
    _topic(draft, n)


def _block(draft: Draft, n: int) -> None:
    """The constraints, verbatim, in every prompt of the round."""
    r = draft.reading
    now, constraints = r.round(n), r.run.config.constraints
    if not constraints or now.dossier is None:
        return
    calls = [c for c in r.run.calls if c.round == n and c.role is not Role.CRITIC]
    draft.chance(1, PhaseName.PREPARE, *sorted({c.phase for c in calls} & set(MODE.defended_in)))
    lost = [c for c in constraints if c.text not in now.dossier.constraints_block]
    if lost:
        draft.signal(
            "constraint not verbatim",
            Kind.ID,
            Level.RED,
            PhaseName.PREPARE,
            f"{', '.join(c.id for c in lost)} did not reach round {n} word for word.",
            [links.constraint(c.id, n, c.text) for c in lost],
            missed=(PhaseName.PREPARE,),
        )
    for call in (c for c in calls if c.constraints_sha != now.dossier.constraints_sha):
        draft.signal(
            "prompt without the constraints",
            Kind.ID,
            Level.RED,
            call.phase,
            f"The prompt {call.slot} did not carry the constraints as they stand.",
            [links.call(call)],
            missed=(call.phase,),
        )
    if now.brief:
        draft.chance(1, PhaseName.COMPRESS)
    if now.brief and now.brief.constraints_block != now.dossier.constraints_block:
        draft.signal(
            "brief without the constraints",
            Kind.ID,
            Level.RED,
            PhaseName.COMPRESS,
            "The brief does not hold the constraints as they stand.",
            missed=(PhaseName.COMPRESS,),
        )


def _checks(draft: Draft, n: int) -> None:
    """The Verifier's check of every constraint; a failed one counts unless renegotiated or repaired a round later."""
    r = draft.reading
    v = r.round(n).verification
    checks = v.constraint_checks if v else ()
    draft.chance(len(checks), PhaseName.SYNTHESIZE, PhaseName.VERIFY)
    failed = [c for c in checks if c.holds is Holds.NO]
    texts = {c.id: c.text for c in r.run.config.constraints}
    for c in failed:
        link = links.constraint(c.constraint, n, texts.get(c.constraint, ""))
        if c.constraint in renegotiated(r, n):
            draft.caught(
                PhaseName.SYNTHESIZE, f"{c.constraint} is not kept, and was formally put up for renegotiation.", [link]
            )
        elif _kept_later(r, n, c.constraint):
            draft.caught(PhaseName.VERIFY, f"{c.constraint} was not kept, and is kept again a round later.", [link])
        else:
            draft.signal(
                "constraint broken",
                Kind.ID,
                Level.RED,
                PhaseName.SYNTHESIZE,
                f"{c.constraint} is not kept and was not renegotiated: {c.reason}",
                [link],
                missed=(PhaseName.SYNTHESIZE,),
            )
    if checks:
        draft.number("constraints kept, share", 1 - len(failed) / len(checks))


def renegotiated(r: Reading, n: int) -> frozenset[str]:
    """The constraints that were formally put up for renegotiation up to round `n`."""
    found = (r.round(m).synthesis for m in r.numbers if m <= n)
    return frozenset(g.constraint for s in found if s for g in s.renegotiations)


def _kept_later(r: Reading, n: int, constraint: str) -> bool:
    v = r.round(n + 1).verification
    return any(c.constraint == constraint and c.holds is Holds.YES for c in v.constraint_checks) if v else False


def kept_words(r: Reading, n: int) -> float | None:
    """Share of the question's words that round `n`'s synthesis uses, 0 to 1; None with too little to compare."""
    s = r.round(n).synthesis
    asked = signals.tok(r.run.config.question)
    if s is None or len(asked) < ENOUGH:
        return None
    text = " ".join((s.text, *(d.statement for d in s.decisions), s.conclusion.recommendation))
    return len(asked & signals.tok(text)) / len(asked)


def _topic(draft: Draft, n: int) -> None:
    r = draft.reading
    share = kept_words(r, n)
    if share is None:
        return
    draft.chance(1, PhaseName.SYNTHESIZE)
    draft.number("share of the question's words in the synthesis", share, Cut.TOPIC, "<")
    start = kept_words(r, r.numbers[0])
    fall = start - share if start is not None and n > r.numbers[0] else 0.0
    draft.number("its fall since the first round", fall, Cut.TOPIC_FALL)
    if share < r.cut(Cut.TOPIC).value or fall >= r.cut(Cut.TOPIC_FALL).value:
        draft.signal(
            "question's words lost",
            Kind.LEXICAL,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"The synthesis uses {share:.0%} of the question's words.",
            [links.sentence(f"r{n}.synthesis", n, "")],
            missed=(PhaseName.SYNTHESIZE,),
        )


def _close(draft: Draft) -> None:
    """The deliverable's own checks and the audit."""
    r = draft.reading
    page = r.run.deliverable
    checks = page.checks if page else ()
    draft.chance(len(checks), PhaseName.FORMAT)
    texts = {c.id: c.text for c in r.run.config.constraints}
    for c in checks:
        if c.holds is Holds.NO and c.constraint not in renegotiated(r, r.numbers[-1]):
            draft.signal(
                "deliverable breaks a constraint",
                Kind.ID,
                Level.RED,
                PhaseName.FORMAT,
                f"The deliverable does not keep {c.constraint}: {c.reason}",
                [links.constraint(c.constraint, 0, texts.get(c.constraint, ""))],
                missed=(PhaseName.FORMAT,),
            )
    audited.look(draft, "drift")
