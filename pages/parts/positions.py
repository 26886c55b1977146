"""Position flow: who held what on which issue in which round, who moved, and why."""

import streamlit as st

from pages.parts import pieces
from pages.parts.inert import escaped
from pages.parts.theme import agent_dot
from vada.models.run import Run
from vada.models.vocabulary import Role
from vada.views import movement, words

_HELP = (
    "An agent's stance on each issue, by its most confident claim. A bar before a cell marks a move: blue with a named "
    "reason, yellow without one. Without a reason does not mean wrong. “Against” marks who holds another "
    "answer than the newest synthesis."
)


def section(run: Run) -> None:
    """The table of positions and the list of moves."""
    pieces.heading("Who held what, and who moved", term=_HELP)
    held = movement.held(run)
    if not held:
        pieces.later("Positions appear here when the first agents have answered.")
        return
    moved = movement.moves(run)
    _moves(run, moved)
    _table(run, held, moved)
    _changed(run)


def _moves(run: Run, moved: tuple[movement.Move, ...]) -> None:
    if len(run.rounds) < 2:
        pieces.later("Moves appear from round 2 on.")
        return
    if not moved:
        pieces.later("Nobody has changed a position.")
        return
    items = "".join(
        f'<li>{_who(m.role)} on <span class="vd-key">{escaped(words.issue(m.key))}</span>, round {m.round}: '
        f'{escaped(m.before)} → {escaped(m.after)} <span class="vada-quiet">{escaped(m.why)}</span></li>'
        for m in moved
    )
    st.html(f'<ul class="vd-items" style="max-width:860px">{items}</ul>')


def _changed(run: Run) -> None:
    """The blind first answers against what was decided: what a vote without a debate would have said."""
    rows = movement.against_no_debate(run)
    if not rows or run.rounds[0].synthesis is None:
        return
    with st.expander("Did the debate change the answer?", key=f"changed-{run.id}", icon=":material/compare_arrows:"):
        st.caption(
            "The most held blind answer of round 1, as a vote without a debate would give it, and what was decided."
        )
        said = {True: ("Changed", "action"), False: ("Same", "calm"), None: ("Open", "calm")}
        pieces.table(
            ("Issue", "Blind answer", "Decided", "Result"),
            (
                f'<tr><th scope="row">{escaped(words.issue(c.key))}</th><td>{escaped(c.blind)}</td>'
                f"<td>{escaped(c.decided)}</td><td>{pieces.chip(*said[c.changed])}</td></tr>"
                for c in rows
            ),
            caption="Blind answers and decisions",
        )


def _who(role: Role | None) -> str:
    return agent_dot(role) if role else "<b>The synthesis</b>"


def _table(run: Run, held: tuple[movement.Held, ...], moved: tuple[movement.Move, ...]) -> None:
    rounds = [r.number for r in run.rounds]
    cells = {(h.key, h.role, h.round): h for h in held}
    marks = {(m.key, m.role, m.round): m.reasoned for m in moved}
    against = _against(run)
    rows = []
    for key in dict.fromkeys(h.key for h in held):
        name = escaped(words.issue(key))
        rows.append(f'<tr class="group"><th scope="rowgroup" colspan="{len(rounds) + 1}">{name}</th></tr>')
        for role in dict.fromkeys(h.role for h in held if h.key == key):
            line = "".join(_cell(cells.get((key, role, n)), marks.get((key, role, n))) for n in rounds)
            apart = (key, role) in against
            mark = f" {pieces.chip('Against', 'you')}" if apart else ""
            kind = ' class="apart"' if apart else ""
            rows.append(f'<tr{kind}><th scope="row">{_who(role)}{mark}</th>{line}</tr>')
    with st.container(key="positions"):
        _positions(rounds, rows)


def _against(run: Run) -> set[tuple[str, Role | None]]:
    """Who holds another answer than the newest synthesis, by issue."""
    newest = next((r for r in reversed(run.rounds) if r.synthesis), None)
    found = movement.standings(run, newest) if newest else ()
    return {(s.key, h.role) for s in found for h in s.against}


def _positions(rounds: list[int], rows: list[str]) -> None:
    pieces.table(("Issue", *(f"Round {n}" for n in rounds)), rows, caption="Positions by issue, agent and round")


def _cell(held: movement.Held | None, reasoned: bool | None) -> str:
    if held is None:
        return f'<td><span class="vada-quiet">{words.DASH}</span></td>'
    kind = {None: "", True: ' class="moved"', False: ' class="unreasoned"'}[reasoned]
    sure = f'<span class="vada-quiet vada-num">{movement.per_cent(held.confidence)}</span>'
    return f"<td{kind}>{escaped(held.value)} {sure}</td>"
