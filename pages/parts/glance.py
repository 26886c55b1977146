"""A debate at a glance: state, phases with time and cost, the five key figures, and what was degraded."""

from datetime import UTC, datetime

import streamlit as st

from pages.parts import measured, pieces, theme
from pages.parts.inert import escaped
from vada.models.outputs import Breach, Degraded
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, PhaseName
from vada.views import movement, room, words

_SIGNS = {
    "done": "✓",
    "now": "●",
    "you": "●",
    "later": "○",
    "degraded": "!",
    "failed": "✕",
    "stopped": "■",
    "never": "–",
}
_SAID = {
    "done": "done",
    "now": "running",
    "you": "waits for your decision",
    "later": "to come",
    "degraded": "done with a fallback",
    "failed": "failed",
    "stopped": "stopped by a person",
    "never": "did not run",
}
PHASE_HELP: dict[PhaseName, str] = {
    PhaseName.PREPARE: "lays constraints, brief and instructions before the agents",
    PhaseName.PROPOSE: "four agents propose blind, at the same time",
    PhaseName.CHALLENGE: "challenged agents defend or concede",
    PhaseName.SYNTHESIZE: "the Coordinator rules on every challenge and decides",
    PhaseName.VERIFY: "the Verifier scores and looks for what was dropped",
    PhaseName.COMPRESS: "the brief of at most 800 tokens for the next round",
    PhaseName.DECIDE: "continue, fork or stop",
    PhaseName.FORMAT: "the deliverable",
    PhaseName.AUDIT: "the Blind Critic reads question and conclusion, nothing else",
}


def badges(run: Run) -> None:
    """State, rounds, gate mode and rehearsal, in one row."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if finished_early(run):
            st.badge("Finished early", icon=":material/check_circle:", color="gray")
        else:
            theme.state_badge(run.state)
        if run.config.rehearsal:
            st.badge("Rehearsal, no model is called", icon=":material/theater_comedy:", color="gray")
        if run.config.lineage:
            word = "Follow-up" if run.config.lineage.round == 0 else "Forked"
            st.badge(word, icon=":material/call_split:", color="gray")
        pieces.later(_standing(run))


def finished_early(run: Run) -> bool:
    """Whether a person ended it before its time and yet has a deliverable."""
    return run.state is DebateState.STOPPED and run.deliverable is not None


def who_holds(run: Run, r: Round) -> None:
    """Who holds the answer and who is against, after the newest synthesis up to a round."""
    with_answer = next((x for x in reversed(run.rounds) if x.number <= r.number and x.synthesis), None)
    if with_answer is None:
        pieces.later("Who holds the answer and who is against stands here after the first synthesis.")
        return
    before = f"After round {with_answer.number}. " if with_answer is not r else ""
    st.html(f'<div class="vd-who">{escaped(before + movement.who_disagrees(run, with_answer))}</div>')


def _standing(run: Run) -> str:
    """What happens now, or how it ended, in one line."""
    if run.state is DebateState.QUEUED:
        return "Waiting for the engine to take it up."
    if run.state is DebateState.WAITING:
        return "Nothing runs and nothing is paid until you decide below."
    if run.state in (DebateState.FAILED, DebateState.STOPPED):
        return ""  # said in full by a notice
    if run.state.ended:
        return run.reason
    at = f"Round {run.last.number}: " if run.last and run.phase not in (PhaseName.FORMAT, PhaseName.AUDIT) else ""
    return f"{at}{run.phase.title.lower()}, {PHASE_HELP[run.phase]}." if run.phase else "Starting."


def timeline(run: Run, round_: int) -> None:
    """The phases of a round with time and cost."""
    steps = room.timeline(run, round_, datetime.now(UTC))
    st.html(f'<ol class="vd-steps" aria-label="Phases of round {round_}">{"".join(map(_step, steps))}</ol>')


def _step(step: room.Step) -> str:
    time = words.span(step.seconds) if step.seconds is not None else "&nbsp;"
    time = "your turn" if step.state == "you" else time
    paid = f", {words.money(step.dollars)}" if step.calls and step.dollars else ""
    said = f"{step.phase.title}: {_SAID[step.state]}. {PHASE_HELP[step.phase]}"
    current = ' aria-current="step"' if step.state in ("now", "you") else ""
    return (
        f'<li class="{step.state}" title="{escaped(said)}"{current}><b><span class="sign" aria-hidden="true">'
        f"{_SIGNS[step.state]}</span>{step.phase.title}</b><small>{time}{paid}</small></li>"
    )


def key_figures(run: Run) -> None:
    """The five key figures, equally tall from the first moment on."""
    with st.grid(5, min_column_width=150, key="figures"):
        for f in room.key_figures(run, measured.cells(run)):
            with st.container(border=True, height="stretch", gap=None):
                st.metric(f.name, _label(f.value), help=words.TERMS.get(f.term))
                st.html(_note(f))


def _note(f: room.Figure) -> str:
    """The small print of a figure: how it changed, in a state's colour with its sign, and what it counts."""
    tone: pieces.Tone = "bad" if f.change.startswith("-") else "good"
    change = f"{pieces.chip(f.change, tone)} " if f.change else ""
    return f'<div class="vd-note">{change}{escaped(f.note) or "&nbsp;"}</div>'


def _label(text: str) -> str:
    """Our own words in a label; a dollar sign is not the start of a formula."""
    return text.replace("$", "\\$")


def degraded(items: tuple[Degraded, ...]) -> None:
    """The fallbacks that were taken, above what they touch."""
    if items:
        pieces.notice_list("Degraded", [(d.message, d.cause) for d in items])


def breaches(items: tuple[Breach, ...]) -> None:
    """The structural rules that outputs broke: recorded and shown, never a stop."""
    if not items:
        return
    with st.expander(words.plural(len(items), "rule breach", "rule breaches"), icon=":material/rule:", key="breaches"):
        st.caption(words.TERMS["rule breach"])
        pieces.notice_list("", [(f"Rule {b.rule}: {b.message}", b.phase.title) for b in items])
