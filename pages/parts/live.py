"""How the debate screen stays alive: four parts that redraw themselves at their own pace, and a page that does not.

The room holds what changes while agents write; record, figures and the gate are slower parts of their own, so that
typing, open drawers, a selection and a figure's zoom survive a poll. The page as a whole is drawn anew only when the
pace must change (a gate opened, the debate ended), and never while a drawer is open.
"""

import re
from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.parts import (
    actions,
    cards,
    figures,
    gate,
    glance,
    heading,
    links,
    pieces,
    positions,
    reading,
    register,
    state,
    synthesis,
    verification,
)  # fmt: skip
from pages.parts.inert import escaped
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, PhaseName
from vada.views import movement, record, words

_PACE: dict[DebateState, float] = {DebateState.QUEUED: 1, DebateState.RUNNING: 1, DebateState.WAITING: 3}
"""Seconds between two looks of the room; a debate that has ended is not looked at again."""
_SLOWER = {"record": 2, "gate": 3, "across": 5}
"""By how much the other parts are slower; without a common factor, so that they are rarely due together."""


def page(run: Run) -> None:
    """The whole screen."""
    pace = _PACE.get(run.state)
    _asked_for(run)
    wanted = actions.wanted()
    heading.top(run, "debate", actions.menu)
    actions.said(run)
    _part("room", lambda: _room(run.id, pace), pace)
    for name, draw in (("record", _record), ("across", _across), ("gate", _gate)):
        _part(name, partial(draw, run.id), pace and _SLOWER[name] * pace)
    actions.show(run, wanted)


def _asked_for(run: Run) -> None:
    """Open the round that the address names (`&round=`), once; after that the tabs decide."""
    asked = st.query_params.pop("round", None)
    if asked and asked.isdigit() and run.last:
        st.session_state[f"round-{run.id}"] = int(asked)
        st.session_state[f"follow-{run.id}"] = int(asked) == run.last.number


def _part(name: str, draw: Callable[[], None], every: float | None) -> None:
    """A part that redraws itself; what it was asked to open is opened by the page."""

    def drawn() -> None:
        draw()
        if "open" in st.session_state or "said" in st.session_state or "failed" in st.session_state:
            st.rerun()

    st.fragment(drawn, run_every=every, key=name)()


def _room(id_: str, pace: float | None) -> None:
    """What changes while agents write."""
    reading.watch()
    run = state.snapshot(id_)
    if _PACE.get(run.state) != pace and not actions.is_open():
        st.rerun()
    with st.container():
        glance.badges(run)
    if run.last is None:
        _not_started(run)
        return
    r = chosen(run)
    talk = state.debates().partials(id_) if run.state is DebateState.RUNNING else {}
    _places(
        lambda: _ended(run),
        lambda: glance.timeline(run, r.number),
        lambda: glance.key_figures(run),
        lambda: glance.who_holds(run, r),
        lambda: rounds(run),
        lambda: gate.sent(run, r),
        lambda: glance.degraded(record.degraded(run, r.number, PhaseName.PREPARE, PhaseName.PROPOSE)),
        lambda: cards.writers(run, talk) if r is run.last else None,
        lambda: cards.grid(run, r, talk),
    )


def _places(*draw: Callable[[], None]) -> None:
    """Draw each in a place of its own. The browser tells elements apart by their place: one that comes or goes would
    have all that follow it drawn anew, and a selection in them would be lost."""
    for each in draw:
        with st.container():
            each()


def _not_started(run: Run) -> None:
    if run.state is DebateState.QUEUED:
        pieces.notice(
            "Queued",
            "The engine takes it up as soon as it is free. You may close this page; the debate goes on without it.",
        )
    elif run.state.ended:
        _ended(run)
    else:
        pieces.later("The first round is starting.")


def _ended(run: Run) -> None:
    """How it ended, with the next step."""
    if run.state is DebateState.FAILED:
        pieces.notice(
            "The debate failed",
            "What the agents answered is kept below. Choose Actions, then “Retry failed calls”; only those are paid.",
            tone="bad",
            quiet=run.reason,
        )
    elif run.state is DebateState.STOPPED and not run.deliverable:
        pieces.notice("Stopped", "What existed then is kept: read it, or fork a finished round.", quiet=run.reason)
    if run.state.ended and run.deliverable:
        _ready(run)
    if run.children:
        _branches(run)


