"""The two-minute tour of the sample debate: a few steps in plain words above the pages they speak of.

Shown on the sample only, until it is closed; then a small way back to it stays. Each step scrolls to its part of the
page and outlines it, and its box stays in sight. Who has seen it is kept by name.
"""

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from pages.parts import links, pieces, sample, state
from pages.parts.inert import escaped
from vada.models.run import Run

_point = st.components.v2.component("tour", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


class Step(NamedTuple):
    """A step: the screen it stands on, the part it speaks of (a selector of ours), its title, and what to look at."""

    page: str
    part: str
    title: str
    text: str


STEPS: tuple[Step, ...] = (
    Step(
        "debate",
        ".vd-steps",
        "One question, four who argue",
        "Up to three rounds, each in phases; the row of phases below shows how long each took. Nobody sees another's "
        "answer while writing. This debate is a recorded rehearsal: no model was called, so watch how it goes and do "
        "not act on what it says.",
    ),
    Step(
        "debate",
        "[class*='st-key-cards-']",
        "A card is what one agent answered",
        "Each begins with a weakness of the obvious answer, set apart at its top. Then come the proposal, its claims "
        "with how sure the agent is, and its sources. Pick another round above the cards: who changed their mind?",
    ),
    Step(
        "debate",
        "[class*='st-key-register-']:not([class*='register-head'])",
        "The challenge register holds every objection",
        "An objection first states the best case for what it attacks, the steel man. "
        "Who is attacked defends or concedes, and the Coordinator rules with a reason. Open a row to read all of it.",
    ),
    Step(
        "debate",
        "[class*='st-key-outcome-']",
        "The gate is where you decide",
        "After each round the debate stops. The gate recommends to continue, fork or stop and says why; you choose, "
        "and may leave a note for the agents. Here it is decided already, and what was chosen stands beside "
        "the recommendation.",
    ),
    Step(
        "coverage",
        ".st-key-matrix-box",
        "The matrix shows how a debate can go wrong",
        "Eleven ways to fail, such as agreeing too soon, against eight phases. One view says which phase guards "
        "against what; the other what was measured in this debate. Choose a cell to see the words it rests on.",
    ),
    Step(
        "deliverable",
        ".st-key-side-by-side",
        "The deliverable is the page to act on",
        "Its state and everything that went wrong stand above the text. Below it are the dissent, the constraints and "
        "the audit by a critic who saw only question and conclusion. Beside it stands one answer without a debate: "
        "compare.",
    ),
)


def show(run: Run, here: str) -> None:
    """The step on this screen, or the way back into the tour; nothing on any other debate."""
    if run.id != sample.id_of_sample() or here not in {s.page for s in STEPS}:
        return
    at = _at()
    if at is None:
        _again()
    else:
        _step(run, at, here)


def _at() -> int | None:
    """The step this session is at; None when the tour is closed. It begins by itself for who has not seen it."""
    if "tour" not in st.session_state:
        st.session_state["tour"] = None if state.debates().value(_key()) else 0
    at = st.session_state["tour"]
    return None if at is None else min(int(at), len(STEPS) - 1)


def _again() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="tour-again"):
        pieces.later("Sample debate, a recorded rehearsal.")
        if st.button("Take the tour", key="tour-begin", type="tertiary", icon=":material/tour:"):
            st.session_state["tour"] = 0
            links.go(STEPS[0].page, id=sample.id_of_sample())


def _step(run: Run, at: int, here: str) -> None:
    """One step with its way back, on and out; the buttons stand at the same place in every step."""
    step = STEPS[at]
    _point(key="tour-point", height="content", data={"step": at, "part": step.part if step.page == here else ""})
    with st.container(border=True, horizontal=True, key="tour", gap="small"):
        with st.container(width="stretch", key="tour-text"):
            st.html(
                f'<div role="status"><span class="vada-quiet">Sample debate, tour {at + 1} of {len(STEPS)}</span>'
                f'<div class="vd-cellname">{escaped(step.title)}</div>'
                f'<div class="vada-measure">{escaped(step.text)}</div></div>'
            )
        with st.container(horizontal=True, gap="small", width="content", key="tour-buttons"):
            _buttons(run, at, here)


def _buttons(run: Run, at: int, here: str) -> None:
    step, last = STEPS[at], at == len(STEPS) - 1
    if step.page != here:  # the person went elsewhere meanwhile
        links.link(step.page, f"Show me on {links.PAGES[step.page].title}", id=run.id)
    if not last and st.button("Close the tour", key="tour-close", type="tertiary"):
        _close(done=False)
    if st.button("Back", key="tour-back", icon=":material/arrow_back:", disabled=at == 0):
        _to(run, at - 1, here)
    if last:
        if st.button("Done, ask my own question", key="tour-close", type="primary"):
            _close(done=True)
    elif st.button("Next", key="tour-next", type="primary", icon=":material/arrow_forward:"):
        _to(run, at + 1, here)


def _to(run: Run, at: int, here: str) -> None:
    """Go to a step, on the screen it speaks of."""
    st.session_state["tour"] = at
    if STEPS[at].page == here:
        st.rerun()
    links.go(STEPS[at].page, id=run.id)


def _close(*, done: bool) -> None:
    """Keep that this person has seen it."""
    st.session_state["tour"] = None
    state.debates().save_value(_key(), True)
    if done:
        links.go("new")
    st.rerun()


def _key() -> str:
    return f"tour.{state.person()[:100]}"
