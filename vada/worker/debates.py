"""What pages and the command line do with debates. Works with or without an engine in this process: it changes the
record, which says what is owed, and some engine sees that. Never runs a phase and never calls a model.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, Row

from vada import baseline, probed
from vada.engine import AUTOPILOT, END, MOST_ROUNDS, next_step, prefix_of, record_of
from vada.errors import InputError, NotFoundError
from vada.llm.base import CallRecord
from vada.models.debate import DebateConfig, Lineage
from vada.models.events import Event, EventKind
from vada.models.outputs import Baseline, GateDecision, GateVerdict
from vada.models.reports import EndpointReport
from vada.models.run import BASELINE, Ending, Run, fold
from vada.models.vocabulary import DebateState, GateAction, Role
from vada.scoring import best_round
from vada.settings import Settings
from vada.store import Database, DebateRow, Draft, bundle, calls, chain, debates, events, gates, shelf
from vada.worker import bell, reports
from vada.worker.lineage import branch

_KEPT_RUNS = 64
Rows = list[DebateRow]  # named here, because `Debates.list` hides the type in the class
Records = list[CallRecord]
Happenings = list[Event]
Problems = list[str]

CALIBRATION = "calibration"
"""The value under which thresholds recomputed from one's own debates are kept, as a `Calibration`."""

LOCAL = "a person on this machine"
"""Who decides where nobody is signed in and the settings name nobody."""


