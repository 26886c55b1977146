"""The unsent form of this session, kept in the record under the token in the URL (`?draft=`).

So what was typed outlives a change of page, an error, a reload of the page and a restart of the server. A draft is
kept beside the presets under a reserved name, and thrown away some weeks after its last change.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from secrets import token_urlsafe
from typing import Any

import streamlit as st
from pydantic import ValidationError

from pages.parts import state
from pages.parts.form import Form, fresh, mended

PREFIX = "draft:"
KEPT_FOR = timedelta(days=21)
FIELD = "n."
"""What the keys of the form's widgets begin with."""


def form() -> Form:
    """This session's form: as typed, else the draft of the URL, else a fresh one."""
    held: Form | None = st.session_state.get("new.form")
    asked = st.query_params.get("draft")
    if held is None or (asked and asked != st.session_state.get("new.draft")) or held.started:
        held = _open(None if held is not None and held.started else asked)
    st.query_params["draft"] = st.session_state["new.draft"]
    return held


def put(new: Form) -> None:
    """Show another form; every widget takes its value from it again."""
    for key in [k for k in st.session_state if str(k).startswith(FIELD)]:
        del st.session_state[key]
    st.session_state["new.form"] = mended(new, state.in_force(), state.prompts().packs)


def begin(new: Form) -> None:
    """Show a form under a token of its own; the draft before it stays in the record."""
    st.session_state["new.draft"] = token_urlsafe(9)
    st.session_state["new.saved"] = None
    st.query_params["draft"] = st.session_state["new.draft"]
    put(new)


def clear() -> None:
    """Begin anew under the same token; `unclear` brings back what stood there."""
    state.debates().delete_preset(PREFIX + st.session_state["new.draft"])
    st.session_state["new.cleared"] = st.session_state["new.form"]
    st.session_state["new.saved"] = None
    put(fresh(state.in_force(), state.prompts().packs))


def unclear() -> None:
    """Bring back what was cleared last in this session."""
    put(st.session_state.pop("new.cleared"))


def keep(current: Form) -> None:
    """Save the draft if it changed since the last time."""
    written = current.model_dump(mode="json")
    if written == st.session_state.get("new.saved") or (current.blank and not st.session_state.get("new.saved")):
        return
    state.debates().save_preset(PREFIX + st.session_state["new.draft"], {**written, "at": _now().isoformat()})
    st.session_state["new.saved"] = written


def seeded(name: str, value: object) -> str:
    """The key of a widget of the form, its value taken from the form where the widget has none yet."""
    key = FIELD + name
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def take(name: str, owner: object, field: str) -> None:
    """Take up what was typed into a widget of the form, and save it; for `on_change`.

    That comes before the page is drawn, and a click on the navigation may end the drawing before it gets there.
    """
    setattr(owner, field, st.session_state[FIELD + name])
    keep(st.session_state["new.form"])


def presets() -> dict[str, dict[str, Any]]:
    """The presets people saved by name; drafts are not among them."""
    return {name: data for name, data in state.debates().presets().items() if not name.startswith(PREFIX)}


def _open(token: str | None) -> Form:
    """Take up the draft of a token, or begin one."""
    saved = state.debates().presets()
    opened = _read(saved.get(PREFIX + token)) if token else None
    if opened is None or opened.started:
        _sweep(saved)
        opened = fresh(state.in_force(), state.prompts().packs)
        begin(opened)
        return opened
    st.session_state["new.draft"] = token
    st.session_state["new.saved"] = None
    put(opened)
    return opened


def _read(data: Mapping[str, Any] | None) -> Form | None:
    try:
        return Form.model_validate(data) if data else None
    except ValidationError:
        return None


def _sweep(saved: Mapping[str, Mapping[str, Any]]) -> None:
    """Delete drafts nobody touched for a while."""
    oldest = (_now() - KEPT_FOR).isoformat()
    for name, data in saved.items():
        if name.startswith(PREFIX) and str(data.get("at", "")) < oldest:
            state.debates().delete_preset(name)


def _now() -> datetime:
    return datetime.now(UTC)
