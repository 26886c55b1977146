"""A run: everything a debate has become, folded from its events. Pure; the page, the CLI and the exports read it."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from vada.models.base import Value
from vada.models.debate import DebateConfig, ModelRef
from vada.models.events import Event, EventKind
from vada.models.outputs import (
    Audit,
    Baseline,
    Breach,
    Brief,
    ChallengeRegister,
    Conclusion,
    Degraded,
    Deliverable,
    Dossier,
    GateDecision,
    GateVerdict,
    Proposal,
    Proposals,
    Synthesis,
    Verification,
)
from vada.models.vocabulary import DebateState, PhaseName, Role

BASELINE = "baseline"
"""The slot and the step of the one model that is asked once."""


class Usage(Value):
    """Tokens, searches, time and money of one or more calls. `dollars` None means the price is unknown."""

    input_tokens: int = Field(default=0, description="uncached input tokens")
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    searches: int = 0
    seconds: float = 0
    dollars: float | None = 0

    def __add__(self, other: "Usage") -> "Usage":
        dollars = None if self.dollars is None or other.dollars is None else self.dollars + other.dollars
        mine, theirs = self.model_dump(exclude={"dollars"}), other.model_dump(exclude={"dollars"})
        return Usage(dollars=dollars, **{k: mine[k] + theirs[k] for k in mine})


class CallTrace(Value):
    """What the run keeps of a model call; prompt and reply stand in the store's call record under `id`."""

    id: str
    slot: str
    attempt: int
    role: Role
    phase: PhaseName
    round: int
    model: ModelRef
    prompt_hash: str
    constraints_sha: str = Field(
        default="", description="hash of the constraints block found in the prompt; empty if it has none"
    )
    started_at: str
    status: str = Field(description="ok, or the kind of error")
    message: str = Field(default="", description="the provider's own words on an error")
    stop_reason: str = ""
    usage: Usage = Usage()
    reused: bool = Field(default=False, description="taken over from the parent of a fork; not paid again")
    record_sha: str = Field(default="", description="sha256 of the call record, so that the record's seal covers it")

    @property
    def beside(self) -> bool:
        """Whether the call stands beside the debate: the one answer of one model."""
        return self.slot == BASELINE


class Ending(Value):
    """How a debate ended."""

    state: DebateState
    reason: str


class Round(Value):
    """One round; what has not happened yet is None."""

    number: int
    dossier: Dossier | None = None
    replied: tuple[Proposal, ...] = Field(default=(), description="cards complete so far, before phase 2 ends")
    proposals: Proposals | None = None
    challenges: ChallengeRegister | None = None
    synthesis: Synthesis | None = None
    verification: Verification | None = None
    brief: Brief | None = None
    verdict: GateVerdict | None = None
    decision: GateDecision | None = None
    finished: bool = False


_OUTPUTS: dict[PhaseName, tuple[str, type[Value]]] = {
    PhaseName.PREPARE: ("dossier", Dossier),
    PhaseName.PROPOSE: ("proposals", Proposals),
    PhaseName.CHALLENGE: ("challenges", ChallengeRegister),
    PhaseName.SYNTHESIZE: ("synthesis", Synthesis),
    PhaseName.VERIFY: ("verification", Verification),
    PhaseName.COMPRESS: ("brief", Brief),
}


_ENDING = (PhaseName.FORMAT, PhaseName.AUDIT)


class Run(Value):
    """A debate as it stands."""

    id: str
    config: DebateConfig
    state: DebateState
    reason: str = Field(default="", description="why it stands or ended as it did")
    created_at: str
    updated_at: str
    version: int = Field(description="number of events folded; a figure is rebuilt when its own data changed")
    head: str = Field(description="hash of the last event: the record's seal")
    phase: PhaseName | None = Field(default=None, description="the phase running or last run")
    rounds: tuple[Round, ...] = ()
    deliverable: Deliverable | None = None
    audit: Audit | None = None
    baseline: Baseline | None = Field(default=None, description="one model asked once, beside the debate")
    degraded: tuple[Degraded, ...] = ()
    breaches: tuple[Breach, ...] = ()
    calls: tuple[CallTrace, ...] = ()
    children: tuple[str, ...] = ()
    phase_times: dict[str, tuple[str, str]] = Field(
        default={}, description="`r1.p2_propose` to start and end time; end empty while running"
    )

    @property
    def conclusion(self) -> Conclusion | None:
        """The audited conclusion, else that of the last synthesis, else None."""
        if self.audit:
            return self.audit.conclusion
        return next((r.synthesis.conclusion for r in reversed(self.rounds) if r.synthesis), None)

    @property
    def usage(self) -> Usage:
        """What this debate itself paid; reused calls are the parent's."""
        return sum((c.usage for c in self.calls if not c.reused), Usage())

    @property
    def last(self) -> Round | None:
        """The round running or last run."""
        return self.rounds[-1] if self.rounds else None


