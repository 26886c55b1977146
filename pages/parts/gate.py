"""The gate bar at the bottom: what is recommended and why, what each choice costs, notes to agents, the decision.

What is typed here lives in the session until a choice is made; the choice itself is one row of the record, so a second
click or a second person changes nothing and is told who decided.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import streamlit as st

from pages.parts import inert, pieces, state
from pages.parts.inert import escaped, one_line
from vada.errors import AlreadyDecidedError, VadaError
from vada.models.outputs import ActiveItem, GateDecision, RenegotiationAnswer, Whisper
from vada.models.run import Round, Run
from vada.models.vocabulary import DEBATERS, GateAction, Role
from vada.views import decision, movement, record, words

ALL = "All agents"
_HELP = "Five checks, in a fixed order, recommend whether the debate continues, forks or stops."
_ICONS = {
    GateAction.STOP: ":material/stop_circle:",
    GateAction.FORK: ":material/call_split:",
    GateAction.CONTINUE: ":material/play_arrow:",
}


class Keys(NamedTuple):
    """The session's keys of one gate; another gate has others, so nothing is carried over."""

    note: str
    whisper: str
    to: str
    kept: str
    active: str
    base: str

    @classmethod
    def of(cls, run: Run, r: Round) -> "Keys":
        """The keys of a round's gate."""
        return cls(*(f"gate-{run.id}-{r.number}-{name}" for name in cls._fields))


def bar(run: Run) -> None:
    """The bar while a person is needed; nothing otherwise. The tools stand in its first line, so that what they open
    upwards leaves the headline in sight."""
    r = decision.open_gate(run)
    if r is None or r.verdict is None:
        st.bottom.empty()
        return
    keys = Keys.of(run, r)
    choices = decision.choices(run, r)
    with st.bottom, st.container(border=True, key="gate", gap="small"):
        with st.container(horizontal=True, vertical_alignment="top", gap="small", key="gate-top"):
            with st.container(key="gate-headline"):
                st.html(_headline(run, r))
            with st.container(horizontal=True, gap="small", wrap=False, width="content", key="gate-tools"):
                _why(run, r)
                _notes(keys, goes_on=not choices[0].impossible)
                _requests(run, r)
                _edits(run, r, keys)
        with st.container(horizontal=True, vertical_alignment="top", gap="small", key="gate-row"):
            with st.container(key="gate-rest"):
                st.html(_rest(run, r, keys, choices))
            _buttons(run, r, choices)


def _headline(run: Run, r: Round) -> str:
    """What is recommended and because of what; on a phone the rest is folded behind its `More`."""
    said = decision.headline(run, r)
    return (
        '<div class="vd-gate" role="status"><span class="sign" aria-hidden="true">●</span>'
        f'<b><span class="round">Decision gate of round {r.number}. </span>{escaped(said.text)}</b>'
        f'<span class="points">{escaped(said.more)}</span>'
        '</div><details class="vd-fold"><summary aria-label="The reasons and the cost"></summary></details>'
    )


def _rest(run: Run, r: Round, keys: Keys, choices: Sequence[decision.Choice]) -> str:
    """Below the headline: who disagrees, what was spent and will be, and what goes with the next round."""
    first = next(c for c in choices if c.first)
    lines = [movement.who_disagrees(run, r), f"{decision.spent(run, first)} · Nothing runs until you decide."]
    notes = _noted(keys)
    if notes:
        lines.append(_goes_to(notes, goes_on=not choices[0].impossible))
    return f'<div class="vd-rest">{"".join(f"<div>{escaped(line)}</div>" for line in lines if line)}</div>'


def _goes_to(notes: Sequence[Whisper], *, goes_on: bool) -> str:
    """To whom the notes of this gate go, before they do."""
    if not goes_on:
        heard = [w for w in notes if w.to is None]
        lost = "A note to one agent reaches nobody, because no round follows."
        said = [f"{_go(heard)} to the Formatter, who writes the deliverable."] if heard else []
        return " ".join([*said, lost] if len(heard) < len(notes) else said)
    to = words.listed(list(dict.fromkeys(_addressee(w) for w in notes)))
    return f"{_go(notes)} {to} with the next round."


