"""The PDF export: the HTML page printed by WeasyPrint, which may fetch nothing."""

import logging
from typing import Any

from vada.errors import VadaError
from vada.exports.as_html import html
from vada.models.run import Run

_MISSING = (
    "install libpango-1.0-0 and libpangoft2-1.0-0 (Debian, Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0)"
)


def pdf(run: Run) -> bytes:
    """The run as a PDF. Raises VadaError when the system lacks Pango."""
    try:
        from weasyprint import HTML
        from weasyprint.urls import URLFetcher
    except OSError as error:  # a shared library is missing; the other formats need none
        raise VadaError(
            f"PDF export needs the Pango library, which this system lacks ({error}).",
            next_step=f"To mend it, {_MISSING}; or export as DOCX or HTML.",
        ) from error

    class Nothing(URLFetcher):  # type: ignore[misc]
        """Refuses every address, so that no text can make the export load anything."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            raise ValueError(f"an export fetches nothing, not {url[:80]}")

    logging.getLogger("weasyprint").setLevel(logging.ERROR)  # it warns of every rule meant for screens
    made = HTML(string=html(run), url_fetcher=Nothing(), media_type="print").write_pdf(presentational_hints=True)
    return bytes(made)
