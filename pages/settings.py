"""Settings: which endpoints and models there are, whether they answer, what is set and where. Shows no key."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from pages.parts import inert, pieces, shelf, state
from pages.parts.frame import GATES
from vada.llm.pricing import rates
from vada.llm.probe import check
from vada.llm.search import RECEIVERS, problem
from vada.models.debate import REHEARSAL, ModelRef
from vada.models.reports import ABILITIES, Ability, EndpointReport, ModelReport
from vada.models.vocabulary import Role
from vada.probed import MIXED, offered
from vada.settings import FILE, EndpointSettings, Settings, default_panel
from vada.views import words
from vada.worker import LOCAL

EXAMPLE = """\
# a server of your own that speaks the Messages protocol
[endpoints.local]
url = "http://localhost:8000"
concurrency = 2
# schema, stream and search may stay away: a check with a question finds out, and calls are made by what it found
# schema = "prompt"      # it does not enforce a schema by itself

# who sits where in the panel of mixed families; without this it is made of the models in reach
[panels.mixed]
model = "claude-sonnet-5-5"
roles = { verifier = "qwen3-32b@local", critic = "qwen3-32b@local" }
"""
ABLE: dict[Ability, tuple[str, str]] = {
    "keeps_schema": ("keeps a schema", "keeps no schema"),
    "takes_tools": ("calls tools", "calls no tools"),
    "streams": ("streams", "does not stream"),
    "counts_tokens": ("counts tokens", "does not count tokens"),
    "searches": ("searches the web", "does not search the web"),
}
"""What a model was found to keep of the protocol, and what not, in words."""


def page() -> None:
    """The whole screen."""
    pieces.styles()
    settings = state.in_force()
    with st.container(key="settings-head"):
        st.title("Settings", anchor=False)
    st.html(
        '<div class="vada-quiet vada-measure">Settings are read when the server starts: from '
        f"<code>{FILE}</code> in the working folder, else in the data folder, and from <code>VADA_…</code> variables, "
        "which override it. Keys stay in the environment; no screen shows or stores one.</div>"
    )
    endpoints, panels, limits, you = st.tabs(["Endpoints", "Panels and prices", "Limits and data", "You"])
    with endpoints:
        _endpoints(settings)
    with panels:
        _panels(settings)
        _prices(settings)
    with limits:
        _limits(settings)
        _data(settings)
    with you:
        _you(settings)


# Endpoints, and whether they answer.


def _endpoints(settings: Settings) -> None:
    """A card an endpoint, with a live check."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Check all",
            key="check.all",
            icon=":material/network_check:",
            help="Asks each endpoint for its models; free",
        ):
            _check(settings.endpoints)
        st.toggle(
            "Ask each model a few short questions too",
            key="check.ask",
            persist_state="session",
            help="Costs about a cent a model, and tells whether it answers, keeps a schema, calls tools, streams, "
            f"counts tokens and searches. Where {FILE} does not say, debates go by what was found.",
        )
    with st.container(gap="small"):
        for name, endpoint in settings.endpoints.items():
            _endpoint(settings, name, endpoint)
    with st.expander("Connect another endpoint"):
        st.caption(f"Add this to {FILE} and start the server again.")
        st.code(EXAMPLE, language="toml")


def _endpoint(settings: Settings, name: str, endpoint: EndpointSettings) -> None:
    """One endpoint: address, key, limits, the models that panels name there, and the last check."""
    with st.container(border=True, gap="xsmall", key=f"endpoint.{name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f'<strong>{inert.escaped(name)}</strong> <span class="vada-quiet">{_address(name, endpoint)}</span>'
            )
            _key_badge(endpoint)
            if st.button("Check", key=f"check.{name}", type="tertiary", icon=":material/network_check:"):
                _check([name])
        st.html(f'<div class="vada-quiet">{inert.escaped(_facts(settings, name, endpoint))}</div>')
        report = state.debates().reports().get(name)
        if report:
            _report(report)


def _address(name: str, endpoint: EndpointSettings) -> str:
    return "inside this program, offline" if name == REHEARSAL and not endpoint.url else inert.escaped(endpoint.address)


def _key_badge(endpoint: EndpointSettings) -> None:
    """Whether the key is there; the variable's name, never its value."""
    if not endpoint.key_env:
        st.badge("No key needed", color="gray")
    elif endpoint.configured:
        st.badge(f"{endpoint.key_env} is set", icon=":material/check:", color="green")
    else:
        st.badge(f"{endpoint.key_env} is not set", icon=":material/key_off:", color="red")


