"""The HTTP side: routes, keys, streaming, the log. What is answered is decided in `engine` and `answers`."""

import itertools
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.fake_messages import engine, rules, usage
from tests.fake_messages.answers import Answer, Default
from tests.fake_messages.matching import Match, anything
from vada.llm import sse

Body = dict[str, Any]
Gap = Literal["", "ignored", "refused"]

MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
_CHUNK = 24  # characters of a text delta


@dataclass(frozen=True)
class Gaps:
    """What a server lacks of the protocol: `refused` answers 400, `ignored` goes on as if it were not asked."""

    schema: Gap = ""
    stream: Gap = ""
    search: Gap = ""
    tools: bool = False  # whether it refuses every tool
    models: bool = False  # whether it has no list of models
    count: bool = False  # whether it counts no tokens


@dataclass
class Entry:
    """One request as it came and how it went; times are of `time.monotonic()`."""

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: Body
    started: float
    ended: float | None = None
    status: int = 0
    aborted: bool = False  # whether the client went before the end
    message: dict[str, Any] | None = None  # what was answered


@dataclass
class _Rule:
    match: Match
    answer: Answer
    left: int | None


@dataclass
class Server:
    """A Messages server on a port of its own; use as a context manager, or `start` and `stop`."""

    port: int = 0
    latency: float = 0.0  # seconds a reply takes; a third of it before the first event
    seed: int = 0
    gaps: Gaps = Gaps()
    models: tuple[str, ...] = MODELS  # any other is a 404; empty: any model
    needs_key: bool = True
    log: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.engine = engine.Engine(self.seed)
        self.cache = usage.PrefixCache()
        self.stopping = threading.Event()
        self._rules: list[_Rule] = []
        self._lock = threading.Lock()
        self._http: ThreadingHTTPServer | None = None
        self._ids = itertools.count(1)

    @property
    def url(self) -> str:
        """The address to give the SDK. Raises AssertionError before `start`."""
        assert self._http is not None
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def start(self) -> "Server":
        handler = type("Bound", (_Handler,), {"fake": self})
        self._http = _Threads(("127.0.0.1", self.port), handler)
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True, name="fake-messages").start()
        return self

    def stop(self) -> None:
        """Stop listening and let every hanging answer go."""
        self.stopping.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def script(self, answer: Answer, *, match: Match = anything, times: int | None = 1) -> None:
        """Answer the next `times` matching requests so; None is for ever. The first rule that matches answers."""
        with self._lock:
            self._rules.append(_Rule(match, answer, times))

    def unscripted(self) -> None:
        """Forget every rule."""
        with self._lock:
            self._rules.clear()

    @property
    def calls(self) -> list[Entry]:
        """The logged message requests, in the order they came."""
        return [e for e in self.log if e.path == "/v1/messages"]

    def next_id(self) -> str:
        return f"req_fake_{next(self._ids):05d}"

    def scripted(self, body: Body) -> Answer:
        """The answer for a request; uses a rule up."""
        with self._lock:
            for rule in self._rules:
                if rule.left != 0 and rule.match(body):
                    if rule.left is not None:
                        rule.left -= 1
                    return rule.answer
        return Default()


