"""The verification of a round: scores, points dropped, faults found, constraints, sunsets."""

from collections.abc import Sequence

import streamlit as st

from pages.parts import glance, pieces
from pages.parts.inert import escaped
from vada import constraints as standings
from vada.models.run import Round, Run
from vada.models.vocabulary import PhaseName
from vada.views import record, references, words

_HELP = (
    "The synthesis is checked against the raw proposals, by another model than the Coordinator's where there is one."
)


def section(run: Run, r: Round) -> None:
    """What the Verifier found in a round."""
    pieces.heading("Verification", term=_HELP)
    glance.degraded(record.degraded(run, r.number, PhaseName.VERIFY))
    if not r.verification:
        over = run.state.ended or r.finished
        pieces.later("This round has no scores." if over else "Scores appear here when the synthesis was checked.")
        return
    v = r.verification
    word = words.TRAJECTORIES[v.trajectory]
    change = f" ({words.change(v.delta)})" if v.delta is not None else ""
    st.html(f"<div><b>{v.total:.1f} of 10</b>, {word}{change}. {escaped(v.diff)}</div>")
    scores(run, r)
    _fates(run, r)
    _faults(run, r)
    constraints(standings.in_round(run, r))
    _sunsets(r)


def scores(run: Run, r: Round) -> None:
    """The scores of a round by dimension."""
    rows = (
        f'<tr title="{escaped(s.meaning)}"><th scope="row">{escaped(s.dimension)}</th>'
        f'<td class="num">{s.weight:.0%}</td>'
        f'<td class="num">{s.score:.1f}</td><td class="num">{words.change(s.change) or words.DASH}</td>'
        f"<td>{escaped(s.reason)}</td></tr>"
        for s in record.scores(run, r)
    )
    pieces.table(("Dimension", "Weight", "Score", "Change", "Reason"), rows, caption=f"Scores of round {r.number}")


def _fates(run: Run, r: Round) -> None:
    rows = record.fates(r, references.index(run))
    if not rows:
        return
    dropped = sum(f.dropped for f in rows)
    title = f"Raw against synthesis, {dropped} dropped" if dropped else "Raw against synthesis, nothing dropped"
    with st.expander(title, expanded=bool(dropped), key=f"fates-{run.id}-{r.number}", icon=":material/compare_arrows:"):
        st.caption(words.TERMS["raw against synthesis"])
        body = (
            f'<tr><th scope="row">{escaped(f.point)}</th><td>{escaped(f.claim)}</td><td>{pieces.chip(f.fate)}</td>'
            f"<td>{escaped(f.note)}</td><td>{f.by}</td></tr>"
            for f in rows
        )
        pieces.table(
            ("Point", "Claim", "Fate", "Note", "Found by"), body, caption="Raw proposals against the synthesis"
        )


def _faults(run: Run, r: Round) -> None:
    rows = record.faults(run, r, references.index(run))
    if not rows:
        return
    st.markdown(f"**{words.plural(len(rows), 'fault')} found**")
    for f in rows:
        again = f" Found in rounds {words.listed([str(n) for n in f.rounds])}." if len(f.rounds) > 1 else ""
        fix = f"Correction: {f.correction}" if f.correction else "No correction is given."
        st.html(
            f'<div class="vd-notice caution"><div>{pieces.chip(f.kind, "caution")} {escaped(f.claim)}</div>'
            f'<div class="vada-quiet">In {escaped(f.where)}. {escaped(fix)}{again}</div></div>'
        )


def constraints(rows: Sequence[standings.Standing]) -> None:
    """The checklist of the constraints."""
    if not rows:
        return
    body = (
        f'<tr><th scope="row">{s.constraint.id}</th><td>{escaped(s.constraint.text)}</td>'
        f"<td>{pieces.chip(s.word)}</td><td>{escaped(s.reason) or words.DASH}</td></tr>"
        for s in rows
    )
    pieces.table(("No.", "Constraint", "Result", "Because"), body, caption="Constraints")


def _sunsets(r: Round) -> None:
    if r.verification and r.verification.sunsets:
        st.markdown("**Sunsets**", help=words.TERMS["sunset"])
        lines = "".join(
            f'<li><span class="vd-key">{escaped(words.issue(s.key))}</span> {escaped(s.reason)}</li>'
            for s in r.verification.sunsets
        )
        st.html(f"<ul>{lines}</ul>")
