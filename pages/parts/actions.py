"""What a person can do to a debate outside its gate: stop, cancel, retry, fork, follow up; and the drawers of the page.

Dialogs are opened here, from the page and never from a live part of it: a part that redraws itself would close them.
"""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from pages.parts import cards, links, pieces, register, state
from pages.parts.inert import escaped
from vada.errors import VadaError
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, Role
from vada.views import room, words
from vada.worker.debates import rounds_left

FINISH = "Stop after what is running"
CANCEL = "Cancel now"
RETRY = "Retry failed calls"
FORK = "Fork from a finished round"
FOLLOW = "Start a follow-up debate"
_NOTHING_KEPT = ("No branch locked", None)


def menu(run: Run) -> None:
    """The menu; it offers only what can be done now."""
    options = _possible(run)
    if not options:
        return
    chosen = st.menu_button("Actions", options, key="actions", icon=":material/more_vert:")
    if chosen in (CANCEL, FORK):
        st.session_state["open"] = ("cancel" if chosen == CANCEL else "fork", run.id, 0, "")
    elif chosen == FOLLOW:
        links.go("new", **{"from": run.id})
    elif chosen:
        _act(run.id, "finish" if chosen == FINISH else "retry")
        st.rerun()


def _possible(run: Run) -> list[str]:
    options = []
    if not run.state.ended:
        options += [CANCEL] if run.state is DebateState.WAITING else [FINISH, CANCEL]  # the gate itself stops
    if state.debates().can_retry(run.id):
        options.append(RETRY)
    if any(r.finished for r in run.rounds):
        options.append(FORK)
    if run.conclusion:
        options.append(FOLLOW)
    return options


def _act(id_: str, verb: Literal["finish", "cancel", "retry"]) -> None:
    """Do it through the worker; an error is kept for the page to show."""
    debates = state.debates()
    try:
        match verb:
            case "finish":
                debates.finish(id_, by=state.person())
            case "cancel":
                debates.cancel(id_, by=state.person())
            case "retry":
                debates.retry(id_)
        st.session_state["said"] = _SAID[verb]
    except VadaError as error:
        st.session_state["failed"] = error
    state.snapshot(id_, fresh=True)


_SAID = {
    "finish": "What is running is finished, then the deliverable is written.",
    "cancel": "Cancelled. What was answered is kept.",
    "retry": "Only the failed calls are made again.",
}


def said(run: Run) -> None:
    """What the last action did, once: a toast, or the error with its next step."""
    text = st.session_state.pop("said", None)
    if text:
        st.toast(text, icon=":material/check:")
    error = st.session_state.pop("failed", None)
    if error:
        state.problem(error)


# Drawers and dialogs.


Wanted = tuple[str, str, int, str]
"""What to open: its kind, the debate, the round, the id of the thing."""


def wanted() -> Wanted | None:
    """What a part asked the page to open, once. A page that is drawn anew has nothing open yet."""
    _closed()
    return st.session_state.pop("open", None)


def show(run: Run, asked: Wanted | None) -> None:
    """Open what was asked for; the page knows that something is open until it is closed."""
    asked = asked or wanted()  # the menu above asks in the same run
    if asked is None:
        return
    kind, _, number, id_ = asked
    r = next((x for x in run.rounds if x.number == number), None)
    st.session_state["drawer"] = True
    if kind == "challenge" and r:
        _show("Challenge", lambda: register.drawer(run, r, id_))
    elif kind == "card" and r:
        _show("Proposal", lambda: _card(run, r, Role(id_)))
    elif kind == "cancel":
        _cancel(run)
    elif kind == "fork":
        _fork(run)
    else:
        st.session_state["drawer"] = False


def _closed() -> None:
    st.session_state["drawer"] = False


def is_open() -> bool:
    """Whether a drawer or dialog is open, which a redraw of the page would close."""
    return bool(st.session_state.get("drawer"))


def _show(title: str, body: Callable[[], None]) -> None:
    """A drawer at the right."""
    st.dialog(title, width=560, position="right", on_dismiss=_closed)(body)()


def _card(run: Run, r: Round, role: Role) -> None:
    card = next(c for c in room.cards(run, r, state.debates().partials(run.id)) if c.role is role)
    cards.whole(card)


def _cancel(run: Run) -> None:
    @st.dialog("Cancel this debate now?", on_dismiss=_closed)
    def ask() -> None:
        pieces.later(
            "Calls that are running are dropped and may still be billed. Everything answered so far is kept. To get a "
            f"deliverable from it, {_otherwise(run)} instead."
        )
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Keep it running"):
                _closed()
                st.rerun()
            if st.button(CANCEL, type="primary", icon=":material/cancel:"):
                _act(run.id, "cancel")
                _closed()
                st.rerun()

    ask()


def _otherwise(run: Run) -> str:
    """Where a debate is ended with a deliverable."""
    return "stop at the gate" if run.state is DebateState.WAITING else f"choose “{FINISH}”"


def _fork(run: Run) -> None:
    @st.dialog("Fork from a finished round", width="medium", on_dismiss=_closed)
    def ask() -> None:
        pieces.later("A new debate starts after that round. Every call up to there is reused and not paid again.")
        done = [r for r in run.rounds if r.finished]
        r = st.selectbox(
            "After round", done, index=len(done) - 1, format_func=lambda x: str(x.number), key="fork-round"
        )
        locked = _lock(r, rounds_left(run.config, r.number))
        reason = st.text_input("Why", key="fork-why", placeholder="What this branch is to find out")
        cost = words.money(_round_cost(run)).replace("$", "\\$")
        st.caption("Costs nothing: rehearsal." if run.config.rehearsal else f"A further round cost about {cost} here.")
        if st.button("Fork", type="primary", icon=":material/call_split:", key="fork-go"):
            _forked(run, r, locked, reason)

    ask()


def _lock(r: Round, left: int) -> tuple[str, str] | None:
    """Which stance to lock in the branch, by its place; its words stand below, because a label must not hold them.

    With no rounds `left` a stance would hold nowhere, so none can be chosen.
    """
    if not left:
        why = "No round is left after this one, so a stance would hold nowhere. Fork from an earlier round to lock one."
        st.selectbox("Lock a stance", ["None"], key=f"fork-lock-{r.number}", disabled=True, help=why)
        st.caption(why)
        return None
    pairs = [(d.key, d.value) for d in (r.synthesis.decisions if r.synthesis else ())]
    fork = r.verdict.fork if r.verdict else None
    if fork:
        pairs = [(fork.key, fork.value_a), (fork.key, fork.value_b), *pairs]
    pairs = list(dict.fromkeys(pairs))
    chosen = st.selectbox(
        "Lock a stance", [None, *range(len(pairs))], key=f"fork-lock-{r.number}",
        format_func=lambda i: "None" if i is None else f"Stance {i + 1}",
        help="The branch keeps this stance and does not debate it again.",
    )  # fmt: skip
    items = "".join(f'<li><span class="vd-key">{escaped(k)}</span> {escaped(v)}</li>' for k, v in pairs)
    st.html(f'<ol class="vd-sources">{items}</ol>')
    return None if chosen is None else pairs[chosen]


def _round_cost(run: Run) -> float | None:
    dollars = run.usage.dollars
    return None if dollars is None else dollars / max(1, len(run.rounds))


def _forked(run: Run, r: Round, locked: tuple[str, str] | None, reason: str) -> None:
    try:
        child = state.debates().fork(run.id, r.number, locked=locked, reason=reason.strip(), by=state.person())
    except VadaError as error:
        state.problem(error)
        return
    _closed()
    links.go("debate", id=child)
