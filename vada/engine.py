"""A step of a debate, from its claim to what is owed next: a round, start to gate, or the ending.

The only module that joins phases, llm and store. It keeps every call and event as it happens, so a step may be run
again from its start at any time and pays only for what is missing. It never decides for a person, and knows nothing
of queues and processes (`vada.worker` does).
"""

import asyncio
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from vada.baseline import ask_once
from vada.conclusion import audit_words
from vada.errors import CancelledError, LLMError, PhaseFailedError
from vada.llm.base import LLM, Answer, Ask, CallRecord, Journal, prompt_hash
from vada.llm.ledger import Ledger, OverBudgetError
from vada.models.base import Value
from vada.models.debate import DebateConfig, ModelRef
from vada.models.events import Event, EventKind
from vada.models.outputs import Breach, Degraded, GateDecision, GateVerdict, Proposal
from vada.models.replies import Reply
from vada.models.run import BASELINE, CallTrace, Ending, Run, fold
from vada.models.vocabulary import DebateState, GateAction, GateMode, PhaseName, Role
from vada.phase import Turn
from vada.phases import p7_decide
from vada.play import play_ending, play_round
from vada.prompts import PromptBook
from vada.scoring import best_round
from vada.settings import Settings
from vada.store import Database, Draft, Due, LostClaimError, calls, chain, debates, events, gates
from vada.store.calls import Call

R = TypeVar("R", bound=Reply)

AUTOPILOT = "autopilot"
END = "end"
GRACE = 1.5
"""Seconds in which a run that lost its debate still reads and keeps replies that had come: a frozen process wakes
with paid answers unread. It tells nothing more and begins nothing new, since its events are refused."""
MOST_ROUNDS = 3

_RECORD: TypeAdapter[CallRecord] = TypeAdapter(CallRecord)
_CUT_OFF = ("cancelled", "interrupted")  # kinds of error of a call that we broke off ourselves
_GAVE_UP = {  # fallbacks that say that a slot gave nothing usable, though a reply may have come
    "agent_missing": "r{round}.propose.{role}",
    "challenger_missing": "r{round}.propose.{role}",
    "undefended": "r{round}.defend.{role}",
    "synthesis_failed": "r{round}.synthesize",
    "verification_skipped": "r{round}.verify",
    "format_failed": "end.format",
    "audit_skipped": "end.audit.1",
    "revision_failed": "end.revise",
}
_log = logging.getLogger("vada.engine")

LLMFor = Callable[[Journal, DebateConfig], LLM]
"""Makes the LLM of one debate over the journal it is handed."""


class Enough(Exception):  # noqa: N818  not an error: the person asked to end after what was running
    """The round is left here because what exists is to be formatted."""


# What a call record becomes in the store and in the record of events.


def call_of(record: CallRecord) -> Call:
    """The record as the store keeps it."""
    return Call(
        id=record.id,
        slot=record.slot,
        attempt=record.attempt,
        round=record.round,
        started_at=record.started_at,
        body=_RECORD.dump_python(record, mode="json"),
        broken=(record.error or {}).get("kind") in _CUT_OFF,
    )


def record_of(call: Call) -> CallRecord:
    """The record the store keeps."""
    return _RECORD.validate_python(call.body)


def trace_of(call: Call) -> CallTrace:
    """What the run keeps of a call."""
    record = record_of(call)
    error = record.error or {}
    return CallTrace(
        id=record.id,
        slot=record.slot,
        attempt=record.attempt,
        role=Role(record.role),
        phase=PhaseName(record.phase),
        round=record.round,
        model=ModelRef.parse(record.model),
        prompt_hash=record.prompt_hash,
        constraints_sha=record.constraints_sha,
        started_at=record.started_at,
        status=str(error.get("kind", "ok")),
        message=str(error.get("message", "")),
        stop_reason=str((record.message or {}).get("stop_reason") or ""),
        usage=record.usage,
        reused=call.reused,
        record_sha=chain.sha(call.body),
    )


def traced(call: Call) -> Draft:
    """The event that tells of a call."""
    trace = trace_of(call)
    return Draft(EventKind.CALL_ENDED, f"call.{call.id}", round=trace.round, phase=trace.phase, payload=trace)


