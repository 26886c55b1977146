"""Settings: which endpoints and models there are, whether they answer, what is set and where. Shows no key."""

import asyncio
from collections.abc import Iterable

import pandas as pd
import streamlit as st

from pages.parts import inert, pieces, state
from pages.parts.frame import GATES, known_models
from vada.llm.endpoints import EndpointReport, check
from vada.llm.pricing import rates
from vada.models.debate import REHEARSAL, ModelRef
from vada.models.vocabulary import Role
from vada.settings import FILE, EndpointSettings, Settings, default_panel
from vada.views import words
from vada.worker import LOCAL

EXAMPLE = """\
# a server of your own that speaks the Messages protocol
[endpoints.local]
url = "http://localhost:8000"
schema = "prompt"        # it does not enforce a schema by itself
concurrency = 2

# who sits where when this panel is chosen
[panels.mixed]
model = "claude-sonnet-5-5"
roles = { verifier = "qwen3-32b@local", critic = "qwen3-32b@local" }
"""


def page() -> None:
    """The whole screen."""
    pieces.styles()
    settings = state.settings()
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
            _check(settings, settings.endpoints)
        st.toggle(
            "Ask each model one short question too",
            key="check.ask",
            persist_state="session",
            help="Costs a fraction of a cent a model, and tells whether it answers and keeps a schema.",
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
                _check(settings, [name])
        st.html(f'<div class="vada-quiet">{inert.escaped(_facts(settings, name, endpoint))}</div>')
        report = st.session_state.get("reports", {}).get(name)
        if report:
            _report(report)


def _address(name: str, endpoint: EndpointSettings) -> str:
    return "inside this program, offline" if name == REHEARSAL and not endpoint.url else inert.escaped(endpoint.url)


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
        "web search" if endpoint.search else "no web search",
        schema,
        "" if endpoint.stream else "does not stream",
    ]
    named = ", ".join(dict.fromkeys(m.name for p in settings.panels.values() for m in p.models if m.endpoint == name))
    return " · ".join(f for f in facts if f) + (f" · panels name {named}" if named else "")


def _check(settings: Settings, names: Iterable[str]) -> None:
    """Ask the endpoints now; what they said stands in the session."""
    reports = st.session_state.setdefault("reports", {})
    call = bool(st.session_state.get("check.ask"))
    with st.spinner("Asking…", show_time=True):
        for name in names:
            reports[name] = asyncio.run(check(settings, name, call=call))


def _report(report: EndpointReport) -> None:
    """What a check found, in words, with what to do."""
    if not report.reachable or report.error:
        pieces.notice("Cannot be used", report.error, tone="bad", quiet=report.next_step, alert=True)
        return
    wrong = [(m.name, m.error) for m in report.models if m.error]
    if wrong:
        pieces.notice_list("It answers, but not everything is right", wrong)
    else:
        known = f" and lists {words.plural(len(report.listed), 'model')}" if report.listed else ""
        pieces.notice(f"It answers in {report.seconds:.1f} s{known}", _asked(report), tone="good")


def _asked(report: EndpointReport) -> str:
    """Which models answered a question, or were found on the list."""
    answered = [m.name for m in report.models if m.answers]
    listed = [m.name for m in report.models if m.listed]
    if answered:
        return f"Answered a question: {', '.join(answered)}."
    return f"On its list: {', '.join(listed)}." if listed else "It does not say which models it has."


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


def _panel_name(settings: Settings, name: str) -> str:
    shown = name.replace("_", " ").capitalize()
    return f"{shown} (default)" if name == default_panel(settings) else shown


def _prices(settings: Settings) -> None:
    """Dollars per million tokens, as far as they are known."""
    st.subheader(
        "Prices", anchor=False, help="List prices shipped with the program. An unknown price is said, never guessed."
    )
    models = [ModelRef.parse(m) for m in known_models(settings)]
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
        "Pace of a rehearsal": "does not wait" if not settings.rehearsal_speed else f"{settings.rehearsal_speed:g} ×",
    }
    rows = "".join(f"<dt>{inert.escaped(k)}</dt><dd>{inert.escaped(str(v))}</dd>" for k, v in facts.items())
    st.html(f'<dl class="vada-facts">{rows}</dl>')


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
