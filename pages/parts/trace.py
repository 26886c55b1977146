"""A model call in rows and words for the Calls screen. Pure: call records in, rows, text and figures' data out."""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from vada.llm.base import CallRecord, Part
from vada.models.run import Usage
from vada.models.vocabulary import PhaseName, Role
from vada.views import words

PARTS: dict[str, str] = {
    "shared": "Question, constraints, material: the same in every call, so that the provider's cache can serve it.",
    "posture": "Who the agent is, how it argues, and when it must concede.",
    "horizon": "What this call is for, and what it must not do yet.",
    "context": "Where the debate stands, the same for every agent of the round.",
    "input": "What this call works on: other agents' texts with authors shown as letters.",
    "round": "What this round asks of the role.",
    "whisper": "A note from the person at the gate.",
    "schema": "The shape a reply must have, described because this server does not enforce it.",
    "fault": "What was wrong with the reply before this one.",
    "anchor": "The last words of the prompt: the exact question, the role and the word cap again.",
}
"""What each part of a prompt is for."""
FAILURES = {
    "auth": "key refused",
    "billing": "payment wanted",
    "permission": "not permitted",
    "not_found": "unknown model",
    "bad_request": "request refused",
    "too_large": "too large",
    "rate_limited": "rate limit",
    "overloaded": "overloaded",
    "server": "provider's error",
    "connection": "not reached",
    "timeout": "no answer in time",
    "cancelled": "stopped",
    "interrupted": "program ended",
    "truncated": "broken off",
    "malformed": "no Messages protocol",
    "bad_reply": "unusable reply",
    "empty": "empty reply",
    "max_tokens": "did not fit",
    "refused": "model refused",
    "context": "window too small",
    "not_configured": "not set up",
}
"""Kinds of error in few words; a kind that is not here is shown as it is."""
IDLE = 20.0
"""Seconds without any call after which the time line is cut: a debate may wait for days at a gate."""
CUT = 4.0
"""Seconds that a cut takes on the time line."""


@dataclass(frozen=True)
class Row:
    """One wire call as a row. `begin`: seconds from the first call, idle time cut out; `seconds` it took."""

    id: str
    slot: str
    label: str
    role: Role
    phase: PhaseName
    model: str
    begin: float
    seconds: float
    status: str
    ok: bool
    attempt: int
    retried: bool
    reused: bool
    usage: Usage

    @property
    def tokens_in(self) -> int:
        """Everything the model read, cached or not."""
        return self.usage.input_tokens + self.usage.cache_read_tokens + self.usage.cache_write_tokens

    @property
    def cached(self) -> float | None:
        """The share of what it read that came from the cache; None when it read nothing."""
        return self.usage.cache_read_tokens / self.tokens_in if self.tokens_in else None


@dataclass(frozen=True)
class Pause:
    """A cut of the time line: where it lies, and how many seconds were left out there."""

    at: float
    seconds: float


def rows(records: Iterable[CallRecord], reused: Collection[str] = ()) -> tuple[list[Row], list[Pause]]:
    """The calls in the order they began, and the cuts between them. `reused` are ids taken over from a parent."""
    ordered = sorted(records, key=lambda r: (r.started_at, r.slot, r.attempt))
    last: dict[str, int] = {}
    for record in ordered:
        last[record.slot] = max(record.attempt, last.get(record.slot, 0))
    begins, pauses = _without_idle(ordered)
    made = [_row(r, at, r.attempt < last[r.slot], r.id in reused) for r, at in zip(ordered, begins, strict=True)]
    return made, pauses


def _without_idle(ordered: Sequence[CallRecord]) -> tuple[list[float], list[Pause]]:
    """When each call began on a line from which idle time is cut."""
    begins: list[float] = []
    pauses: list[Pause] = []
    cut, busy_until = 0.0, 0.0
    first = words.moment(ordered[0].started_at) if ordered else None
    for record in ordered:
        real = (words.moment(record.started_at) - first).total_seconds() if first else 0.0
        if real - busy_until > IDLE:
            pauses.append(Pause(busy_until - cut + CUT / 2, real - busy_until))
            cut += real - busy_until - CUT
        begins.append(real - cut)
        busy_until = max(busy_until, real + record.seconds)
    return begins, pauses


