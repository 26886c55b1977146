"""What happened, in order: the append-only record that a run is folded from.

`key` makes an event idempotent: a debate holds at most one event of a key, so a resumed round writes nothing twice.
"""

from enum import StrEnum
from typing import Any

from pydantic import Field

from vada.models.base import Value
from vada.models.vocabulary import PhaseName


class EventKind(StrEnum):
    """What an event says; `payload` holds the value named beside it."""

    DEBATE_CREATED = "debate_created"  # DebateConfig
    ROUND_STARTED = "round_started"  # {}
    PHASE_STARTED = "phase_started"  # {}
    REPLIED = "replied"  # Proposal: a card is complete
    PHASE_FINISHED = "phase_finished"  # the phase's output
    DEGRADED = "degraded"  # Degraded
    BREACHED = "breached"  # Breach
    CALL_ENDED = "call_ended"  # CallTrace
    GATE_OPENED = "gate_opened"  # GateVerdict
    GATE_DECIDED = "gate_decided"  # GateDecision
    ROUND_FINISHED = "round_finished"  # {}
    DEBATE_ENDED = "debate_ended"  # Ending
    RESUMED = "resumed"  # {}: the engine took the debate up again; {"retry": "r2" or "end"}: that step begins anew
    FORKED = "forked"  # {"children": [...]}
    BASELINE = "baseline"  # Baseline: as it stands now; the last one holds


class Event(Value):
    """One entry of a debate's record; `hash` chains over everything before it."""

    debate: str
    seq: int = Field(ge=1)
    at: str = Field(description="ISO time, UTC")
    kind: EventKind
    round: int = Field(default=0, description="0 outside rounds")
    phase: PhaseName | None = None
    key: str
    payload: dict[str, Any]
    prev: str = ""
    hash: str = ""