class Debates:
    """The debates of one data folder or database. Safe to share between threads; whatever needs a debate
    raises NotFoundError where there is none."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def open(cls, settings: Settings) -> "Debates":
        """Open the record, bringing its schema up to date. Raises SettingsError."""
        return cls(settings, Database.open(settings.database_url))

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    # Looking.

    def run(self, id: str) -> Run:
        """The debate as it stands; the same object while nothing happens to it."""
        row = self._database.read(lambda c: debates.get(c, id))
        with self._lock:
            kept = self._runs.get(id)
        if kept is not None and (kept.version, kept.head) == (row.version, row.head):
            return kept
        run = fold(self.events(id))
        with self._lock:
            self._runs[id] = run
            self._runs.move_to_end(id)
            while len(self._runs) > _KEPT_RUNS:
                self._runs.popitem(last=False)
        return run

    def partials(self, id: str) -> dict[str, str]:
        """Slot to the text so far of its live call."""
        return self._database.read(lambda c: calls.read_partials(c, id))

    def list(self, *, text: str = "", states: Sequence[DebateState] = (), deleted: bool = False) -> Rows:
        """Debates, newest first, whose question holds `text` and whose state is one of `states`."""
        return self._database.read(lambda c: debates.listed(c, text=text, states=states, deleted=deleted))

    def calls(self, id: str) -> Records:
        """Every call of the debate, also those that a retry replaced, in the order they were started."""
        kept = self._database.read(lambda c: (debates.get(c, id), calls.read(c, id))[1])
        return [record_of(call) for call in kept]

    def events(self, id: str, after: int = 0) -> Happenings:
        """What happened after a sequence number."""
        return self._database.read(lambda c: (debates.get(c, id), events.read(c, id, after=after))[1])

    def verify(self, id: str) -> Problems:
        """What is wrong with the debate's record; empty when it is sound."""
        return self._database.read(lambda c: _problems(c, id))

    # Starting and steering.

    def start(self, config: DebateConfig) -> str:
        """Enter a debate; an engine begins with its first round. Returns its id."""
        id_ = debates.new_id()
        self._database.write(lambda c: debates.create(c, id_, config, step="r1"), durable=True)
        bell.ring()
        return id_

    def decide(self, id: str, round: int, decision: GateDecision) -> None:
        """Decide the gate of a round; the recommendation, and where they are empty person and time, are filled in.

        Raises AlreadyDecidedError saying by whom, InputError when the action is not possible here.
        """
        children = (debates.new_id(), debates.new_id())
        at = decision.at or events.now()

        by = decision.by or self._person
        filled = decision.model_copy(update={"by": by, "at": at})
        self._database.write(lambda c: self._settle(c, id, round, filled, children), durable=True)
        bell.ring()

    def cancel(self, id: str, *, by: str = "") -> None:
        """Stop the debate now; calls that are running are broken off. Nothing happens when it has ended."""

        self._database.write(lambda c: self._stop(c, events.lock(c, id), by or self._person))
        bell.ring()

    def finish(self, id: str, *, by: str = "") -> None:
        """End the debate after what is running, and have what exists formatted. Nothing happens when it has ended."""

        def end(c: Connection) -> None:
            row = events.lock(c, id)
            who = by or self._person
            if row.state == DebateState.WAITING:
                stop = GateDecision(action=GateAction.STOP, recommended=GateAction.STOP, by=who, at=events.now())
                self._settle(c, id, row.rounds, stop, ())
            elif not row.rounds:
                self._stop(c, row, who)
            elif not DebateState(row.state).ended:
                debates.set_(c, id, finish_by=who)

        self._database.write(end)
        bell.ring()

    def retry(self, id: str) -> None:
        """Make the failed calls again, and only those, and go on from there.

        Raises InputError when nothing has failed, or when the debate has gone on since.
        """

        def again(c: Connection) -> None:
            row = events.lock(c, id)
            run = fold(events.read(c, id))
            step = _step_to_retry(run, calls.spent(c, id))
            round_ = int(step[1:]) if step != END else (run.last.number if run.last else 0)
            calls.supersede(c, id, step=step)
            calls.clear_partials(c, id)
            gates.withdraw(c, id, round_)
            retried = Draft(EventKind.RESUMED, f"retry.{step}.{row.version}", round_, payload={"retry": step})
            events.append(c, id, retried)
            debates.set_(c, id, due=step, holder="", generation=row.generation + 1, cancelled_by="")

        self._database.write(again, durable=True)
        bell.ring()

    def can_retry(self, id: str) -> bool:
        """Whether `retry` would do something now."""
        run = self.run(id)
        if not run.state.ended and run.state is not DebateState.WAITING:
            return False
        try:
            return bool(_step_to_retry(run, self._database.read(lambda c: calls.spent(c, id))))
        except InputError:
            return False

    def resume(self, id: str) -> None:
        """Go on with an interrupted debate, and retry a failed one. A debate that waits for a decision goes on waiting.

        Raises InputError when it has ended otherwise.
        """
        run = self.run(id)
        if run.state is DebateState.FAILED:
            self.retry(id)
        elif run.state.ended:
            raise InputError("id", f"Debate {id} has ended ({run.state}).", next_step="Fork it to go on from a round.")

        def take_up(c: Connection) -> None:
            if not events.lock(c, id).due:  # it came in a bundle and was running where it comes from
                debates.owe(c, id, _standing_step(fold(events.read(c, id))))

        self._database.write(take_up)
        bell.ring()

    def fork(
        self,
        id: str,
        after_round: int,
        *,
        locked: tuple[str, str] | None = None,
        config: DebateConfig | None = None,
        reason: str = "",
        by: str = "",
    ) -> str:
        """A new debate that shares everything up to a finished round (0: nothing) and goes on by itself.

        `locked` is a decision's key and value that hold in it; `config` is what it is to be changed to (constraints,
        models, weights). Returns its id. Raises InputError when the round is not finished.
        """
        child = debates.new_id()
        lineage = Lineage(parent=id, round=after_round, reason=reason)
        if locked:
            lineage = lineage.model_copy(update={"locked_key": locked[0], "locked_value": locked[1]})

        def make(c: Connection) -> None:
            events.lock(c, id)
            told = events.read(c, id)
            parent = fold(told)
            changed = (config or parent.config).model_copy(update={"lineage": lineage, "expected": None})
            decision = _taken_up(parent, changed, by or self._person, reason) if after_round else None
            if locked and after_round and not rounds_left(changed, after_round):
                raise _no_round_left(after_round)
            branch(c, parent, told, child, changed, decision)
            events.append(c, id, Draft(EventKind.FORKED, f"forked.{child}", payload={"children": [child]}))

        self._database.write(make, durable=True)
        bell.ring()
        return child

    def ask_once(self, id: str, seat: Role = Role.COORDINATOR, *, by: str = "") -> None:
        """Have the model of a seat asked the question once, without a debate, to set its answer beside the deliverable.

        A second time it is asked anew only where the first attempt failed. Raises InputError while the debate runs,
        when there is an answer already, or when it would take the debate over its cap in dollars.
        """

        def ask(c: Connection) -> None:
            row = events.lock(c, id)
            run = fold(events.read(c, id))
            if row.beside:
                return
            _may_ask(run)
            _within_cap(run, seat)
            asked = Baseline(state="asked", seat=seat, model=run.config.seat(seat).model, by=by or self._person)
            calls.supersede(c, id, step=BASELINE)
            events.append(c, id, Draft(EventKind.BASELINE, f"baseline.{row.version}.asked", payload=asked))
            debates.owe_beside(c, id)

        self._database.write(ask, durable=True)
        bell.ring()

    def asking(self, id: str) -> bool:
        """Whether that one model is to be asked, or is being asked."""
        return self._database.read(lambda c: debates.owes_beside(c, id))

    # Keeping.

    def delete(self, id: str) -> None:
        """Put the debate away; a running one is stopped first. `restore` brings it back."""
        self.cancel(id)
        self._database.write(lambda c: debates.set_(c, id, deleted_at=events.now()))

    def restore(self, id: str) -> None:
        """Bring a deleted debate back."""
        self._database.write(lambda c: debates.set_(c, id, deleted_at=None))

    def export_bundle(self, id: str) -> bytes:
        """The whole debate as one file that `import_bundle` reads elsewhere."""
        return self._database.read(lambda c: bundle.pack(c, id))

    def import_bundle(self, data: bytes) -> str:
        """Take in a debate that `export_bundle` made; returns its id. Raises InputError for anything else."""
        contents = bundle.unpack(data)
        try:
            for call in contents.calls:
                record_of(call)
        except ValidationError as error:
            raise InputError("bundle", "The bundle is refused: it holds calls that are none.") from error
        self._database.write(lambda c: bundle.enter(c, contents), durable=True)
        return contents.id

    def presets(self) -> dict[str, dict[str, Any]]:
        """Presets of the New debate page, by name."""
        return self._database.read(shelf.read_presets)

    def save_preset(self, name: str, data: dict[str, Any]) -> None:
        """Keep a preset; one of the same name is replaced."""
        self._database.write(lambda c: shelf.save_preset(c, name, data))

    def delete_preset(self, name: str) -> None:
        """Forget a preset."""
        self._database.write(lambda c: shelf.delete_preset(c, name))

    def value(self, key: str) -> Any:
        """A single value kept beside the debates, for example `calibration`; None when there is none."""
        return self._database.read(lambda c: shelf.read_value(c, key))

    def save_value(self, key: str, value: Any) -> None:
        """Keep a single JSON value beside the debates."""
        self._database.write(lambda c: shelf.save_value(c, key, value))

    def reports(self) -> dict[str, EndpointReport]:
        """What the last check of each endpoint found out, by name; void where the address has changed since."""
        return probed.standing(self._settings, self._database.read(reports.read))

    def keep_report(self, report: EndpointReport) -> None:
        """Keep what a check found out, for every page and every worker."""
        self._database.write(lambda c: reports.keep(c, report))

    @property
    def _person(self) -> str:
        return self._settings.person or LOCAL

    def _stop(self, c: Connection, row: Row[Any], by: str) -> None:
        """Stop a debate now, unless it has ended."""
        if not DebateState(row.state).ended:
            self._end(c, row.id, f"Stopped by {by}.", row.version)
            debates.set_(c, row.id, cancelled_by=by)

    def _end(self, c: Connection, id_: str, reason: str, version: int) -> None:
        """End a debate by a person's word: whoever runs it holds it no more."""
        ending = Ending(state=DebateState.STOPPED, reason=reason)
        events.append(c, id_, Draft(EventKind.DEBATE_ENDED, f"stopped.{version}", payload=ending))
        calls.clear_partials(c, id_)
        debates.owe(c, id_, "")

    def _settle(self, c: Connection, id_: str, round_: int, decision: GateDecision, children: tuple[str, ...]) -> None:
        """Decide an open gate and owe what follows; a fork makes the children and ends the parent."""
        row = events.lock(c, id_)
        gate = gates.find(c, id_, round_)
        if gate is None or (gate.decision is None and row.state != DebateState.WAITING):
            raise NotFoundError(f"Debate {id_} is not waiting at the gate of round {round_}; it is {row.state}.")
        told = events.read(c, id_)
        if gate.decision is None:
            _possible(decision, round_, gate.verdict, fold(told))
        forks = decision.action is GateAction.FORK
        filled = decision.model_copy(
            update={"recommended": gate.verdict.recommendation, "children": children if forks else ()}
        )
        gates.decide(c, id_, round_, filled)
        key = f"{prefix_of(f'r{round_}', told)}.decided"
        events.append(c, id_, Draft(EventKind.GATE_DECIDED, key, round_, payload=filled))
        if forks:
            self._fork_in_two(c, id_, round_, gate.verdict, filled)
        else:
            debates.owe(c, id_, next_step(round_, filled.action, MOST_ROUNDS))

    def _fork_in_two(self, c: Connection, id_: str, round_: int, verdict: GateVerdict, decision: GateDecision) -> None:
        """Make a child for each of the two incompatible decisions, and end the parent."""
        assert verdict.fork is not None
        fork, told = verdict.fork, events.read(c, id_)
        parent = fold(told)
        for child, value in zip(decision.children, (fork.value_a, fork.value_b), strict=True):
            lineage = Lineage(
                parent=id_, round=round_, locked_key=fork.key, locked_value=value, reason=f"forked on {fork.key}"
            )
            taken_up = decision.model_copy(update={"action": GateAction.CONTINUE, "children": ()})
            branch(
                c,
                parent,
                told,
                child,
                parent.config.model_copy(update={"lineage": lineage, "expected": None}),
                taken_up,
            )
        children = list(decision.children)
        events.append(c, id_, Draft(EventKind.FORKED, f"forked.{children[0]}", payload={"children": children}))
        held = f"{children[0]} holds “{fork.value_a}”, {children[1]} “{fork.value_b}”"
        self._end(c, id_, f"Forked on {fork.key} by {decision.by}: {held}.", len(told))


