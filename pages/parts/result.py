"""The deliverable screen: state and degradations above the text, the text in readable measure, and its annex."""

from functools import partial

import streamlit as st

from pages.parts import glance, heading, inert, links, once, pieces, state, synthesis, verification
from pages.parts.inert import escaped
from pages.parts.theme import agent_dot
from vada import constraints, exports
from vada.markdown import diff_html
from vada.models.outputs import Conclusion
from vada.models.run import Run
from vada.views import once as views_once
from vada.views import record, result, words


def screen(run: Run) -> None:
    """The whole screen; while the debate runs it looks again every few seconds."""
    heading.top(run, "deliverable", _follow_up)
    if not run.state.ended:
        st.fragment(partial(_watch, run.id, run.version), run_every=5, key="watch")()
    _above(run)
    if not result.text(run):
        pieces.later("There is nothing to read yet. The first synthesis appears after phase 4 of round 1.")
        links.link("debate", "Watch the debate", icon=":material/forum:", id=run.id)
        return
    if once.answered(run):
        _side_by_side(run)
    left, right = st.columns([8, 4], gap="large")
    with left:
        if not once.answered(run):
            _page(run)
        _annex(run)
    with right:
        _exports(run)
        once.offer(run)
        _facts(run)


def _side_by_side(run: Run) -> None:
    """The deliverable and the one answer, each in a readable column; on a phone one above the other."""
    with st.container(key="side-by-side"):
        left, right = st.columns(2, gap="large")
    with left:
        once.head("Deliverable" if run.deliverable else "Synthesis", views_once.debated(run), key="debated-head")
        _page(run)
    with right:
        once.answer(run)


def _watch(id_: str, version: int) -> None:
    """Draw the page anew when the record has grown."""
    run = state.snapshot(id_)
    if run.version != version and (run.state.ended or run.deliverable):
        st.rerun()


def _follow_up(run: Run) -> None:
    if run.conclusion:
        links.link(
            "new", "Follow-up debate", icon=":material/reply:", help="Start from its decisions and minority report",
            **{"from": run.id},
        )  # fmt: skip


def _above(run: Run) -> None:
    """State, rehearsal, degradations: before any word of the text."""
    b = result.banner(run)
    pieces.notice(b.title, b.text, tone=b.tone)
    if run.config.rehearsal:
        pieces.notice(
            "Rehearsal", "No model was called: every reply was made offline by rules. Do not act on it.", tone="caution"
        )
    glance.degraded(result.cautions(run))
    if run.deliverable and run.deliverable.fallback:
        pieces.notice(
            "Not formatted", "This is the raw synthesis with its scores, because formatting failed.", tone="caution"
        )


def _page(run: Run) -> None:
    """The text itself."""
    for note in filter(
        None, (result.base_words(run), "" if run.deliverable else "The last synthesis, not yet a deliverable.")
    ):
        pieces.later(note)
    with st.container(key="deliverable-text"):
        st.html(f'<article class="vd-page">{inert_page(run)}</article>')


def inert_page(run: Run) -> str:
    """The text as inert HTML."""
    from vada.markdown import inert_html

    return inert_html(result.text(run))


def _exports(run: Run) -> None:
    """Every file there is."""
    with st.container(border=True, key="export", gap=None):
        st.markdown(
            "**Take it with you**", help="Every file carries the state, what was degraded, models, cost and the seal."
        )
        for name, kind in exports.FORMATS.items():
            st.download_button(
                kind.title, partial(exports.render, run, name), exports.filename(run, name), kind.media_type,
                on_click="ignore", key=f"export-{name}", icon=":material/download:", type="tertiary",
            )  # fmt: skip


def _facts(run: Run) -> None:
    """What it cost, who took part, the record's seal."""
    with st.container(border=True, key="facts"):
        facts = [("How long, how much", result.ended_in(run))]
        if run.deliverable:
            facts.append(("Length", words.plural(run.deliverable.words, "word")))
        facts.append(("Record", result.sealed(run)))
        st.html(pieces.facts([(k, escaped(v)) for k, v in facts] + [("Who took part", _participants(run))]))


