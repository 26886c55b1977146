"""Replay: a debate as it stood at any moment of its record, moved through with a slider or played. Changes nothing."""

from collections.abc import Sequence

import streamlit as st

from pages.parts import (
    actions,
    cards,
    glance,
    inert,
    links,
    pieces,
    register,
    shelf,
    state,
    synthesis,
    theme,
    verification,
)
from pages.parts.inert import escaped
from vada.errors import NotFoundError
from vada.models.events import Event
from vada.models.run import Run, fold
from vada.views import room, words

PACE = 1.0
"""Seconds that a moment stands while it plays."""
AT, PLAYING = "replay.at", "replay.playing"
_SIGNS = {"done": "✓", "now": "●", "later": "○", "degraded": "!", "failed": "✕"}


def page(id: str) -> None:
    """The whole screen of a replay."""
    try:
        told = state.debates().events(id)
    except NotFoundError as error:
        state.problem(error)
        links.link("library", "All debates", icon=":material/arrow_back:")
        return
    moments = shelf.moments(told)
    if st.session_state.get("replay.of") != id or AT not in st.session_state:
        st.session_state.update({"replay.of": id, AT: min(1, len(moments) - 1), PLAYING: False})
    wanted = actions.wanted()
    _top(id, told, len(moments))
    playing = bool(st.session_state[PLAYING])
    st.fragment(_stage, run_every=PACE if playing else None, key="stage")(told, moments)
    actions.show(_at(told, moments[_place(moments)]), wanted)


def _top(id: str, told: Sequence[Event], length: int) -> None:
    """Which debate it is, the way out of the replay, and what moves it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("Replay", anchor=False, width="stretch")
        st.button("All debates", key="replay.leave", type="tertiary", icon=":material/arrow_back:", on_click=_leave)
        links.link("debate", "Open as it stands", icon=":material/forum:", id=id)
    inert.plain(fold(told[:1]).config.question, kind="clamp")
    playing = st.session_state[PLAYING]
    with st.container(horizontal=True, gap="small", key="replay.buttons"):
        st.button("Back", key="replay.back", icon=":material/skip_previous:", on_click=_step, args=(-1, length))
        st.button(
            "Pause" if playing else "Play",
            key="replay.play",
            type="primary",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            on_click=_toggle,
            args=(length,),
        )
        st.button("Forward", key="replay.forward", icon=":material/skip_next:", on_click=_step, args=(1, length))


def _leave() -> None:
    st.query_params.pop("replay", None)
    st.session_state[PLAYING] = False


def _step(by: int, length: int) -> None:
    st.session_state[PLAYING] = False
    st.session_state[AT] = min(max(st.session_state[AT] + by, 0), length - 1)


def _toggle(length: int) -> None:
    """Play or pause; at the end it plays from the start again."""
    st.session_state[PLAYING] = not st.session_state[PLAYING]
    if st.session_state[AT] >= length - 1:
        st.session_state[AT] = 0


def _place(moments: Sequence[shelf.Moment]) -> int:
    return min(int(st.session_state[AT]), len(moments) - 1)


def _stage(told: Sequence[Event], moments: Sequence[shelf.Moment]) -> None:
    """The slider and the debate as it stood there; while it plays, each run of it goes one moment further."""
    if "open" in st.session_state:
        st.session_state[PLAYING] = False
        st.rerun()  # a drawer is opened by the page, and the next moment would close it
    if st.session_state[PLAYING]:
        if st.session_state[AT] >= len(moments) - 1:
            st.session_state[PLAYING] = False
            st.rerun()
        st.session_state[AT] += 1
    at = _place(moments)
    if len(moments) > 1:
        st.slider("Moment", 0, len(moments) - 1, key=AT, label_visibility="collapsed", format=" ")
    now = moments[at]
    run = _at(told, now)
    sign = theme.STATES[run.state]
    where = f"{at + 1} of {len(moments)}"
    st.html(
        f'<div class="vada-moment" role="status"><b class="vada-num">{words.span(now.seconds)}</b> {escaped(now.text)} '
        f'{pieces.chip(sign.word, theme.tone(run.state))} <span class="vada-quiet vada-num">{where}</span></div>'
    )
    _room(run)


def _at(told: Sequence[Event], moment: shelf.Moment) -> Run:
    """The run as it stood."""
    return fold(told[: moment.events])


def _room(run: Run) -> None:
    """What stood on the debate's screen then."""
    r = run.last
    if r is None:
        pieces.later("The debate has been entered; no round has begun.")
        return
    _phases(run, r.number)
    glance.key_figures(run)
    glance.degraded(run.degraded)
    cards.grid(run, r, {})
    if r.challenges:
        register.table(run, r)
    if r.synthesis:
        synthesis.section(run, r)
    if r.verification:
        verification.section(run, r)
    if run.deliverable:
        pieces.heading("Deliverable")
        inert.text(run.deliverable.text, measure=True)


def _phases(run: Run, round_: int) -> None:
    """The phases of the round: done, running, to come."""
    steps = room.timeline(run, round_, words.moment(run.updated_at))
    st.html(f'<ol class="vd-steps" aria-label="Phases of round {round_}">{"".join(map(_phase, steps))}</ol>')


def _phase(step: room.Step) -> str:
    sign = f'<span class="sign" aria-hidden="true">{_SIGNS[step.state]}</span>'
    return f'<li class="{step.state}"><b>{sign}{escaped(step.phase.title)}</b><small>{_time(step)}</small></li>'


def _time(step: room.Step) -> str:
    said = {"done": "", "now": "running", "later": "to come", "degraded": "with a fallback", "failed": "failed"}
    time = words.span(step.seconds) if step.seconds is not None and step.state != "now" else ""
    return " ".join(filter(None, (time, said[step.state]))) or "&nbsp;"
