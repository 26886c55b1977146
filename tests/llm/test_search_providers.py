"""The search providers through their real libraries, at a server of our own: what is sent, read and said."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest

from vada.errors import SearchError
from vada.llm import search
from vada.llm.base import SearchHit
from vada.llm.endpoints import Endpoints
from vada.llm.search import Ddgs, Tavily, problem, provider
from vada.settings import Settings

KEY = "tvly-0123456789-never-in-a-text"


@dataclass
class Engine:
    """A search engine on a port of its own: answers every request alike and keeps what it was sent."""

    status: int = 200
    content: bytes = b""
    kind: str = "application/json"
    asked: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            engine.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, sent))
            self.send_response(engine.status)
            self.send_header("content-type", engine.kind)
            self.send_header("content-length", str(len(engine.content)))
            self.end_headers()
            self.wfile.write(engine.content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    engine.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield engine
    server.shutdown()
    server.server_close()


RESULTS = {
    "query": "monolith",
    "answer": None,
    "results": [
        {
            "url": "https://survey.example/2026",
            "title": "Survey",
            "content": "Nine in ten.",
            "score": 0.9,
            "raw_content": None,
            "published_date": "Mon, 01 Jun 2026 00:00:00 GMT",
        },
        {"url": "https://report.example/x", "title": "Report", "content": "Two of three.", "score": 0.5},
    ],
    "response_time": 1.2,
}


async def test_tavily_is_asked_with_its_key_in_a_header_and_read_into_hits(engine: Engine) -> None:
    engine.content = json.dumps(RESULTS).encode()
    hits = await Tavily(KEY, url=engine.url, blocked=("spam.example",)).find("monolith?", most=4)
    assert hits == (
        SearchHit("https://survey.example/2026", "Survey", "Mon, 01 Jun 2026 00:00:00 GMT", "Nine in ten."),
        SearchHit("https://report.example/x", "Report", "", "Two of three."),
    )
    [(path, headers, sent)] = engine.asked
    assert path == "/search"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(sent) == {"query": "monolith?", "max_results": 4, "exclude_domains": ["spam.example"]}


@pytest.mark.parametrize("status", [400, 401, 403, 429, 432, 500])
async def test_tavilys_own_words_are_said_without_the_key(
    engine: Engine, status: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    Endpoints(Settings(search_provider="tavily")).search_provider()
    engine.status, engine.content = status, json.dumps({"detail": {"error": f"bad key {KEY}"}}).encode()
    tavily = Tavily(KEY, url=engine.url)
    with pytest.raises(SearchError) as caught:
        await tavily.find("x", most=4)
    assert str(caught.value).startswith("Tavily said: ")
    assert ("bad key [key removed]" in str(caught.value)) == (status != 500)
    assert KEY not in f"{caught.value} {tavily!r}"
    assert not [r for r in caplog.records if KEY in r.getMessage()]


@pytest.mark.parametrize("content", [b"<html>no</html>", b"[]", b'{"results": [1]}', b'{"results": {}}'])
async def test_an_answer_of_tavily_that_is_none_is_an_error(engine: Engine, content: bytes) -> None:
    engine.content = content
    with pytest.raises(SearchError, match="Tavily"):
        await Tavily(KEY, url=engine.url).find("x", most=4)


async def test_an_address_where_nobody_answers_is_an_error() -> None:
    with pytest.raises(SearchError, match="Tavily said"):
        await Tavily(KEY, url="http://127.0.0.1:9").find("x", most=4)


PAGE = """<html><body>
<div class="links_main links_deep result__body"><h2><a>A <b>survey</b></a></h2>
<a href="https://survey.example/2026">Nine in &lt;ten&gt;.</a></div>
<div class="links_main result__body"><h2>Report</h2><a href="https://report.example/x">Two of three.</a></div>
</body></html>"""


@pytest.fixture
def duckduckgo(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The engine in the place of DuckDuckGo's result page."""
    from ddgs.engines import ENGINES

    monkeypatch.delenv("DDGS_PROXY", raising=False)
    monkeypatch.setattr(ENGINES["text"]["duckduckgo"], "search_url", f"{engine.url}/html/")
    engine.kind = "text/html"
    return engine


async def test_a_result_page_is_read_into_hits(duckduckgo: Engine) -> None:
    duckduckgo.content = PAGE.encode()
    hits = await Ddgs(("duckduckgo",)).find("survey of teams", most=1)
    assert [(h.url, h.title, h.age) for h in hits] == [("https://survey.example/2026", "A survey", "")]
    assert hits[0].cited.startswith("Nine in")
    [(path, _, sent)] = duckduckgo.asked
    assert path == "/html/"
    assert parse_qs(sent.decode())["q"] == ["survey of teams"]


async def test_an_engine_that_turns_the_search_away_is_an_error(duckduckgo: Engine) -> None:
    duckduckgo.status = 403
    with pytest.raises(SearchError, match="the search engines said: No results found"):
        await Ddgs(("duckduckgo",)).find("x", most=4)


def test_the_library_knows_the_engines_that_the_search_words_are_said_to_go_to() -> None:
    from ddgs.engines import ENGINES

    assert set(Ddgs().engines) <= set(ENGINES["text"])
    named = search.RECEIVERS["ddgs"].casefold()
    assert all(e in named for e in Ddgs().engines)


async def test_no_other_engine_is_asked_when_the_library_has_lost_ours() -> None:
    with pytest.raises(SearchError, match="no longer reads gone"):
        await Ddgs(("gone",)).find("x", most=4)


# Which provider the settings name.


@pytest.mark.parametrize(
    ("given", "missing", "said"),
    [
        ({"search_provider": "ddgs"}, "ddgs", "Install the extra `search`"),
        ({"search_provider": "tavily"}, "tavily", "Install the extra `search`"),
        ({"search_provider": "tavily"}, "", "Set TAVILY_API_KEY"),
        ({"search_provider": "tavily", "search_key_env": "OUR_KEY"}, "", "OUR_KEY is not set"),
        ({}, "", "no search provider is set"),
    ],
)
def test_a_provider_that_cannot_be_used_says_what_to_do(
    given: dict[str, Any], missing: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    if missing:
        find = search.importlib.util.find_spec
        monkeypatch.setattr(search.importlib.util, "find_spec", lambda n: None if n == missing else find(n))
    assert said in problem(Settings(**given))


def test_a_provider_that_can_be_used_has_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_KEY", KEY)
    assert problem(Settings(search_provider="ddgs")) == ""
    given = Settings(search_provider="tavily", search_key_env="OUR_KEY", allowed_domains=("a.example",))
    assert problem(given) == ""
    assert provider(given) == Tavily(KEY, allowed=("a.example",))
    assert KEY not in repr(provider(given)) + repr(given) + str(given.shown())
