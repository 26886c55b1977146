"""Whether the person has scrolled down into a round, so that following the debate waits for them. Draws nothing."""

from pathlib import Path

import streamlit as st

_watch = st.components.v2.component("reading", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


def watch() -> None:
    """Watch this page's scrolling; one call in the part that shows the rounds."""
    found = _watch(key="reading", height="content", default={"deep": False}, on_deep_change=lambda: None)
    st.session_state["deep"] = bool(found.deep)


def deep() -> bool:
    """Whether the person was scrolled down when the page last heard of it."""
    return bool(st.session_state.get("deep"))
