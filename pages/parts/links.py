"""Where the screens are and how one leads to another. Every link and every jump is built from `PAGES`.

The debate a person looks at is in the URL (`?id=`); the navigation bar drops it, so the session remembers it too.
"""

from pathlib import Path
from typing import NamedTuple, NoReturn

import streamlit as st

FOLDER = Path(__file__).resolve().parent.parent


class Place(NamedTuple):
    """A screen: its file beside the router, its URL path, the word in the navigation, and what it is for."""

    file: str
    path: str
    title: str
    help: str


PAGES: dict[str, Place] = {
    "new": Place("new_debate.py", "new", "New debate", "Ask a question and choose who debates it"),
    "debate": Place("debate.py", "debate", "Debate", "Watch a debate and decide at its gates"),
    "coverage": Place("coverage.py", "coverage", "Coverage", "Which failure modes each phase defends against"),
    "deliverable": Place("deliverable.py", "deliverable", "Deliverable", "The result, what it rests on, exports"),
    "library": Place("library.py", "library", "Library", "All debates: find, compare, import, export"),
    "calls": Place("calls.py", "calls", "Calls", "Every model call, exactly as sent"),
    "settings": Place("settings.py", "settings", "Settings", "Endpoints, models, prices and defaults"),
}
DEFAULT = "new"
"""Where the bare address leads."""


def existing() -> dict[str, Place]:
    """The screens whose file is there."""
    return {key: place for key, place in PAGES.items() if (FOLDER / place.file).is_file()}


def go(page: str, **query: str) -> NoReturn:
    """Leave for another screen; `query` becomes its URL's query. `id` is remembered for the navigation bar."""
    _remember(query)
    st.switch_page(PAGES[page].file, query_params=query)


def link(page: str, label: str, *, icon: str | None = None, help: str | None = None, **query: str) -> None:
    """A link to another screen. `label` is ours, never a model's or a person's text."""
    st.page_link(PAGES[page].file, label=label, icon=icon, help=help, query_params=query or None)


def url(page: str, **query: str) -> str:
    """The path and query of a screen, for a table's link column."""
    pairs = "&".join(f"{key}={value}" for key, value in query.items())
    return f"/{PAGES[page].path}" + (f"?{pairs}" if pairs else "")


def debate_id() -> str | None:
    """The debate this session looks at: `?id=`, else the last one, which is then put back into the URL."""
    found = st.query_params.get("id") or st.session_state.get("debate_id")
    if not found:
        return None
    if st.query_params.get("id") != found:
        st.query_params["id"] = found
    st.session_state["debate_id"] = found
    return str(found)


def _remember(query: dict[str, str]) -> None:
    if "id" in query:
        st.session_state["debate_id"] = query["id"]
