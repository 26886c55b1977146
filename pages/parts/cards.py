"""The agents' cards, side by side, filling while they are written: weakness first and set apart, then the proposal.

What is finished inside a card is an element of its own that no longer changes, so a selection in it survives.
"""

from collections.abc import Mapping

import streamlit as st

from pages.parts import inert, pieces
from pages.parts.inert import escaped
from pages.parts.theme import AGENTS, agent_dot
from vada.markdown import inert_html, unfinished_html
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, PhaseName, Role
from vada.views import room, words

_STATE: dict[str, tuple[str, pieces.Tone]] = {
    "waiting": ("Thinking", "calm"),
    "writing": ("Writing", "action"),
    "done": ("Done", "good"),
    "missing": ("Did not answer", "bad"),
    "cannot": ("Cannot answer", "caution"),
    "benched": ("Left out", "calm"),
    "stopped": ("Stopped", "calm"),
}
HEIGHT = 440
"""Pixels of a card between its head and its link, the same for all, so that they end at one line."""
_ZONE = 230


def grid(run: Run, round_: Round, live: Mapping[str, str]) -> None:
    """The four cards of a round, and who is still awaited."""
    shown = room.cards(run, round_, live)
    with st.container():  # a place that stays when nobody is awaited any more
        _awaited(run, shown)
    with st.grid(4, min_column_width=270, key=f"cards-{round_.number}"):
        for card in shown:
            _card(run, round_, card)


def _awaited(run: Run, shown: tuple[room.Card, ...]) -> None:
    missing = room.waiting_for(shown)
    if missing and not run.state.ended:
        who = words.listed([r.title for r in missing])
        pieces.later(f"Waiting for {len(missing)} more: {who}. The agents are blind: none sees another's answer.")


def _card(run: Run, round_: Round, card: room.Card) -> None:
    key = f"card-{round_.number}-{card.role.value}"
    with st.container(border=True, height="stretch", key=key, gap="small"):
        st.html(head(card))
        if card.state in ("missing", "benched", "stopped"):
            _absent(card)
            return
        live = card.state == "writing"  # a finished card is a new element: it begins at its top again
        with st.container(height=HEIGHT, border=False, autoscroll=live, key=f"{key}-{'live' if live else 'body'}"):
            if card.weakness:
                st.html(_weakness(card))
            _rest(card)
        if st.button(
            "Open in full", key=f"{key}-open", type="tertiary", icon=":material/open_in_full:", disabled=not card.text
        ):
            st.session_state["open"] = ("card", run.id, round_.number, card.role.value)


def head(card: room.Card) -> str:
    """Who it is, on what model, and how far it is."""
    word, tone = _STATE[card.state]
    count = f", {words.plural(card.words, 'word')}" if card.words and card.state == "done" else ""
    return (
        f'<div class="vd-card-head">{agent_dot(card.role)}{pieces.chip(word, tone)}'
        f'<span class="vada-quiet">{escaped(str(card.model))}{count}</span></div>'
    )


def whole(card: room.Card) -> None:
    """Everything of a card, for the drawer."""
    st.html(head(card))
    if card.weakness:
        st.html(_weakness(card))
    _rest(card, full=True)


def _rest(card: room.Card, *, full: bool = False) -> None:
    """What stands in a card below the weakness; `full` shows the draft opened."""
    if card.state == "waiting":
        _waiting(card)
        return
    if card.cannot:
        pieces.notice("It cannot answer", card.cannot, tone="caution")
    if card.text:
        _text(card)
    if card.objections:
        st.html(_objections(card))
    if card.vetoes:
        st.html(_vetoes(card))
    if card.claims:
        st.html(_claims(card))
    if card.change_my_mind:
        st.html(f'<div><span class="vd-label">What would change its mind</span>{escaped(card.change_my_mind)}</div>')
    if card.sources:
        st.html(f'<div><span class="vd-label">Sources</span>{pieces.source_list(card.sources)}</div>')
    if card.draft:
        _draft(card, full)


def _waiting(card: room.Card) -> None:
    bars = "".join(f'<div class="vd-pulse" style="width:{w}%"></div>' for w in (92, 78, 85, 60))
    st.html(f'<div role="status" aria-label="{card.role.title} has not begun to answer"><div>{bars}</div></div>')


def _absent(card: room.Card) -> None:
    if card.state == "stopped":
        pieces.later("The debate was stopped before it had answered.")
    elif card.state == "benched":
        pieces.later("It timed out in an earlier round and was not asked again. The Calls screen shows when.")
    else:
        pieces.later("It gave no answer, and the round went on without it. The Calls screen shows why.")


