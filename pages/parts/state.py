"""What the pages share: the settings, the client of the debates, the snapshot of a run, and how an error is shown.

`st.session_state` holds unsent form input only; everything else is in the record and reached through `Debates`.
"""

import threading
import time
from dataclasses import dataclass, field

import streamlit as st

from pages.parts.inert import escaped
from vada.errors import LLMError, VadaError
from vada.models.run import Run
from vada.probed import applied
from vada.prompts import PromptBook
from vada.settings import Settings, load
from vada.worker import LOCAL, Debates

FRESH_FOR = 0.3
"""Seconds for which all viewers of a run get the same snapshot without another look at the record."""


@dataclass
class _Snapshots:
    """The newest run of each debate and when it was read; shared by all sessions."""

    runs: dict[str, tuple[float, Run]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    """The settings, read once for the server. Raises SettingsError."""
    return load()


@st.cache_resource(show_spinner=False)
def debates() -> Debates:
    """The client of the debates, one for the server."""
    return Debates.open(settings())


def in_force() -> Settings:
    """The settings with what the last checks found where vada.toml is silent, and the mixed panel where there is one.
    A check itself goes by `settings`."""
    return applied(settings(), debates().reports())


@st.cache_resource(show_spinner=False)
def prompts() -> PromptBook:
    """The shipped prompts and packs, read once. Raises PromptError."""
    return PromptBook.load()


@st.cache_resource(show_spinner=False)
def _snapshots() -> _Snapshots:
    return _Snapshots()


def snapshot(id: str, *, fresh: bool = False) -> Run:
    """The debate as it stands; `fresh` reads the record now, for the viewer who just changed it. NotFoundError."""
    shared = _snapshots()
    with shared.lock:
        at, run = shared.runs.get(id, (0.0, None))
    if run is not None and not fresh and time.monotonic() - at < FRESH_FOR:
        return run
    run = debates().run(id)
    with shared.lock:
        if len(shared.runs) > 64:
            shared.runs.clear()
        shared.runs[id] = (time.monotonic(), run)
    return run


def person() -> str:
    """The name recorded with decisions: the signed-in person, else the settings', else who sits at this machine."""
    signed_in = st.user.get("name") or st.user.get("email") if st.user.get("is_logged_in") else None
    return str(signed_in or st.session_state.get("person_name") or settings().person or LOCAL)


def problem(error: VadaError) -> None:
    """Show an error: what happened, what to do next, and the provider's own words, status and request id."""
    parts = [f"<strong>{escaped(error.message)}</strong>"]
    if error.next_step:
        parts.append(f"<div>{escaped(error.next_step)}</div>")
    if isinstance(error, LLMError):
        status = f"status {error.status}" if error.status else ""
        request = f"request {error.request_id}" if error.request_id else ""
        said = " · ".join(f for f in (error.kind, status, request) if f)
        parts.append(f'<div class="vada-quiet">{escaped(said)}</div>')
    st.html(f'<div class="vada-problem" role="alert">{"".join(parts)}</div>')
