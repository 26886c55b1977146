"""The fields of the New debate form reach the server while they are typed in, not only when they are left.

So a reload, a crash or a restart loses none of it, and the estimate follows. Draws nothing.
"""

from pathlib import Path

import streamlit as st

_listen = st.components.v2.component("as_typed", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


def listen() -> None:
    """Have the fields of this screen handed over whenever typing pauses."""
    _listen(key="as_typed", height="content")
