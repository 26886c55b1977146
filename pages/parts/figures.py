"""The Plotly figures: score trajectories and the failure-mode matrix.

A figure is built from values that do not change between two polls, so an unchanged one is sent unchanged and the
browser leaves it alone: hover, zoom and selection survive. A changed one is drawn anew (Streamlit names a chart by what
is in it), so the trajectory shows all of itself once a round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from pages.parts import theme
from vada.models.vocabulary import EIGHT_PHASES, FailureMode
from vada.views.movement import Mark, Trajectories

_MARKS = {
    "veto": ("diamond", "Veto"),
    "override": ("triangle-up", "Override"),
    "skipped": ("x", "Verification skipped"),
}
GROUND = theme.Pair("#FFFFFF", "#0F1218")
QUIET = {"displayModeBar": False, "scrollZoom": False}
ZOOMED = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtons": [["zoomIn2d", "zoomOut2d", "resetScale2d"]],
}
"""Zoom by buttons that show on hover: dragging and the wheel stay the page's own."""


def _ink() -> tuple[str, str, str]:
    """Text, muted and line colour of this viewer's mode."""
    return theme.pick(theme.TEXT), theme.pick(theme.MUTED), theme.pick(theme.BORDER)


def trajectory(t: Trajectories) -> go.Figure:
    """Scores over the rounds: the weighted one thick, each dimension thin, events as marks above. A round stands in it
    from its scores on, so that the figure, and with it a person's zoom, stays as it is while the round runs."""
    n = max((i for i, v in enumerate(t.weighted, 1) if v is not None), default=0)
    lines = tuple((name, scores[:n]) for name, scores in t.dimensions.items())
    marks = tuple(m for m in t.marks if m.round in t.rounds[:n])
    return _trajectory(t.rounds[:n], t.weighted[:n], lines, marks, theme.dark())


@st.cache_resource(show_spinner=False, max_entries=128)
def _trajectory(
    rounds: tuple[int, ...],
    weighted: tuple[float | None, ...],
    dimensions: tuple[tuple[str, tuple[float | None, ...]], ...],
    marks: tuple[Mark, ...],
    dark: bool,
) -> go.Figure:
    text, muted, line = _ink()
    names = [f"Round {n}" for n in rounds]
    fig = go.Figure()
    for name, scores in dimensions:
        fig.add_scatter(
            x=names, y=scores, name=name, mode="lines+markers", line={"width": 1.5}, marker={"size": 5}, opacity=0.85,
            connectgaps=True, hovertemplate="%{y:.1f}",
        )  # fmt: skip
    fig.add_scatter(
        x=names, y=weighted, name="<b>Weighted</b>", mode="lines+markers", line={"width": 4, "color": text},
        marker={"size": 9, "color": text}, hovertemplate="%{y:.1f}", connectgaps=True,
    )  # fmt: skip
    low, top = _range(weighted, [scores for _, scores in dimensions])
    _add_marks(fig, marks, top)
    for name, value in zip(names, weighted, strict=True):
        if value is not None:
            fig.add_annotation(
                x=name, y=value, text=f"<b>{value:.1f}</b>", showarrow=False, yshift=18, bgcolor=theme.pick(GROUND),
                font={"color": text, "size": 13}, borderpad=2,
            )  # fmt: skip
    fig.update_layout(
        height=300, margin={"l": 8, "r": 8, "t": 16, "b": 8}, hovermode="x unified",
        dragmode=False,
        legend={"orientation": "h", "y": -0.12, "yanchor": "top", "x": 0, "font": {"color": muted, "size": 12}},
        xaxis={"type": "category", "fixedrange": True, "showgrid": False, "tickfont": {"color": muted}},
        yaxis={
            "range": [low, top], "gridcolor": line, "zeroline": False,
            "tickvals": [*range(low, 11, 2)], "tickfont": {"color": muted},
            "title": {"text": "Score of 10", "font": {"size": 12, "color": muted}},
        },
    )  # fmt: skip
    return fig