def _facts(settings: Settings, name: str, endpoint: EndpointSettings) -> str:
    """The endpoint's limits and abilities in a line."""
    schema = {"native": "enforces a schema", "prompt": "is told the schema", "none": "no schema"}[endpoint.structure]
    facts = [
        words.plural(endpoint.concurrency, "call") + " at once",
        f"{endpoint.timeout:g} s for an answer" if endpoint.timeout else "",
        _searcher(settings, name) + _found(name, "search", endpoint.search),
        schema + _found(name, "structure", endpoint.structure),
        "" if endpoint.stream else "does not stream" + _found(name, "stream", endpoint.stream),
    ]
    named = ", ".join(_named(settings, name))
    return " · ".join(f for f in facts if f) + (f" · panels name {named}" if named else "")


def _searcher(settings: Settings, name: str) -> str:
    """Whether its models can search the web, and through whom."""
    searcher = settings.searcher(name)
    if searcher == "provider" and settings.endpoints[name].structure == "native":
        return f"web search by {settings.search_provider}"
    return "web search" if searcher == "endpoint" else "no web search"


def _named(settings: Settings, name: str) -> list[str]:
    """The models of an endpoint that panels name."""
    return list(dict.fromkeys(m.name for p in settings.panels.values() for m in p.models if m.endpoint == name))


def _found(name: str, field: str, value: object) -> str:
    """What follows a fact that is not from the file but from a check."""
    return "" if getattr(state.settings().endpoints[name], field) == value else ", as a check found"


def _check(names: Iterable[str]) -> None:
    """Ask the endpoints now; what they said is kept, and the page is drawn by it."""
    call = bool(st.session_state.get("check.ask"))
    with st.spinner("Asking…", show_time=True):
        for name in names:
            asked = _named(state.in_force(), name) or None
            state.debates().keep_report(asyncio.run(check(state.settings(), name, models=asked, call=call)))
    st.rerun()


def _report(report: EndpointReport) -> None:
    """What the last check found, in words, with what to do."""
    checked = f"Checked {shelf.ago(report.at, datetime.now(UTC))}."
    if report.failed:
        pieces.notice("Cannot be used", report.error, tone="bad", quiet=f"{report.next_step} {checked}", alert=True)
        return
    wrong = [(m.name, m.error) for m in report.models if m.error]
    if wrong:
        pieces.notice_list("It answers, but not everything is right", [*wrong, (checked, "")])
    else:
        known = f" and lists {words.plural(len(report.listed), 'model')}" if report.listed else ""
        pieces.notice(f"It answers in {report.seconds:.1f} s{known}", _asked(report), tone="good", quiet=checked)
    answered = [m for m in report.models if m.answers]
    if answered:
        st.html(pieces.facts((m.name, inert.escaped(_able(m))) for m in answered))


def _asked(report: EndpointReport) -> str:
    """Which models answered a question, or were found on the list."""
    answered = [m.name for m in report.models if m.answers]
    listed = [m.name for m in report.models if m.listed]
    if answered:
        return f"Answered a question: {', '.join(answered)}."
    if listed:
        return f"On its list: {', '.join(listed)}."
    return "" if report.listed else "It does not say which models it has."


def _able(model: ModelReport) -> str:
    """What a model was found to keep of the protocol and what not; what was not tried is left out."""
    found = [(ABLE[ability], getattr(model, ability)) for ability in ABILITIES]
    return " · ".join(yes if can else no for (yes, no), can in found if can is not None)


# Panels and what their models cost.


def _panels(settings: Settings) -> None:
    """Which model sits where, a column a panel."""
    st.subheader("Panels", anchor=False, help="A panel is a named roster. The New debate screen starts from one.")
    table = {
        _panel_name(settings, name): [str(panel.of(role)) for role in Role] for name, panel in settings.panels.items()
    }
    frame = pd.DataFrame({"Role": [r.title for r in Role], **table})
    st.dataframe(frame, hide_index=True, key="panels", alt="The model of each role in each panel",
                 column_config={"Role": st.column_config.TextColumn(pinned=True)})  # fmt: skip
    if MIXED not in settings.panels:
        st.caption(
            "A panel of mixed families appears here and on New debate once models of two families are in reach: "
            "connect a second endpoint as the example under Endpoints shows, and check it."
        )


def _panel_name(settings: Settings, name: str) -> str:
    shown = name.replace("_", " ").capitalize()
    return f"{shown} (default)" if name == default_panel(settings) else shown