def rounds_left(config: DebateConfig, after_round: int) -> int:
    """How many rounds a fork plays after a round, as it was set up."""
    return max(0, min(config.rounds, MOST_ROUNDS) - after_round)


def _no_round_left(after_round: int) -> InputError:
    return InputError(
        "lock",
        f"No round is left after round {after_round} in which a locked decision could hold.",
        next_step="Fork after an earlier round, or lock nothing.",
    )


def _possible(decision: GateDecision, round_: int, verdict: GateVerdict, run: Run) -> None:
    """Raises InputError when a gate cannot be decided so."""
    action, base = decision.action, decision.base_round
    with_text = [r.number for r in run.rounds if r.synthesis]
    if base is not None and base not in with_text:
        named = ", ".join(map(str, with_text)) or "none"
        raise InputError("base_round", f"Round {base} has no synthesis to write from; there is one in: {named}.")
    if action is GateAction.WAIT:
        raise InputError("action", "A gate is decided with continue, fork or stop.")
    if action is GateAction.CONTINUE and round_ >= MOST_ROUNDS:
        raise InputError(
            "action",
            f"A debate has at most {MOST_ROUNDS} rounds.",
            next_step="Stop here, or fork from an earlier round.",
        )
    if action is GateAction.FORK and verdict.fork is None:
        raise InputError(
            "action",
            "No two incompatible decisions are both held firmly here.",
            next_step="Continue or stop; a fork with a decision of your own can be made from any finished round.",
        )
    if action is GateAction.FORK and not rounds_left(run.config, round_):
        raise _no_round_left(round_)