def _range(weighted: Sequence[float | None], others: Sequence[Sequence[float | None]]) -> tuple[int, float]:
    """The score axis: from an even number below the lowest score, up to 10 and a band above it for the events."""
    known = [v for scores in (weighted, *others) for v in scores if v is not None]
    low = max(0, int(min(known, default=0) - 1) // 2 * 2)
    return low, 10 + 0.2 * (10 - low)


def _add_marks(fig: go.Figure, marks: Sequence[Mark], top: float) -> None:
    """The events, each kind in its own shape and on its own line above the scores."""
    colour = theme.pick(theme.NEEDS_YOU)
    for kind, (symbol, name) in _MARKS.items():
        found = [m for m in marks if m.kind == kind]
        if found:
            level = 10 + (top - 10) * (0.78 - 0.28 * list(_MARKS).index(kind))
            fig.add_scatter(
                x=[f"Round {m.round}" for m in found], y=[level] * len(found), name=name, mode="markers",
                marker={"symbol": symbol, "size": 11, "color": colour}, customdata=[m.text for m in found],
                hovertemplate="%{customdata}",
            )  # fmt: skip


@dataclass(frozen=True)
class MatrixCell:
    """A cell to draw: what stands in it, what it says on hover, and its colours."""

    label: str
    words: str
    fill: str
    ink: str


def matrix(cells: Mapping[tuple[int, int], MatrixCell], selected: tuple[int, int] | None) -> go.Figure:
    """The eleven by eight matrix from cells by (mode, phase) place. An invisible mark lies over each cell,
    because a heatmap itself never tells of a click; the chosen cell has an outline of its own."""
    modes, phases = [m.title for m in FailureMode], [p.title for p in EIGHT_PHASES]
    text, muted, border = _ink()
    fig = go.Figure()
    for (i, j), cell in cells.items():
        line = {"width": 0} if cell.label else {"width": 1, "color": border}  # a blank cell is an empty frame
        fig.add_shape(
            type="rect", x0=j - 0.47, x1=j + 0.47, y0=i - 0.45, y1=i + 0.45, line=line, fillcolor=cell.fill,
            layer="below",
        )  # fmt: skip
        if cell.label:
            fig.add_annotation(
                x=j, y=i, text=f"<b>{cell.label}</b>", showarrow=False, font={"size": 13, "color": cell.ink}
            )
    places = list(cells)
    fig.add_scatter(
        x=[j for _, j in places], y=[i for i, _ in places], customdata=[f"{i}:{j}" for i, j in places], mode="markers",
        text=[f"<b>{modes[i]}</b><br>{phases[j]}: {cells[i, j].words}" for i, j in places],
        hovertemplate="%{text}<extra></extra>", showlegend=False,
        marker={"symbol": "square", "size": 30, "color": "rgba(0,0,0,0)", "line": {"width": 0}},
        selected={"marker": {"opacity": 0}}, unselected={"marker": {"opacity": 0}},
    )  # fmt: skip
    if selected:
        i, j = selected
        outline = {"color": theme.pick(theme.NEEDS_YOU), "width": 3}
        fig.add_shape(type="rect", x0=j - 0.49, x1=j + 0.49, y0=i - 0.48, y1=i + 0.48, line=outline)
    fig.update_layout(
        height=486, margin={"l": 8, "r": 8, "t": 8, "b": 8}, dragmode=False, clickmode="event+select",
        yaxis={
            "range": [10.5, -0.5], "fixedrange": True, "showgrid": False, "zeroline": False, "tickvals": [*range(11)],
            "ticktext": modes, "tickfont": {"color": text, "size": 13}, "ticks": "",
        },
        xaxis={
            "side": "top", "range": [-0.5, 7.5], "fixedrange": True, "tickangle": 0, "showgrid": False,
            "zeroline": False, "tickvals": [*range(8)], "ticktext": phases, "ticks": "",
            "tickfont": {"color": muted, "size": 12},
        },
    )  # fmt: skip
    return fig
