"""A run as a file: Markdown, JSON, HTML, DOCX, PDF, and the challenge register as CSV.

`document` lays a run out once as blocks; each `as_*` module turns blocks into one format. Every text of a model, a web
page or an upload is inert in every format. Pure: nothing is fetched or stored.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vada import minority
from vada.errors import InputError
from vada.models.run import Run

_SLUG_CHARACTERS = 48


@dataclass(frozen=True)
class Format:
    """One kind of file. `title` is for a menu; `render` makes the bytes."""

    title: str
    extension: str
    media_type: str
    render: Callable[[Run], bytes]


def whole(run: Run) -> dict[str, Any]:
    """The whole run as JSON values, fields in the models' order, computed ones beside: conclusion, usage, minority."""
    computed = {
        "conclusion": run.conclusion.model_dump(mode="json") if run.conclusion else None,
        "usage": run.usage.model_dump(mode="json"),
        "rehearsal": run.config.rehearsal,
        "minority": [
            {"round": r.number, "id": v.entry.id, "held_by": v.held, "given_up": v.given_up}
            for r in run.rounds
            for v in minority.views(run.rounds, r.number)
        ],
    }
    return {"format": 1, **run.model_dump(mode="json"), **computed}


def _json(run: Run) -> bytes:
    text = json.dumps(whole(run), ensure_ascii=False, indent=2)
    return (text + "\n").encode("utf-8", "backslashreplace")  # half a surrogate pair becomes its JSON escape


def _markdown(run: Run) -> bytes:
    from vada.exports.as_markdown import markdown

    return markdown(run).encode()


def _html(run: Run) -> bytes:
    from vada.exports.as_html import html

    return html(run).encode()


def _docx(run: Run) -> bytes:
    from vada.exports.as_docx import docx

    return docx(run)


def _pdf(run: Run) -> bytes:
    from vada.exports.as_pdf import pdf

    return pdf(run)


def _csv(run: Run) -> bytes:
    from vada.exports.as_csv import register_csv

    return register_csv(run).encode()


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

FORMATS: Mapping[str, Format] = {
    "md": Format("Markdown", "md", "text/markdown", _markdown),
    "docx": Format("Word (DOCX)", "docx", _WORD, _docx),
    "pdf": Format("PDF", "pdf", "application/pdf", _pdf),
    "html": Format("Web page (HTML)", "html", "text/html", _html),
    "json": Format("Whole record (JSON)", "json", "application/json", _json),
    "csv": Format("Challenge register (CSV)", "csv", "text/csv", _csv),
}
"""Every format by the name the CLI and the pages use. Each loads its libraries when it is first asked for."""


def render(run: Run, format: str) -> bytes:
    """The run as a file of that format. Raises InputError for an unknown format, VadaError when PDF lacks Pango."""
    return _format(format).render(run)


def filename(run: Run, format: str) -> str:
    """A file name made by code: `vada-should-we-move-billing-billing-7f3a.md`. Never a path, whatever the run holds."""
    words = _slug(run.config.question)
    if len(words) > _SLUG_CHARACTERS:
        words = words[:_SLUG_CHARACTERS].rpartition("-")[0] or words[:_SLUG_CHARACTERS]
    stem = "-".join(filter(None, ("vada", words, _slug(run.id)[:36])))
    return f"{stem}.{_format(format).extension}"


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise InputError(
            "format", f"There is no export format {name!r}.", next_step=f"Use one of {', '.join(FORMATS)}."
        )
    return FORMATS[name]


def _slug(text: str) -> str:
    """Lower-case ASCII letters and digits joined by hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))
