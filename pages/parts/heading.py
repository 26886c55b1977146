"""The top of the screens of a debate: which debate, its question, and what can be done with it there."""

from collections.abc import Callable

import streamlit as st

from pages.parts import inert, links, pieces, state, theme, tour
from pages.parts.inert import escaped
from vada.errors import NotFoundError
from vada.models.run import Run
from vada.views import words


def opened(*, offer: bool = True) -> Run | None:
    """The debate of the URL; None after saying what to do instead (`offer`: also which debates there are)."""
    id_ = links.debate_id()
    if id_ is None:
        nothing_open()
        return None
    try:
        return state.snapshot(id_)
    except NotFoundError as error:
        state.problem(error)
        st.session_state.pop("debate_id", None)
        if offer:
            offers()
        return None


def nothing_open() -> None:
    """The screen before any debate is chosen: the latest ones, or the way to the first."""
    st.header("No debate is open", anchor=False)
    pieces.later(
        "Open one of the latest below, or start a new one. A debate's address can be shared; it shows the same to all."
    )
    offers()


def offers() -> None:
    """The latest debates, each with its way in."""
    with st.container(horizontal=True):
        links.link("new", "New debate", icon=":material/add:")
        if "library" in links.existing():
            links.link("library", "Library", icon=":material/folder_open:")
    for row in state.debates().list()[:6]:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                inert.plain(row.question, kind="clamp")
            theme.state_badge(row.state)
            links.link("debate", "Open", icon=":material/arrow_forward:", id=row.id)


def top(run: Run, here: str, actions: Callable[[Run], None] | None = None) -> None:
    """The question on two lines, all of it on demand, and what can be done here. The navigation leads to the debate's
    other screens: it keeps which debate is open."""
    tour.show(run, here)
    with st.container(horizontal=True, gap="medium", vertical_alignment="top", key=f"top-{here}"):
        with st.container(key=f"question-{here}"):
            st.html(_question(run))
        if actions:
            actions(run)


def _question(run: Run) -> str:
    """The question with everything the person entered beside it, as our own HTML."""
    c = run.config
    facts = [("Constraints", "\n".join(f"{x.id}  {x.text}" for x in c.constraints) or "none")]
    if c.material:
        facts.append(
            ("Material", "\n".join(f"{m.name} ({words.plural(len(m.text.split()), 'word')})" for m in c.material))
        )
    if c.priorities:
        facts.append(("Priorities", c.priorities))
    facts.append(("Domain", c.pack.name))
    facts.append(("Seats", "\n".join(f"{s.role.title}: {s.model}" for s in c.seats)))
    if c.lineage:
        facts.append(("Comes from", _lineage(run)))
    listed = "".join(f"<dt>{k}</dt><dd>{escaped(v)}</dd>" for k, v in facts)
    return (
        f'<details class="vd-question"><summary><span class="line" role="heading" aria-level="1">{escaped(c.question)}'
        f"</span></summary><dl>{listed}</dl></details>"
    )


def _lineage(run: Run) -> str:
    g = run.config.lineage
    if g is None:
        return ""
    if g.round == 0:
        return f"a follow-up of debate {g.parent}"
    locked = f", with {g.locked_key} locked to {g.locked_value}" if g.locked_key else ""
    return f"forked from debate {g.parent} after round {g.round}{locked}"
