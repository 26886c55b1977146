"""Ask one model once: the offer with its price, the wait, the failure, and the answer beside the deliverable."""

from functools import partial

import streamlit as st

from pages.parts import inert, pieces, state
from pages.parts.inert import escaped
from vada.errors import VadaError
from vada.models.run import BASELINE, Run
from vada.models.vocabulary import DebateState
from vada.views import once, room, words

_WHY = (
    "A debate can lose to one good answer: texts of committees come out complete and flat. One model answers the same "
    "question once, with your constraints and material, and you read the two side by side."
)


def answered(run: Run) -> bool:
    """Whether there is an answer to set beside the deliverable."""
    return run.baseline is not None and run.baseline.state == "answered"


def offer(run: Run) -> None:
    """The offer, until there is an answer: what it does, what it costs, and how it stands."""
    if answered(run) or not (run.state.ended or run.state is DebateState.WAITING):
        return
    with st.container(border=True, key="once"):
        st.markdown("**Ask one model once**", help=_WHY)
        asked = run.baseline
        if asked and asked.state == "asked" and state.debates().asking(run.id):
            st.fragment(partial(_wait, run.id), run_every=1, key="once-wait")()
            return
        if asked and asked.state == "failed":
            pieces.notice(
                "No answer came", "Nothing else is touched. You can ask again.", tone="bad", quiet=asked.problem
            )
        elif asked:
            pieces.notice("Interrupted", "It was asked, and no answer was kept. You can ask again.", tone="caution")
        else:
            pieces.later("The same question, constraints and material, one answer, no debate: is the debate worth it?")
        _ask(run, again=asked is not None)


def _ask(run: Run, *, again: bool) -> None:
    """Whose model, for how much, and the button."""
    possible = once.seats(run)
    seat = possible[0]
    if len(possible) > 1:
        seat = st.selectbox(
            "Whose model", possible, format_func=lambda s: s.role.title, key="once-seat", help="Each model once."
        )
    st.html(f'<div class="vd-price"><b>{escaped(str(seat.model))}</b><br>{escaped(once.price(run, seat))}</div>')
    icon = ":material/refresh:" if again else ":material/person:"
    if st.button("Ask again" if again else "Ask once", key="once-ask", icon=icon):
        try:
            state.debates().ask_once(run.id, seat.role, by=state.person())
        except VadaError as error:
            state.problem(error)
            return
        state.snapshot(run.id, fresh=True)
        st.rerun()


def _wait(id_: str) -> None:
    """How far the answer is; the page is drawn anew when it is there."""
    if not state.debates().asking(id_):
        state.snapshot(id_, fresh=True)
        st.rerun()
    said = state.debates().partials(id_).get(BASELINE, "")
    text = str(room.partial_reply(said).get("text") or "")
    run = state.snapshot(id_)
    model = str(run.baseline.model) if run.baseline else ""
    far = f"{words.plural(len(text.split()), 'word')} so far" if text else "thinking"
    st.html(
        f'<div role="status"><b>{escaped(model)}</b> is writing, {escaped(far)}</div>'
        '<div class="vada-quiet">You may leave this page; the answer is kept.</div>'
    )


def answer(run: Run) -> None:
    """The answer, in a column of its own."""
    found = run.baseline
    assert found is not None
    head("One answer, no debate", f"{found.model} · {once.took(run)}", key="once-head")
    broken = [c for c in found.checks if c.holds == "no"]
    for check in broken:
        pieces.notice(f"Constraint {check.constraint} is broken", check.reason, tone="caution")
    with st.container(key="once-text"):
        st.html(f'<article class="vd-page">{inert.inert_html(found.text)}</article>')


def head(title: str, quiet: str, *, key: str) -> None:
    """What a column holds, and what it took."""
    with st.container(key=key):
        st.html(
            f'<div class="vd-column"><h2>{escaped(title)}</h2><span class="vada-quiet">{escaped(quiet)}</span></div>'
        )