# What a step writes while it runs.


class Texts:
    """The text so far of every live call of this process, until it is written away in one go."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new: dict[tuple[str, str], tuple[int, str]] = {}

    def set(self, debate: str, slot: str, attempt: int, text: str) -> None:
        """Note the text of a call; what was noted before is replaced."""
        with self._lock:
            self._new[debate, slot] = (attempt, text)

    def take(self) -> dict[tuple[str, str], tuple[int, str]]:
        """What was noted since the last time."""
        with self._lock:
            new, self._new = self._new, {}
        return new


@dataclass
class Execution:
    """One run of a step in this process. `holder` is what it claimed the debate with."""

    due: Due
    holder: str
    loop: asyncio.AbstractEventLoop
    task: "asyncio.Task[None] | None" = None
    lost: bool = False
    cancelled: bool = False
    finish_by: str = ""

    @property
    def debate(self) -> str:
        """The debate's id."""
        return self.due.debate

    def see(self, standing: debates.Standing | None) -> None:
        """Note how the debate stands; stops the run when it is no longer this execution's."""
        if standing is None or standing.cancelled:
            self.cancelled = True
        self.finish_by = standing.finish_by if standing else ""
        if not self.lost and (standing is None or standing.holder != self.holder):
            self.lost = True
            wait = 0.0 if self.cancelled else GRACE
            self.loop.call_soon_threadsafe(self.loop.call_later, wait, self._stop)

    def _stop(self) -> None:
        if self.task is not None:
            self.task.cancel()


class StoredJournal:
    """The journal of calls of one execution. Implements `llm.base.Journal`."""

    def __init__(self, database: Database, execution: Execution, texts: Texts) -> None:
        self._database = database
        self._execution = execution
        self._texts = texts

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        """The recorded attempt, or None."""
        debate = self._execution.debate
        call = await self._database.aread(lambda c: calls.find(c, debate, slot, attempt))
        return record_of(call) if call else None

    async def save(self, record: CallRecord) -> CallRecord:
        """Keep a finished attempt on the disk, with its event; returns the one that stands. Whoever holds the debate:
        what was paid for is kept."""
        call, debate = call_of(record), self._execution.debate

        def keep(c: Connection) -> Call:
            standing = calls.save(c, debate, call)
            events.append(c, debate, traced(call))
            return standing

        standing = await self._database.awrite(keep, durable=True)
        return record if standing.id == record.id else record_of(standing)

    def tell(self, slot: str, attempt: int, text: str) -> None:
        """Note the text so far of a live call."""
        self._texts.set(self._execution.debate, slot, attempt, text)

    async def cancelled(self) -> bool:
        """Whether the person has stopped the debate."""
        return self._execution.cancelled


