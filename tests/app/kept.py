"""A builder's run with its model calls kept as the engine keeps them, so that prompts, replies and bundles are real."""

from dataclasses import replace
from typing import Any

from tests import recorded
from vada.engine import call_of, trace_of
from vada.llm.base import CallRecord, Part
from vada.models.run import CallTrace, Run
from vada.settings import load
from vada.store import Database, calls

PARTS = ("shared", "posture", "horizon", "context", "input", "round", "anchor")


def put(run: Run, **changes: Any) -> str:
    """Write the run and a record of each of its calls; `changes` go into every record. Returns the id."""
    kept = [replace(call_of(replace(a_record(t), **changes)), reused=t.reused) for t in run.calls]
    recorded.put(run.model_copy(update={"calls": tuple(trace_of(call) for call in kept)}))
    database = Database.open(load().database_url)
    for call in kept:
        database.write(lambda c, call=call: calls.save(c, run.id, call))
    database.close()
    return run.id


def a_record(trace: CallTrace) -> CallRecord:
    """The record that a call's trace tells of."""
    parts = tuple(Part(name, f"Text of {name} for {trace.role.title}.") for name in PARTS)
    blocks = [{"type": "text", "text": part.text} for part in parts]
    fine = trace.status == "ok"
    answer = {"content": [{"type": "text", "text": '{"weakness": "Weak."}'}], "stop_reason": "end_turn"}
    return CallRecord(
        id=trace.id,
        slot=trace.slot,
        attempt=trace.attempt,
        role=trace.role.value,
        phase=trace.phase.value,
        round=trace.round,
        model=str(trace.model),
        request={"model": trace.model.name, "max_tokens": 8000, "messages": [{"role": "user", "content": blocks}]},
        parts=parts,
        message=answer if fine else None,
        error=None if fine else {"kind": trace.status, "message": trace.message, "status": 529},
        started_at=trace.started_at,
        seconds=trace.usage.seconds,
        first_token_seconds=0.8,
        usage=trace.usage,
        prompt_hash=trace.prompt_hash,
        constraints_sha=trace.constraints_sha,
        request_id="req_1",
    )