def _ready(run: Run) -> None:
    """What was decided, and the way to all of it."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="ready"):
        with st.container(width="stretch", gap=None):
            pieces.later(_how_it_ended(run))
            if run.conclusion:
                st.html(f'<div class="vd-lead">{escaped(first_sentence(run.conclusion.recommendation))}</div>')
        links.link("deliverable", "Read the deliverable", icon=":material/description:", id=run.id)


_EARLY = re.compile(r"Ended early by (?P<who>.+?)\. ")


def _how_it_ended(run: Run) -> str:
    """That the deliverable is ready, and who finished early, if a person did."""
    early = _EARLY.match(run.reason) if glance.finished_early(run) else None
    if early is None:
        return "The deliverable is ready."
    who = "you" if early["who"] == state.person() else early["who"]
    return f"Finished early, by {who}. The deliverable was written from what stood then. {run.reason[early.end() :]}"


def first_sentence(text: str) -> str:
    """The first sentence of a text on one line, cut at a word when it is very long."""
    line = " ".join(text.split())
    return words.clipped(re.split(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"(])", line, maxsplit=1)[0], 280)


def _branches(run: Run) -> None:
    """The debates forked from this one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        pieces.later(f"Forked into {words.plural(len(run.children), 'debate')}:")
        for i, child in enumerate(run.children, 1):
            links.link("debate", f"Open branch {i}", icon=":material/call_split:", id=child)


def chosen(run: Run) -> Round:
    """The round that is looked at: the newest one, until the person picks another. Who is reading further down stays in
    the round they read, and follows again from the top of the page."""
    shown = st.session_state.get(f"round-{run.id}")
    assert run.last
    if st.session_state.get(f"follow-{run.id}", True) and not reading.deep():
        return run.last
    return next((r for r in run.rounds if r.number == shown), run.last)


def rounds(run: Run) -> None:
    """The rounds as tabs; picking the newest follows the debate into the next one."""
    key = f"round-{run.id}"
    st.session_state[key] = chosen(run).number
    with st.container(horizontal=True, vertical_alignment="center"):
        st.segmented_control(
            "Round", [r.number for r in run.rounds], key=key, required=True, format_func=lambda n: f"Round {n}",
            label_visibility="collapsed", on_change=_picked, args=(run,),
        )  # fmt: skip
        if chosen(run) is not run.last and not run.state.ended:
            pieces.later("The debate is further on. Pick the last round to follow it.")


def _picked(run: Run) -> None:
    """Follow from now on only if the newest round was picked; the record shows the picked one at once."""
    assert run.last
    st.session_state[f"follow-{run.id}"] = st.session_state[f"round-{run.id}"] == run.last.number
    st.rerun(["room", "record"])


def _record(id_: str) -> None:
    """What the phases of the chosen round gave."""
    run = state.snapshot(id_)
    if run.last is None:
        return
    r = chosen(run)
    _places(
        lambda: glance.degraded(record.degraded(run, r.number, PhaseName.CHALLENGE)),
        lambda: register.table(run, r),
        lambda: glance.degraded(record.degraded(run, r.number, PhaseName.SYNTHESIZE)),
        lambda: synthesis.section(run, r),
        lambda: verification.section(run, r),
        lambda: glance.degraded(record.degraded(run, r.number, PhaseName.COMPRESS)),
        lambda: gate.outcome(run, r),
        lambda: glance.breaches(record.breaches(run, r.number)),
    )


def _gate(id_: str) -> None:
    """The bar at the bottom while a person is needed."""
    gate.bar(state.snapshot(id_))


def _across(id_: str) -> None:
    """What only shows over the rounds: scores and positions."""
    run = state.snapshot(id_)
    if run.last is None:
        return
    pieces.heading("Scores over the rounds", term=words.TERMS["weighted score"])
    scores = movement.trajectories(run)
    scored = [w for w in scores.weighted if w is not None]
    if not scored:
        pieces.later("Scores appear here after the first verification.")
    elif len(scored) == 1:
        pieces.later(f"{scored[0]:.1f} of 10 so far. The lines begin when a second round was verified.")
    else:
        alt = "Score trajectories: weighted and per dimension, by round"
        st.plotly_chart(figures.trajectory(scores), key="trajectory", config=figures.ZOOMED, alt=alt)
        _events(scores)
    positions.section(run)


def _events(scores: movement.Trajectories) -> None:
    """The marked events in words, for those who do not hover."""
    if scores.marks:
        pieces.later(" ".join(f"Round {m.round}: {m.text.rstrip('.')}." for m in scores.marks))
