"""What a round settled: the synthesis with its difference to the last one, decisions, vetoes, renegotiations."""

from collections.abc import Iterable

import streamlit as st

from pages.parts import inert, pieces
from pages.parts.inert import escaped
from pages.parts.theme import agent_dot
from vada.markdown import diff_html
from vada.models.outputs import Synthesis
from vada.models.run import Round, Run
from vada.models.vocabulary import PhaseName
from vada.views import record, references, words


def section(run: Run, r: Round) -> None:
    """Everything the Coordinator gave in a round."""
    pieces.heading(
        "Synthesis", term="The Coordinator rules on every challenge and veto, decides, and writes what follows."
    )
    if not r.synthesis:
        _absent(run, r)
        return
    _text(run, r)
    columns(run, r)
    _vetoes(run, r)
    _renegotiations(run, r)


def _absent(run: Run, r: Round) -> None:
    failed = record.degraded(run, r.number, PhaseName.SYNTHESIZE)
    if failed or run.state.ended or r.finished:
        pieces.later("There is no synthesis of this round. The raw replies are kept in the cards above.")
    else:
        pieces.later("The synthesis appears here when every challenge is answered.")


def _text(run: Run, r: Round) -> None:
    before = record.last_synthesis(run, r.number)
    assert r.synthesis
    with st.container(border=True, key=f"synthesis-{r.number}"):
        changed = before is not None and _switch(before[0], f"diff-{run.id}-{r.number}")
        text, aside = st.columns([8, 4], gap="large")
        with text:
            if before and changed:
                st.html(f'<div class="vada-measure">{diff_html(before[1], r.synthesis.text)}</div>')
            else:
                inert.text(r.synthesis.text, measure=True)
        with aside:
            st.html(_aside(r.synthesis))


def _switch(since: int, key: str) -> bool:
    """The switch for the difference to an earlier round, with what its colours mean beside it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        on = st.toggle(f"Show changes since round {since}", key=key)
        if on:
            st.html('<div class="vada-md vada-quiet"><ins>added</ins> <del>taken out</del></div>', width="content")
    return on


def _aside(s: Synthesis) -> str:
    """What stands beside the synthesis: why the obvious answer was left, what was taken out, whose draft is used."""
    facts = [("Why not the obvious answer", escaped(s.why_not_obvious)), ("Taken out", escaped("; ".join(s.removed)))]
    if s.base_draft:
        facts.append(("The deliverable builds on the draft of", agent_dot(s.base_draft)))
    facts.append(("Length", words.plural(s.words, "word")))
    return pieces.facts(facts)


def columns(run: Run, r: Round) -> None:
    """Decided, Active and Minority side by side."""
    found = record.columns(run, r, references.index(run))
    shown = (
        ("Decided", "decided", found.decided, "Nothing is settled yet."),
        ("Active", "active", found.active, "Nothing is open any more."),
        ("Minority report", "minority report", found.minority, "Nobody was overruled."),
    )
    with st.grid(3, min_column_width=280, key=f"columns-{r.number}"):
        for title, term, items, none in shown:
            with st.container(border=True, height="stretch"):
                st.markdown(f"**{title}** :gray[{len(items)}]", help=words.TERMS[term])
                body = "".join(map(_item, items))
                st.html(f'<ul class="vd-items">{body}</ul>' if items else f'<div class="vada-quiet">{none}</div>')


def _item(item: record.Item) -> str:
    marks = [
        pieces.chip("New", "action") if item.is_new else "",
        pieces.chip("Changed", "caution") if item.changed_from else "",
        pieces.chip("Given up", "calm") if item.given_up else "",
    ]
    meta = [f'<span class="vd-key">{escaped(words.issue(item.key))}</span>', escaped(item.value) if item.value else ""]
    meta += [pieces.confidence(item.confidence) if item.confidence is not None else "", *marks]
    lines = [f'<div class="meta">{"".join(f"<span>{m}</span>" for m in meta if m)}</div>']
    if item.held:
        lines.append(f'<div class="meta">Held by {escaped(item.held)}</div>')
    if item.changed_from:
        why = f", because of {item.why}" if item.why else ", no reason is named"
        lines.append(f'<div class="meta">Was: {escaped(item.changed_from)}{escaped(why)}</div>')
    elif item.why:
        lines.append(f'<div class="meta">{escaped(item.why)}</div>')
    return f"<li>{escaped(item.text)}{''.join(lines)}</li>"


def _vetoes(run: Run, r: Round) -> None:
    rows = record.vetoes(r, references.index(run))
    if not rows:
        return
    st.markdown("**Vetoes**", help=words.TERMS["veto"])
    for v in rows:
        word = v.verdict.title if v.verdict else "Not ruled yet"
        cites = f" Rests on {words.listed(list(v.cites))}." if v.cites else ""
        st.html(
            f'<div class="vd-notice"><div>{pieces.chip(word)} Take out <b>{escaped(v.remove)}</b> from '
            f"{escaped(v.target)}. "
            f'{escaped(v.reason)}</div><div class="vada-quiet">{escaped(v.ruling + cites)}</div></div>'
        )


def _renegotiations(run: Run, r: Round) -> None:
    rows = record.renegotiations(run, r)
    if rows:
        st.markdown("**Renegotiations**", help=words.TERMS["renegotiation"])
        requests(rows)


def requests(rows: Iterable[record.RenegotiationRow]) -> None:
    """Requests to change a constraint, with the person's answer."""
    for g in rows:
        tone: pieces.Tone = "good" if g.answer == "accepted" else "calm" if g.answer == "rejected" else "you"
        st.html(
            f'<div class="vd-notice {tone}"><div>{pieces.chip(g.answer.capitalize(), tone)} '
            f"<b>{g.constraint}</b> {escaped(g.constraint_text)}</div><div>Asked for: {escaped(g.request)}</div>"
            f'<div class="vada-quiet">{escaped(g.reason)}</div></div>'
        )


def minority(run: Run, r: Round) -> None:
    """The minority report of a round by itself."""
    items = record.columns(run, r, references.index(run)).minority
    body = "".join(map(_item, items))
    if items:
        st.html(f'<ul class="vd-items vada-measure">{body}</ul>')
    else:
        pieces.later("Nobody was overruled.")
