"""The Messages protocol for the model in this process, under the same SDK. Owns the translation both ways.

No socket: the SDK's client hands its request to this transport. The model sees the prompt as it was sent, the reply's
fields in words before the last block, and can write nothing but such a reply.
"""

import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

from vada.errors import LLMError
from vada.llm.local.bounds import bounded
from vada.llm.local.grammar import grammar
from vada.llm.local.model import Job, LocalModel
from vada.llm.local.server import Chunk
from vada.llm.local.shown import shown
from vada.llm.local.wording import worded
from vada.llm.sse import encode

MOST = 3000
"""Tokens of a reply, whatever more is allowed: a small model that has not ended by then does not end."""

_SAMPLING = {
    "temperature": 0.5,  # the model card's 0.7 lets a model this small wander off the question
    "top_p": 0.8,
    "top_k": 20,
    "repeat_penalty": 1.1,
    "repeat_last_n": 256,
}
_STOPS = {"stop": "end_turn", "length": "max_tokens"}

Body = dict[str, Any]


class LocalTransport(httpx2.AsyncBaseTransport):
    """Answers `/v1/messages` (stream and plain), `/v1/messages/count_tokens` and `/v1/models` from a local model."""

    def __init__(self, model: LocalModel, name: str) -> None:
        self._model = model
        self._name = name

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to a request of the SDK."""
        path = request.url.path.rstrip("/")
        if request.method == "GET" and path.endswith("/models"):
            return httpx2.Response(200, json={"data": [_entry(self._name)], "has_more": False})
        if request.method == "GET" and path.endswith(f"/models/{self._name}"):
            return httpx2.Response(200, json=_entry(self._name))
        if request.method != "POST" or not path.endswith(("/messages", "/messages/count_tokens")):
            return _refusal(404, "not_found_error", "The local model has no such address.")
        body = json.loads(await request.aread())
        if body.get("model") != self._name:
            return _refusal(404, "not_found_error", f"The local model is {self._name}.")
        if body.get("tools"):
            return _refusal(400, "invalid_request_error", "The local model has no tools.")
        if path.endswith("count_tokens"):
            return await self._counted(body)
        return await self._answered(body)

    async def _counted(self, body: Body) -> httpx2.Response:
        job = self._model.count(_request(body)["messages"])
        try:
            found = await _first(job)
        except LLMError as error:
            return _failed(error)
        return httpx2.Response(200, json={"input_tokens": found["count"]})

    async def _answered(self, body: Body) -> httpx2.Response:
        """The answer, once its first sign is there: what cannot be answered gets a status and not a broken stream."""
        job = self._model.chat(_request(body))
        try:
            first = await _first(job)
        except LLMError as error:
            return _failed(error)
        if "error" in first:
            return _model_refusal(first["error"])
        reply = _Reply(job, first, body["model"])
        headers = {"request-id": f"req_{reply.id}"}
        if body.get("stream"):
            return httpx2.Response(200, headers={**headers, "content-type": "text/event-stream"}, stream=_Events(reply))
        try:
            async for _ in reply.pieces():
                pass
        finally:
            job.give_up()
        if reply.error:
            return _model_refusal(reply.error)
        return httpx2.Response(200, headers=headers, json=reply.message())


@dataclass
class _Reply:
    """A reply while it is written."""

    job: Job
    first: Chunk
    model: str
    id: str = field(default_factory=lambda: f"msg_local_{uuid.uuid4().hex[:16]}")
    text: str = ""
    finish: str = ""
    usage: Body = field(default_factory=dict)
    error: Body | None = None

    async def pieces(self) -> AsyncIterator[str]:
        """The text piece by piece; an empty piece says only that the model is at work. Sets `error` when it fails."""
        chunk: Chunk | None = self.first
        try:
            while chunk is not None and self.error is None:
                yield self._take(chunk)
                chunk = await self.job.next()
        except LLMError as error:
            self.error = {"message": str(error)}

    def _take(self, chunk: Chunk) -> str:
        self.error = chunk.get("error")
        if usage := chunk.get("usage"):
            self.usage = _usage(usage)
        piece = ""
        for choice in chunk.get("choices") or ():
            self.finish = choice.get("finish_reason") or self.finish
            piece += (choice.get("delta") or {}).get("content") or ""
        self.text += piece
        return piece

    def message(self) -> Body:
        """The message as the protocol has it."""
        return {
            **self.opening(),
            "content": [{"type": "text", "text": self.text}],
            "stop_reason": self.stop_reason(),
            "usage": self.usage,
        }

    def opening(self) -> Body:
        """The message before its first word."""
        return {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }

    def stop_reason(self) -> str | None:
        """None when the model was stopped from outside."""
        return _STOPS.get(self.finish)


class _Events(httpx2.AsyncByteStream):
    """A reply as server-sent events. Closing it stops the model."""

    def __init__(self, reply: _Reply) -> None:
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[bytes]:
        reply = self._reply
        yield _event("message_start", message=reply.opening())
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        async for piece in reply.pieces():
            if piece:
                yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
            else:
                yield _event("ping")
        if reply.error:
            yield _event("error", error={"type": "api_error", "message": str(reply.error.get("message"))})
            return
        yield _event("content_block_stop", index=0)
        ending = {"stop_reason": reply.stop_reason(), "stop_sequence": None}
        yield _event("message_delta", delta=ending, usage=reply.usage)
        yield _event("message_stop")

    async def aclose(self) -> None:
        self._reply.job.give_up()


def _event(name: str, **data: Any) -> bytes:
    return encode(name, {"type": name, **data})


async def _first(job: Job) -> Chunk:
    """The first chunk; a caller who does not wait for it gives the call up. Raises LLMError."""
    try:
        chunk = await job.next()
    except BaseException:
        job.give_up()
        raise
    if chunk is None:
        raise LLMError("The local model ended without a word.", kind="server")
    return chunk


# From the Messages protocol to the model's.


def _request(body: Body) -> Body:
    """The chat completion for a Messages request."""
    turns = [(m["role"], _texts(m["content"])) for m in body["messages"]]
    request: Body = {
        **_SAMPLING,
        "max_tokens": min(int(body.get("max_tokens") or MOST), MOST),
        "stop": body.get("stop_sequences") or [],
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
        "cache_prompt": True,
    }
    wanted = (body.get("output_config") or {}).get("format")
    if wanted:
        schema = bounded(wanted["schema"], shown(turns[0][1]))
        request["grammar"] = grammar(schema)
        last = turns[-1][1]
        last.insert(max(len(last) - 1, 1), worded(schema))
    system = _texts(body.get("system") or [])
    messages = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    messages += [{"role": role, "content": "\n\n".join(texts)} for role, texts in turns]
    return {**request, "messages": messages}


def _texts(content: str | list[Body]) -> list[str]:
    blocks = [content] if isinstance(content, str) else [b["text"] for b in content if b.get("type") == "text"]
    return [text for text in blocks if text]


def _usage(raw: Body) -> Body:
    """Tokens as the protocol counts them: what was read from the cache stands apart."""
    cached = (raw.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return {
        "input_tokens": raw["prompt_tokens"] - cached,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": raw["completion_tokens"],
    }


# What cannot be answered.


def _entry(name: str) -> Body:
    return {
        "type": "model",
        "id": name,
        "display_name": f"{name} (on this computer)",
        "created_at": "1970-01-01T00:00:00Z",
        "lifecycle": "active",
    }


def _refusal(status: int, kind: str, message: str) -> httpx2.Response:
    """An error of the protocol that no further try can mend."""
    return httpx2.Response(
        status,
        headers={"x-should-retry": "false"},
        json={"type": "error", "error": {"type": kind, "message": message}},
    )


def _failed(error: LLMError) -> httpx2.Response:
    return _refusal(500, "api_error", str(error))


def _model_refusal(error: Body) -> httpx2.Response:
    """The model's own error, in plain words where it is one a person can do something about."""
    if error.get("type") == "exceed_context_size_error":
        tokens, window = error.get("n_prompt_tokens"), error.get("n_ctx")
        said = f"The prompt has {tokens} tokens, and this model reads {window} at once, its reply included."
        return _refusal(400, "request_too_large", said)
    return _refusal(400, "invalid_request_error", str(error.get("message") or error))