class _Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes is no error here; anything else is shown."""
        import sys

        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    fake: Server
    body: Body
    entry: Entry

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._logged({}, self._get)

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self._logged(json.loads(self.rfile.read(length) or b"{}"), self._post)

    def _logged(self, body: Body, handle: Callable[[], None]) -> None:
        self.body = body
        headers = {k.lower(): v for k, v in self.headers.items()}
        self.entry = Entry(self.command, self.path.partition("?")[0], headers, body, time.monotonic())
        self.request_id = self.fake.next_id()
        self.fake.log.append(self.entry)
        try:
            if self.fake.needs_key and not (headers.get("authorization") or headers.get("x-api-key")):
                self._error(401, "authentication_error", "no key was sent")
            else:
                handle()
        except ConnectionError:
            self.entry.aborted = True
            self.close_connection = True
        finally:
            self.entry.ended = time.monotonic()

    def _get(self) -> None:
        if self.entry.path != "/v1/models" or self.fake.gaps.models:
            self._error(404, "not_found_error", f"no {self.entry.path} here")
            return
        data = [_model(name) for name in self.fake.models]
        ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {}
        self.status(200, {"data": data, "has_more": False, **ends}, {})

    def _post(self) -> None:
        if self.entry.path == "/v1/messages/count_tokens" and not self.fake.gaps.count:
            self.status(200, {"input_tokens": usage.tokens(self.body)}, {})
        elif self.entry.path != "/v1/messages":
            self._error(404, "not_found_error", f"no {self.entry.path} here")
        elif self.fake.models and self.body.get("model") not in self.fake.models:
            self._error(404, "not_found_error", f"model: {self.body.get('model')}")
        elif fault := self._gap() or rules.refusal(self.body):
            self._error(400, "invalid_request_error", fault)
        else:
            self.fake.scripted(self.body).play(self)

    def _gap(self) -> str:
        """Why a server with gaps refuses; empty when it does not."""
        gaps = self.fake.gaps
        if gaps.schema == "refused" and (self.body.get("output_config") or {}).get("format"):
            return "output_config.format: structured outputs are not supported by this server"
        if gaps.stream == "refused" and self.body.get("stream"):
            return "stream: streaming is not supported by this server"
        if gaps.search == "refused" and any(t["name"] == "web_search" for t in self.body.get("tools") or ()):
            return "tools.0: web_search is not enabled for this server"
        if gaps.tools and self.body.get("tools"):
            return "tools: this server does not support tools"
        return ""

    # What an answer may do (see `answers.Exchange`).

    def default(self) -> dict[str, Any]:
        gaps = self.fake.gaps
        return self.fake.engine.answer(self.body, search=not gaps.search, schema=not gaps.schema)

    def status(self, code: int, data: Any, headers: dict[str, str]) -> None:
        content = json.dumps(data).encode()
        self._head(code, {"content-type": "application/json", "content-length": str(len(content)), **headers})
        self.wfile.write(content)

    def raw(self, content: bytes, content_type: str) -> None:
        self._head(200, {"content-type": content_type, "content-length": str(len(content))})
        self.wfile.write(content)

    def hang(self, seconds: float | None) -> None:
        end = None if seconds is None else time.monotonic() + seconds
        while not self.fake.stopping.is_set() and (end is None or time.monotonic() < end):
            if self._client_gone(0.05):
                raise ConnectionAbortedError
        self.close_connection = True

    def send(self, message: dict[str, Any], *, until: int | None = None, then: str = "end", data: Any = None) -> None:
        message = {**message, "usage": {**message["usage"], **self.fake.cache.charge(self.body)}}
        self.entry.message = message
        self._wait(self.fake.latency / 3)
        if not self.body.get("stream") or self.fake.gaps.stream == "ignored":
            self._wait(self.fake.latency * 2 / 3)
            self.status(200, message, _limits())
            return
        self._head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked", **_limits()})
        frames = list(sse.events(message, _CHUNK))
        for name, frame in itertools.islice(frames, None) if until is None else _cut(frames, until):
            self._chunk(sse.encode(name, frame))
            self._wait(self.fake.latency * 2 / 3 / len(frames))
        self._after(then, data)

    def _after(self, then: str, data: Any) -> None:
        """End a stream that was cut."""
        if then == "error":
            self._chunk(sse.encode("error", data))
        if then == "hang":
            self.hang(None)
        elif then == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            self._chunk(b"")

    def _error(self, code: int, kind: str, words: str) -> None:
        self.status(code, {"type": "error", "error": {"type": kind, "message": words}}, {})

    def _head(self, code: int, headers: dict[str, str]) -> None:
        self.entry.status = code
        self.send_response(code)
        for name, value in {"request-id": self.request_id, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")

    def _wait(self, seconds: float) -> None:
        if seconds > 0 and self._client_gone(seconds):
            raise ConnectionAbortedError

    def _client_gone(self, seconds: float) -> bool:
        """Wait so long; whether the client closed the connection meanwhile."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)


def _cut(frames: list[sse.Frame], until: int) -> Iterator[sse.Frame]:
    """The frames up to `until` characters of text or tool input."""
    sent = 0
    for name, frame in frames:
        if name in ("message_delta", "message_stop") or sent >= until:
            return
        delta = frame.get("delta") or {}
        sent += len(delta.get("text") or delta.get("partial_json") or "")
        yield name, frame


def _model(name: str) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-09-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 1_000_000,
        "max_tokens": 128_000,
    }


def _limits() -> dict[str, str]:
    return {"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "49"}