def _prices(settings: Settings) -> None:
    """Dollars per million tokens, as far as they are known."""
    st.subheader(
        "Prices", anchor=False, help="List prices shipped with the program. An unknown price is said, never guessed."
    )
    models = [ModelRef.parse(m) for m in offered(settings, {})]
    rows = [(m, rates(m.name)) for m in models if m.endpoint != REHEARSAL]
    frame = pd.DataFrame(
        {
            "Model": [str(m) for m, _ in rows],
            "Input": [r.input if r else None for _, r in rows],
            "Output": [r.output if r else None for _, r in rows],
            "Read from cache": [r.cache_read if r else None for _, r in rows],
            "Written to cache": [r.cache_write if r else None for _, r in rows],
            "One search": [r.search if r else None for _, r in rows],
        }
    )
    columns = dict.fromkeys(frame.columns[1:], st.column_config.NumberColumn(format="$%.2f"))
    columns["One search"] = st.column_config.NumberColumn(format="$%.3f")
    columns["Model"] = st.column_config.TextColumn(pinned=True)
    st.dataframe(
        frame, hide_index=True, key="prices", alt="Prices of the models", placeholder="unknown", column_config=columns
    )
    st.caption("Dollars per million tokens, and for one web search. A rehearsal costs nothing.")


# Limits, data, and who decides.


def _limits(settings: Settings) -> None:
    """What each role may take."""
    st.subheader("Limits of each role", anchor=False)
    rows = [(role, settings.role(role)) for role in Role]
    frame = pd.DataFrame(
        {
            "Role": [role.title for role, _ in rows],
            "Seconds for an answer": [r.timeout for _, r in rows],
            "Tokens of a reply, thinking included": [r.max_tokens for _, r in rows],
            "Effort": [r.effort or "the model's own" for _, r in rows],
        }
    )
    st.dataframe(frame, hide_index=True, key="limits", alt="Time, tokens and effort of each role")


def _data(settings: Settings) -> None:
    """Where debates are kept and for how long, and the defaults of a new one."""
    shown = settings.shown()
    st.subheader("Data and defaults", anchor=False)
    facts = {
        "Data folder": shown["home"],
        "Database": shown["database_url"],
        "Finished debates are kept": f"{settings.retention_days} days" if settings.retention_days else "for ever",
        "This server may run debates": "yes" if settings.worker else "no: another worker must",
        "Agents asked to defend in a round": f"at most {settings.defenders}",
        "A new debate starts with": _start(settings),
        "Where an endpoint has no web search": _search(settings),
        "Sites searched": _sites(settings),
        "Pace of a rehearsal": "does not wait" if not settings.rehearsal_speed else f"{settings.rehearsal_speed:g} ×",
    }
    rows = "".join(f"<dt>{inert.escaped(k)}</dt><dd>{inert.escaped(str(v))}</dd>" for k, v in facts.items())
    st.html(f'<dl class="vada-facts">{rows}</dl>')


def _search(settings: Settings) -> str:
    """Who gets the search words there, and what keeps the provider from working."""
    name = settings.search_provider
    if not name:
        return "nobody searches"
    wrong = problem(settings)
    trouble = f" It cannot be used: {wrong}" if wrong else ""
    return f"{name} does: a debater's search words, and nothing else, go to {RECEIVERS[name]}.{trouble}"


def _sites(settings: Settings) -> str:
    """Which sites a search may bring."""
    if settings.allowed_domains:
        return f"only {words.listed(settings.allowed_domains)}"
    return f"all but {words.listed(settings.blocked_domains)}" if settings.blocked_domains else "all"


def _start(settings: Settings) -> str:
    """The defaults of a new debate in a line."""
    first, packs = settings.defaults, state.prompts().packs
    facts = [
        f"the {default_panel(settings)} panel",
        words.plural(first.rounds, "round"),
        f"the gate on “{GATES[first.gate][0].lower()}”",
        f"web search {'on' if first.web else 'off'}",
        f"the domain {packs[first.pack].name if first.pack in packs else first.pack}",
    ]
    return words.listed(facts)


def _you(settings: Settings) -> None:
    """The name that is recorded with this person's decisions."""
    signed_in = st.user.get("name") or st.user.get("email") if st.user.get("is_logged_in") else None
    st.text_input(
        "Your name",
        key="person_name",
        persist_state="session",
        placeholder=str(signed_in or settings.person or LOCAL),
        disabled=bool(signed_in),
        max_chars=80,
        help="Recorded with every decision you take at a gate, in this session. The setting `person` makes it last.",
        width=380,
    )
    st.caption(
        f"Decisions are recorded as: {state.person()}" if signed_in else "Leave it empty for the name shown in grey."
    )
    if signed_in:
        st.button("Sign out", on_click=st.logout)
    st.caption("Light or dark follows your system; the menu at the top right can change it.")


page()
