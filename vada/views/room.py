"""A debate at a glance and while it is written: the phases with time and cost, the key numbers, the agents' cards.

Reads a run, its findings and the text of live calls; a half-written reply becomes the same card as a finished one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic_core import from_json

from vada.failure_modes import Cell, CellState
from vada.models.debate import ModelRef
from vada.models.outputs import Proposal
from vada.models.run import CallTrace, Round, Run, Usage
from vada.models.vocabulary import DEBATERS, EIGHT_PHASES, DebateState, FailureMode, PhaseName, Role, Verdict
from vada.views import words
from vada.views.references import Source, source

_ENDING = (PhaseName.FORMAT, PhaseName.AUDIT)
_ROUND = tuple(p for p in EIGHT_PHASES if p not in _ENDING)


StepState = Literal["done", "now", "you", "later", "degraded", "failed", "stopped", "never"]
"""`later` may still come, `never` did not and will not; `stopped` was broken off by a person; `you`: a person is waited
for."""


@dataclass(frozen=True)
class Step:
    """A phase on the timeline. `seconds` and `dollars` are None before it began or where no price is known."""

    phase: PhaseName
    state: StepState
    seconds: float | None
    dollars: float | None
    calls: int


def timeline(run: Run, round_: int, now: datetime) -> tuple[Step, ...]:
    """The phases of a round, 1 to 7; with the last round also phase 8 and the audit."""
    last = run.last is not None and run.last.number == round_
    over = run.state.ended or run.phase in _ENDING or run.deliverable is not None
    phases = _ROUND + (_ENDING if last and over else ())
    return tuple(_step(run, round_, p, now) for p in phases)


def _step(run: Run, round_: int, phase: PhaseName, now: datetime) -> Step:
    begun, ended = _times(run, round_, phase)
    those = [c for c in run.calls if c.phase is phase and not c.beside]
    calls = [c for c in those if phase in _ENDING or c.round == round_]
    until = words.moment(ended or run.updated_at) if ended or run.state.ended else now
    return Step(
        phase=phase,
        state=_state(run, round_, phase, begun, ended),
        seconds=(until - words.moment(begun)).total_seconds() if begun else None,
        dollars=_sum(calls).dollars if begun else None,
        calls=len(calls),
    )


def _times(run: Run, round_: int, phase: PhaseName) -> tuple[str, str]:
    """Start and end of a phase, empty where it has none. The ending stands outside the rounds, whatever its number."""
    if phase not in _ENDING:
        return run.phase_times.get(f"r{round_}.{phase.value}", ("", ""))
    return next((t for k, t in reversed(run.phase_times.items()) if k.endswith(phase.value)), ("", ""))


def _state(run: Run, round_: int, phase: PhaseName, begun: str, ended: str) -> StepState:
    if any(d.phase is phase and (d.round == round_ or phase in _ENDING) for d in run.degraded) and (ended or begun):
        return "degraded" if ended or run.state is not DebateState.FAILED else "failed"
    if ended:
        return "you" if phase is PhaseName.DECIDE and _waits_at(run, round_) else "done"
    if not begun:
        return "never" if run.state.ended else "later"
    if not run.state.ended:
        return "now"
    return "stopped" if run.state is DebateState.STOPPED else "failed"


def _waits_at(run: Run, round_: int) -> bool:
    """Whether the gate of that round waits for a person."""
    last = run.last
    return run.state is DebateState.WAITING and last is not None and last.number == round_ and not last.decision


def _sum(calls: Iterable[CallTrace]) -> Usage:
    return sum((c.usage for c in calls if not c.reused), Usage())


@dataclass(frozen=True)
class Figure:
    """A key number: what it is called, its value, how it changed, and what it means. `note` is small print."""

    name: str
    value: str
    change: str = ""
    note: str = ""
    term: str = ""


def key_figures(run: Run, cells: Iterable[Cell] | None) -> tuple[Figure, ...]:
    """The five: round, weighted score, spend, open challenges, cells tested. `cells` None: not measured yet."""
    return (_round_figure(run), _score_figure(run), _spend_figure(run), _challenge_figure(run), _cells_figure(cells))


def _round_figure(run: Run) -> Figure:
    last = run.last
    value = f"{last.number} of {run.config.rounds}" if last else f"0 of {run.config.rounds}"
    return Figure("Round", value, note=_round_note(run))


def _round_note(run: Run) -> str:
    if run.state.ended:
        return f"ended, {_time(run)}" if run.phase_times else "ended"
    if run.last and _waits_at(run, run.last.number):
        return f"your turn, {_time(run)}"
    return f"now: {run.phase.title.lower()}" if run.phase else "not started"


def _time(run: Run) -> str:
    """How long it ran, and apart from that how long it waited for a person's decisions."""
    waited = waiting_seconds(run)
    return f"ran {_about(running_seconds(run))}" + (f", waited {_about(waited)}" if waited >= 60 else "")


