"""The sample debate that ships with the package: a recorded rehearsal, taken into the record when somebody asks for it.

Its tour is `tour`. `python -m tests.sample` makes the file; nothing here runs a debate.
"""

import json
import zipfile
from pathlib import Path
from typing import Final

import streamlit as st

from pages.parts import links, state
from vada.errors import InputError, NotFoundError
from vada.places import shipped

FILE: Final[Path] = shipped("sample") / "debate.zip"


@st.cache_resource(show_spinner=False)
def id_of_sample() -> str:
    """The id under which the sample debate stands in any record; empty where the file is missing."""
    if not FILE.is_file():
        return ""
    with zipfile.ZipFile(FILE) as bundle:
        return str(json.loads(bundle.read("bundle.json"))["id"])


def offer() -> None:
    """The way to the sample, while there is no debate at all."""
    if st.session_state.get("sample.passed") or not id_of_sample():
        return
    if state.debates().list():
        st.session_state["sample.passed"] = True
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="sample"):
        st.markdown("New here? Read a recorded rehearsal, with a tour of two minutes.", width="stretch")
        if st.button("See a sample debate", key="sample.see", icon=":material/tour:"):
            show()


def again() -> None:
    """The way to the sample and its tour, for whoever has debates of their own."""
    if not id_of_sample() or not state.debates().list():
        return
    if st.button("Sample and tour", key="sample.again", type="tertiary", icon=":material/tour:"):
        show()


def show() -> None:
    """Take the sample in, unless it is there, and open it with its tour."""
    id_ = take_in()
    st.session_state["tour"] = 0
    links.go("debate", id=id_)


def take_in() -> str:
    """Have the sample in the record, once; a deleted one comes back. Returns its id."""
    debates, id_ = state.debates(), id_of_sample()
    try:
        debates.run(id_)
        debates.restore(id_)
    except NotFoundError:
        try:
            debates.import_bundle(FILE.read_bytes())
        except InputError:
            debates.run(id_)  # somebody else was faster; anything else is an error to be seen
    return id_
