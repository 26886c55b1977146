"""Decision oscillation: a round undoes the one before."""

from vada.failure_modes import links
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.error_cascade import FAULTS
from vada.failure_modes.finding import Finding, Kind, Level, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Decision
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, GateAction, PhaseName, Verdict
from vada.scoring import same_value, spoken

MODE = Mode(
    mode=FailureMode.DECISION_OSCILLATION,
    line="Round N undoes round N-1.",
    about=(
        "Rare in public discussions: 1.2 % of agents and none of 100 groups went back to an earlier answer. So a "
        "single return is news. A change with new evidence or an upheld challenge is no oscillation."
    ),
    means=("A decision went back and forth without a new reason. The question may be open on what was known here."),
    advice=("Fork on the two positions, or bring the fact that would settle it, as a note or as material."),
    measured_by=(
        "A decided issue whose position changed without new evidence and without an upheld challenge; a position "
        "that left and came back (A, B, A). Numbers are compared with a tolerance of 5 %, texts from a similarity "
        "of 90 on."
    ),
    blind_spots="A renamed issue escapes: positions are followed by their key.",
    sources=(
        (
            "Hong et al. 2025, Measuring Sycophancy of Language Models in Multi-turn Dialogues (SYCON Bench, "
            "number of flips), arXiv:2505.23840"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (7 of 577 agents; computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P decided items are locked",
        PhaseName.CHALLENGE: "P a reopening needs a reason",
        PhaseName.SYNTHESIZE: "P a change names its reason",
        PhaseName.VERIFY: "D diff to the last round",
        PhaseName.COMPRESS: "P decided list",
        PhaseName.DECIDE: "D stance hashes",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, calibration=calibration)


def _read(draft: Draft, n: int) -> None:
    r = draft.reading
    now = r.decisions(n)
    draft.nothing = "No locked decision of an earlier round was decided again."
    again = [d for k, d in r.locked(n - 1).items() if k in now]
    draft.chance(len(again), *(p for p in MODE.defended_in if p is not PhaseName.DECIDE))
    if not again:
        return
    named = _named(draft, n, [k for k in now if returned(r, n, k)])
    undone = [d for d in again if not same_value(d.value, now[d.key].value)]
    bare = [d for d in undone if not reasons(r, n, now[d.key]) and d.key not in named]
    for d in undone:
        if given := reasons(r, n, now[d.key]):
            phase = PhaseName.CHALLENGE if ".x" in given[0] else PhaseName.SYNTHESIZE
            draft.caught(phase, f"{spoken(d.key)} changed for a named reason.", [links.decision(now[d.key], n)])
    for d in bare:
        draft.signal(
            "undone decision",
            Kind.ID,
            Level.AMBER,
            PhaseName.SYNTHESIZE,
            f"{spoken(d.key)} was “{d.value}” and is now “{now[d.key].value}”, without new evidence or an upheld "
            "challenge.",
            [links.decision(d, n - 1), links.decision(now[d.key], n)],
            missed=(PhaseName.PREPARE, PhaseName.SYNTHESIZE),
        )
    draft.number("locked decisions changed without a reason", len(bare), Cut.UNDONE)
    _blocked(draft, n, [d for d in again if d not in undone])


def reasons(r: Reading, n: int, now: Decision) -> tuple[str, ...]:
    """What gave a decision the right to change in round `n`: evidence its reasons name that was not seen before, a
    challenge on its key upheld at least in part, a sunset or a fault flagged on it, or a lock by the person."""
    fresh = tuple(i for i in now.reasons if i in r.evidence and i not in r.seen(n))
    upheld = tuple(
        c.id
        for c in r.challenges(n)
        if r.key_of(c) == now.key and (x := r.ruling(n, c.id)) and x.verdict in (Verdict.UPHELD, Verdict.PARTIAL)
    )
    return upheld + fresh + _other_reasons(r, n, now)


def _other_reasons(r: Reading, n: int, now: Decision) -> tuple[str, ...]:
    v, lineage = r.round(n - 1).verification, r.run.config.lineage
    found = [s.key for s in v.sunsets if s.key == now.key] if v else []
    found += [i.id for i in v.issues if i.target == now.key and i.kind in FAULTS] if v else []
    if lineage and lineage.locked_key == now.key:
        found.append(now.key)
    return tuple(found)


def returned(r: Reading, n: int, key: str) -> bool:
    """Whether a key's stance in round `n` was held before, with another in between (A, B, A)."""
    line = [d for m in r.numbers if m <= n and (d := r.decisions(m).get(key))]
    if len(line) < 3 or key not in r.decisions(n) or same_value(line[-1].value, line[-2].value):
        return False
    return any(same_value(line[-1].value, d.value) for d in line[:-2])


def _named(draft: Draft, n: int, keys: list[str]) -> frozenset[str]:
    """Stances that came back; those the gate named while it stopped, forked or asked a person are caught."""
    r = draft.reading
    tracked = [k for k in r.decisions(n) if sum(k in r.decisions(m) for m in r.numbers if m <= n) >= 3]
    draft.chance(len(tracked), PhaseName.DECIDE)
    if tracked:
        draft.number("positions that left and came back", len(keys), Cut.RETURNED)
    verdict = r.round(n).verdict
    seen = verdict is not None and any(c.name == "Oscillation" and c.result for c in verdict.checks)
    acted = verdict is not None and (verdict.wait or verdict.recommendation in (GateAction.STOP, GateAction.FORK))
    for key in keys:
        at = [links.decision(d, m) for m in r.numbers if m <= n and (d := r.decisions(m).get(key))]
        if seen and acted:
            draft.caught(PhaseName.DECIDE, f"The gate named that {spoken(key)} returned to an earlier stance.", at)
            continue
        reasoned = all(reasons(r, m, d) for m in (n - 1, n) if (d := r.decisions(m).get(key)))
        draft.signal(
            "returned decision",
            Kind.ID,
            Level.AMBER if reasoned else Level.RED,
            PhaseName.SYNTHESIZE,
            f"{spoken(key)} left its stance and came back to it"
            + (", each time for a named reason." if reasoned else "."),
            at,
            missed=(PhaseName.DECIDE,) if verdict and not seen else (),
        )
    return frozenset(keys)


def _blocked(draft: Draft, n: int, kept: list[Decision]) -> None:
    """An agent left a locked decision without new evidence, and the lock held."""
    r = draft.reading
    for d in kept:
        before, now = r.answers(n - 1, d.key), r.answers(n, d.key)
        for role, x in now.items():
            agreed = role in before and same_value(before[role].value, d.value)
            if agreed and not same_value(x.value, d.value) and not set(x.evidence) - r.seen(n):
                text = (
                    f"{role.title} left the locked decision on {spoken(d.key)} without new evidence, and the lock held."
                )
                draft.caught(PhaseName.PREPARE, text, [links.point(x, n)])
