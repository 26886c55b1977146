"""Who is called: one client, one queue and one back-off per endpoint, and the search provider. Never builds a prompt
and never reads a reply.

A client belongs to the event loop that made it, so each loop has its own; the back-off after a 429 is the endpoint's,
for every debate of the process. A key is read from the environment when a call is made and lives in the client only.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import anthropic
import httpx2
from anthropic import AsyncAnthropic

from vada.errors import LLMError, SettingsError
from vada.llm.faults import scrub
from vada.llm.search import SearchProvider, provider
from vada.models.debate import REHEARSAL
from vada.settings import LOCAL, EndpointSettings, Settings

CONNECT = 10.0
"""Seconds to reach a server; how long it may then think is the call's own limit."""

_TALKATIVE = (
    *("anthropic._base_client", "httpx2", "httpcore2.http11", "httpcore2.http2", "httpcore2.proxy"),
    *("httpx", "httpcore.http11", "httpcore.http2", "httpcore.proxy"),  # a search provider's
)
"""Loggers that tell of a call's headers, which a provider may fill with what it was sent."""


class _NoSecrets(logging.Filter):
    """Takes every secret of the process out of what is logged of its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = scrub(record.getMessage(), self.secrets), ()
        return True


_no_secrets = _NoSecrets()


def _keep_from_logs(secrets: Iterable[str]) -> None:
    """Let no logger that tells of calls tell these."""
    _no_secrets.secrets.update(filter(None, secrets))
    for logger in _TALKATIVE:
        logging.getLogger(logger).addFilter(_no_secrets)


@dataclass(frozen=True)
class Line:
    """An endpoint ready to be called from the running event loop."""

    name: str
    settings: EndpointSettings
    client: AsyncAnthropic
    places: asyncio.Semaphore
    secrets: tuple[str, ...]  # what must never stand in a text


class Endpoints:
    """The configured endpoints of a process; hand the one object to every debate. `search` is a provider in the place
    of the one that the settings name."""

    def __init__(self, settings: Settings, search: SearchProvider | None = None) -> None:
        self.settings = settings
        self._search = search
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Line]] = WeakKeyDictionary()
        self._not_before: dict[str, float] = {}
        self._lock = threading.Lock()

    def line(self, name: str) -> Line:
        """The endpoint, ready to be called. Raises LLMError (auth, not_configured) before any request."""
        endpoint, key, headers = self._access(name)
        secrets = tuple(filter(None, (key, *headers.values())))
        _keep_from_logs(secrets)
        with self._lock:
            lines = self._lines.setdefault(asyncio.get_running_loop(), {})
            line = lines.get(name)
            if line is None or line.secrets != secrets:
                places = line.places if line else asyncio.Semaphore(endpoint.concurrency)
                line = Line(name, endpoint, self._client(name, endpoint, key, headers), places, secrets)
                lines[name] = line
        return line

    def search_provider(self) -> SearchProvider:
        """Who searches where an endpoint does not. Raises SearchError when nobody can."""
        _keep_from_logs([self.settings.search_key()])
        return self._search or provider(self.settings)

    def hold(self, name: str, seconds: float) -> None:
        """Let no call to the endpoint begin for so many seconds."""
        with self._lock:
            self._not_before[name] = max(self._not_before.get(name, 0.0), time.monotonic() + seconds)

    def held(self, name: str) -> float:
        """Seconds until a call to the endpoint may begin."""
        return max(0.0, self._not_before.get(name, 0.0) - time.monotonic())

    async def aclose(self) -> None:
        """Close the clients of the running event loop."""
        with self._lock:
            lines = self._lines.pop(asyncio.get_running_loop(), {})
        for line in lines.values():
            await line.client.close()

    def _access(self, name: str) -> tuple[EndpointSettings, str, dict[str, str]]:
        """The endpoint, its key and its headers as they are now."""
        endpoint = self.settings.endpoints.get(name)
        if endpoint is None:
            raise LLMError(
                f"No endpoint {name} is set up.",
                kind="not_configured",
                next_step=f"Add [endpoints.{name}] to vada.toml, or choose another model.",
            )
        key = endpoint.key()
        if endpoint.key_env and key is None:
            raise LLMError(
                f"The endpoint {name} needs a key, and {endpoint.key_env} is not set.",
                kind="auth",
                next_step=f"Set {endpoint.key_env} in the environment of the server and start it again.",
            )
        try:
            return endpoint, key or "", endpoint.sent_headers()
        except SettingsError as error:
            raise LLMError(error.message, kind="not_configured", next_step=error.next_step) from error

    def _client(self, name: str, endpoint: EndpointSettings, key: str, headers: dict[str, str]) -> AsyncAnthropic:
        """A client that never retries by itself and never sends what belongs to another endpoint."""
        http = None
        if name == REHEARSAL and not endpoint.url:
            from vada.llm.rehearsal import RehearsalTransport  # only a rehearsal pays for loading it

            http = anthropic.DefaultAsyncHttpxClient(transport=RehearsalTransport(self.settings.rehearsal_speed))
        if name == LOCAL and (model := self.settings.local_model):
            from vada.llm.local import open_transport

            http = anthropic.DefaultAsyncHttpxClient(transport=open_transport(model, self.settings.gguf))
        return AsyncAnthropic(
            api_key=key or "none",
            base_url=endpoint.url or f"http://{name}",
            max_retries=0,
            timeout=httpx2.Timeout(600, connect=CONNECT),
            default_headers={**_withheld(name, key), **headers},
            http_client=http,
        )


def _withheld(name: str, key: str) -> dict[str, str]:
    """ANTHROPIC_CUSTOM_HEADERS is meant for Anthropic: the SDK would send it to every endpoint."""
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n") if name != "anthropic" else []
    names = {line.partition(":")[0].strip() for line in lines if ":" in line}
    omit: dict[str, str] = {n: anthropic.Omit() for n in names}  # type: ignore[misc]
    if any(n.lower() == "authorization" for n in names):
        omit = {n: v for n, v in omit.items() if n.lower() != "authorization"} | {
            "Authorization": f"Bearer {key or 'none'}"
        }
    return omit
