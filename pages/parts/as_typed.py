"""What is typed into a text field reaches the server before the field is left. Draws nothing.

So a reload, a crash or a click on the navigation loses none of it, and the estimate of New debate follows the typing.
"""

from pathlib import Path

import streamlit as st

_listen = st.components.v2.component("as_typed", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


def listen() -> None:
    """Listen on this page; the router does it once for every screen."""
    _listen(key="as_typed", height="content")
