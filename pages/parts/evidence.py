"""The evidence of a matrix cell: what the mode is, what was found, the numbers, and the very words it rests on."""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.parts import links, pieces
from pages.parts.inert import escaped
from vada.failure_modes import Cell, Finding, Link, Mode, Number, Origin, State
from vada.models.run import Run
from vada.models.vocabulary import PhaseName
from vada.views import coverage, references

_TONES: dict[State, pieces.Tone] = {State.CAUGHT: "good", State.QUIET: "calm", State.NOT_MEASURABLE: "calm"}
_ORIGINS = {
    Origin.MEASURED: "measured on public debates",
    Origin.DEFAULT: "a choice of ours",
    Origin.CALIBRATED: "calibrated on your own debates",
}
_MOST = 4


def about(mode: Mode, phase: PhaseName) -> None:
    """Which cell it is, and what the mode is."""
    st.html(f'<div class="vd-cellname">{mode.title}, {phase.title.lower()}</div>')
    st.html(f"<div>{escaped(mode.line)}</div>")


def defence(mode: Mode, phase: PhaseName) -> None:
    """The defence the design has in this phase."""
    found = next(d for d in coverage.design() if d.mode is mode.mode and d.phase is phase)
    st.html(f'<div><span class="vd-label">By design, this phase</span>{escaped(coverage.defence_words(found))}</div>')


def cell(c: Cell | None, mode: Mode) -> None:
    """What the cell says, in plain sentences."""
    said = coverage.reading(c, mode)
    lines = (("What happened", said.happened), ("What it means", said.means), ("What you can do", said.can_do))
    st.html("".join(f'<p class="vd-said"><b>{name}:</b> {escaped(text)}</p>' for name, text in lines))


def finding(run: Run, f: Finding | None) -> None:
    """The words that the finding of the mode as a whole rests on."""
    if f is None:
        pieces.later("This mode is not measured for this round.")
        return
    found = references.index(run)
    _signs("Signs that it occurred", [(s.phase, s.sentence, s.links) for s in f.signals], run, found)
    _signs("Defences that fired", [(c.phase, c.sentence, c.links) for c in f.catches], run, found)
    if not f.signals and not f.catches and f.evidence:
        _passages(run, f.evidence, found)


def measured(c: Cell | None, f: Finding | None) -> None:
    """The numbers behind it, folded: of the cell, of the mode as a whole, each with its threshold."""
    if f is None:
        return
    with st.expander("The numbers and their thresholds", key="numbers", icon=":material/functions:"):
        said = coverage.cell_words(c) if c else "no chance to show"
        st.html(f'<div><span class="vd-label">In this phase</span>{escaped(said.capitalize())}.</div>')
        tone: pieces.Tone = _TONES.get(f.state, "bad" if f.level == "red" else "caution")
        chances = f"{f.opportunities} chance{'s' if f.opportunities != 1 else ''}"
        head = f"{pieces.chip(coverage.state_words(f), tone)} <span class='vada-quiet'>{chances}</span>"
        st.html(f'<div><span class="vd-label">The mode as a whole</span>{head}<div>{escaped(f.sentence)}</div></div>')
        _numbers(f.numbers)
        for note in f.notes:
            pieces.later(note)


def _numbers(numbers: Sequence[Number]) -> None:
    rows = [
        f'<tr><th scope="row">{escaped(n.name)}</th><td class="num">{n.value:.3g}</td>'
        f'<td class="num">{"–" if n.threshold is None else f"{escaped(n.fires)} {n.threshold:.3g}"}</td>'
        f"<td>{escaped(_origin(n))}</td></tr>"
        for n in numbers
    ]
    if rows:
        pieces.table(("Number", "Value", "Threshold", "Where the threshold is from"), rows, caption="Numbers measured")


def _origin(n: Number) -> str:
    """Where a threshold is from; of a calibration also which one. Empty for a number that is held against nothing."""
    if n.threshold is None:
        return ""
    return f"{_ORIGINS[n.origin]} ({n.version})" if n.version else _ORIGINS[n.origin]


def _signs(
    title: str,
    signs: Sequence[tuple[PhaseName, str, tuple[Link, ...]]],
    run: Run,
    found: dict[str, references.Reference],
) -> None:
    if not signs:
        return
    st.html(f'<span class="vd-label">{title}</span>')
    for phase, sentence, where in signs:
        st.html(f"<div>{pieces.chip(phase.title, 'calm')} {escaped(sentence)}</div>")
        _passages(run, where, found)


def _passages(run: Run, where: Iterable[Link], found: dict[str, references.Reference]) -> None:
    """The words themselves, marked in the text they stand in, with the way to their round."""
    shown = list(where)
    for link in shown[:_MOST]:
        p = references.passage(link, found)
        before, words, after = escaped(p.text[: p.start]), escaped(p.text[p.start : p.end]), escaped(p.text[p.end :])
        mark = f"<mark>{words}</mark>" if words else ""
        st.html(
            f'<div class="vd-notice you"><span class="vada-quiet">{escaped(p.name)}</span>'
            f'<div class="vd-mark">{before}{mark}{after}</div></div>'
        )
    if len(shown) > _MOST:
        pieces.later(f"and {len(shown) - _MOST} more.")
    rounds = sorted({link.round for link in shown if link.round})
    if rounds:
        with st.container(horizontal=True):
            for n in rounds:
                links.link("debate", f"Read round {n}", icon=":material/arrow_forward:", id=run.id, round=str(n))


def limits(mode: Mode) -> None:
    """How it is measured and what the detector cannot see."""
    with st.expander("How this is measured, and what it cannot see", key="limits", icon=":material/info:"):
        st.html(f'<div><span class="vd-label">Measured by</span>{escaped(mode.measured_by)}</div>')
        st.html(f'<div><span class="vd-label">Blind spots</span>{escaped(mode.blind_spots)}</div>')
    sources(mode)


def sources(mode: Mode) -> None:
    """What is known about the mode, no stronger than its sources."""
    with st.expander("What is known about it", key="known", icon=":material/menu_book:"):
        st.html(f"<div>{escaped(mode.about)}</div>")
        st.html("<ol class='vd-sources'>" + "".join(f"<li>{escaped(s)}</li>" for s in mode.sources) + "</ol>")
