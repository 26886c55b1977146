"""New debate: a question and everything around it becomes a config; Start hands it to the engine.

Holds only what was not sent yet; nothing here runs a debate.
"""

from collections.abc import Mapping, Sequence
from secrets import randbelow
from typing import Any

import streamlit as st
from pydantic import ValidationError

from pages.parts import case, draft, frame, inert, links, listings, sample, state
from pages.parts.build import build, faults, sketch
from pages.parts.form import Form, follow_up, from_config
from vada.errors import InputError, NotFoundError, VadaError
from vada.llm import pricing
from vada.models.debate import REHEARSAL, DebateConfig, Expected, Pack
from vada.probed import Reports, offered, troubles
from vada.settings import Settings, notices

AT_ONCE = ("panel", "models.")
"""How fields begin whose faults are said before the first try: a panel without its key, or with a model that is gone,
cannot start, whatever else is typed."""


LEARNT_FROM = 12
"""How many of the latest debates the estimate learns from."""


@st.cache_data(show_spinner=False, ttl=60)
def _habits() -> pricing.Habits:
    """What the calls of the latest debates took, rehearsals left out."""
    rows = [r for r in state.debates().list() if r.state.ended and not r.rehearsal][:LEARNT_FROM]
    return pricing.learned((run.config, pricing.taken(run)) for run in (state.debates().run(r.id) for r in rows))


@st.cache_data(show_spinner=False, max_entries=200)
def _estimated(config: str, habits: pricing.Habits, _settings: Settings) -> pricing.Estimate:
    """The estimate of a config (as JSON), made once."""
    return pricing.estimate(DebateConfig.model_validate_json(config), _settings, habits)


def estimate(config: DebateConfig, settings: Settings) -> pricing.Estimate:
    """What a debate will take, judged by what earlier debates of real models took."""
    return _estimated(config.model_dump_json(), {} if config.rehearsal else _habits(), settings)


def page() -> None:
    """The whole screen."""
    listings.refresh()
    settings, packs, reports = state.in_force(), state.prompts().packs, state.debates().reports()
    form = _form(packs)
    tried = bool(st.session_state.get("new.tried"))
    wrong = case.Faults(
        lambda: (f for f in faults(form, settings, packs, reports) if tried or f.field.startswith(AT_ONCE))
    )
    head = st.container()
    left, right = st.columns([7, 4], gap="large")
    with left:
        case.question(form, packs, wrong)
        case.constraints(form, wrong)
        case.material(form)
        case.priorities(form)
        frame.scored(form, packs, wrong)
    with right:
        models = offered(settings, reports)
        frame.who(form, settings, packs, models, wrong, lambda: _said(form, settings, packs, reports))
        frame.how(form, settings, wrong)
    with head:
        _head(form)  # after what it depends on was read
    pressed = _bar(form, settings, packs, wrong.all() if tried else [])
    draft.keep(form)
    if pressed:
        _start(form, settings, packs, reports)


def _form(packs: Mapping[str, Pack]) -> Form:
    """The form to show. A second press of Start leads to the debate that the first one made."""
    held: Form | None = st.session_state.get("new.form")
    if held is not None and held.started and st.session_state.get("new.start"):
        links.go("debate", id=held.started)
    for word in ("from", "like"):
        if earlier := st.query_params.pop(word, None):
            _seed(earlier, packs, follows=word == "from")
    return draft.form()


def _seed(id: str, packs: Mapping[str, Pack], *, follows: bool) -> None:
    """Begin a draft from an earlier debate: a follow-up, or the same again."""
    try:
        run = state.snapshot(id)
    except NotFoundError as error:
        st.session_state["new.failed"] = error
        return
    draft.begin(follow_up(run, packs) if follows else from_config(run.config, packs))


