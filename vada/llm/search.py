"""Web search for endpoints that have none of their own: providers behind one protocol, and what is kept of a result.

Off unless the settings name a provider. Only the search words leave; no page is ever fetched, and no text it returns or
raises holds a key. The libraries are the extra `search` and are loaded when the first search is made.
"""

import asyncio
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from vada.errors import SearchError
from vada.llm import reading
from vada.llm.base import SearchHit
from vada.llm.faults import scrub
from vada.settings import Settings

MOST = 6  # results a search brings
SECONDS = 15.0  # a search may take
_QUERY = 400  # characters of the search words that are sent
_EXCERPT = 1000  # characters kept of a result's text
_TITLE = 200
_WORDS = 300  # characters of a provider's own words about a failure
_ADDRESS = 2000


class SearchProvider(Protocol):
    """Who searches the web."""

    async def find(self, query: str, *, most: int) -> tuple[SearchHit, ...]:
        """At most so many results for the search words, the best first. Raises SearchError."""
        ...


@dataclass(frozen=True)
class Ddgs:
    """The public result pages of DuckDuckGo, Brave and Mojeek, read by the library ddgs. Needs no key, tells no ages;
    any of the three may turn it away."""

    engines: tuple[str, ...] = ("duckduckgo", "brave", "mojeek")

    async def find(self, query: str, *, most: int) -> tuple[SearchHit, ...]:
        """Ask two of the engines at once, the third when they bring too little. Raises SearchError."""
        return await asyncio.to_thread(self._find, query, most)

    def _find(self, query: str, most: int) -> tuple[SearchHit, ...]:
        from ddgs import DDGS
        from ddgs.engines import ENGINES
        from ddgs.exceptions import DDGSException

        known = [e for e in self.engines if e in ENGINES["text"]]
        if not known:  # the library would ask every engine it has, and the search words go to these three only
            raise SearchError(f"ddgs no longer reads {', '.join(self.engines)}")
        try:
            found = DDGS(timeout=int(SECONDS / 2)).text(query, max_results=most, backend=",".join(known))
        except DDGSException as error:
            raise SearchError(f"the search engines said: {_line(str(error), _WORDS)}") from error
        return tuple(SearchHit(r.get("href", ""), r.get("title", ""), "", r.get("body", "")) for r in found)


@dataclass(frozen=True)
class Tavily:
    """Tavily's search API, by its own library. `url` is another address of the API."""

    key: str = field(repr=False)
    url: str | None = None
    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    async def find(self, query: str, *, most: int) -> tuple[SearchHit, ...]:
        """Ask the API once. Raises SearchError."""
        from tavily import AsyncTavilyClient

        domains = {"include_domains": self.allowed, "exclude_domains": self.blocked}
        async with AsyncTavilyClient(self.key, api_base_url=self.url) as client:
            try:
                found = await client.search(
                    query, max_results=most, timeout=SECONDS, **{k: list(v) for k, v in domains.items() if v}
                )
            except Exception as error:  # the library raises its own, httpx's and json's, with no common root
                words = scrub(str(error), [self.key]) or type(error).__name__
                raise SearchError(f"Tavily said: {_line(words, _WORDS)}") from None  # its chain may hold the key
        return _of_tavily(found)


def _of_tavily(found: Any) -> tuple[SearchHit, ...]:
    """The results of an answer of the API. Raises SearchError when it is none."""
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list) or not all(isinstance(r, dict) for r in results):
        raise SearchError("Tavily answered with something else than results")
    return tuple(
        SearchHit(r.get("url") or "", r.get("title") or "", r.get("published_date") or "", r.get("content") or "")
        for r in results
    )


_LIBRARIES = {"ddgs": "ddgs", "tavily": "tavily"}
RECEIVERS = {"ddgs": "DuckDuckGo, Brave and Mojeek", "tavily": "Tavily"}
"""Who gets the search words, by the provider's name."""


def provider(settings: Settings) -> SearchProvider:
    """The provider that the settings name, with its key as it is now. Raises SearchError when it cannot be used."""
    name = settings.search_provider
    if not name:
        raise SearchError("no search provider is set", next_step="Set `search_provider` in vada.toml.")
    if importlib.util.find_spec(_LIBRARIES[name]) is None:
        raise SearchError(
            f"the search provider {name} is not installed", next_step="Install the extra `search`: vada[search]."
        )
    if name == "ddgs":
        return Ddgs()
    key = settings.search_key()
    if not key:
        variable = settings.search_key_env or "search_key_env"
        raise SearchError(
            f"the search provider {name} needs a key, and {variable} is not set",
            next_step=f"Set {variable} in the environment of the server and start it again.",
        )
    return Tavily(key, allowed=settings.allowed_domains, blocked=settings.blocked_domains)


def problem(settings: Settings) -> str:
    """Why the provider that the settings name cannot be used and what to do, in plain words; empty when it can."""
    try:
        provider(settings)
    except SearchError as error:
        return said(error)
    return ""


def said(error: SearchError) -> str:
    """Why a search did not work and what to do about it, as a sentence."""
    return f"{error.message.rstrip('.')}. {error.next_step}".strip()


async def find(
    provider: SearchProvider, query: str, settings: Settings, *, seconds: float = SECONDS
) -> tuple[SearchHit, ...]:
    """What the provider finds in time, of it what may be kept. Raises SearchError."""
    words = " ".join(query.split())[:_QUERY]
    if not words:
        raise SearchError("there were no search words")
    try:
        async with asyncio.timeout(seconds):
            hits = await provider.find(words, most=MOST)
    except TimeoutError as error:
        raise SearchError(f"nothing came in {seconds:.0f} seconds") from error
    return kept(hits, settings)


def kept(hits: Iterable[SearchHit], settings: Settings) -> tuple[SearchHit, ...]:
    """The results with a web address of a site the settings let in, each once and cut to what is kept."""
    cut = (
        SearchHit(h.url.strip(), _line(h.title, _TITLE), _line(h.age, _TITLE), _line(h.cited, _EXCERPT))
        for h in hits
        if _let_in(h.url, settings)
    )
    return tuple({h.url: h for h in cut}.values())[:MOST]


def _line(text: str, most: int) -> str:
    return str(reading.clean(" ".join(text.split())[:most]))


def _let_in(url: str, settings: Settings) -> bool:
    host = _host(url)

    def among(domains: tuple[str, ...]) -> bool:
        return any(host == d or host.endswith(f".{d}") for d in domains)

    if not host or len(url) > _ADDRESS:
        return False
    return among(settings.allowed_domains) if settings.allowed_domains else not among(settings.blocked_domains)


def _host(url: str) -> str:
    """The host of a web address in lower case; empty when it is none."""
    try:
        parts = urlsplit(url.strip())
        return (parts.hostname or "").lower() if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""
