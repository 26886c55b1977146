"""What a run says that no single value of it holds, and the words for its closed lists. Pure."""

import json

from vada import scoring
from vada.conclusion import audit_words
from vada.exports.blocks import Tone
from vada.models.debate import REHEARSAL
from vada.models.outputs import Evidence, Renegotiation
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, Holds
from vada.settings import is_small

STATES: dict[DebateState, tuple[Tone, str]] = {
    DebateState.QUEUED: (Tone.INFO, "Queued: the debate has not begun."),
    DebateState.RUNNING: (Tone.INFO, "Running: this is how far the debate has come."),
    DebateState.WAITING: (Tone.ATTENTION, "Waiting: the debate stands at its gate until a person decides."),
    DebateState.CLEAN: (Tone.GOOD, "Clean: the blind audit passed."),
    DebateState.REVISED: (Tone.GOOD, "Revised: the blind audit flagged one field, it was fixed, and the fix passed."),
    DebateState.UNCONVERGED: (
        Tone.ATTENTION,
        "Unconverged: the conclusion did not pass the blind audit. What was objected stands in the annex.",
    ),
    DebateState.STOPPED: (Tone.ATTENTION, "Stopped: a person ended the debate early."),
    DebateState.FAILED: (Tone.BAD, "Failed: a phase that nothing can replace could not be had."),
}
"""What each state means to a reader."""


def standing(run: Run) -> tuple[Tone, str]:
    """What the run's state means to a reader."""
    tone, said = STATES[run.state]
    if run.state is DebateState.UNCONVERGED:
        said = f"Unconverged: {audit_words(run.audit)}"
    return tone, said


HOLDS = {Holds.YES: "kept", Holds.NO: "broken", Holds.UNCLEAR: "unclear"}
"""Whether a constraint is kept, in a word."""


def base_round(run: Run) -> Round | None:
    """The round the deliverable was written from; without one the best-scored so far."""
    number = run.deliverable.base_round if run.deliverable else scoring.best_round(run.rounds)
    return next((r for r in run.rounds if r.number == number), None)


def renegotiations(run: Run) -> tuple[Renegotiation, ...]:
    """Every request to change a constraint, with the person's answer where one was given."""
    answers = {a.id: a.accepted for r in run.rounds if r.decision for a in r.decision.renegotiations}
    asked = (n for r in run.rounds if r.synthesis for n in r.synthesis.renegotiations)
    return tuple(n.model_copy(update={"accepted": answers.get(n.id, n.accepted)}) for n in asked)


def offline_seats(run: Run) -> tuple[str, ...]:
    """The roles the offline engine filled, as a person reads them."""
    return tuple(s.role.title for s in run.config.seats if s.model.endpoint == REHEARSAL)


def wholly_offline(run: Run) -> bool:
    """Whether no model was called at all."""
    return bool(run.config.seats) and len(offline_seats(run)) == len(run.config.seats)


def small_seats(run: Run) -> tuple[str, ...]:
    """The roles that a small model filled, whose answers are no advice."""
    return tuple(s.role.title for s in run.config.seats if is_small(s.model.name))


def readable(value: str) -> str:
    """Canonical JSON of a conclusion's field as text: a string as it is, a list an item a paragraph."""
    try:
        found = json.loads(value)
    except ValueError:
        return value
    if isinstance(found, list):
        return "\n\n".join("; ".join(str(v) for v in x.values()) if isinstance(x, dict) else str(x) for x in found)
    return str(found)


def trust(source: Evidence) -> tuple[str, Tone]:
    """Whether a source was really found, in words."""
    if not source.verified:
        return "not verified", Tone.ATTENTION
    return ("found by search" if source.kind == "web" else "in the material"), Tone.GOOD
