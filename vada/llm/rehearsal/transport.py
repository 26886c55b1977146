"""The offline engine as a transport under the real SDK: the same protocol, no socket. Owns pacing; makes no answer."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from vada.llm import sse
from vada.llm.rehearsal.engine import Rehearsal, input_tokens
from vada.llm.rehearsal.reading import read
from vada.models.debate import REHEARSAL

SECONDS = {
    "ProposalReply": 7.0,
    "DefenceReply": 3.5,
    "SynthesisReply": 5.0,
    "VerificationReply": 3.5,
    "CompressionReply": 2.0,
    "DeliverableReply": 5.0,
    "AuditReply": 2.0,
    "RevisionReply": 2.5,
}
"""How long each kind of reply is written at speed 1 (s), so that three rounds and the end take a good minute."""

THINKING = 0.12
"""The share of that time before the first word."""

CHUNK = 24
"""Characters of one piece of a stream."""

_TICK = 0.04  # s; shorter waits are put together


class RehearsalTransport(httpx2.AsyncBaseTransport):
    """Serves POST /v1/messages (streamed and plain), /v1/messages/count_tokens and GET /v1/models from the rehearsal.

    `speed` divides the time a reply takes; 0 does not wait. Closing a stream ends it.
    """

    def __init__(self, speed: float = 1.0, seed: int = 0) -> None:
        self._speed = speed
        self._rehearsal = Rehearsal(seed)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        path, raw = request.url.path.rstrip("/"), await request.aread()
        if request.method == "GET" and path.endswith("/v1/models"):
            return _json(_models())
        if request.method == "GET" and "/v1/models/" in path:
            return (
                _json(_models()["data"][0])
                if path.endswith(f"/{REHEARSAL}")
                else _error(404, "not_found_error", "No such model.")
            )
        body = _body(raw)
        if request.method != "POST" or not path.endswith(("/v1/messages", "/v1/messages/count_tokens")):
            return _error(404, "not_found_error", f"The rehearsal does not serve {path}.")
        if body is None or not body.get("messages"):
            return _error(400, "invalid_request_error", "The body is no JSON object with messages.")
        if path.endswith("/count_tokens"):
            return _json({"input_tokens": input_tokens(body)})
        return await self._message(body)

    async def _message(self, body: dict[str, Any]) -> httpx2.Response:
        message = await asyncio.to_thread(self._rehearsal.answer, body)
        seconds = self._seconds(body, message)
        headers = {"request-id": "req_" + message["id"].removeprefix("msg_")}
        if not body.get("stream"):
            if seconds:
                await asyncio.sleep(seconds)
            return _json(message, headers)
        return httpx2.Response(
            200,
            headers={"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", **headers},
            stream=_Paced(message, seconds),
        )

    def _seconds(self, body: dict[str, Any], message: dict[str, Any]) -> float:
        """How long this reply takes to write; agents of a round differ a little."""
        if self._speed <= 0:
            return 0.0
        spread = 0.8 + 0.25 * (int(hashlib.sha256(message["id"].encode()).hexdigest()[:4], 16) / 0xFFFF)
        return SECONDS.get(read(body).title, 2.0) * spread / self._speed


class _Paced(httpx2.AsyncByteStream):
    """A message as server-sent events, written over `seconds`."""

    def __init__(self, message: dict[str, Any], seconds: float) -> None:
        self._message = message
        self._seconds = seconds
        self._closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        frames = list(sse.events(self._message, CHUNK))
        wait = self._seconds * (1 - THINKING) / max(1, len(frames))
        due = self._seconds * THINKING
        for name, data in frames:
            if self._closed:
                return
            yield sse.encode(name, data)
            if name == "message_start" and due:
                await asyncio.sleep(due)
                due = 0.0
            due += wait
            if due >= _TICK:
                await asyncio.sleep(due)
                due = 0.0

    async def aclose(self) -> None:
        """End the stream; nothing more is written."""
        self._closed = True


def _body(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _json(value: dict[str, Any], headers: dict[str, str] | None = None, status: int = 200) -> httpx2.Response:
    return httpx2.Response(
        status,
        headers={"content-type": "application/json", "request-id": "req_rehearsal", **(headers or {})},
        content=json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"),
    )


def _error(status: int, kind: str, message: str) -> httpx2.Response:
    return _json({"type": "error", "error": {"type": kind, "message": message}}, status=status)


def _models() -> dict[str, Any]:
    model = {
        "type": "model",
        "id": REHEARSAL,
        "display_name": "Rehearsal (no model)",
        "created_at": "2026-11-30T00:00:00Z",
        "lifecycle": "active",
        "max_tokens": 64000,
        "max_input_tokens": 1000000,
    }
    return {"data": [model], "has_more": False, "first_id": REHEARSAL, "last_id": REHEARSAL}
