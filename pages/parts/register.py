"""The challenge register as a table, and the drawer with everything that became of one challenge."""

import streamlit as st

from pages.parts import inert, pieces
from pages.parts.inert import escaped, one_line
from pages.parts.theme import agent_dot
from vada.models.run import Round, Run
from vada.views import record, references, words

_HEAD = (
    '<div class="vd-row head"><span>No.</span><span>Aimed at</span><span>Objection</span><span>Defence</span>'
    "<span>Ruling</span></div>"
)


def table(run: Run, r: Round) -> None:
    """The register of a round; each row opens the drawer."""
    pieces.heading("Challenge register", term=words.TERMS["challenge register"])
    rows = record.register(run, r, references.index(run))
    if not r.challenges:
        pieces.later("Challenges appear here when the Challenger has answered.")
        return
    if not rows:
        pieces.later(
            "The Challenger raised no challenge in this round. That is a breach of its role and counted as such."
        )
        return
    with st.container(border=True, gap="xsmall", key=f"register-{r.number}"):
        with st.container(key=f"register-head-{r.number}"):
            line(_HEAD)
        for row in rows:
            line(_row(row), opens=row)


def line(html: str, opens: record.ChallengeRow | None = None) -> None:
    """A row of the register, with its button beside it (its head has none)."""
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        with st.container(width="stretch"):
            st.html(html)
        with st.container(width=84):
            if opens is None:
                st.html('<span aria-hidden="true">&nbsp;</span>')
            elif st.button("Open", key=f"open-{opens.id}", help=f"Open challenge {opens.number}", width="stretch"):
                st.session_state["open"] = ("challenge", "", opens.round, opens.id)


def _row(row: record.ChallengeRow) -> str:
    return (
        f'<div class="vd-row"><span class="vada-num">{row.number}</span>'
        f'<span><span class="vd-key">{escaped(row.target)}</span>{_against(row)}</span>'
        f'<span class="objection">{escaped(one_line(row.objection, 150))}</span>'
        f'<span class="defence">{pieces.chip(row.status)}</span><span>{pieces.chip(row.verdict)}</span></div>'
    )


def _against(row: record.ChallengeRow) -> str:
    return f'<small class="against">Against: {escaped(row.against)}</small>' if row.against else ""


def drawer(run: Run, r: Round, id_: str) -> None:
    """Steel man, objection, evidence, defence, ruling and its reason, in the order they were made."""
    rows = {row.id: row for row in record.register(run, r, references.index(run))}
    if id_ not in rows:
        pieces.later("This challenge is no longer in the record.")
        return
    row = rows[id_]
    st.html(
        f'<div class="vd-head"><span>Challenge {row.number}, round {row.round}</span>{pieces.chip(row.status)}'
        f"{pieces.chip(row.verdict)}</div>"
    )
    _said(f"Against: {row.against}" if row.against else "Aimed at", row.aimed_at, f"Issue: {row.target}")
    _said("Steel man", row.steel_man, words.TERMS["steel man"])
    st.html(
        f'<div><span class="vd-label">Objection</span>{escaped(row.objection)}<div style="margin-top:.3rem">'
        f'<span class="vada-quiet">Confidence {pieces.confidence(row.confidence)}</span></div></div>'
    )
    if row.sources:
        st.html(f'<div><span class="vd-label">Evidence</span>{pieces.source_list(row.sources)}</div>')
    else:
        _said("Evidence", "None named.")
    _defences(row)
    _said(
        "Ruling",
        row.reason or "The Coordinator has not ruled yet.",
        "Rests on " + words.listed(list(row.cites)) if row.cites else "",
    )


def _said(label: str, text: str, quiet: str = "") -> None:
    small = f'<div class="vada-quiet">{escaped(quiet)}</div>' if quiet else ""
    st.html(f'<div class="vd-body"><span class="vd-label">{label}</span>{escaped(text)}{small}</div>')


def _defences(row: record.ChallengeRow) -> None:
    if not row.defences:
        who = words.listed([d.title for d in row.defenders])
        _said(
            "Defence", f"{who or 'Nobody'} gave none. Undefended is not adopted by itself; the Coordinator still rules."
        )
    for d in row.defences:
        st.html(f'<div><span class="vd-label">Defence</span>{agent_dot(d.role)} {words.DEFENCES[d.verdict]}</div>')
        inert.plain(d.reason)
