"""The deliverable as a person reads it: what stands above it, the conclusion's fields, the audit, the open questions.

Never softens a state: whoever did not answer, and whatever was skipped, stands above the text.
"""

import json
from dataclasses import dataclass
from typing import Literal

from vada.conclusion import audit_words
from vada.models.outputs import AuditPass, Conclusion, Degraded
from vada.models.run import Round, Run
from vada.models.vocabulary import AuditVerdict, DebateState
from vada.views import room, words

Tone = Literal["good", "caution", "bad", "calm"]


@dataclass(frozen=True)
class Banner:
    """What stands above the deliverable."""

    tone: Tone
    title: str
    text: str


_BANNERS: dict[DebateState, tuple[Tone, str, str]] = {
    DebateState.QUEUED: ("calm", "Not started yet", "The deliverable appears here when the debate has ended."),
    DebateState.RUNNING: ("calm", "Still running", "What stands below is the last synthesis, not the deliverable."),
    DebateState.WAITING: (
        "caution",
        "Waiting for your decision",
        "The gate is open: continue, fork or stop on the Debate page.",
    ),
    DebateState.CLEAN: (
        "good",
        "Clean",
        "The Blind Critic, who saw only the question and the conclusion, found nothing to object to.",
    ),
    DebateState.REVISED: (
        "good",
        "Revised",
        "The Blind Critic objected once; the one field was fixed and passed the second look.",
    ),
    DebateState.UNCONVERGED: (
        "caution",
        "Unconverged",
        "The text is kept as it is; read below what was objected before you rely on it.",
    ),
    DebateState.STOPPED: (
        "calm",
        "Stopped early",
        "The debate was ended before it was done; this is what existed then.",
    ),
    DebateState.FAILED: (
        "bad",
        "Failed",
        "The debate could not be finished. What the agents answered is kept on the Debate page.",
    ),
}


def banner(run: Run) -> Banner:
    """The state of the result, in a title and a sentence; the run's own reason is appended where it says more."""
    tone, title, text = _BANNERS[run.state]
    if run.state in (DebateState.FAILED, DebateState.STOPPED) and run.reason:
        text = f"{text} {run.reason[0].upper()}{run.reason[1:].rstrip('.')}."
    if run.state is DebateState.UNCONVERGED:
        text = f"{audit_words(run.audit)} {text}"
    return Banner(tone, title, text)


def cautions(run: Run) -> tuple[Degraded, ...]:
    """Every fallback taken, in the order of the debate; shown above the text, before anything else."""
    return tuple(sorted(run.degraded, key=lambda d: (d.round or 99, d.phase)))


def text(run: Run) -> str:
    """The deliverable's Markdown; before there is one, the last synthesis; empty before that."""
    if run.deliverable:
        return run.deliverable.text
    return next((r.synthesis.text for r in reversed(run.rounds) if r.synthesis), "")


def base(run: Run) -> Round | None:
    """The round the deliverable was written from; before that the last one with a synthesis."""
    wanted = run.deliverable.base_round if run.deliverable else 0
    with_text = [r for r in run.rounds if r.synthesis]
    return next((r for r in with_text if r.number == wanted), with_text[-1] if with_text else None)


def base_words(run: Run) -> str:
    """Which round the text was written from, when it is not the last; else empty."""
    r = base(run)
    if not run.deliverable or r is None or run.last is None or r.number == run.last.number:
        return ""
    return f"Written from round {r.number}, the best-scored one, not from the last."


@dataclass(frozen=True)
class Look:
    """One look of the Blind Critic."""

    attempt: int
    passed: bool
    field: str
    objection: str


def looks(run: Run) -> tuple[Look, ...]:
    """The audit's looks, in order."""
    return tuple(_look(p) for p in (run.audit.passes if run.audit else ()))


def _look(p: AuditPass) -> Look:
    field = p.field.value.replace("_", " ") if p.field else ""
    return Look(p.attempt, p.verdict is AuditVerdict.PASS, field, p.objection)


@dataclass(frozen=True)
class Fix:
    """The one-field fix: the field, its readable value before and after."""

    field: str
    before: str
    after: str
    touched_others: bool


def fix(run: Run) -> Fix | None:
    """The Coordinator's fix after a flag, or None."""
    r = run.audit.revision if run.audit else None
    if r is None:
        return None
    return Fix(r.field.value.replace("_", " "), readable(r.before), readable(r.after), r.touched_others)


def readable(canonical: str) -> str:
    """A conclusion field's canonical JSON as text: a string as it is, a list as lines, an object as `name: value`."""
    try:
        return _said(json.loads(canonical))
    except json.JSONDecodeError:
        return canonical


def _said(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(f"- {_said(v)}" for v in value)
    if isinstance(value, dict):
        return "; ".join(f"{k.replace('_', ' ')}: {_said(v)}" for k, v in value.items())
    return str(value)


def open_questions(run: Run) -> tuple[str, ...]:
    """What stands in the page as open, then faults of the last verification that were never corrected; each once."""
    left = list(run.deliverable.left_open) if run.deliverable else []
    return tuple(dict.fromkeys(left))


def sealed(run: Run) -> str:
    """What the record is and how its seal can be told: how many entries and the first digits of the hash."""
    kept = f"Every step is kept, in {words.plural(run.version, 'entry', 'entries')}."
    return f"{kept} Their seal begins with {run.head[:12]}; it would change if any of them did." if run.head else kept


def audited(run: Run) -> bool:
    """Whether the shown conclusion went through the blind audit."""
    return run.audit is not None


def conclusion(run: Run) -> Conclusion | None:
    """The conclusion as it stands."""
    return run.conclusion


def ended_in(run: Run) -> str:
    """How long the debate ran, waits for a person left out, and what everything cost."""
    calls = sum(not c.reused for c in run.calls)
    paid = words.spend(run.usage, rehearsal=run.config.rehearsal)
    ran = words.span(room.running_seconds(run))
    return f"{words.plural(len(run.rounds), 'round')}, {words.plural(calls, 'call')}, {paid}, {ran}"
