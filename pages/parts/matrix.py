"""The matrix screen: the design view, the measured view of a debate or one of its rounds, and the evidence of a cell.

A cell is chosen by a click or by two lists beside the figure; both set the same two keys, so the keyboard reaches all
that the mouse does, and a table says in words what the figure shows.
"""

from collections.abc import Sequence

import streamlit as st

from pages.parts import evidence, figures, measured, pieces, state, theme
from pages.parts.figures import MatrixCell
from pages.parts.inert import escaped
from vada.failure_modes import MODES, Cell, CellState, Finding, Level
from vada.models.run import Run
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName
from vada.views import coverage

_MEASURED, _DESIGN = "This debate", "Design"
_WHOLE = "Whole debate"
_FILLS = {
    "none": theme.Pair("rgba(127,127,127,0)", "rgba(127,127,127,0)"),
    "quiet": theme.Pair("#E1E4EC", "#2B3242"),
    "caught": theme.Pair("#BFE5DC", "#14463F"),
    "amber": theme.Pair("#F6D98A", "#5C470C"),
    "red": theme.Pair("#F3B0A9", "#6B211C"),
    "P": theme.Pair("#CBD2F3", "#2F3B78"),
    "D": theme.Pair("#E2E6F8", "#22294A"),
}
_INK = theme.Pair("#1B1F2A", "#F3F5FA")
_MODES, _PHASES = list(FailureMode), list(EIGHT_PHASES)


def screen(run: Run | None) -> None:
    """The whole screen; without a debate only the design view."""
    st.header("Failure-mode coverage", anchor=False)
    live = run is not None and not run.state.ended
    st.fragment(lambda: _shown(run.id if run else None), run_every=5 if live else None, key="coverage")()


def _shown(id_: str | None) -> None:
    """The figure and its evidence; a live debate is measured again when a phase has ended."""
    run = state.snapshot(id_) if id_ else None
    view, round_ = _controls(run)
    found = measured.findings(run) if run and view == _MEASURED else ()
    cells = measured.round_cells(run, round_) if run and view == _MEASURED else ()
    _first_choice(cells)
    drawn = _measured_cells(cells) if view == _MEASURED else _design_cells()
    _legend(view)
    left, right = st.columns([7, 5], gap="medium")
    with right, st.container(border=True, key="evidence"):
        _choice()
        _evidence(run, found, cells, round_, view)
    with left:
        _figure(drawn, view)
        _table(drawn, view)