def _go(notes: Sequence[Whisper]) -> str:
    """`1 note goes`, `2 notes go`."""
    return f"{words.plural(len(notes), 'note')} {'goes' if len(notes) == 1 else 'go'}"


def _addressee(note: Whisper) -> str:
    if note.to is None:
        return "to all agents"
    return f"to {'' if note.to in _NUMBERED else 'the '}{note.to.title}"


_NUMBERED = (Role.OPTIMIZER_A, Role.OPTIMIZER_B)
"""Two of a kind are told apart by their letter and take no article."""


def checks_html(run: Run, r: Round) -> str:
    """The five checks with their reasons, as our own HTML; the one that decided stands before the others."""
    found = sorted(decision.checks(run, r), key=lambda c: not c.decided)
    return f'<ol class="vd-checks">{"".join(map(_check, found))}</ol>'


def _check(c: decision.Check) -> str:
    mark = f" {pieces.chip('This decided it', 'action')}" if c.decided else ""
    return (
        f'<li class="{c.tone}"><span class="answer">{"Yes" if c.yes else "No"}</span><div>{escaped(c.question)}{mark}'
        f'<div class="vada-quiet">{escaped(c.reason)}</div></div></li>'
    )


def _why(run: Run, r: Round) -> None:
    with st.popover("Why", icon=":material/rule:", key=f"why-{run.id}-{r.number}"):
        st.html(checks_html(run, r))
        points = decision.open_points(r)
        if points:
            items = "".join(f"<li>{escaped(p.text)}</li>" for p in points)
            st.html(f'<div><span class="vd-label">Still open</span><ul class="vd-open">{items}</ul></div>')


def _notes(keys: Keys, *, goes_on: bool) -> None:
    """Notes for the next round, to all agents or to one (what is typed and not added counts too), and one's reason."""
    kept: list[Whisper] = st.session_state.setdefault(keys.kept, [])
    noted = _noted(keys)
    label = f"Notes ({len(noted)})" if noted else "Notes"
    with st.popover(label, icon=":material/edit_note:", key=f"{keys.whisper}-popover", help=words.TERMS["whisper"]):
        for i, w in enumerate(kept):
            with st.container(horizontal=True, vertical_alignment="center"):
                with st.container(width="stretch"):
                    pieces.later(f"To {w.to.title if w.to else 'all agents'}: {w.text}")
                st.button("Remove", key=f"{keys.whisper}-remove-{i}", on_click=kept.pop, args=(i,), type="tertiary")
        st.text_area(
            "Note for the next round", key=keys.whisper, height=100, placeholder="What should they look at?",
            persist_state="session",
        )  # fmt: skip
        st.caption(_KEPT if goes_on else _LAST)
        st.selectbox(
            "To",
            [ALL, *(r.title for r in DEBATERS)],
            key=keys.to,
            help="A private note reaches that role alone.",
            persist_state="session",
        )
        st.button("Add another note", key=f"{keys.whisper}-add", on_click=_keep, args=(keys,), icon=":material/add:")
        st.text_input(
            "Your reason, kept with the decision", key=keys.note, placeholder="Optional", persist_state="session"
        )


_KEPT = "Kept as you type. It goes out when you decide, not before."
_LAST = f"{_KEPT} No round follows: a note to all agents reaches the Formatter, who writes the deliverable."


def _keep(keys: Keys) -> None:
    """Add the typed note to the kept ones and empty the field."""
    typed = _typed(keys)
    if typed:
        st.session_state[keys.kept] = [*st.session_state[keys.kept], typed]
        st.session_state[keys.whisper] = ""