def _row(record: CallRecord, begin: float, retried: bool, reused: bool) -> Row:
    return Row(
        id=record.id,
        slot=record.slot,
        label=label(record.slot, record.attempt),
        role=Role(record.role),
        phase=PhaseName(record.phase),
        model=record.model,
        begin=begin,
        seconds=record.seconds,
        status="taken over" if reused else status(record),
        ok=record.error is None,
        attempt=record.attempt,
        retried=retried,
        reused=reused,
        usage=record.usage,
    )


def label(slot: str, attempt: int) -> str:
    """A slot in words: `Round 1 · propose Optimizer A`; a later attempt says so."""
    stage, *rest = slot.split(".")
    where = f"Round {stage[1:]}" if stage[1:].isdigit() else "End"
    named = [Role(word).title if word in set(Role) else word.replace("verify2", "verify again") for word in rest]
    numbered = [f"look {word}" if word.isdigit() else word for word in named]
    return " ".join([where, "·", *numbered]) + (f", attempt {attempt}" if attempt > 1 else "")


def status(record: CallRecord) -> str:
    """How the call ended, in a few words."""
    if record.error is None:
        return "answered"
    kind = str(record.error.get("kind", "failed"))
    return FAILURES.get(kind, kind.replace("_", " "))


def reply(record: CallRecord) -> str:
    """The reply as a person can read it: text as written, a tool's input and JSON text indented, searches in a line."""
    blocks = (record.message or {}).get("content") or []
    return "\n\n".join(filter(None, (_block(block) for block in blocks)))


def _block(block: dict[str, Any]) -> str:
    match block.get("type"):
        case "text":
            return _indented(str(block.get("text", "")))
        case "thinking":
            return f"(thinking)\n{block.get('thinking', '')}"
        case "tool_use" | "server_tool_use":
            given = json.dumps(block.get("input"), indent=2, ensure_ascii=False)
            return f"({block.get('name', 'tool')})\n{given}"
        case "web_search_tool_result":
            found = block.get("content")
            lines = [f"- {r.get('title', '')} — {r.get('url', '')}" for r in found] if isinstance(found, list) else []
            return "(found)\n" + "\n".join(lines or [str(found)])
        case _:
            return ""


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text


def facts(record: CallRecord) -> dict[str, str]:
    """What is known of a call, by name."""
    usage, message, error = record.usage, record.message or {}, record.error or {}
    known = {
        "Model": record.model,
        "Ended": status(record),
        "Stop reason": str(message.get("stop_reason") or ""),
        "Provider's words": str(error.get("message", "")),
        "HTTP status": str(error.get("status") or ""),
        "Request id": record.request_id or str(error.get("request_id") or ""),
        "Attempt": str(record.attempt),
        "Time": words.span(record.seconds),
        "First word after": f"{record.first_token_seconds:.1f} s" if record.first_token_seconds is not None else "",
        "Read": f"{usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens:,} tokens",
        "Of these from cache": f"{usage.cache_read_tokens:,}" if usage.cache_read_tokens else "",
        "Written": f"{usage.output_tokens:,} tokens",
        "Of these thinking": f"{usage.thinking_tokens:,}" if usage.thinking_tokens else "",
        "Web searches": str(usage.searches or ""),
        "Cost": words.money(usage.dollars),
        "Prompt hash": record.prompt_hash[:16],
    }
    return {name: value for name, value in known.items() if value}


def shares(parts: Sequence[Part], count: Callable[[str], int]) -> list[tuple[str, int, float]]:
    """Each part's name, its length by `count`, and its share of the whole prompt from 0 to 1."""
    lengths = [count(part.text) for part in parts]
    whole = sum(lengths) or 1
    return [(part.name, length, length / whole) for part, length in zip(parts, lengths, strict=True)]


def download(record: CallRecord) -> bytes:
    """The call as JSON: what was sent, what came back, what it took. No header, so no key."""
    kept = (
        "id",
        "slot",
        "attempt",
        "role",
        "model",
        "started_at",
        "seconds",
        "request",
        "message",
        "error",
        "prompt_hash",
    )
    data = {name: getattr(record, name) for name in kept} | {"usage": record.usage.model_dump()}
    return json.dumps(data, indent=2, ensure_ascii=False).encode()


def total(found: Sequence[Row]) -> Usage:
    """What all calls of this debate took together; those taken over were paid by the parent."""
    return sum((row.usage for row in found if not row.reused), Usage())
