"""How a scripted answer goes: whole and changed, or wrong in one exact way."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.fake_messages import engine

Body = dict[str, Any]
Message = dict[str, Any]


class Exchange(Protocol):
    """What an answer may do with a request."""

    body: Body

    def default(self) -> Message: ...

    def status(self, code: int, data: Any, headers: dict[str, str]) -> None: ...

    def send(self, message: Message, *, until: int | None = None, then: str = "end", data: Any = None) -> None:
        """Send a message; with `until`, only so many characters of its text, then: `stop` the stream properly but
        without its end, `drop` the connection, `hang`, or send an `error` event with `data`."""

    def hang(self, seconds: float | None) -> None: ...

    def raw(self, content: bytes, content_type: str) -> None: ...


class Answer(Protocol):
    """A scripted answer."""

    def play(self, exchange: Exchange) -> None: ...


@dataclass(frozen=True)
class Default:
    """As if nothing were scripted."""

    def play(self, exchange: Exchange) -> None:
        exchange.send(exchange.default())


_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Status:
    """An HTTP error in the API's own shape."""

    code: int
    message: str = "scripted"
    headers: dict[str, str] = field(default_factory=dict)
    type: str = ""

    def play(self, exchange: Exchange) -> None:
        kind = self.type or _TYPES.get(self.code, "api_error")
        data = {"type": "error", "error": {"type": kind, "message": self.message}}
        exchange.status(self.code, data, self.headers)


@dataclass(frozen=True)
class Hang:
    """Nothing comes, or nothing more after `after` characters, until the client goes or `seconds` are over."""

    seconds: float | None = None
    after: int | None = None

    def play(self, exchange: Exchange) -> None:
        if self.after is not None:
            exchange.send(exchange.default(), until=self.after, then="hang")
        else:
            exchange.hang(self.seconds)


@dataclass(frozen=True)
class CutStream:
    """The stream ends after `after` characters: properly closed, or with `dropped` the connection is lost."""

    after: int = 40
    dropped: bool = False

    def play(self, exchange: Exchange) -> None:
        exchange.send(exchange.default(), until=self.after, then="drop" if self.dropped else "stop")


@dataclass(frozen=True)
class ErrorInStream:
    """An `error` event in the middle of a stream that began with status 200."""

    type: str = "overloaded_error"
    message: str = "Overloaded"
    after: int = 40

    def play(self, exchange: Exchange) -> None:
        data = {"type": "error", "error": {"type": self.type, "message": self.message}}
        exchange.send(exchange.default(), until=self.after, then="error", data=data)


@dataclass(frozen=True)
class Text:
    """A reply of exactly this text."""

    text: str
    stop: str | None = "end_turn"

    def play(self, exchange: Exchange) -> None:
        exchange.send(engine.message([engine.text_block(self.text)], exchange.body, self.stop))


NoSubmit = Text
"""With search on: text instead of a call of `submit`."""


@dataclass(frozen=True)
class Whole:
    """A message of exactly these blocks."""

    content: tuple[dict[str, Any], ...]
    stop: str | None = "end_turn"
    more: dict[str, Any] = field(default_factory=dict)

    def play(self, exchange: Exchange) -> None:
        exchange.send(engine.message(list(self.content), exchange.body, self.stop, **self.more))


@dataclass(frozen=True)
class Changed:
    """The default answer with its reply changed."""

    change: Callable[[dict[str, Any]], Any]

    def play(self, exchange: Exchange) -> None:
        whole = exchange.default()
        exchange.send(engine.replaced(whole, self.change(json.loads(engine.reply_text(whole)))))


@dataclass(frozen=True)
class MaxTokens:
    """The default reply, cut off after `after` characters by the token limit."""

    after: int = 60

    def play(self, exchange: Exchange) -> None:
        text = engine.reply_text(exchange.default())[: self.after]
        exchange.send(engine.message([engine.text_block(text)], exchange.body, "max_tokens"))


@dataclass(frozen=True)
class Refusal:
    """The model refuses."""

    category: str = "cyber"
    explanation: str = "This request was declined."

    def play(self, exchange: Exchange) -> None:
        details = {"type": "refusal", "category": self.category, "explanation": self.explanation}
        exchange.send(engine.message([], exchange.body, "refusal", stop_details=details))


@dataclass(frozen=True)
class EmptyReply:
    """A message without content."""

    def play(self, exchange: Exchange) -> None:
        exchange.send(engine.message([], exchange.body))


@dataclass(frozen=True)
class Malformed:
    """Status 200 with something that is not the protocol."""

    content: bytes = b"event: message_start\ndata: {broken\n\n"
    content_type: str = "text/event-stream"

    def play(self, exchange: Exchange) -> None:
        exchange.raw(self.content, self.content_type)


@dataclass(frozen=True)
class Pause:
    """A long turn that pauses after its search and wants to be sent back."""

    def play(self, exchange: Exchange) -> None:
        blocks = engine.search_blocks(exchange.body)
        exchange.send(engine.searched(engine.message(blocks, exchange.body, "pause_turn")))


@dataclass(frozen=True)
class LooksUp:
    """The model asks for searches by the tool it was given, all at once."""

    queries: tuple[str, ...] = ("monolith migrations that went wrong",)
    tool: str = "search_web"

    def play(self, exchange: Exchange) -> None:
        turns = len(exchange.body["messages"])
        calls = [
            {"type": "tool_use", "id": f"toolu_{turns}_{i}", "name": self.tool, "input": {"query": query}}
            for i, query in enumerate(self.queries)
        ]
        exchange.send(engine.message([engine.text_block("I look it up."), *calls], exchange.body, "tool_use"))


@dataclass(frozen=True)
class SearchFails:
    """The search fails with this code; the reply is handed in all the same."""

    code: str = "unavailable"

    def play(self, exchange: Exchange) -> None:
        handed_in = [b for b in exchange.default()["content"] if b["type"] == "tool_use"]
        asked = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "it"}}
        error = {"type": "web_search_tool_result_error", "error_code": self.code}
        result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": error}
        exchange.send(engine.message([asked, result, *handed_in], exchange.body, "tool_use"))