def _typed(keys: Keys) -> Whisper | None:
    text = st.session_state.get(keys.whisper, "").strip()
    to = {r.title: r for r in DEBATERS}.get(st.session_state.get(keys.to, ALL))
    return Whisper(text=text, to=to) if text else None


def _noted(keys: Keys) -> tuple[Whisper, ...]:
    """The notes of a gate so far, the one in the field included."""
    typed = _typed(keys)
    return (*st.session_state.get(keys.kept, []), *([typed] if typed else []))


def sent(run: Run, r: Round) -> None:
    """At the top of a round: the notes that the gate before it sent with it."""
    before = next((x for x in run.rounds if x.number == r.number - 1), None)
    d = before.decision if before else None
    for w in d.whispers if d else ():
        whose = "Your note" if d and d.by == state.person() else f"Note of {d.by if d else ''}"
        to = f" {_addressee(w)}" if w.to else ""
        inert.plain(f"{whose}{to}: {w.text}", kind="small")


def _requests(run: Run, r: Round) -> None:
    """Accept or reject each renegotiation; left open, the constraint holds."""
    rows = record.renegotiations(run, r)
    if not rows:
        return
    label, about = f"Requests ({len(rows)})", words.TERMS["renegotiation"]
    with st.popover(label, icon=":material/gavel:", key=f"requests-{run.id}-{r.number}", help=about):
        for g in rows:
            asked = f"<div>Asked for: {escaped(g.request)}</div><div class='vada-quiet'>{escaped(g.reason)}</div>"
            st.html(f"<div><b>{g.constraint}</b> {escaped(g.constraint_text)}{asked}</div>")
            st.segmented_control(
                f"Your answer to the request on {g.constraint}", ["Leave open", "Accept", "Reject"],
                default="Leave open", required=True, key=_answer_key(run, g.id), label_visibility="collapsed",
            )  # fmt: skip


def _answer_key(run: Run, id_: str) -> str:
    return f"answer-{run.id}-{id_}"


def _edits(run: Run, r: Round, keys: Keys) -> None:
    """The active items the next round works on, and the round the deliverable is written from."""
    with st.popover(
        "Edit", icon=":material/tune:", key=f"{keys.active}-popover", help="Active items, and the base round"
    ):
        items = r.brief.active if r.brief else ()
        lines = "\n".join(one_line(a.text, 400) for a in items)
        st.text_area(
            "Active items, one a line",
            lines,
            key=keys.active,
            height=140,
            help=words.TERMS["active"],
            persist_state="session",
        )
        best = r.verdict.best_round if r.verdict else r.number
        rounds = [x.number for x in run.rounds if x.synthesis]
        st.selectbox(
            "Write the deliverable from", [0, *rounds], key=keys.base,
            format_func=lambda n: f"The best-scored round (now {best})" if n == 0 else f"Round {n}",
        )  # fmt: skip


def _buttons(run: Run, r: Round, choices: Sequence[decision.Choice]) -> None:
    """Stop, fork, continue, each with what it costs; the one that is first stands last, where the eye ends."""
    with st.container(horizontal=True, gap="small", width="content", key="gate-buttons"):
        for choice in sorted(choices, key=lambda c: (c.first, _ORDER.index(c.action))):
            _button(run, r, choice)


_ORDER = (GateAction.STOP, GateAction.FORK, GateAction.CONTINUE)
_LABELS = {GateAction.STOP: "Stop and write", GateAction.FORK: "Fork", GateAction.CONTINUE: "Continue"}
_SHORTCUT = "Shift+Enter"
"""Streamlit ignores a shortcut without Ctrl, Alt or Cmd while a text field has the focus, so typing decides nothing."""