@dataclass
class StoredRecord:
    """The record of events of one execution. Implements `play.Recorder`; every key is written once.

    `prefix` begins the keys: the step (`r1`, `end`), and after a retry its number (`r1~2`).
    """

    database: Database
    execution: Execution
    prefix: str
    round: int
    enough_after: bool = False  # whether a synthesis exists, so that there is something to format
    _kinds: tuple[PhaseName, ...] = field(default=(PhaseName.PROPOSE, PhaseName.DECIDE), init=False)

    async def tell(self, kind: EventKind, what: str, **parts: Any) -> Event:
        """Append an event under `prefix.what`. Raises LostClaimError."""
        draft = Draft(kind, f"{self.prefix}.{what}", **{"round": self.round, **parts})
        debate, holder = self.execution.debate, self.execution.holder
        return await self.database.awrite(lambda c: events.append(c, debate, draft, holder=holder))

    async def started(self, phase: PhaseName, round: int) -> None:
        """A phase began."""
        await self.tell(EventKind.PHASE_STARTED, f"{phase}.started", round=round, phase=phase)

    async def finished(self, phase: PhaseName, round: int, output: Value) -> None:
        """A phase gave its output. Raises Enough when the person wants what exists formatted and nothing is running."""
        await self.tell(EventKind.PHASE_FINISHED, f"{phase}.finished", round=round, phase=phase, payload=output)
        self.enough_after |= phase is PhaseName.SYNTHESIZE
        in_round = self.execution.due.step != END
        if self.execution.finish_by and self.enough_after and in_round and phase not in self._kinds:
            raise Enough

    async def replied(self, proposal: Proposal) -> None:
        """A card is complete."""
        await self.tell(
            EventKind.REPLIED,
            f"replied.{proposal.role}",
            round=proposal.round,
            phase=PhaseName.PROPOSE,
            payload=proposal,
        )

    async def degraded(self, degraded: Degraded) -> None:
        """A fallback was taken. A slot that gave up is marked, so that a retry asks it again."""
        what = f"degraded.{degraded.phase}.{degraded.key}.{degraded.role or 'all'}.{chain.sha(degraded.cause)[:8]}"
        await self.tell(EventKind.DEGRADED, what, round=degraded.round, phase=degraded.phase, payload=degraded)
        if slot := _GAVE_UP.get(degraded.key, "").format(round=degraded.round, role=degraded.role):
            await self.database.awrite(lambda c: calls.give_up(c, self.execution.debate, slot))

    async def breached(self, breach: Breach) -> None:
        """A structural rule was broken."""
        what = f"breached.{breach.rule}.{breach.phase}.{breach.role or 'all'}.{chain.sha(breach.message)[:8]}"
        await self.tell(EventKind.BREACHED, what, round=breach.round, phase=breach.phase, payload=breach)


