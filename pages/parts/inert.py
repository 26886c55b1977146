"""Text of a model, a web page, an upload or an import, shown so that nothing in it can load, link or run.

The only way such text reaches a page, beside `st.code` and `st.dataframe`, which are inert already. Never use it in a
label (expander, button, metric, toast): a label is Markdown.
"""

import html

import streamlit as st

from vada.markdown import inert_html, printable


def text(markdown: str, *, measure: bool = False) -> None:
    """Formatted text; `measure` keeps it to a readable line length."""
    body = inert_html(markdown)
    st.html(f'<div class="vada-measure">{body}</div>' if measure else body)


def plain(value: str, *, kind: str = "") -> None:
    """Text as it is, line breaks kept, no formatting; `kind` is a class of `theme.css`, such as `quiet`, `question`."""
    st.html(f'<div class="vada-plain {kind}">{escaped(value)}</div>')


def escaped(value: str) -> str:
    """Text as HTML that shows exactly its characters; for pieces of our own HTML."""
    return html.escape(printable(value))


def one_line(value: str, limit: int = 90) -> str:
    """The text on one line, cut at a word with an ellipsis; for cells of a table."""
    words = " ".join(value.split())
    return words if len(words) <= limit else words[:limit].rsplit(" ", 1)[0].rstrip(",;:") + "…"
