"""The HTML export: one file that works offline, light and dark, with no script and nothing fetched."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vada.exports.blocks import (
    AnnexStart,
    Block,
    Bullets,
    Change,
    Facts,
    Heading,
    Notice,
    Prose,
    Sources,
    Table,
    Words,
)
from vada.exports.document import document, title
from vada.exports.names import address
from vada.exports.record import readable, trust
from vada.markdown import diff_html, inert_html, printable
from vada.models.run import Run

_FOLDER = Path(__file__).parent
_KINDS: dict[str, type[Block]] = {
    "heading": Heading,
    "notice": Notice,
    "prose": Prose,
    "words": Words,
    "bullets": Bullets,
    "facts": Facts,
    "table": Table,
    "change": Change,
    "sources": Sources,
    "annex_start": AnnexStart,
}


def html(run: Run) -> str:
    """The run as one HTML page."""
    blocks = document(run)
    start = next(i for i, b in enumerate(blocks) if isinstance(b, AnnexStart))
    sections = [b.text for b in blocks[start:] if isinstance(b, Heading) and b.level == 3]
    style = Markup((_FOLDER / "page.css").read_text(encoding="utf-8"))  # ours, shipped beside this file
    return (
        _environment().get_template("page.html").render(title=title(run), blocks=blocks, sections=sections, style=style)
    )


@cache
def _environment() -> Environment:
    """Jinja2 with every value escaped and made printable."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, finalize=_shown, trim_blocks=True
    )
    made.filters |= {"inert": _inert, "difference": _difference, "address": address, "anchor": _anchor, "trust": trust}
    made.tests |= {name: _is(kind) for name, kind in _KINDS.items()}
    return made


def _is(kind: type[Block]) -> Callable[[object], bool]:
    return lambda block: isinstance(block, kind)


def _shown(value: object) -> object:
    """Text without unprintable characters; markup made by us as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _inert(prose: Prose) -> Markup:
    return Markup(inert_html(prose.text, top=prose.top))


def _difference(change: Change) -> Markup:
    return Markup(diff_html(readable(change.before), readable(change.after)))


def _anchor(text: str) -> str:
    """The anchor of a section of ours."""
    return "annex-" + "-".join(text.lower().split())
