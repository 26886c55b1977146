"""The models that endpoints list, read anew in the background while New debate is used. No page waits for it: a list
that is not there yet is not used."""

import asyncio
import logging
import threading
import time

import streamlit as st

from pages.parts import state
from vada.errors import VadaError
from vada.settings import Settings
from vada.worker import Debates

EVERY = 600.0
"""Seconds between two looks at the lists."""

_log = logging.getLogger("vada.pages")


@st.cache_resource(show_spinner=False)
def _looked() -> dict[str, float]:
    """When the lists were last asked for, one for the server."""
    return {}


def refresh() -> None:
    """Have every endpoint that can be called asked for its list, in a thread, unless that was done a moment ago."""
    looked, now = _looked(), time.monotonic()
    if now - looked.get("at", -EVERY) < EVERY:
        return
    looked["at"] = now
    settings = state.settings()
    names = [name for name, e in settings.endpoints.items() if e.url and e.configured]
    if names:
        threading.Thread(target=_look, args=(settings, state.debates(), names), name="vada-lists", daemon=True).start()


def _look(settings: Settings, debates: Debates, names: list[str]) -> None:
    """Ask, and keep what came."""
    from vada.llm.probe import check  # brings the model SDK, which the page does not need

    for name in names:
        try:
            debates.keep_report(asyncio.run(check(settings, name)))
        except VadaError as error:
            _log.warning("The list of models of %s was not kept: %s", name, error)