def _participants(run: Run) -> str:
    c = run.conclusion
    seats = c.participants if c and c.participants else ()
    return (
        "<br>".join(f'{agent_dot(p.role)} <span class="vada-quiet">{escaped(p.model)}</span>' for p in seats)
        or words.DASH
    )


def _annex(run: Run) -> None:
    """Everything the page rests on, for those who ask."""
    names = ("Conclusion", "Minority report", "Constraints", "Scores", "Open questions", "Audit")
    tabs = st.tabs(list(names), key="annex")
    for tab, draw in zip(tabs, (_conclusion, _minority, _constraints, _scores, _open, _audit), strict=True):
        with tab:
            draw(run)


def _conclusion(run: Run) -> None:
    c = result.conclusion(run)
    if c is None:
        pieces.later("There is no conclusion yet.")
        return
    if not result.audited(run):
        pieces.later("Not audited yet: this is the Coordinator's own conclusion.")
    st.html(f'<div class="vd-lead">{escaped(c.recommendation)}</div>')
    st.html(pieces.facts(_fields(c)))


def _fields(c: Conclusion) -> list[tuple[str, str]]:
    """The conclusion's other fields as names and HTML."""
    unresolved = (
        f"{escaped(u.point)}<br><span class='vada-quiet'>{escaped(u.position_a)} / {escaped(u.position_b)}"
        f"{escaped(' (' + words.agents(u.agents) + ')') if u.agents else ''}</span>"
        for u in c.unresolved_points
    )
    return [
        ("Key condition", escaped(c.key_condition)),
        ("Caveats", _bullets(escaped(x) for x in c.caveats)),
        (
            "If, then",
            _bullets(f"{escaped(b.condition.rstrip('. :'))}: {escaped(b.path)}" for b in c.conditional_branches),
        ),
        ("Unresolved", _bullets(unresolved)),
        ("Review by", escaped(c.review_by)),
    ]


def _bullets(items: "list[str] | object") -> str:
    lines = "".join(f"<li>{i}</li>" for i in items)  # type: ignore[attr-defined]
    return f"<ul>{lines}</ul>" if lines else ""


def _minority(run: Run) -> None:
    r = result.base(run)
    if r is None:
        pieces.later("There is no minority report yet.")
        return
    pieces.later(words.TERMS["minority report"])
    synthesis.minority(run, r)


def _constraints(run: Run) -> None:
    r = result.base(run)
    if not run.config.constraints:
        pieces.later("This debate has no constraints.")
        return
    verification.constraints(constraints.standing(run, r))
    asked = [g for x in run.rounds for g in record.renegotiations(run, x)]
    if asked:
        st.markdown("**Renegotiated**", help=words.TERMS["renegotiation"])
        synthesis.requests(asked)


def _scores(run: Run) -> None:
    r = result.base(run)
    if r is None or not r.verification:
        pieces.later("The round this was written from has no scores: its verification was skipped.")
        return
    st.html(f"<div><b>{r.verification.total:.1f} of 10</b>, round {r.number}</div>")
    verification.scores(run, r)


def _open(run: Run) -> None:
    items = result.open_questions(run)
    if not items:
        pieces.later("The page leaves no fault open.")
    else:
        st.html(f'<ul class="vd-facts">{"".join(f"<li>{escaped(i)}</li>" for i in items)}</ul>')


def _audit(run: Run) -> None:
    pieces.later(words.TERMS["blind audit"])
    if not result.looks(run):
        pieces.later("There was no audit." if run.state.ended else "The audit comes last.")
    for look in result.looks(run):
        chip = pieces.chip("Passed", "good") if look.passed else pieces.chip(f"Flagged: {look.field}", "caution")
        st.html(f"<div>Look {look.attempt} {chip}</div>")
        if look.objection:
            inert.plain(look.objection)
    fixed = result.fix(run)
    if fixed:
        st.html(f'<span class="vd-label">What was fixed: {escaped(fixed.field)}, and nothing else</span>')
        st.html(f'<div class="vada-measure">{diff_html(fixed.before, fixed.after)}</div>')
        if fixed.touched_others:
            pieces.later("The fix also tried to change other fields; those changes were not taken.")
