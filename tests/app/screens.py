"""Screens as a person opens them, without a browser: through the router, on this test's own record."""

import html
import re
from pathlib import Path

import streamlit as st
from streamlit.testing.v1 import AppTest

ROUTER = Path(__file__).resolve().parents[2] / "pages" / "router.py"


def opened(page: str, **query: str) -> AppTest:
    """A screen by its file name, with a query; whatever another test left in the server's caches is gone."""
    st.cache_resource.clear()
    st.cache_data.clear()
    screen = AppTest.from_file(str(ROUTER), default_timeout=30)
    for name, value in query.items():
        screen.query_params[name] = value
    screen.run()
    return screen.switch_page(page).run()


def markup(screen: AppTest) -> str:
    """Everything a screen shows as our own HTML, the styles left out."""
    bodies = [e.proto.body for e in screen.get("html")]
    return "\n".join(b for b in bodies if "<style" not in b)


def words(screen: AppTest) -> str:
    """What a person reads of it, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup(screen))).split())


def labels(screen: AppTest) -> str:
    """Everything that Streamlit renders as Markdown or as a label, where no model's text may stand."""
    texts: list[str] = []
    for kind in ("markdown", "title", "header", "subheader", "caption", "metric", "expander", "tab", "toast", "badge"):
        for e in screen.get(kind):
            texts += [str(getattr(e, "value", "")), str(getattr(e, "label", "")), str(getattr(e, "body", ""))]
    for kind in ("button", "selectbox", "text_area", "text_input", "toggle", "button_group", "popover", "link"):
        texts += [str(getattr(e, "label", "")) + str(getattr(e, "options", "")) for e in screen.get(kind)]
    return "\n".join(texts)


_ACTIVE = re.compile(
    r"<(?:img|script|svg|style|iframe|meta|object|embed|form|input|link|base|video|audio)\b|\son\w+\s*=|javascript:",
    re.I,
)


def active_markup(screen: AppTest) -> list[str]:
    """Tags that load or run, and addresses that are not a seen source's, in what a screen shows as HTML."""
    tags = re.findall(r"<[^>]*>", markup(screen))
    links = [t for t in tags if t.startswith("<a ") and "evil." in t]
    return [t for t in tags if _ACTIVE.search(t)] + links