def _within_cap(run: Run, seat: Role) -> None:
    """Raises InputError when one answer would take the debate over its cap; an unknown price cannot be held to one."""
    cap, spent = run.config.budget.dollars, run.usage.dollars
    price = baseline.dollars(run.config, run.config.seat(seat))
    if cap is not None and spent is not None and price is not None and spent + price > cap:
        raise InputError(
            "seat",
            f"The debate may cost ${cap:.2f} and has cost ${spent:.2f}; one answer would cost about ${price:.2f} more.",
            next_step="Ask in a debate of its own, or the model of another seat.",
        )


def _may_ask(run: Run) -> None:
    """Raises InputError when one model cannot be asked once now."""
    if not run.state.ended and run.state is not DebateState.WAITING:
        raise InputError(
            "id", f"Debate {run.id} is {run.state}.", next_step="Ask one model when it waits or has ended."
        )
    if run.baseline and run.baseline.state == "answered":
        raise InputError("id", f"{run.baseline.model} has answered once already.", next_step="Read its answer.")


def _taken_up(parent: Run, config: DebateConfig, by: str, reason: str) -> GateDecision:
    """What a fork begins with at the gate of its last shared round."""
    assert config.lineage is not None
    number = config.lineage.round
    verdict = parent.rounds[number - 1].verdict if 0 < number <= len(parent.rounds) else None
    if verdict is None:
        raise InputError("after_round", f"Round {number} of debate {parent.id} is not finished.")
    goes_on = number < min(config.rounds, MOST_ROUNDS)
    return GateDecision(
        action=GateAction.CONTINUE if goes_on else GateAction.STOP,
        recommended=verdict.recommendation,
        by=by,
        at=events.now(),
        note=reason,
    )


