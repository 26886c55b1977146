"""Calls: every model call of a debate on a time line, and one with its prompt exactly as sent. Sends nothing."""

import json
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages.parts import heading, inert, pieces, state, theme, trace
from pages.parts.case import tokens
from pages.parts.figures import QUIET
from pages.parts.trace import PARTS, Pause, Row
from vada.llm.base import CallRecord, Part
from vada.models.run import Run, Usage
from vada.models.vocabulary import Role
from vada.views import spending, words

REFRESH = 3.0
"""Seconds between looks at the record while the debate runs."""
LONG = 1200
"""Characters above which a text scrolls in a box of its own."""
MOST = 80_000
"""Characters of one text that are shown; the download has all of it."""


def page() -> None:
    """The whole screen."""
    pieces.styles()
    run = heading.opened()
    if run is None:
        return
    heading.top(run, "calls")
    st.fragment(_calls, run_every=None if run.state.ended else REFRESH)(run.id)


def _calls(id: str) -> None:
    """Totals, the time line or the table, and the chosen call."""
    run = state.snapshot(id)
    records = {record.id: record for record in state.debates().calls(id)}
    reused = {call.id for call in run.calls if call.reused}
    rows, pauses = trace.rows(records.values(), reused)
    if not rows:
        _nothing(run)
        return
    _totals(rows, run)
    left, right = st.columns([6, 7], gap="medium")
    with left:
        line, table, cost = st.tabs(["Time line", "Table", "Cost"])
        with line:
            _time_line(rows, pauses)
        with table:
            _table(rows)
        with cost:
            _cost(run)
    with right:
        chosen = _chosen(rows)
        _call(records[chosen])


def _nothing(run: Run) -> None:
    """Before the first call, or of a debate that made none."""
    if run.state.ended:
        pieces.later("This debate ended before it made a model call.")
    else:
        pieces.later(
            "No call has come to its end yet. Each stands here as soon as it has, with its prompt and its reply."
        )


def _totals(rows: Sequence[Row], run: Run) -> None:
    """What all calls took together."""
    usage = trace.total(rows)
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    failed = sum(not row.ok for row in rows)
    facts = [
        ("Calls", str(len(rows))),
        ("Not answered", str(failed)),
        ("Read", f"{words.count(read)} tokens"),
        ("Of it from cache", _cached(usage, read)),
        ("Written", f"{words.count(usage.output_tokens)} tokens"),
        ("Cost", words.spend(usage, rehearsal=run.config.rehearsal)),
    ]
    cells = "".join(f"<div><small>{name}</small><b>{inert.escaped(value)}</b></div>" for name, value in facts)
    st.html(f'<div class="vada-totals vada-num">{cells}</div>')


def _cached(usage: Usage, read: int) -> str:
    """The tokens that the provider's cache served, and their share."""
    return f"{words.count(usage.cache_read_tokens)}, {usage.cache_read_tokens / read:.0%}" if read else words.DASH


# The time line.

_HOVER = "<b>%{customdata[1]}</b><br>%{customdata[4]}<br>%{customdata[3]}, %{customdata[2]}<extra></extra>"


def _time_line(rows: Sequence[Row], pauses: Sequence[Pause]) -> None:
    """Bars over time; a click chooses a call."""
    figure = _figure(tuple(rows), tuple(pauses), theme.dark())
    st.plotly_chart(
        figure,
        key="time.line",
        on_select=_clicked,
        selection_mode="points",
        config=QUIET,
        alt="When each call ran and how long; the table has the same figures",
    )
    st.caption("Click a bar to see its call. A pale bar was tried again; a dotted line is time in which nothing ran.")


@st.cache_resource(show_spinner=False, max_entries=64)
def _figure(rows: tuple[Row, ...], pauses: tuple[Pause, ...], dark: bool) -> go.Figure:
    """One trace a role, so that the legend names the colours."""
    figure = go.Figure()
    muted, border = theme.pick(theme.MUTED), theme.pick(theme.BORDER)
    for role in dict.fromkeys(row.role for row in rows):
        mine = [row for row in rows if row.role is role]
        figure.add_bar(
            y=[_axis(row) for row in mine],
            x=[max(row.seconds, 0.15) for row in mine],
            base=[row.begin for row in mine],
            orientation="h",
            name=role.title,
            customdata=[_hover(row) for row in mine],
            marker=_marker(role, mine),
            hovertemplate=_HOVER,
        )
    for pause in pauses:
        figure.add_vline(
            pause.at, line={"color": muted, "width": 1, "dash": "dot"}, annotation_text=words.span(pause.seconds),
            annotation_font={"color": muted, "size": 11}, annotation_position="top",
        )  # fmt: skip
    figure.update_layout(
        barmode="overlay", bargap=0.28, height=90 + 20 * len(rows), showlegend=False, dragmode=False,
        clickmode="event+select", margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={"title": {"text": "seconds", "font": {"size": 12, "color": muted}}, "fixedrange": True,
               "gridcolor": border, "zeroline": False, "tickfont": {"color": muted}},
        yaxis={"autorange": "reversed", "fixedrange": True, "categoryorder": "array",
               "tickfont": {"size": 11, "color": muted},
               "categoryarray": [_axis(row) for row in rows], "automargin": True, "ticks": ""},
    )  # fmt: skip
    return figure


