"""Small pieces of our own HTML that several screens show: chips, notices, sources, bars, tables.

Every text goes through `escaped`, so nothing a model wrote becomes markup. Only a source that a search returned becomes
a link, with its host as the only words of the link.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.parts.inert import escaped
from pages.parts.theme import AGENTS, agent_dot
from vada.models.vocabulary import Role
from vada.views.references import Source

Tone = Literal["calm", "good", "bad", "caution", "action", "you"]

TONES: dict[str, Tone] = {
    "Objection upheld": "good",
    "Objection upheld in part": "caution",
    "Objection rejected": "calm",
    "Undecided": "you",
    "Not ruled yet": "calm",
    "Defended": "action",
    "Conceded": "good",
    "Undefended": "caution",
    "Kept": "good",
    "Merged": "good",
    "Broken": "bad",
    "Dropped": "bad",
    "Unclear": "caution",
    "Not checked": "calm",
    "Veto stands": "good",
}
"""The tone of a word of `vada.views.words`; the word itself always stands in the chip."""


def styles() -> None:
    """Put the styles of these screens into the page, once per run of the script."""
    st.html(Path(__file__).with_name("debate.css"))


def chip(word: str, tone: Tone | None = None) -> str:
    """A word in a state's colour."""
    return f'<span class="vd-chip {tone or TONES.get(word, "calm")}">{escaped(word)}</span>'


def notice(title: str, text: str = "", *, tone: Tone = "calm", quiet: str = "", alert: bool = False) -> None:
    """A notice above what it touches; `quiet` is small print such as a provider's own words."""
    body = f"<div>{escaped(text)}</div>" if text else ""
    small = f'<div class="vada-quiet">{escaped(quiet)}</div>' if quiet else ""
    role = ' role="alert"' if alert else ""
    st.html(f'<div class="vd-notice {tone}"{role}><b>{escaped(title)}</b>{body}{small}</div>')


def notice_list(title: str, lines: Sequence[tuple[str, str]], *, tone: Tone = "caution") -> None:
    """A notice of several lines, each with its small print."""
    items = "".join(f"<li>{escaped(text)} {_small(quiet)}</li>" for text, quiet in lines)
    head = f"<b>{escaped(title)}</b>" if title else ""
    st.html(f'<div class="vd-notice {tone}">{head}<ul>{items}</ul></div>')


def _small(text: str) -> str:
    return f'<span class="vada-quiet">{escaped(text)}</span>' if text else ""


def agents(roles: Iterable[Role]) -> str:
    """Names of agents with their colours."""
    return " ".join(agent_dot(r) for r in roles)


def confidence(value: float, role: Role | None = None) -> str:
    """A confidence as a bar and a number."""
    colour = f"--c:{AGENTS[role].css};" if role else ""
    share = f"{value:.0%}"
    return f'<span class="vada-num"><span class="vd-bar" style="{colour}--p:{share}"><i></i></span> {share}</span>'


def source_line(source: Source) -> str:
    """A source: title, site, and whether it was really seen. One that was seen on the web links to its address."""
    seen = "seen" if source.verified else "not seen by the search"
    where = escaped(source.site)
    if source.verified and source.url:
        where = f'<a href="{escaped(source.url)}" target="_blank" rel="noopener noreferrer nofollow">{where}</a>'
    quote = f'<div class="vada-quiet">“{escaped(source.quote)}”</div>' if source.quote else ""
    return f'{escaped(source.title)} <span class="vada-quiet">{where}, {seen}</span>{quote}'


def source_list(sources: Iterable[Source]) -> str:
    """Numbered sources."""
    return f'<ol class="vd-sources">{"".join(f"<li>{source_line(s)}</li>" for s in sources)}</ol>'


_NUMERIC = dict.fromkeys(("Weight", "Score", "Change", "Value", "Threshold"), ' class="num"')


def table(heads: Sequence[str], rows: Iterable[str], *, caption: str) -> None:
    """A table from ready rows of our own HTML; scrolls sideways by itself. `caption` names it to a screen reader."""
    top = "".join(f'<th scope="col"{_NUMERIC.get(h, "")}>{escaped(h)}</th>' for h in heads)
    body = "".join(rows)
    st.html(
        f'<div class="vd-scroll" tabindex="0" role="region" aria-label="{escaped(caption)}"><table class="vd-table">'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def facts(items: Iterable[tuple[str, str]]) -> str:
    """Names and ready HTML as a description list; what is empty is left out."""
    return f'<dl class="vd-facts">{"".join(f"<dt>{escaped(k)}</dt><dd>{v}</dd>" for k, v in items if v)}</dl>'


def heading(title: str, *, term: str = "", anchor: str = "") -> None:
    """A section's heading with the help text of a term beside it."""
    st.subheader(title, help=term or None, anchor=anchor or False)


def later(text: str) -> None:
    """What will appear here and when: the state of a section before its phase."""
    st.html(f'<div class="vada-quiet">{escaped(text)}</div>')
