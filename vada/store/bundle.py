"""A debate as one file that moves between installations: a zip of JSON lines. Ids, events and their seal are kept.

A bundle comes from outside, so nothing of it is believed: its size, its names, every line's form and the seal are
checked before a row is written, and what was running there does not run here until somebody resumes it.
"""

import io
import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection, insert, select, update

from vada.errors import InputError
from vada.models.events import Event, EventKind
from vada.models.outputs import GateDecision, GateVerdict
from vada.models.run import CallTrace, Run, fold
from vada.store import calls, chain, debates, events, gates
from vada.store.calls import Call
from vada.store.gates import Gate
from vada.store.schema import calls as calls_table
from vada.store.schema import debates as debates_table

FORMAT = "vada-bundle"
VERSION = 1
MOST_BYTES = 256 * 1024 * 1024
"""Unpacked, all parts together."""

MOST_LINES = 50_000
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, NotImplementedError, EOFError, OSError)
_PARTS = ("bundle.json", "events.jsonl", "calls.jsonl", "gates.jsonl")
_ID = re.compile(r"[0-9a-z]{6,32}")
_NAME = re.compile(r"[\w.~ -]{1,200}")  # keys, slots and call ids


@dataclass(frozen=True)
class Contents:
    """A bundle that was checked."""

    id: str
    run: Run
    events: tuple[Event, ...]
    calls: tuple[Call, ...]
    gates: tuple[Gate, ...]


def pack(c: Connection, debate: str) -> bytes:
    """The bundle of a debate. Raises NotFoundError."""
    row = debates.get(c, debate)
    head = {"format": FORMAT, "version": VERSION, "id": debate, "events": row.version, "head": row.head}
    lines: dict[str, Iterable[Any]] = {
        "bundle.json": [head],
        "events.jsonl": (e.model_dump(mode="json") for e in events.read(c, debate)),
        "calls.jsonl": (call.__dict__ for call in calls.read(c, debate)),
        "gates.jsonl": (_gate_data(g) for g in gates.read(c, debate)),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in _PARTS:
            packed.writestr(name, "".join(chain.canonical(line) + "\n" for line in lines[name]))
    return file.getvalue()


def unpack(data: bytes) -> Contents:
    """Check a bundle. Raises InputError saying what is wrong with it."""
    try:
        return _checked(_read(data))
    except InputError:
        raise
    except (*_DAMAGED, ValidationError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _refused(f"it is damaged or not a bundle ({type(error).__name__})") from error


def enter(c: Connection, contents: Contents) -> None:
    """Write a checked bundle. Raises InputError when the debate is here already."""
    id_, run = contents.id, contents.run
    if c.execute(select(debates_table.c.id).where(debates_table.c.id == id_)).first() is not None:
        raise InputError("bundle", f"Debate {id_} is here already.", next_step="Delete nothing: it is the same debate.")
    debates.create(c, id_, run.config, step="", first=contents.events[0])
    for event in contents.events[1:]:
        events.restore(c, event)
    for call in contents.calls:
        c.execute(insert(calls_table).values(debate=id_, **calls.columns(call)))
    for gate in contents.gates:
        gates.open_(c, id_, gate.round, gate.verdict, at=gate.opened_at)
        if gate.decision is not None:
            gates.decide(c, id_, gate.round, gate.decision)
    c.execute(update(debates_table).where(debates_table.c.id == id_).values(created_at=run.created_at))


def _gate_data(gate: Gate) -> dict[str, Any]:
    return {
        "round": gate.round,
        "opened_at": gate.opened_at,
        "verdict": gate.verdict.model_dump(mode="json"),
        "decision": gate.decision.model_dump(mode="json") if gate.decision else None,
    }


def _refused(why: str) -> InputError:
    return InputError("bundle", f"The bundle is refused: {why}.", next_step="Export it again where it comes from.")


def _read(data: bytes) -> dict[str, list[Any]]:
    """The lines of each part, no more of them than fits the limits."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        names = [i.filename for i in packed.infolist()]
        if sorted(names) != sorted(_PARTS):
            raise _refused("it holds other files than a bundle does")
        left, found = MOST_BYTES, {}
        for info in packed.infolist():
            if info.flag_bits & 1 or info.is_dir():
                raise _refused("it is encrypted or holds folders")
            with packed.open(info) as part:
                text = part.read(left + 1)  # what is there, whatever the header says
            left -= len(text)
            if left < 0:
                raise _refused(f"it is larger than {MOST_BYTES // 1024 // 1024} MB")
            lines = text.splitlines()
            if len(lines) > MOST_LINES:
                raise _refused("it has too many lines")
            found[info.filename] = [json.loads(line) for line in lines]
        return found


def _checked(found: dict[str, list[Any]]) -> Contents:
    (head,) = found["bundle.json"]
    if head["format"] != FORMAT or head["version"] != VERSION:
        raise _refused("it was made by another version of Vāda" if head["format"] == FORMAT else "it is no bundle")
    id_ = str(head["id"])
    told = tuple(Event.model_validate(line) for line in found["events.jsonl"])
    kept = tuple(Call(**line) for line in found["calls.jsonl"])
    opened = tuple(_gate_of(line) for line in found["gates.jsonl"])
    if not _ID.fullmatch(id_) or any(e.debate != id_ for e in told):
        raise _refused("its ids do not agree")
    _check_names(told, kept)
    if broken := chain.problems(told, version=head["events"], head=head["head"]):
        raise _refused(f"its record is not sound: {broken[0]}")
    _check_calls(told, kept)
    decided = [e.payload for e in told if e.kind is EventKind.GATE_DECIDED]
    if any(g.decision and g.decision.model_dump(mode="json") not in decided for g in opened):
        raise _refused("a gate's decision is not in its record")
    return Contents(id_, fold(told), told, kept, opened)


def _check_names(told: tuple[Event, ...], kept: tuple[Call, ...]) -> None:
    """Everything that goes into a short column must fit it, on both databases."""
    names = [*(e.key for e in told), *(x for call in kept for x in (call.id, call.slot))]
    if not all(_NAME.fullmatch(n) for n in names) or any(len(c.id) > 64 or len(c.slot) > 80 for c in kept):
        raise _refused("it holds names that no debate has")
    if len({e.key for e in told}) != len(told) or len({c.id for c in kept}) != len(kept):
        raise _refused("it holds the same thing twice")
    for at in (*(e.at for e in told), *(c.started_at for c in kept)):
        datetime.fromisoformat(at)
        if len(at) > 40:
            raise _refused("it holds times that are none")


def _check_calls(told: tuple[Event, ...], kept: tuple[Call, ...]) -> None:
    """The calls must be those that the events tell of, unchanged."""
    traces = {e.payload["id"]: CallTrace.model_validate(e.payload) for e in told if e.kind is EventKind.CALL_ENDED}
    if traces.keys() != {call.id for call in kept}:
        raise _refused("its calls are not those its record tells of")
    for call in kept:
        trace = traces[call.id]
        same = (call.slot, call.attempt, call.round) == (trace.slot, trace.attempt, trace.round)
        if not same or trace.record_sha != chain.sha(call.body):
            raise _refused(f"call {call.id} is not the one its record tells of")


def _gate_of(line: dict[str, Any]) -> Gate:
    datetime.fromisoformat(line["opened_at"])
    return Gate(
        round=int(line["round"]),
        verdict=GateVerdict.model_validate(line["verdict"]),
        opened_at=line["opened_at"],
        decision=GateDecision.model_validate(line["decision"]) if line["decision"] else None,
    )