def _hover(row: Row) -> list[str]:
    """What the pointer shows of a bar; a chart would read tags in it."""
    return [row.id, *map(inert.escaped, (row.label, row.status, words.span(row.seconds), row.model))]


def _marker(role: Role, mine: Sequence[Row]) -> dict[str, object]:
    """The role's colour; pale where the call was tried again, red-edged where it was not answered."""
    bad = theme.pick(theme.BAD)
    return {
        "color": theme.agent(role),
        "opacity": [0.45 if row.retried or row.reused else 1.0 for row in mine],
        "line": {"color": [bad if not row.ok else "rgba(0,0,0,0)" for row in mine], "width": 2},
        "cornerradius": 3,
    }


def _axis(row: Row) -> str:
    """A short name that no other row has."""
    return row.label.replace("Round ", "").replace("Optimizer ", "Opt. ")


def _clicked() -> None:
    """Choose the call of the bar that was clicked."""
    points = st.session_state["time.line"].selection.points
    if points:
        st.session_state["call"] = str(points[0]["customdata"][0])


# The table.


def _table(rows: Sequence[Row]) -> None:
    """The same calls as figures; a row chosen shows its call."""
    frame = pd.DataFrame(
        {
            "call": [row.label for row in rows],
            "ended": [row.status for row in rows],
            "seconds": [row.seconds for row in rows],
            "read": [row.tokens_in for row in rows],
            "cached": [None if row.cached is None else round(100 * row.cached) for row in rows],
            "written": [row.usage.output_tokens for row in rows],
            "dollars": [row.usage.dollars for row in rows],
            "model": [row.model for row in rows],
        }
    )
    st.dataframe(
        frame,
        key="call.table",
        hide_index=True,
        height=90 + 20 * len(rows),
        on_select=lambda: _row_chosen([row.id for row in rows]),
        selection_mode="single-row",
        alt="Every model call with its time, tokens and cost",
        placeholder=words.DASH,
        column_config={
            "call": st.column_config.TextColumn("Call", pinned=True, width="medium"),
            "ended": "Ended",
            "seconds": st.column_config.NumberColumn("Seconds", format="%.1f"),
            "read": st.column_config.NumberColumn("Read", format="localized", help="Tokens, from the cache or not"),
            "cached": st.column_config.NumberColumn("Cached", format="%d %%"),
            "written": st.column_config.NumberColumn("Written", format="localized", help="Tokens, thinking included"),
            "dollars": st.column_config.NumberColumn("Cost", format="$%.4f"),
            "model": "Model",
        },
    )


def _row_chosen(ids: Sequence[str]) -> None:
    """Choose the call of the row that was clicked; rows keep their order, so that the position is the call."""
    chosen = st.session_state["call.table"].selection.rows
    if chosen and chosen[0] < len(ids):
        st.session_state["call"] = ids[chosen[0]]


# Where the money went.

_SPLITS = {"role": spending.by_role, "phase": spending.by_phase, "endpoint": spending.by_endpoint}