def _head(form: Form) -> None:
    """Title, presets, what this follows up, and what went wrong at the last try."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("New debate", anchor=False, width="stretch")
        _presets(form)
        st.button("Clear", key="clear", type="tertiary", icon=":material/delete_sweep:", on_click=draft.clear,
                  disabled=form.blank, help="Begin anew; the draft can be brought back")  # fmt: skip
    if form.blank and st.session_state.get("new.cleared"):
        with st.container(border=True, horizontal=True, vertical_alignment="center", key="cleared"):
            st.markdown("The draft is cleared.", width="stretch")
            st.button("Bring it back", key="unclear", icon=":material/undo:", on_click=draft.unclear)
    if form.blank:
        sample.offer()
    if form.parent:
        with st.container(border=True, gap="xsmall", key="follows"):
            st.caption(
                ":material/subdirectory_arrow_right: Follow-up. Its decisions and minority report are in the material."
            )
            links.link("debate", "Open the earlier debate", id=form.parent)
    if failed := st.session_state.pop("new.failed", None):
        state.problem(failed)


def _presets(form: Form) -> None:
    """Save this frame under a name, or take up a saved one."""
    with st.popover("Presets", type="tertiary", icon=":material/bookmarks:"):
        saved = draft.presets()
        if saved:
            name = st.selectbox("Saved presets", sorted(saved), key="preset.chosen")
            with st.container(horizontal=True):
                st.button("Use it", key="preset.use", on_click=_use, args=(form, saved.get(name or "", {})))
                st.button(
                    "Delete it",
                    key="preset.delete",
                    type="tertiary",
                    on_click=state.debates().delete_preset,
                    args=(name,),
                )
        else:
            st.caption("A preset keeps everything but the question and the material.")
        st.text_input("Name", key="preset.name", placeholder="For example: architecture, best panel", max_chars=60)
        st.button("Save as a preset", key="preset.save", on_click=_save, args=(form,))
        if said := st.session_state.pop("preset.said", None):
            st.caption(said)


def _save(form: Form) -> None:
    name = st.session_state.get("preset.name", "").strip()
    if not name or name.startswith(draft.PREFIX):
        st.session_state["preset.said"] = "Give it a name first."
        return
    state.debates().save_preset(name, form.frame())
    st.session_state["preset.said"] = "Saved."


def _use(form: Form, preset: Mapping[str, Any]) -> None:
    try:
        draft.put(form.framed(preset))
    except ValidationError:
        st.session_state["preset.said"] = "This preset cannot be read."


def _said(form: Form, settings: Settings, packs: Mapping[str, Pack], reports: Reports) -> list[str]:
    """What the roster alone weakens, and what the last checks found wrong with it; a rehearsal says so itself."""
    config = sketch(form, settings, packs)
    if config is None or all(s.model.endpoint == REHEARSAL for s in config.seats):
        return []
    return [*notices(config.seats), *troubles(config.seats, settings, reports)]


def _bar(form: Form, settings: Settings, packs: Mapping[str, Pack], wrong: Sequence[InputError]) -> bool:
    """What it will take, and Start, always in sight; after a refused start why it was refused."""
    config = sketch(form, settings, packs)
    rehearsal = config is not None and all(s.model.endpoint == REHEARSAL for s in config.seats)
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", key="start.bar"):
        if wrong:
            st.html(f'<div class="vada-field-problem">Not started. {inert.escaped(_first(wrong))}</div>')
        elif config is None:
            st.html('<div class="vada-quiet">No estimate yet: something above cannot be used.</div>')
        else:
            _estimate(estimate(config, settings), rehearsal)
        return st.button(
            "Start rehearsal" if rehearsal else "Start debate",
            key="new.start",
            type="primary",
            icon=":material/play_arrow:",
            shortcut="Mod+Enter",
        )


def _first(found: Sequence[InputError]) -> str:
    """The first fault, and how many more there are."""
    more = f" And {len(found) - 1} more above." if len(found) > 1 else ""
    return str(found[0]) + more


def _estimate(found: pricing.Estimate, rehearsal: bool) -> None:
    """Calls, minutes and dollars, and what they rest on."""
    if rehearsal:
        money = "No cost, no model"
    elif found.dollars is None:
        money = "Price unknown"
    else:
        money = _between(found.dollars.low, found.dollars.high, "$", "", 2)
    facts = [
        _between(found.calls.low, found.calls.high, "", " calls", 0),
        _between(found.minutes.low, found.minutes.high, "", " minutes", 0),
        money,
    ]
    st.html(
        '<div class="vada-estimate vada-num">' + "".join(f"<span>{f}</span>" for f in facts) + "</div>", width="stretch"
    )
    with st.popover("", icon=":material/help:", type="tertiary", help="What this estimate rests on", key="assumptions"):
        for said in found.assumptions:
            inert.plain(said, kind="quiet")
        if found.unpriced:
            st.caption("No known price for:")
            inert.plain("\n".join(found.unpriced), kind="small")


def _between(low: float, high: float, before: str, after: str, digits: int) -> str:
    """A span in few characters; under one is said so."""
    least = 10**-digits
    a, b = f"{max(low, least):,.{digits}f}", f"{max(high, least):,.{digits}f}"
    if high < least:
        return f"under {before}{a}{after.removesuffix('s') if a == '1' else after}"
    return f"{before}{a if a == b else f'{a}–{b}'}{after}"


def _expected(config: DebateConfig, settings: Settings) -> Expected:
    """The estimate that stood beside the Start button, to be held against what the debate takes."""
    found = estimate(config, settings)
    dollars = found.dollars and (found.dollars.low, found.dollars.high)
    return Expected(
        calls=(found.calls.low, found.calls.high), minutes=(found.minutes.low, found.minutes.high), dollars=dollars
    )


def _start(form: Form, settings: Settings, packs: Mapping[str, Pack], reports: Reports) -> None:
    """Start the debate and go there; what cannot be used is shown at its field, and nothing is lost."""
    try:
        config = build(form, settings, packs, seed=randbelow(2**31), reports=reports)
        form.started = state.debates().start(config.model_copy(update={"expected": _expected(config, settings)}))
    except InputError:
        st.session_state["new.tried"] = True
        st.rerun()
    except VadaError as error:
        st.session_state["new.failed"] = error
        st.rerun()
    st.session_state["new.tried"] = False
    draft.keep(form)
    links.go("debate", id=form.started)


page()