def _controls(run: Run | None) -> tuple[str, int | None]:
    """Which view, of which round; None is the whole debate."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ready = run is not None and measured.cells(run) is not None
        views = [_MEASURED, _DESIGN] if ready else [_DESIGN]
        view = st.segmented_control("View", views, default=views[0], required=True, key=f"view-{ready}")
        scope: str | int = _WHOLE
        if run and view == _MEASURED:
            options = [_WHOLE, *coverage.rounds_of(measured.findings(run))]
            scope = st.segmented_control(
                "Of", options, default=_WHOLE, required=True, key="scope",
                format_func=lambda o: o if isinstance(o, str) else f"Round {o}",
            ) or _WHOLE  # fmt: skip
    if run and not ready:
        pieces.later("Nothing is measured yet: the first agents have not answered. The design view shows what will be.")
    elif run is None:
        pieces.later(
            "No debate is open, so this is the design: which phase defends against what. Open one to see it measured."
        )
    return view or _DESIGN, scope if isinstance(scope, int) else None


def _first_choice(cells: Sequence[Cell]) -> None:
    """Begin with the cell that needs a look most: a hard miss, else a weak one, else a catch, else a defence."""
    if "mode" in st.session_state and "phase" in st.session_state:
        return
    order = {CellState.MISSED: 0, CellState.FIRED: 1}
    ranked = sorted(cells, key=lambda c: (order.get(c.state, 3), c.level != Level.RED))
    best = ranked[0] if ranked and ranked[0].state in order else None
    st.session_state["mode"] = best.mode if best else FailureMode.SYCOPHANCY
    st.session_state["phase"] = best.phase if best else PhaseName.PROPOSE


def _choice() -> None:
    """The chosen cell, by two lists."""
    with st.container(horizontal=True, wrap=False):
        st.selectbox("Failure mode", _MODES, key="mode", format_func=lambda m: m.title)
        st.selectbox("Phase", _PHASES, key="phase", format_func=lambda p: p.title)


def _legend(view: str) -> None:
    """What the signs mean, in words and colours."""
    shown = (
        (("caught", "✓ caught, with how often"), ("amber", "✕ missed, a weak sign"), ("red", "✕ missed, a hard sign"),
         ("quiet", "○ quiet, with its chances"), ("none", "blank: no chance to show, which is no praise"))
        if view == _MEASURED
        else (("P", "P prevents"), ("D", "D detects and repairs"), ("none", "blank: no defence here"))
    )  # fmt: skip
    items = "".join(f'<li><i style="background:{_FILLS[f].css}"></i>{escaped(t)}</li>' for f, t in shown)
    st.html(f'<ul class="vd-legend">{items}</ul>')


def _measured_cells(cells: Sequence[Cell]) -> dict[tuple[int, int], MatrixCell]:
    made = {(_MODES.index(c.mode), _PHASES.index(c.phase)): _measured_cell(c) for c in cells}
    blank = MatrixCell("", "no chance to show", theme.pick(_FILLS["none"]), theme.pick(_INK))
    return {(i, j): made.get((i, j), blank) for i in range(len(_MODES)) for j in range(len(_PHASES))}


def _measured_cell(c: Cell) -> MatrixCell:
    missed = "red" if c.level is Level.RED else "amber"
    fill = {
        CellState.MISSED: missed,
        CellState.FIRED: "caught",
        CellState.QUIET: "quiet",
        CellState.NO_CHANCE: "none",
    }[c.state]
    return MatrixCell(coverage.cell_label(c), coverage.cell_words(c), theme.pick(_FILLS[fill]), theme.pick(_INK))


def _design_cells() -> dict[tuple[int, int], MatrixCell]:
    return {
        (_MODES.index(d.mode), _PHASES.index(d.phase)): MatrixCell(
            d.glyph, coverage.defence_words(d), theme.pick(_FILLS[d.glyph or "none"]), theme.pick(_INK)
        )
        for d in coverage.design()
    }


def _figure(drawn: dict[tuple[int, int], MatrixCell], view: str) -> None:
    mode, phase = st.session_state["mode"], st.session_state["phase"]
    selected = (_MODES.index(mode), _PHASES.index(phase))
    with st.container(key="matrix-box"):
        st.html('<div class="vd-hint" tabindex="0">Scroll sideways for all eight phases.</div>')
        st.plotly_chart(
            figures.matrix(drawn, selected), key="matrix", on_select=_picked, selection_mode="points",
            config=figures.QUIET, alt=f"{view}: failure modes by phase; the table below says the same",
        )  # fmt: skip


def _picked() -> None:
    """A click chooses the cell; the lists beside the figure follow."""
    points = st.session_state["matrix"].selection.points
    if points:
        place = points[0]["customdata"]
        i, j = map(int, (place if isinstance(place, str) else place[0]).split(":"))
        st.session_state["mode"], st.session_state["phase"] = _MODES[i], _PHASES[j]


def _table(drawn: dict[tuple[int, int], MatrixCell], view: str) -> None:
    """The same in words."""
    with st.expander("The matrix as a table", key="matrix-table", icon=":material/table:"):
        rows = (
            f'<tr><th scope="row">{m.title}</th>'
            + "".join(f"<td>{escaped(drawn[i, j].words)}</td>" for j in range(len(_PHASES)))
            + "</tr>"
            for i, m in enumerate(_MODES)
        )
        pieces.table(("Failure mode", *(p.title for p in _PHASES)), rows, caption=f"{view}: failure modes by phase")


def _evidence(run: Run | None, found: Sequence[Finding], cells: Sequence[Cell], round_: int | None, view: str) -> None:
    """What stands behind the chosen cell."""
    mode: FailureMode = st.session_state["mode"]
    phase: PhaseName = st.session_state["phase"]
    evidence.about(MODES[mode], phase)
    if run is None or view == _DESIGN:
        evidence.defence(MODES[mode], phase)
        evidence.sources(MODES[mode])
        return
    cell = next((c for c in cells if c.mode is mode and c.phase is phase), None)
    whole = coverage.finding(found, mode, round_)
    evidence.cell(cell, MODES[mode])
    evidence.finding(run, whole)
    evidence.defence(MODES[mode], phase)
    evidence.measured(cell, whole)
    evidence.limits(MODES[mode])