def _weakness(card: room.Card) -> str:
    label = "Weakness, named only after the proposal" if card.late_weakness else "Weakness first"
    caret = " vd-caret" if card.state == "writing" and not card.text else ""
    return (
        f'<div class="vd-weakness vd-body{caret}" style="--c:{AGENTS[card.role].css}" tabindex="0" role="group" '
        f'aria-label="{card.role.title}: weakness"><span class="vd-label">{label}</span>'
        f"{escaped(card.weakness)}</div>"
    )


def _text(card: room.Card) -> None:
    """The proposal; while it is written its finished paragraphs stand apart from the last one. It can be focused, so
    that the keyboard scrolls the card."""
    named = f'tabindex="0" role="group" aria-label="{card.role.title}: proposal"'
    done, _, tail = card.text.rpartition("\n\n") if card.state == "writing" else (card.text, "", "")
    if done:
        st.html(f'<div class="vd-body" {named}>{inert_html(done)}</div>')
    if tail:
        growing = "" if card.claims or card.draft else " vd-caret"
        st.html(f'<div class="vd-body{growing}"{"" if done else f" {named}"}>{unfinished_html(tail)}</div>')


def _claims(card: room.Card) -> str:
    numbers = {s.id: i for i, s in enumerate(card.sources, 1)}
    items = "".join(f"<li>{escaped(c.text)}{_claim_meta(c, card.role, numbers)}</li>" for c in card.claims)
    return f'<div><span class="vd-label">Claims</span><ul class="vd-claims">{items}</ul></div>'


def _claim_meta(claim: room.Claim, role: Role, numbers: Mapping[str, int]) -> str:
    parts = [
        f'<span class="vd-key">{escaped(words.issue(claim.key))}</span>' if claim.key else "",
        escaped(claim.value),
    ]
    if claim.confidence is not None:
        parts.append(pieces.confidence(claim.confidence, role))
        cited = [str(numbers[s.id]) for s in claim.sources if s.id in numbers]
        parts.append(f"source {', '.join(cited)}" if cited else "no source")
    return f'<div class="meta">{"".join(f"<span>{p}</span>" for p in parts if p)}</div>'


def _objections(card: room.Card) -> str:
    items = "".join(
        f'<li>{escaped(objection)}<div class="meta"><span>Steel man: {escaped(steel_man)}</span></div></li>'
        for steel_man, objection in card.objections
    )
    return f'<div><span class="vd-label">Objects</span><ul class="vd-claims">{items}</ul></div>'


def _vetoes(card: room.Card) -> str:
    items = "".join(
        f'<li>Take out: {escaped(remove)}<div class="meta"><span>{escaped(reason)}</span></div></li>'
        for remove, reason in card.vetoes
    )
    return f'<div><span class="vd-label">Vetoes</span><ul class="vd-claims">{items}</ul></div>'


def _draft(card: room.Card, full: bool) -> None:
    if card.state == "writing":
        body = f'<div class="vd-body vd-caret">{unfinished_html(card.draft)}</div>'
        st.html(f'<div><span class="vd-label">Draft for the reader</span>{body}</div>')
        return
    if full:
        st.html('<span class="vd-label">Draft for the reader</span>')
        inert.text(card.draft, measure=True)
        return
    inside = f'<div style="margin-top:.4rem">{inert_html(card.draft)}</div>'
    st.html(f'<details class="vd-more"><summary>Draft for the reader</summary>{inside}</details>')


def writers(run: Run, live: Mapping[str, str]) -> None:
    """Who is writing what after the proposals: defences, synthesis, verification, the ending. The place keeps its
    height from one phase to the next, so that nothing below it jumps."""
    if run.state is not DebateState.RUNNING or run.phase in (None, PhaseName.PREPARE, PhaseName.PROPOSE):
        return
    shown = room.writing(live)
    with st.container(height=_ZONE, border=False, key="writers"):
        if not shown:
            pieces.later("Between two calls: code checks and records what came in.")
            return
        with st.grid(len(shown), min_column_width=300, key="writers-grid"):
            for w in shown:
                _writer(w)


def _writer(w: room.Writing) -> None:
    with st.container(border=True, key=f"writer-{w.role.value}", gap="small"):
        who = f"<span>{agent_dot(w.role)} {w.what}</span>"
        st.html(f'<div class="vd-card-head">{who}{pieces.chip("Writing", "action")}</div>')
        with st.container(height=_ZONE - 100, border=False, autoscroll=True, key=f"writer-{w.role.value}-body"):
            st.html(f'<div class="vd-body vd-caret" tabindex="0">{unfinished_html(w.text)}</div>')
