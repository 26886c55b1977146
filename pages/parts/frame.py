"""The right side of the New debate form: who debates, how it runs, what is scored, what it may cost. Draws only."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.parts import draft, inert, links, theme
from pages.parts.case import Faults, fault_at
from pages.parts.form import CUSTOM, DimensionRow, Form, dimensions_of, expertise_of, model_of
from vada.models.debate import REHEARSAL, Pack
from vada.models.vocabulary import OPTIMIZERS, GateMode, Role
from vada.settings import Settings

GATES: dict[str, tuple[str, str]] = {
    GateMode.EVERY: ("Every round", "You decide after each round whether it continues, forks or stops."),
    GateMode.TROUBLE: ("On trouble", "You are asked only when something went wrong: a decision that flips back, a "
                       "skipped verification, an overruled veto, a falling score, a constraint to renegotiate."),
    GateMode.AUTOPILOT: ("Autopilot", "Nobody is asked. The gate's own recommendation is followed and recorded."),
}  # fmt: skip
DUTIES: dict[Role, str] = {
    Role.OPTIMIZER_A: "proposes, from one expertise",
    Role.OPTIMIZER_B: "proposes, from another expertise",
    Role.CHALLENGER: "makes the strongest case, then objects to it",
    Role.SIMPLIFIER: "vetoes what is not needed",
    Role.COORDINATOR: "rules on every challenge and decides",
    Role.VERIFIER: "scores, and finds errors and dropped points",
    Role.FORMATTER: "writes the deliverable from the best draft",
    Role.CRITIC: "audits the conclusion, seeing nothing else",
}
"""What each role does, in a line."""


def who(
    form: Form,
    settings: Settings,
    packs: Mapping[str, Pack],
    models: Sequence[str],
    faults: Faults,
    notices: Callable[[], list[str]],
) -> None:
    """The panel, the models of it (each out of `models`, or typed), and what this roster alone already weakens."""
    st.subheader("Who debates", anchor=False, help="Four roles debate, three serve, and a Blind Critic audits the end.")
    names = [*settings.panels, CUSTOM]
    chosen = st.segmented_control(
        "Panel",
        names,
        key=draft.seeded("panel", form.panel if form.panel in names else CUSTOM),
        format_func=lambda name: name.replace("_", " ").capitalize(),
        required=True,
        wrap=True,
        label_visibility="collapsed",
        on_change=_forget_models,
        args=(form,),
    )
    form.panel = chosen or form.panel
    fault_at(faults, "panel")
    _rehearsal(form, settings)
    glance = st.container()
    with st.expander("Models and expertise of each role", expanded=faults.within("models.")):
        for role in Role:
            _seat(form, settings, packs, models, faults, role)
    with glance:  # after the models were read
        _seats(form, settings)
        for notice in notices():
            inert.plain(notice, kind="quiet")


def _forget_models(form: Form) -> None:
    """Another panel: its own models, not those typed over the last one."""
    if st.session_state[draft.FIELD + "panel"] != CUSTOM:
        form.models = {}
        for role in Role:
            st.session_state.pop(f"{draft.FIELD}model.{role}", None)


def _rehearsal(form: Form, settings: Settings) -> None:
    """Say plainly that no model will be called, and how one is connected."""
    if form.panel != REHEARSAL:
        return
    endpoint = settings.endpoints["anthropic"]
    with st.container(border=True, key="rehearsal", gap="xsmall"):
        st.markdown("**This will be a rehearsal.** No model is called: rules write every reply offline. It shows how a "
                    "debate runs; it does not answer your question.")  # fmt: skip
        if not endpoint.configured:
            st.caption(
                f"To debate with models, set `{endpoint.key_env}` in the environment of the server and start it again."
            )
        links.link("settings", "Endpoints and models", icon=":material/settings:")


def _seats(form: Form, settings: Settings) -> None:
    """The roster at a glance: each role with its model, or with its duty where one model has every seat."""
    models = {role: _short(model_of(form, settings, role)) for role in Role}
    one = len(set(models.values())) == 1
    if one and form.panel != REHEARSAL:
        st.html(f'<div class="vada-quiet">Every seat: {inert.escaped(models[Role.COORDINATOR])}</div>')
    said = DUTIES if one else models
    rows = "".join(
        f'<div title="{inert.escaped(DUTIES[role])}">{theme.agent_dot(role)}</div>'
        f'<div class="vada-quiet">{inert.escaped(said[role])}</div>'
        for role in Role
    )
    st.html(f'<div class="vada-roster">{rows}</div>')


def _short(model: str) -> str:
    """A model without the endpoint everyone has."""
    name, _, endpoint = model.rpartition("@")
    return name if endpoint in ("anthropic", REHEARSAL) and name else model


def _seat(
    form: Form, settings: Settings, packs: Mapping[str, Pack], models: Sequence[str], faults: Faults, role: Role
) -> None:
    """One seat: its model, and for an Optimizer its expertise."""
    panel_model = model_of(form.model_copy(update={"models": {}}), settings, role)
    current = form.models.get(role, panel_model)
    options = list(dict.fromkeys([current, panel_model, *models]))
    typed = st.selectbox(
        role.title,
        options,
        key=draft.seeded(f"model.{role}", current),
        accept_new_options=True,
        help=f"The {role.title} {DUTIES[role]}. Write another model as name@endpoint.",
    )
    if typed and typed != panel_model:
        form.models[role.value] = typed
    else:
        form.models.pop(role.value, None)
    fault_at(faults, f"models.{role}")
    if role in OPTIMIZERS:
        own = expertise_of(form.model_copy(update={"expertise": {}}), packs, role)
        name = f"{form.pack}.{role}"
        expertise = st.text_area(
            f"Expertise of {role.title}",
            key=draft.seeded(f"expertise.{name}", form.expertise.get(name, own)),
            height=80,
            help="What this Optimizer knows best. The two should differ.",
        )
        form.expertise = {k: v for k, v in form.expertise.items() if k != name}
        if expertise != own:
            form.expertise[name] = expertise


def how(form: Form, settings: Settings, faults: Faults) -> None:
    """When a person is asked, how many rounds, web search, and what it may cost."""
    st.subheader("How it runs", anchor=False)
    gate = st.segmented_control(
        "The gate asks you",
        list(GATES),
        key=draft.seeded("gate", form.gate),
        format_func=lambda mode: GATES[mode][0],
        required=True,
        help="After each round the Decision Gate recommends to continue, to fork into two debates or to stop.",
    )
    form.gate = gate or form.gate
    st.caption(GATES[form.gate][1])
    fault_at(faults, "gate")
    rounds = st.segmented_control(
        "Rounds at most",
        [1, 2, 3],
        key=draft.seeded("rounds", form.rounds),
        required=True,
        help="It stops earlier when a round moves the score by less than 0.5 and nothing is left open.",
    )
    form.rounds = rounds or form.rounds
    fault_at(faults, "rounds")
    _web(form, settings)
    transcript = st.toggle(
        "Later rounds read the whole transcript",
        key=draft.seeded("transcript", form.context == "transcript"),
        help="Otherwise they start from a brief of 800 tokens: constraints, decisions, open items, minority report.",
    )
    form.context = "transcript" if transcript else "brief"
    _limits(form, faults)


def _web(form: Form, settings: Settings) -> None:
    """The switch for web search, off where no endpoint of the roster has it."""
    endpoints = {model_of(form, settings, role).rpartition("@")[2] for role in Role}
    possible = any(settings.searcher(name) for name in endpoints)
    web = st.toggle(
        "Debaters may search the web",
        key=draft.seeded("web", form.web),
        disabled=not possible,
        help="Off: a closed room, and agents rest on your material and what they know."
        if possible
        else "No endpoint of this roster has a web search, and the settings name no provider.",
    )
    form.web = web if possible else form.web


def _limits(form: Form, faults: Faults) -> None:
    """The budget: dollars and minutes; empty is no limit."""
    with st.container(horizontal=True, gap="small", wrap=True):
        form.dollars = st.number_input(
            "Dollars at most", min_value=0.0, step=1.0, value=None, key=draft.seeded("dollars", form.dollars),
            placeholder="No limit", width=150, help="When it is reached, the debate stops after what is running and "
            "writes the deliverable from what exists.",
        )  # fmt: skip
        form.minutes = st.number_input(
            "Minutes at most", min_value=0.0, step=5.0, value=None, key=draft.seeded("minutes", form.minutes),
            placeholder="No limit", width=150, help="Time of running; waiting for you does not count.",
        )  # fmt: skip
    fault_at(faults, "budget.dollars")
    fault_at(faults, "budget.minutes")


def scored(form: Form, packs: Mapping[str, Pack], faults: Faults) -> None:
    """The dimensions and their weights, at a glance and to edit."""
    st.subheader(
        "What is scored", anchor=False, help="The Verifier scores the synthesis of each round from 0 to 10 on each."
    )
    rows = dimensions_of(form, packs)
    glance = st.container()
    fault_at(faults, "dimensions")
    with st.expander("Edit dimensions and weights", expanded=faults.within("dimensions")):
        st.caption("Weights are relative to each other; a dimension of weight 0 is not scored.")
        for number, row in enumerate(rows, 1):
            _dimension(form, rows, row, number)
        edited = form.pack in form.dimensions
        if edited:
            form.dimensions[form.pack] = rows
        with st.container(horizontal=True):
            st.button("Add a dimension", key="add.dimension", type="tertiary", icon=":material/add:",
                      on_click=_set_dimensions, args=(form, [*rows, DimensionRow(weight=0.1)]))  # fmt: skip
            if edited:
                st.button("Back to the pack's own", key="reset.dimensions", type="tertiary", icon=":material/undo:",
                          on_click=_own_dimensions, args=(form,))  # fmt: skip
    with glance:  # after the weights were read
        _shares(rows)


def _shares(rows: list[DimensionRow]) -> None:
    """A bar a dimension, as long as its share of the score."""
    total = sum(row.weight for row in rows) or 1
    bars = "".join(
        f"<div>{inert.escaped(row.name or 'Unnamed')}</div>"
        f'<div class="vada-bar"><i style="width:{100 * row.weight / total:.0f}%"></i></div>'
        f'<div class="vada-quiet vada-num">{100 * row.weight / total:.0f} %</div>'
        for row in rows
        if row.weight > 0
    )
    st.html(f'<div class="vada-shares">{bars}</div>')


def _set_dimensions(form: Form, rows: list[DimensionRow]) -> None:
    form.dimensions[form.pack] = rows


def _own_dimensions(form: Form) -> None:
    form.dimensions.pop(form.pack, None)


def _dimension(form: Form, rows: list[DimensionRow], row: DimensionRow, number: int) -> None:
    """One dimension: name, weight, what 0, 5 and 10 mean."""
    before = row.model_dump()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"dimension.{row.id}"):
        row.name = st.text_input(
            f"Dimension {number}", key=draft.seeded(f"d.{row.id}.name", row.name), placeholder="Name",
            label_visibility="collapsed",
        )  # fmt: skip
        row.weight = st.number_input(
            f"Weight of dimension {number}", 0.0, 10.0, step=0.05, width=120, label_visibility="collapsed",
            key=draft.seeded(f"d.{row.id}.weight", float(row.weight)),
        )  # fmt: skip
        with st.popover("Scale", help="What a score of 0, 5 and 10 means; the Verifier reads it."):
            for mark in ("scale_0", "scale_5", "scale_10"):
                key = draft.seeded(f"d.{row.id}.{mark}", getattr(row, mark))
                setattr(row, mark, st.text_area(f"A score of {mark[6:]} means", key=key, height=90))
        st.button("", key=f"remove.{row.id}", icon=":material/close:", type="tertiary", help="Remove this dimension",
                  on_click=_set_dimensions, args=(form, [other for other in rows if other is not row]))  # fmt: skip
    if row.model_dump() != before:
        form.dimensions[form.pack] = rows