def _about(seconds: float) -> str:
    """A length of time; from a minute on in whole minutes."""
    return words.span(seconds if seconds < 60 else round(seconds / 60) * 60)


def running_seconds(run: Run) -> float:
    """Seconds in which phases ran; no wait at a gate is in it."""
    return sum(_between(a, b) for a, b in run.phase_times.values() if b)


def waiting_seconds(run: Run) -> float:
    """Seconds for which gates that are decided had waited for a person."""
    opened = ((r, _times(run, r.number, PhaseName.DECIDE)[1]) for r in run.rounds)
    return sum(max(0.0, _between(at, r.decision.at)) for r, at in opened if at and r.decision)


def _between(begun: str, ended: str) -> float:
    return (words.moment(ended) - words.moment(begun)).total_seconds()


def _score_figure(run: Run) -> Figure:
    verified = [r.verification for r in run.rounds if r.verification]
    if not verified:
        return Figure("Weighted score", words.DASH, note="after the first verification", term="weighted score")
    last = verified[-1]
    change = words.change(_shown(last.total) - _shown(verified[-2].total)) if len(verified) > 1 else ""
    note = "of 10, first round" if not change else "since the last score"
    return Figure("Weighted score", words.score(last.total), change, note, "weighted score")


def _shown(score: float) -> float:
    """A score as it is shown, so that the change is the difference of what a person sees."""
    return float(words.score(score))


def _cells_figure(cells: Iterable[Cell] | None) -> Figure:
    size = len(FailureMode) * len(EIGHT_PHASES)
    if cells is None:
        return Figure("Failure modes", words.DASH, note=f"of {size} cells tested", term="cells tested")
    known = list(cells)
    tested = sum(c.state is not CellState.NO_CHANCE for c in known)
    missed = sum(c.state is CellState.MISSED for c in known)
    note = f"of {size} cells tested, {missed or 'none'} missed"
    return Figure("Failure modes", str(tested), note=note, term="cells tested")


def _challenge_figure(run: Run) -> Figure:
    total = sum(len(r.challenges.challenges) for r in run.rounds if r.challenges)
    raised = _being_answered(run)
    if raised:
        note = f"{raised} raised, being answered"
        return Figure("Open challenges", str(open_challenges(run) + raised), note=note, term="open challenges")
    if not any(r.challenges for r in run.rounds):
        return Figure("Open challenges", words.DASH, note="none raised yet", term="open challenges")
    return Figure("Open challenges", str(open_challenges(run)), note=f"of {total} raised", term="open challenges")


def _being_answered(run: Run) -> int:
    """How many objections the agents answer now, before the register has them."""
    r = run.last
    if r is None or not r.proposals or r.challenges or run.state.ended:
        return 0
    return sum(len(p.objections) for p in r.proposals.proposals)


def open_challenges(run: Run) -> int:
    """How many challenges have no ruling or one that is undecided."""
    return sum(_open_in(r) for r in run.rounds)


def _open_in(r: Round) -> int:
    raised = {c.id for c in r.challenges.challenges} if r.challenges else set()
    rulings = r.synthesis.rulings if r.synthesis else ()
    return len(raised - {x.challenge for x in rulings if x.verdict is not Verdict.UNDECIDED})


def _spend_figure(run: Run) -> Figure:
    usage = run.usage
    tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
    calls = sum(not c.reused for c in run.calls)
    facts = f"{words.plural(calls, 'call')}, {words.count(tokens)} tokens"
    note = f"{words.plural(calls, 'call')}, rehearsal" if run.config.rehearsal else facts
    return Figure("Spend", words.spend(usage, rehearsal=run.config.rehearsal), note=note, term="spend")


# The agents' cards.


@dataclass(frozen=True)
class Claim:
    """A claim on a card. `confidence` is None while it is being written."""

    text: str
    key: str = ""
    value: str = ""
    confidence: float | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Card:
    """What an agent's card shows. `state`: waiting for it, writing, done, missing (it did not answer), cannot (it said
    why), benched (left out after it hung), stopped (a person ended the debate before)."""

    role: Role
    model: ModelRef
    state: Literal["waiting", "writing", "done", "missing", "cannot", "benched", "stopped"]
    weakness: str = ""
    text: str = ""
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    objections: tuple[tuple[str, str], ...] = ()  # (steel man, objection)
    vetoes: tuple[tuple[str, str], ...] = ()  # (what goes, why)
    change_my_mind: str = ""
    draft: str = ""
    cannot: str = ""
    words: int = 0
    late_weakness: bool = False


def cards(run: Run, round_: Round, live: Mapping[str, str]) -> tuple[Card, ...]:
    """The four cards of a round, in the order of the roles; `live` is the text so far of running calls, by slot."""
    replied = {p.role: p for p in (round_.proposals.proposals if round_.proposals else round_.replied)}
    return tuple(_card_of(run, round_, role, replied.get(role), live) for role in DEBATERS)


