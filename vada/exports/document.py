"""A run laid out for a reader: what stands above the text, the page itself, then the annex. Before any format.

Pure: reads a run and decides nothing. Order: state and degradations, question, constraints, deliverable, annex.
"""

import re
from collections.abc import Iterator

from vada import constraints
from vada.exports.annex import annex
from vada.exports.blocks import AnnexStart, Block, Facts, Heading, Notice, Prose, Table, Tone, Words
from vada.exports.names import Names, dollars, moment
from vada.exports.record import base_round, offline_seats, small_seats, standing, wholly_offline
from vada.models.outputs import Degraded
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState
from vada.settings import SMALL_NOTICE

_ONE_LINE = 160
"""Up to this many characters a question is the title; above it only what it asks, and the whole of it follows."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")

_SAID_ALREADY = (DebateState.CLEAN, DebateState.REVISED)
"""States whose words leave nothing for the run's reason to add."""


def document(run: Run) -> tuple[Block, ...]:
    """Everything an export shows, in order."""
    base = base_round(run)
    return (
        Heading(1, title(run)),
        Words(_byline(run), quiet=True),
        *_notices(run),
        *_question(run),
        *_constraints(run, base),
        *_page(run, base),
        AnnexStart("Annex: the record of the debate"),
        *annex(run, base, Names(run)),
    )


def title(run: Run) -> str:
    """The question; of a long one the first sentence that asks, else its beginning."""
    question = run.config.question.strip()
    if len(question) <= _ONE_LINE and "\n" not in question:
        return question
    asked = (s.strip() for s in _SENTENCES.split(question))
    line = next((s for s in asked if s.endswith("?") and len(s) <= _ONE_LINE), " ".join(question.split()))
    return line if len(line) <= _ONE_LINE else line[:_ONE_LINE].rpartition(" ")[0].rstrip(",.;:") + "…"


def _byline(run: Run) -> str:
    """One line under the title."""
    spent = "no model called" if wholly_offline(run) else dollars(run.usage.dollars)
    rounds = f"{len(run.rounds)} round{'' if len(run.rounds) == 1 else 's'}"
    return f"Vāda debate {run.id} · {run.config.pack.name} · {rounds} · {spent} · {moment(run.updated_at)}"


def _notices(run: Run) -> Iterator[Notice]:
    """Rehearsal, state and every degradation, above the text."""
    if offline := offline_seats(run):
        whom = "" if wholly_offline(run) else f" for {', '.join(offline)}"
        yield Notice(
            Tone.ATTENTION,
            f"Rehearsal: no model was called{whom}.",
            "The offline engine wrote by rules. It shows how a debate runs and is no advice.",
        )
    if small := small_seats(run):
        yield Notice(Tone.ATTENTION, f"Small model: {', '.join(small)}.", SMALL_NOTICE)
    tone, words = standing(run)
    yield Notice(tone, words, "" if run.state in _SAID_ALREADY else run.reason)
    if run.deliverable and run.deliverable.fallback:
        yield Notice(Tone.ATTENTION, "Formatting failed: this is the raw synthesis with its scores.")
    for d in run.degraded:
        yield Notice(Tone.ATTENTION, f"{_where(d)}: degraded.", d.message, d.cause)


def _where(d: Degraded) -> str:
    return f"Round {d.round}, {d.phase.title.lower()}" if d.round else d.phase.title


def _question(run: Run) -> Iterator[Block]:
    """The question verbatim, unless the title already is it, and what was given beside it."""
    if title(run) != run.config.question.strip():
        yield Heading(2, "Question")
        yield Words(run.config.question)
    given = []
    if run.config.priorities:
        given.append(("Priorities", run.config.priorities))
    if run.config.material:
        given.append(("Material", "\n".join(m.name for m in run.config.material)))
    if line := run.config.lineage:
        taken = f", taking over its rounds up to {line.round}" if line.round else ", as a follow-up"
        locked = f"; {line.locked_key} locked to “{line.locked_value}”" if line.locked_key else ""
        given.append(("Comes from", f"debate {line.parent}{taken}{locked}"))
    if given:
        yield Facts(tuple(given))


def _constraints(run: Run, base: Round | None) -> Iterator[Block]:
    """The constraints, each with whether it is kept and who says so."""
    if run.config.constraints:
        yield Heading(2, "Constraints")
        rows = tuple((s.constraint.id, s.constraint.text, s.word, s.reason) for s in constraints.standing(run, base))
        yield Table(("", "Constraint", "Result", "Because"), rows, (6, 40, 14, 40))


def _page(run: Run, base: Round | None) -> Iterator[Block]:
    """The deliverable, or the best there is, said to be so."""
    if run.deliverable:
        yield Heading(2, "Deliverable")
        yield Words(_written_from(run, base), quiet=True)
        yield Prose(run.deliverable.text, page=True)
    elif base and base.synthesis:
        yield Heading(2, f"Synthesis of round {base.number}")
        yield Notice(Tone.INFO, "There is no deliverable yet.", "This is the best-scored synthesis so far.")
        yield Prose(base.synthesis.text, page=True)
    else:
        yield from _raw(run)


def _raw(run: Run) -> Iterator[Block]:
    """The proposals as they were written, where nothing came of them yet."""
    found = next((r for r in reversed(run.rounds) if r.proposals or r.replied), None)
    if not found:
        yield Notice(Tone.INFO, "Nothing was written yet.")
        return
    yield Heading(2, f"Proposals of round {found.number}")
    yield Notice(Tone.INFO, "There is no synthesis.", "These are the agents’ replies as they were given.")
    for proposal in found.proposals.proposals if found.proposals else found.replied:
        yield Heading(3, proposal.role.title)
        if proposal.cannot:
            yield Words(proposal.cannot)
            continue
        yield Facts((("Weakness first", proposal.weakness),))
        yield Prose(proposal.text)
        claims = tuple((x.claim, x.value, f"{x.confidence:.0%}") for x in proposal.points)
        if claims:
            yield Table(("Claim", "Stance", "Confidence"), claims, (60, 25, 15), (2,))


def _written_from(run: Run, base: Round | None) -> str:
    """Which round the page was written from, and how it scored."""
    words = f"{run.deliverable.words} words" if run.deliverable else ""
    if not base:
        return words
    score = f"scored {base.verification.total:.1f} of 10" if base.verification else "its verification was skipped"
    return f"{words} · written from round {base.number} of {len(run.rounds)}, {score}"