def _button(run: Run, r: Round, choice: decision.Choice) -> None:
    cost = decision.cost_words(choice, rehearsal=run.config.rehearsal)
    label = _LABELS[choice.action]
    if choice.action is GateAction.STOP and choice.first:
        label = "Stop and write the deliverable"
    with st.container(width="content", gap=None, key=f"gate-{choice.action.value}"):
        st.button(
            label,
            key=f"decide-{choice.action.value}",
            icon=_ICONS[choice.action],
            type="primary" if choice.first else "secondary",
            shortcut=_SHORTCUT if choice.first else None,
            help=choice.impossible or choice.text,
            disabled=bool(choice.impossible),
            on_click=decide,
            args=(run.id, r.number, choice.action),
        )
        mark = "<b>Recommended</b><br>" if choice.recommended else ""
        said = choice.in_short if choice.impossible else cost
        st.html(f'<div class="vd-price">{mark}{escaped(said)}</div>')


def decide(id_: str, round_: int, action: GateAction) -> None:
    """Record the choice with everything typed at this gate. A decision that was there already stays as it is."""
    try:
        run = state.snapshot(id_, fresh=True)
        r = run.rounds[round_ - 1]
        if r.decision:
            _told(r.decision.by, r.decision.action)
            return
        state.debates().decide(id_, round_, _decision(run, r, action))
        st.session_state["said"] = f"Decided: {action.value}."
    except AlreadyDecidedError as error:
        _told(error.decided_by, error.action)
    except VadaError as error:
        st.session_state["failed"] = error
    finally:
        state.snapshot(id_, fresh=True)


def _told(by: str, action: str) -> None:
    """Say who was first; one's own second click is no news."""
    if by != state.person():
        st.session_state["said"] = f"This gate was already decided by {by}: {action}."


def _decision(run: Run, r: Round, action: GateAction) -> GateDecision:
    """Everything of this gate as one value."""
    keys = Keys.of(run, r)
    return GateDecision(
        action=action,
        recommended=r.verdict.recommendation if r.verdict else GateAction.WAIT,
        by=state.person(),
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        note=st.session_state.get(keys.note, "").strip(),
        whispers=_noted(keys),
        renegotiations=_answers(run, r),
        active=_active(r, st.session_state.get(keys.active)),
        base_round=st.session_state.get(keys.base) or None,
    )


def _answers(run: Run, r: Round) -> tuple[RenegotiationAnswer, ...]:
    given = {g.id: st.session_state.get(_answer_key(run, g.id)) for g in record.renegotiations(run, r)}
    return tuple(
        RenegotiationAnswer(id=i, accepted=a == "Accept") for i, a in given.items() if a in ("Accept", "Reject")
    )


def _active(r: Round, text: str | None) -> tuple[ActiveItem, ...] | None:
    """The edited active items; None when nothing was edited. An unchanged line keeps its id and origin."""
    old = r.brief.active if r.brief else ()
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if text is None or lines == [one_line(a.text, 400) for a in old]:
        return None
    known = {one_line(a.text, 400): a for a in old}
    return tuple(
        known.get(line) or ActiveItem(id=f"r{r.number}.person.{i}", text=line, origin="a person's edit")
        for i, line in enumerate(lines, 1)
    )


def outcome(run: Run, r: Round) -> None:
    """What the gate of a round recommended, why, and what was decided."""
    if r.verdict is None:
        return
    pieces.heading("Decision gate", term=_HELP)
    with st.container(border=True, key=f"outcome-{r.number}"):
        st.html(f"<div><b>{escaped(decision.recommendation(r.verdict))}</b></div>")
        st.html(checks_html(run, r))
        if r.decision:
            _decided(run, r)


def _decided(run: Run, r: Round) -> None:
    d = r.decision
    assert d
    quiet = f"Reason: {d.note}" if d.note else ""
    pieces.notice(decision.decided(r), tone="you" if decision.overridden(r) else "calm", quiet=quiet)
    for w in d.whispers:
        pieces.later(f"Note to {w.to.title if w.to else 'all agents'}: {w.text}")
    if d.active is not None:
        pieces.later("The active items were edited by hand.")
    if d.base_round is not None:
        pieces.later(f"The deliverable is to be written from round {d.base_round}.")