def _card_of(run: Run, round_: Round, role: Role, proposal: Proposal | None, live: Mapping[str, str]) -> Card:
    if proposal:
        return card(proposal)
    model = run.config.seat(role).model
    if round_.dossier and role in round_.dossier.benched:
        return Card(role, model, "benched")
    if round_.proposals or run.state.ended:
        broken_off = run.state is DebateState.STOPPED and not round_.proposals
        return Card(role, model, "stopped" if broken_off else "missing")
    text = live.get(f"r{round_.number}.propose.{role.value}", "")
    return partial_card(role, model, text) if text else Card(role, model, "waiting")


def waiting_for(shown: Iterable[Card]) -> tuple[Role, ...]:
    """Whose card is not complete yet."""
    return tuple(c.role for c in shown if c.state in ("waiting", "writing"))


def card(p: Proposal) -> Card:
    """The card of a finished proposal."""
    known = {e.id: source(e) for e in p.evidence}
    return Card(
        role=p.role,
        model=p.model,
        state="cannot" if p.cannot else "done",
        weakness=p.weakness,
        text=p.text,
        claims=tuple(
            Claim(x.claim, x.key, x.value, x.confidence, tuple(known[e] for e in x.evidence if e in known))
            for x in p.points
        ),
        sources=tuple(known.values()),
        objections=tuple((o.steel_man, o.objection) for o in p.objections),
        vetoes=tuple((v.remove, v.reason) for v in p.vetoes),
        change_my_mind=p.change_my_mind,
        draft=p.draft,
        cannot=p.cannot,
        words=p.words,
        late_weakness=not p.weakness_first,
    )


def partial_card(role: Role, model: ModelRef, text: str) -> Card:
    """The card of a reply that is still being written: whatever of its JSON can be read already."""
    reply = partial_reply(text)
    if not reply:
        return Card(role, model, "writing", text=text if "{" not in text else "")
    return Card(
        role=role,
        model=model,
        state="writing",
        weakness=_str(reply, "weakness"),
        text=_str(reply, "proposal"),
        claims=tuple(Claim(_str(x, "claim"), _str(x, "key"), _str(x, "value")) for x in _items(reply, "points")),
        objections=tuple((_str(x, "steel_man"), _str(x, "objection")) for x in _items(reply, "objections")),
        vetoes=tuple((_str(x, "remove"), _str(x, "reason")) for x in _items(reply, "vetoes")),
        change_my_mind=_str(reply, "change_my_mind"),
        draft=_str(reply, "draft"),
        cannot=_str(reply, "cannot"),
        words=len(text.split()),
    )


def partial_reply(text: str) -> dict[str, Any]:
    """What can be read of an unfinished JSON reply, a half-written string included; empty when nothing can."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        read = from_json(text[start:], allow_partial="trailing-strings")
    except ValueError:  # prose with a brace in it, or a broken escape at the very end
        return {}
    return read if isinstance(read, dict) else {}


def _str(reply: Mapping[str, Any], key: str) -> str:
    value = reply.get(key)
    return value if isinstance(value, str) else ""


def _items(reply: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    value = reply.get(key)
    yield from (x for x in value if isinstance(x, dict)) if isinstance(value, list) else ()


@dataclass(frozen=True)
class Writing:
    """A call after the proposals that is being answered now: who writes what, and the readable text so far."""

    role: Role
    what: str
    text: str


_WHAT: dict[str, tuple[Role, str]] = {
    "synthesize": (Role.COORDINATOR, "is ruling and writing the synthesis"),
    "verify": (Role.VERIFIER, "is scoring the synthesis against the raw proposals"),
    "verify2": (Role.VERIFIER, "is verifying a second time"),
    "compress": (Role.COORDINATOR, "is shortening the brief"),
    "format": (Role.FORMATTER, "is writing the deliverable"),
    "audit": (Role.CRITIC, "is reading the conclusion, blind"),
    "revise": (Role.COORDINATOR, "is fixing the field that was flagged"),
}


def writing(live: Mapping[str, str]) -> tuple[Writing, ...]:
    """Who is writing what, of the calls that are no proposals."""
    return tuple(w for slot, text in sorted(live.items()) if (w := _writing(slot.split("."), text)))


def _writing(slot: list[str], text: str) -> Writing | None:
    kind = slot[1] if len(slot) > 1 else ""
    reply = partial_reply(text)
    if kind == "defend" and len(slot) > 2:
        said = "\n\n".join(_str(x, "reason") for x in _items(reply, "answers"))
        return Writing(Role(slot[2]), "is answering the challenges", said)
    if kind not in _WHAT:
        return None
    role, what = _WHAT[kind]
    return Writing(role, what, _str(reply, "synthesis") or _str(reply, "text"))