def fold(events: Iterable[Event]) -> Run:
    """Make the run of its events. Raises ValueError when the first is not `debate_created`."""
    events = list(events)
    if not events or events[0].kind is not EventKind.DEBATE_CREATED:
        raise ValueError("a debate's record begins with debate_created")
    run: dict[str, Any] = {
        "state": DebateState.QUEUED,
        "reason": "",
        "degraded": [],
        "breaches": [],
        "calls": [],
        "children": [],
    }
    rounds: dict[int, dict[str, Any]] = {}
    times: dict[str, tuple[str, str]] = {}
    for e in events:
        _apply(run, rounds, times, e)
    first, last = events[0], events[-1]
    return Run(
        id=first.debate,
        config=DebateConfig.model_validate(first.payload),
        created_at=first.at,
        updated_at=last.at,
        version=len(events),
        head=last.hash,
        rounds=tuple(Round(**{**r, "replied": tuple(r["replied"])}) for _, r in sorted(rounds.items())),
        phase_times=times,
        **run,
    )


def _apply(run: dict[str, Any], rounds: dict[int, dict[str, Any]], times: dict[str, tuple[str, str]], e: Event) -> None:
    """Fold one event in."""
    match e.kind:
        case EventKind.ROUND_STARTED:
            rounds.setdefault(e.round, {"number": e.round, "replied": []})
            run.update(state=DebateState.RUNNING, reason="")
        case EventKind.PHASE_STARTED:
            times[_slot(e)] = (e.at, "")
            run.update(phase=e.phase, state=DebateState.RUNNING, reason="")
        case EventKind.REPLIED:
            rounds[e.round]["replied"].append(Proposal.model_validate(e.payload))
        case EventKind.PHASE_FINISHED:
            times[_slot(e)] = (times.get(_slot(e), (e.at, ""))[0], e.at)
            _finish(run, rounds, e)
        case EventKind.DEGRADED:
            run["degraded"].append(Degraded.model_validate(e.payload))
        case EventKind.BREACHED:
            run["breaches"].append(Breach.model_validate(e.payload))
        case EventKind.CALL_ENDED:
            run["calls"].append(CallTrace.model_validate(e.payload))
        case EventKind.GATE_OPENED:
            verdict = GateVerdict.model_validate(e.payload)
            rounds[e.round]["verdict"] = verdict
            if verdict.wait:
                run.update(state=DebateState.WAITING, reason=f"waiting at the gate of round {e.round}")
        case EventKind.GATE_DECIDED:
            rounds[e.round]["decision"] = GateDecision.model_validate(e.payload)
            run.update(state=DebateState.RUNNING, reason="")
        case EventKind.ROUND_FINISHED:
            rounds[e.round]["finished"] = True
        case EventKind.DEBATE_ENDED:
            ending = Ending.model_validate(e.payload)
            run.update(state=ending.state, reason=ending.reason)
        case EventKind.BASELINE:
            run["baseline"] = Baseline.model_validate(e.payload)
        case EventKind.FORKED:
            run["children"].extend(e.payload["children"])
        case EventKind.RESUMED:
            run.update(state=DebateState.RUNNING, reason="")
            if "retry" in e.payload:
                _begin_again(run, rounds, e.payload["retry"], e.round)
        case EventKind.DEBATE_CREATED:
            pass


def _begin_again(run: dict[str, Any], rounds: dict[int, dict[str, Any]], step: str, round_: int) -> None:
    """Forget what a step that is tried again (`r2`, `end`) had come to, and the ending after it; its finished calls
    answer from the record."""
    ending = step == "end"
    run.update(deliverable=None, audit=None)
    if not ending and round_ in rounds:
        rounds[round_] = {"number": round_, "replied": []}
    for name in ("degraded", "breaches"):
        run[name] = [x for x in run[name] if x.round != round_ or (ending and x.phase not in _ENDING)]


def _slot(e: Event) -> str:
    return f"r{e.round}.{e.phase}" if e.phase else f"r{e.round}"


def _finish(run: dict[str, Any], rounds: dict[int, dict[str, Any]], e: Event) -> None:
    """Put a finished phase's output where it belongs."""
    if e.phase is PhaseName.FORMAT:
        run["deliverable"] = Deliverable.model_validate(e.payload)
    elif e.phase is PhaseName.AUDIT:
        run["audit"] = Audit.model_validate(e.payload)
    elif e.phase in _OUTPUTS:
        field, kind = _OUTPUTS[e.phase]
        rounds[e.round][field] = kind.model_validate(e.payload)