class MeteredJournal:
    """A journal that asks the ledger before a call is sent, never for one that is recorded. Implements `Journal`."""

    def __init__(self, inner: StoredJournal, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        """The recorded attempt; None when it may be sent. Raises OverBudgetError, LLMError (over_budget)."""
        found = await self._inner.find(slot, attempt)
        if found is None:
            self._ledger.book(slot)
        return found

    async def save(self, record: CallRecord) -> CallRecord:
        """Keep a finished attempt and what it took."""
        self._ledger.settle(record.slot, record.model, record.usage)
        return await self._inner.save(record)

    def tell(self, slot: str, attempt: int, text: str) -> None:
        """Note the text so far of a live call."""
        self._inner.tell(slot, attempt, text)

    async def cancelled(self) -> bool:
        """Whether the person has stopped the debate."""
        return await self._inner.cancelled()


class WatchedLLM:
    """An LLM that marks a slot as spent when it gave up on it, and frees what was booked for it. Implements
    `llm.base.LLM`.

    In a step that is tried again (`anew`) a recorded call answers only where its prompt is still the same.
    """

    def __init__(self, inner: LLM, database: Database, debate: str, ledger: Ledger, *, anew: bool) -> None:
        self._inner = inner
        self._database = database
        self._debate = debate
        self._ledger = ledger
        self._anew = anew

    async def ask(self, ask: Ask[R]) -> Answer[R]:
        """Ask the model. Raises what it raises."""
        if self._anew:
            prompt = prompt_hash(ask.parts)
            await self._database.awrite(
                lambda c: calls.set_aside(c, self._debate, ask.slot, lambda call: record_of(call).prompt_hash != prompt)
            )
        try:
            return await self._inner.ask(ask)
        except LLMError:
            await self._database.awrite(lambda c: calls.give_up(c, self._debate, ask.slot))
            raise
        finally:
            self._ledger.release(ask.slot)


# What follows from what is in the record.


def next_step(round_: int, action: GateAction, rounds: int) -> str:
    """What is owed after the gate of a round: the next round, or the end. A fork goes on with its surer branch."""
    going_on = action is not GateAction.STOP and round_ < min(rounds, MOST_ROUNDS)
    return f"r{round_ + 1}" if going_on else END


def round_of(step: str, run: Run) -> int:
    """The number of the round a step is, or for the end of the last round there is."""
    return int(step[1:]) if step != END else (run.rounds[-1].number if run.rounds else 0)


def prefix_of(step: str, told: Sequence[Event]) -> str:
    """What the keys of a step's events begin with: `r1`, after one retry `r1~2`. Whatever is retried, it ends anew."""
    retried = [e.payload["retry"] for e in told if e.kind is EventKind.RESUMED and "retry" in e.payload]
    retries = len(retried) if step == END else retried.count(step)
    return f"{step}~{retries + 1}" if retries else step


def minutes(told: Sequence[Event]) -> float:
    """Minutes the debate has been running; neither a wait at a gate nor an interruption counts."""
    total, since, last = 0.0, None, None
    for e in told:
        at = datetime.fromisoformat(e.at)
        if e.kind in (EventKind.ROUND_STARTED, EventKind.PHASE_STARTED):
            since = since or at
        elif e.kind in (EventKind.GATE_OPENED, EventKind.DEBATE_ENDED, EventKind.RESUMED) and since:
            until = last if e.kind is EventKind.RESUMED and last else at
            total, since = total + (until - since).total_seconds() / 60, None
        last = at
    return total + ((last - since).total_seconds() / 60 if since and last else 0)


def ended_early(run: Run, finish_by: str) -> str:
    """Who ended the debate although more was recommended; empty when nobody did."""
    last = next((r.decision for r in reversed(run.rounds) if r.decision), None)
    if last and last.action is GateAction.STOP and last.recommended is not GateAction.STOP and last.by != AUTOPILOT:
        return last.by
    return finish_by


def _by_budget(run: Run) -> str:
    """That the budget ended the debate before its last round, as a sentence before another; empty when it did not."""
    verdict = run.rounds[-1].verdict if run.rounds else None
    if verdict is None or not verdict.limit or (len(run.rounds) >= run.config.rounds and run.rounds[-1].verification):
        return ""
    return f"Ended within its budget: {verdict.limit[0].lower()}{verdict.limit[1:]}. "


class Runner:
    """Runs what debates are owed, any number at once, on the event loop it is called from."""

    def __init__(self, settings: Settings, database: Database, prompts: PromptBook, llm_for: LLMFor) -> None:
        self._settings = settings
        self._database = database
        self._prompts = prompts
        self._llm_for = llm_for
        self.texts = Texts()
        self.active: dict[str, Execution] = {}

    async def run(self, due: Due) -> None:
        """Run one step, unless it is not owed any more. Returns when what follows is owed, or the debate was lost."""
        if due.step == BASELINE:
            await self._ask_once(due)
            return
        execution = Execution(due, uuid.uuid4().hex, asyncio.get_running_loop())
        claim = await self._database.awrite(lambda c: debates.claim(c, due, execution.holder))
        if claim is None:
            return
        execution.finish_by = claim.finish_by
        self.active[execution.holder] = execution
        execution.task = asyncio.ensure_future(self._step(execution, claim.resumed))
        try:
            await execution.task
        except asyncio.CancelledError:
            if not execution.lost:
                raise  # the engine stops; the step stays owed
        except (LostClaimError, CancelledError):
            _log.info("%s is in other hands", due.workflow)
        finally:
            execution.task.cancel()
            del self.active[execution.holder]

    async def _ask_once(self, due: Due) -> None:
        """Ask one model beside the debate. Nobody claims the debate for it: its events are its own, and it goes on
        whatever is decided meanwhile."""
        debate = due.debate
        run = fold(await self._database.aread(lambda c: events.read(c, debate)))
        if run.baseline is None or run.baseline.state != "asked":
            return
        execution = Execution(due, "", asyncio.get_running_loop())
        llm = self._llm_for(StoredJournal(self._database, execution, self.texts), run.config)
        try:
            found = await ask_once(run.config, run.baseline, llm, self._prompts)
        except (CancelledError, DBAPIError):
            raise
        except Exception as error:
            _log.exception("%s failed", due.workflow)
            problem = f"Something is wrong inside Vāda ({type(error).__name__}: {error})."
            found = run.baseline.model_copy(update={"state": "failed", "problem": problem})

        def keep(c: Connection) -> None:
            if debates.settle_beside(c, due):
                key = f"baseline.g{due.generation}.{found.state}"
                events.append(c, debate, Draft(EventKind.BASELINE, key, payload=found))
                if found.state == "failed":
                    calls.give_up(c, debate, BASELINE)

        await self._database.awrite(keep, durable=True)

    def look(self) -> None:
        """Tell every running execution how its debate stands. Called every moment, from any thread."""
        running = list(self.active.values())
        if running:
            standing = self._database.read(lambda c: debates.watched(c, [e.debate for e in running]))
            for execution in running:
                execution.see(standing.get(execution.debate))

    def write_texts(self) -> None:
        """Write away the live texts, all debates in one transaction."""
        if new := self.texts.take():
            self._database.write(lambda c: calls.write_partials(c, new))

    async def _step(self, execution: Execution, resumed: bool) -> None:
        """Run a claimed step; a failure of the debate is recorded, one of the database is raised."""
        step, debate = execution.due.step, execution.debate
        told = await self._database.aread(lambda c: events.read(c, debate))
        run = fold(told)
        record = StoredRecord(self._database, execution, prefix_of(step, told), round_of(step, run))
        record.enough_after = any(r.synthesis for r in run.rounds if r.number < record.round)
        if resumed:
            await record.tell(EventKind.RESUMED, f"resumed.{execution.holder}")
        try:
            if step == END:
                await self._end(run, told, record)
            else:
                await self._round(run, told, record)
        except PhaseFailedError as error:
            await self._close(record, DebateState.FAILED, str(error))
        except (LostClaimError, CancelledError, DBAPIError):
            raise
        except Exception as error:
            _log.exception("%s failed", execution.due.workflow)
            await self._close(
                record,
                DebateState.FAILED,
                f"Something is wrong inside Vāda ({type(error).__name__}: {error}). What was answered is kept; retry.",
            )

    async def _round(self, run: Run, told: Sequence[Event], record: StoredRecord) -> None:
        started = await record.tell(EventKind.ROUND_STARTED, "started")
        ledger = self._ledger(run, told)
        begun = next(e.at for e in (*told, started) if e.kind is EventKind.ROUND_STARTED and e.round == record.round)
        turn = self._turn(run, told, record, begun, ledger)
        try:
            verdict = (await play_round(turn, record)).verdict
        except Enough:
            await self._owe(record, END)
            return
        except OverBudgetError as error:
            verdict = await self._cut_short(turn, record, ledger, error)
        assert verdict is not None
        await self._open_gate(record, run.config, verdict)

    async def _cut_short(self, turn: Turn, record: StoredRecord, ledger: Ledger, error: OverBudgetError) -> GateVerdict:
        """The verdict of a round that had to be left for the budget's sake: stop, with the figures.

        Raises PhaseFailedError on autopilot when no round has a synthesis, so that there is nothing to deliver.
        """
        debate = record.execution.debate
        now = fold(await self._database.aread(lambda c: events.read(c, debate))).rounds[-1]
        rounds = (*turn.past, now)
        if turn.config.gate is GateMode.AUTOPILOT and not best_round(rounds):
            raise PhaseFailedError(
                f"{error.message} There is no synthesis yet, so there is nothing to deliver.", next_step=error.next_step
            )
        await record.started(PhaseName.DECIDE, record.round)
        verdict = p7_decide.decide(turn.config, rounds, ledger.spent, ledger.minutes, error.message)
        await record.finished(PhaseName.DECIDE, record.round, verdict)
        return verdict

    def _ledger(self, run: Run, told: Sequence[Event]) -> Ledger:
        """The debate's budget as it stands; calls taken over from the parent of a fork were paid there."""
        own = [(c.slot, str(c.model), c.usage) for c in run.calls if not c.reused]
        return Ledger(run.config, self._settings, own, minutes(told))

    async def _end(self, run: Run, told: Sequence[Event], record: StoredRecord) -> None:
        ledger = self._ledger(run, told)
        turn = self._turn(run, told, record, run.updated_at, ledger)
        by = ended_early(run, record.execution.finish_by)
        if by and not best_round(run.rounds):
            await self._close(record, DebateState.STOPPED, f"Stopped by {by} before there was a synthesis.")
            return
        _, audit, state = await play_ending(turn, record, _base_round(run))
        if by:
            await self._close(record, DebateState.STOPPED, f"Ended early by {by}. {audit_words(audit)}")
        else:
            await self._close(record, state, f"{_by_budget(run)}{audit_words(audit)}")

    def _turn(self, run: Run, told: Sequence[Event], record: StoredRecord, begun: str, ledger: Ledger) -> Turn:
        """What the phases of this step work with."""
        past = tuple(r for r in run.rounds if record.execution.due.step == END or r.number < record.round)
        decision = past[-1].decision if past else None
        journal = MeteredJournal(StoredJournal(self._database, record.execution, self.texts), ledger)
        return Turn(
            config=run.config,
            round=record.round,
            past=past,
            llm=WatchedLLM(
                self._llm_for(journal, run.config), self._database, run.id, ledger, anew="~" in record.prefix
            ),
            prompts=self._prompts,
            degrade=record.degraded,
            whispers=decision.whispers if decision else (),
            today=begun[:10],
            defenders=self._settings.defenders,
            spent=run.usage,
            minutes=minutes(told),
            limit=ledger.limit,
        )

    async def _open_gate(self, record: StoredRecord, config: DebateConfig, verdict: GateVerdict) -> None:
        """Open the gate of the round; without a person to wait for, decide it as recommended and owe what follows."""
        debate, holder, number = record.execution.debate, record.execution.holder, record.round
        finish_by, prefix = record.execution.finish_by, record.prefix

        def open_(c: Connection) -> None:
            def tell(kind: EventKind, what: str, payload: Value | dict[str, Any]) -> None:
                events.append(c, debate, Draft(kind, f"{prefix}.{what}", number, payload=payload), holder=holder)

            gates.open_(c, debate, number, verdict)
            tell(EventKind.GATE_OPENED, "gate", verdict)
            tell(EventKind.ROUND_FINISHED, "ended", {})
            if verdict.wait and not finish_by:
                debates.owe(c, debate, "")
                return
            decision = GateDecision(
                action=GateAction.STOP if finish_by else verdict.recommendation,
                recommended=verdict.recommendation,
                by=finish_by or AUTOPILOT,
                at=events.now(),
                note="" if finish_by else _surer(verdict),
            )
            gates.decide(c, debate, number, decision)
            tell(EventKind.GATE_DECIDED, "decided", decision)
            debates.owe(c, debate, next_step(number, decision.action, config.rounds))

        await self._database.awrite(open_)

    async def _owe(self, record: StoredRecord, step: str) -> None:
        """Owe another step in this one's place."""
        debate, holder = record.execution.debate, record.execution.holder

        def owe(c: Connection) -> None:
            if events.lock(c, debate).holder != holder:
                raise LostClaimError(f"Debate {debate} is in other hands.")
            debates.owe(c, debate, step)

        await self._database.awrite(owe)

    async def _close(self, record: StoredRecord, state: DebateState, reason: str) -> None:
        """End the debate; nothing is owed any more."""
        debate, holder = record.execution.debate, record.execution.holder
        draft = Draft(
            EventKind.DEBATE_ENDED, f"{record.prefix}.closed", record.round, payload=Ending(state=state, reason=reason)
        )

        def close(c: Connection) -> None:
            events.append(c, debate, draft, holder=holder)
            calls.clear_partials(c, debate)
            debates.owe(c, debate, "")

        await self._database.awrite(close)


def _base_round(run: Run) -> int:
    """The round the deliverable is written from: the person's latest choice, else the best-scored one."""
    chosen = [r.decision.base_round for r in run.rounds if r.decision and r.decision.base_round]
    with_text = {r.number for r in run.rounds if r.synthesis}
    return next((n for n in reversed(chosen) if n in with_text), best_round(run.rounds))


def _surer(verdict: GateVerdict) -> str:
    """What a fork that nobody was asked about goes on with, as the decision's note; empty for any other decision."""
    fork = verdict.fork
    if verdict.recommendation is not GateAction.FORK or fork is None:
        return ""
    return f"Nobody was asked, so nothing was forked: it goes on with the surer branch, {fork.key} = {fork.value_a}."
