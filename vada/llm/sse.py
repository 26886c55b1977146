"""A finished message as the Messages protocol streams it. Owns the event sequence and its bytes; never makes an answer.

The offline engine and the tests' server both speak through this, so that the real SDK reads them like any provider.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

Frame = tuple[str, dict[str, Any]]
"""The name and the data of one server-sent event."""


def events(message: dict[str, Any], chunk: int = 24) -> Iterator[Frame]:
    """The event sequence of a whole message; text and tool input arrive in pieces of `chunk` characters."""
    usage = message.get("usage") or {}
    opening = {
        "type": "message",
        "role": "assistant",
        **message,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, **usage, "output_tokens": min(1, usage.get("output_tokens", 1))},
    }
    opening.pop("stop_details", None)
    yield "message_start", {"type": "message_start", "message": opening}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(message["content"]):
        yield from _block(index, block, chunk)
    ending = {k: message.get(k) for k in ("stop_reason", "stop_sequence")}
    if message.get("stop_details"):
        ending["stop_details"] = message["stop_details"]
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 0, **usage}}
    yield "message_stop", {"type": "message_stop"}


def encode(name: str, data: dict[str, Any]) -> bytes:
    """One event on the wire; the `event:` line is needed, without it the SDK drops the event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _block(index: int, block: dict[str, Any], chunk: int) -> Iterator[Frame]:
    """One content block: its start, its deltas, its stop. A block that has no deltas arrives whole."""
    start, deltas = _taken_apart(block, chunk)
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def _taken_apart(block: dict[str, Any], chunk: int) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
    match block["type"]:
        case "text":
            cited = [{"type": "citations_delta", "citation": c} for c in block.get("citations") or ()]
            text = [{"type": "text_delta", "text": t} for t in _pieces(block["text"], chunk)]
            return {"type": "text", "text": ""}, [*cited, *text]
        case "tool_use" | "server_tool_use":
            written = json.dumps(block["input"], ensure_ascii=False)
            return {**block, "input": {}}, (
                {"type": "input_json_delta", "partial_json": p} for p in _pieces(written, chunk)
            )
        case "thinking":
            thought = [{"type": "thinking_delta", "thinking": t} for t in _pieces(block["thinking"], chunk)]
            sealed = {"type": "signature_delta", "signature": block.get("signature", "")}
            return {"type": "thinking", "thinking": "", "signature": ""}, [*thought, sealed]
        case _:
            return block, ()


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[i : i + size] for i in range(0, len(text), size))