def _standing_step(run: Run) -> str:
    """The step a debate stands in; empty when it waits or has ended."""
    last = run.last
    if run.state not in (DebateState.QUEUED, DebateState.RUNNING):
        return ""
    if last is None:
        return "r1"
    if last.decision is None:
        return f"r{last.number}"
    rounds = run.config.rounds if last.decision.by == AUTOPILOT else MOST_ROUNDS
    return next_step(last.number, last.decision.action, rounds)


def _step_to_retry(run: Run, spent: AbstractSet[str]) -> str:
    """The step whose calls failed. Raises InputError when there is none, or the debate has gone on since."""
    last = run.last
    if run.state.ended and any(slot.startswith("end.") for slot in spent):
        return END
    if run.state is DebateState.FAILED and last and last.decision and best_round(run.rounds):
        return END
    if last is not None and run.state in (DebateState.FAILED, DebateState.WAITING):
        if any(slot.startswith(f"r{last.number}.") for slot in spent):
            return f"r{last.number}"
        if run.state is DebateState.FAILED:
            return END if last.decision or (last.synthesis and not last.verdict) else f"r{last.number}"
    if run.state is DebateState.FAILED:
        return "r1"
    raise InputError("id", f"No call of debate {run.id} can be made again: it is {run.state}.")


def _problems(c: Connection, id_: str) -> list[str]:
    """What is wrong with a record: its chain, its calls against their traces, its gates against their decisions."""
    row = debates.get(c, id_)
    told = events.read(c, id_)
    found = chain.problems(told, version=row.version, head=row.head)
    traces = {e.payload["id"]: e.payload for e in told if e.kind is EventKind.CALL_ENDED}
    kept = calls.read(c, id_)
    for call in kept:
        trace = traces.get(call.id)
        if trace is None:
            found.append(f"call {call.id} ({call.slot}): the events do not tell of it")
        elif trace["record_sha"] and trace["record_sha"] != chain.sha(call.body):
            found.append(f"call {call.id} ({call.slot}): was changed after it was recorded")
    for missing in traces.keys() - {call.id for call in kept}:
        found.append(f"call {missing} ({traces[missing]['slot']}): is missing")
    decided = [e.payload for e in told if e.kind is EventKind.GATE_DECIDED]
    for gate in gates.read(c, id_):
        if gate.decision is not None and gate.decision.model_dump(mode="json") not in decided:
            found.append(f"gate of round {gate.round}: the decision is not the one that was recorded")
    return found
