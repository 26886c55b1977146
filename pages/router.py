"""The frame of every screen: page config, sign-in where it is set up, navigation. A cold deep link comes here too."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:  # the folder of `pages` itself: a checkout, or the bundle inside the installed package
    sys.path.insert(0, ROOT)

import streamlit as st  # noqa: E402

from pages.parts import as_typed, links, state, theme  # noqa: E402
from vada.errors import VadaError  # noqa: E402

STATIC = links.FOLDER / "static"


def sign_in_wanted() -> bool:
    """Whether the deployer set up a sign-in (`[auth]` in the secrets)."""
    try:
        return "auth" in st.secrets
    except FileNotFoundError:
        return False


def signed_in() -> bool:
    """Whether this viewer may go on; else the sign-in stands on the page instead of any screen."""
    if not sign_in_wanted() or st.user.get("is_logged_in"):
        return True
    st.title("Vāda")
    st.markdown("Sign in to see the debates.")
    st.button("Sign in", type="primary", on_click=st.login)
    return False


def home() -> None:
    """The bare address leads to the first screen, whose own address can be shared like the others'."""
    st.switch_page(links.PAGES[links.DEFAULT].file, query_params=st.query_params.to_dict())


def navigation() -> None:
    """Run the screen of this URL."""
    pages = [st.Page(home, title="Vāda", default=True, visibility="hidden")]
    for place in links.existing().values():
        pages.append(st.Page(place.file, title=place.title, url_path=place.path, help=place.help))
    st.navigation(pages, position="top").run()


st.set_page_config(page_title="Vāda", page_icon=str(STATIC / "favicon.svg"), layout="wide")
theme.css()
as_typed.listen()
st.logo(str(STATIC / "logo.svg"), size="medium")
if signed_in():
    try:
        navigation()
    except VadaError as error:
        state.problem(error)
