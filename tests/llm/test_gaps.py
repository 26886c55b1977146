"""Three servers with different gaps in one debate: each seat's quirks are handled, and nothing crosses a wire that is
not its own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fake_messages import Entry, Server
from tests.fake_messages.matching import texts
from tests.fake_messages.server import Gaps
from tests.phases.table import Played, Table, config
from vada.llm.endpoints import Endpoints
from vada.llm.probe import check
from vada.models.vocabulary import DEBATERS, DebateState, PhaseName, Role
from vada.probed import applied
from vada.settings import load

KEYS = {"alpha": "sk-alpha-000111222333", "beta": "sk-beta-444555666777", "gamma": "sk-gamma-888999000111"}
HEADER = "tenant-beta-secret-42"
SEATS = {
    Role.OPTIMIZER_A: "alpha-1@alpha",
    Role.OPTIMIZER_B: "beta-1@beta",
    Role.CHALLENGER: "gamma-1@gamma",
    Role.SIMPLIFIER: "alpha-1@alpha",
    Role.COORDINATOR: "beta-1@beta",
    Role.VERIFIER: "gamma-1@gamma",
    Role.FORMATTER: "alpha-1@alpha",
    Role.CRITIC: "beta-1@beta",
}
"""Alpha keeps no schema, beta does not stream, gamma does not search."""

GAPS = {
    "ignored": (Gaps(schema="ignored", search="ignored"), Gaps(stream="ignored"), Gaps(search="ignored")),
    "refused": (Gaps(schema="refused"), Gaps(stream="refused"), Gaps(search="refused")),
}


@pytest.fixture(params=["ignored", "refused"])
def servers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Server]]:
    """The three, running, each with its own model and its key in the environment."""
    made = {n: Server(gaps=g, models=(f"{n}-1",)) for n, g in zip(KEYS, GAPS[request.param], strict=True)}
    for name, server in made.items():
        server.start()
        monkeypatch.setenv(f"{name.upper()}_KEY", KEYS[name])
    monkeypatch.setenv("BETA_TENANT", HEADER)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-somebody-else")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-House: not-for-others")
    yield made
    for server in made.values():
        server.stop()


@pytest.fixture
def table(servers: dict[str, Server], home: Any, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A debate over the three, two rounds, every debater with web search, set up by `vada.toml` as a person would."""
    home.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, server in servers.items():
        lines += [f"[endpoints.{name}]", f'url = "{server.url}"', f'key_env = "{name.upper()}_KEY"', "search = true"]
        lines += ['headers = { "X-Tenant" = "${BETA_TENANT}" }'] if name == "beta" else []
    (home / "vada.toml").write_text("\n".join(lines))
    given = config(rounds=2)
    from vada.models.debate import ModelRef

    seats = tuple(
        s.model_copy(update={"model": ModelRef.parse(SEATS[s.role]), "web": s.role in DEBATERS}) for s in given.seats
    )
    return Table(given.model_copy(update={"seats": seats}))


async def test_a_debate_over_three_servers_with_gaps_ends_well(servers: dict[str, Server], table: Table) -> None:
    played: Played = await table.whole()
    assert played.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)
    assert played.deliverable
    assert not played.deliverable.fallback
    assert played.audit
    assert played.audit.passes
    for round_ in played.rounds:
        assert round_.proposals
        assert not round_.proposals.missing
        assert round_.synthesis
        assert round_.verification
    given_up = {"agent_missing", "challenger_missing", "synthesis_failed", "verification_skipped", "format_failed"}
    assert not given_up & {d.key for d in played.notes.degradations}
    assert all(server.calls for server in servers.values())
    _nothing_crosses(servers)
    _each_quirk_is_handled(servers, table, played)


async def test_once_they_were_checked_none_of_them_refuses_a_call(
    servers: dict[str, Server], table: Table, home: Any
) -> None:
    file = home / "vada.toml"
    file.write_text(file.read_text().replace("search = true", ""))
    settings = load()
    reports = {n: await check(settings, n, models=[f"{n}-1"], call=True) for n in servers}
    assert all(r.ok for r in reports.values())
    for server in servers.values():
        server.log.clear()
    table.endpoints = Endpoints(applied(settings, reports))
    played: Played = await table.whole()
    assert played.deliverable
    assert not played.deliverable.fallback
    assert [e.body for server in servers.values() for e in server.calls if e.status != 200] == []
    assert all("It must fit this JSON schema" in str(e.body) for e in servers["alpha"].calls if not e.body.get("tools"))
    assert not any(e.body.get("stream") for e in servers["beta"].calls)
    assert not any(e.body.get("tools") for e in servers["gamma"].calls)
    assert any(e.body.get("tools") for e in servers["beta"].calls)  # it searches, though the file does not say so


def _nothing_crosses(servers: dict[str, Server]) -> None:
    """A server is sent its own seats, its own model and its own key, and nothing else that is secret."""
    for name, server in servers.items():
        titles = {r.title for r, model in SEATS.items() if model.endswith(f"@{name}")}
        others = {*KEYS.values(), HEADER, "sk-ant-of-somebody-else", "not-for-others"} - {KEYS[name]}
        if name == "beta":
            others -= {HEADER}
        for entry in server.log:
            sent = f"{entry.headers} {entry.body} {entry.path}"
            assert not [secret for secret in others if secret in sent]
            assert KEYS[name] in (entry.headers.get("x-api-key", "") + entry.headers.get("authorization", ""))
            assert KEYS[name] not in f"{entry.body} {entry.path}"
        for entry in server.calls:
            assert entry.body["model"] == f"{name}-1"
            assert heading(entry) in titles
        assert (server.log[0].headers.get("x-tenant") == HEADER) is (name == "beta")


def heading(entry: Entry) -> str:
    """Whom a request asks; the Critic's opens with its rules only."""
    found = [t.split("\n")[0].removeprefix("# ") for t in texts(entry.body) if t.startswith("# ")]
    return found[0]


def _each_quirk_is_handled(servers: dict[str, Server], table: Table, played: Played) -> None:
    alpha, beta, gamma = (servers[n] for n in KEYS)
    kinds = {r.error["kind"] for r in table.journal.records.values() if r.error}
    assert kinds <= {"bad_request", "bad_reply"}
    if alpha.gaps.schema == "refused":
        assert any("It must fit this JSON schema" in t for e in alpha.calls for t in texts(e.body))
        assert any(not e.body.get("stream") for e in beta.calls)
    assert all(r.message for r in table.journal.records.values() if r.model.endswith("@beta") and not r.error)
    said = [d for d in played.notes.degradations if d.key == "search_failed" and d.phase is PhaseName.PROPOSE]
    if gamma.gaps.search == "refused":
        assert Role.CHALLENGER in {d.role for d in said}
        assert any("does not search" in d.cause for d in said)
    assert all(e.kind != "web" or not e.verified for p in _cards(played, Role.CHALLENGER) for e in p.evidence)


def _cards(played: Played, role: Role) -> list[Any]:
    return [p for r in played.rounds if r.proposals for p in r.proposals.proposals if p.role is role]