def _cost(run: Run) -> None:
    """What each role, phase or endpoint took, and what was expected before the start."""
    by = st.segmented_control(
        "By", list(_SPLITS), key="cost.by", default="role", required=True, format_func=str.capitalize,
        label_visibility="collapsed",
    )  # fmt: skip
    shares = _SPLITS[by](run)
    paid = sum(s.usage.dollars or 0 for s in shares)
    frame = pd.DataFrame(
        {
            by: [s.name for s in shares],
            "calls": [s.calls for s in shares],
            "tokens": [s.tokens for s in shares],
            "cached": [s.usage.cache_read_tokens for s in shares],
            "dollars": [s.usage.dollars for s in shares],
            "share": [s.usage.dollars / paid if paid and s.usage.dollars is not None else None for s in shares],
        }
    )
    st.dataframe(
        frame,
        key=f"cost.{by}",
        hide_index=True,
        alt=f"Calls, tokens and dollars by {by}",
        placeholder=words.DASH,
        column_config={
            by: st.column_config.TextColumn(by.capitalize(), pinned=True, width="medium"),
            "calls": "Calls",
            "tokens": st.column_config.NumberColumn("Tokens", format="localized", help="Read and written, cached too"),
            "cached": st.column_config.NumberColumn("From cache", format="localized"),
            "dollars": st.column_config.NumberColumn("Cost", format="$%.4f"),
            "share": st.column_config.ProgressColumn("Share", format="percent", min_value=0, max_value=1),
        },
    )
    if run.config.expected:
        inert.plain(spending.against(run, run.config.expected), kind="quiet")
    if any(call.reused for call in run.calls):
        st.caption("Calls taken over from the debate this one was forked from were paid there and do not count here.")


# One call.


def _chosen(rows: Sequence[Row]) -> str:
    """The call to show: that of the URL, else the first."""
    names = {row.id: row.label for row in rows}
    if st.session_state.get("call") not in names:
        st.session_state["call"] = st.query_params.get("call") if st.query_params.get("call") in names else rows[0].id
    st.selectbox("Call", list(names), key="call", format_func=names.__getitem__, bind="query-params")
    return str(st.session_state["call"])


def _call(record: CallRecord) -> None:
    """What it took, its prompt by parts, its reply, and the whole of it as JSON."""
    entries = trace.facts(record).items()
    facts = "".join(f"<div><dt>{name}</dt><dd>{inert.escaped(value)}</dd></div>" for name, value in entries)
    role = Role(record.role)
    st.html(f'<div class="vada-call">{theme.agent_dot(role)}<dl class="vada-tiles vada-num">{facts}</dl></div>')
    prompt, reply, raw = st.tabs(["Prompt", "Reply", "As sent"])
    with prompt:
        _whole(record.parts)
        for part in record.parts:
            _part(part)
    with reply:
        _reply(record)
    with raw:
        _raw(record)


def _whole(parts: Sequence[Part]) -> None:
    """The prompt as one bar: how much of it each part takes, in the order they are sent."""
    bars = "".join(
        f'<i style="--c:{_colour(name)};flex:{max(share, 0.005):.4f}" title="{inert.escaped(name)}: {share:.0%}"></i>'
        for name, _, share in trace.shares(parts, tokens)
    )
    st.html(f'<div class="vada-parts" role="img" aria-label="The prompt by its parts, lengths below">{bars}</div>')


def _colour(part: str) -> str:
    return theme.PARTS.get(part, theme.MUTED).css


def _part(part: Part) -> None:
    """A part of the prompt under its name, with what it is for."""
    about = f"{tokens(part.text):,} tokens. {PARTS.get(part.name, '')}"
    name, about = inert.escaped(part.name.capitalize()), inert.escaped(about)
    with st.container(gap="xsmall"):
        st.html(
            f'<div class="vada-part" style="--c:{_colour(part.name)}"><b>{name}</b> '
            f'<span class="vada-quiet">≈ {about}</span></div>'
        )
        _text(part.text)


def _text(text: str, language: str | None = None) -> None:
    """A text with a button that copies it; a long one scrolls."""
    shown = text if len(text) <= MOST else text[:MOST] + f"\n… {len(text) - MOST:,} more characters are in the download"
    st.code(shown or " ", language=language, wrap_lines=True, height=300 if len(text) > LONG else "content")


def _reply(record: CallRecord) -> None:
    """What came back, or why nothing did."""
    if record.error is not None:
        quiet = " · ".join(str(v) for k in ("status", "request_id") if (v := record.error.get(k)))
        pieces.notice("No usable answer", str(record.error.get("message", "")), tone="bad", quiet=quiet)
    written = trace.reply(record)
    if written:
        _text(written)
    elif record.error is None:
        pieces.later("The reply is empty.")


def _raw(record: CallRecord) -> None:
    """The body of the request exactly as it went over the wire; headers, and so keys, are never recorded."""
    st.download_button(
        "Download this call",
        data=trace.download(record),
        file_name=f"{record.slot}.{record.attempt}.json",
        mime="application/json",
        on_click="ignore",
        key="call.download",
        icon=":material/download:",
    )
    _text(json.dumps(record.request, indent=2, ensure_ascii=False), "json")


page()
