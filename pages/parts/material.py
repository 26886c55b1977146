"""Files that a person gives a debate, read to plain text. Never keeps a file, never follows a link in it.

A file that is too big, broken, encrypted or no text gives an InputError at the field `material`, in words for a person.
"""

import io
import time
import zipfile
from collections.abc import Callable, Iterator

import docx
import pypdf
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph
from pypdf.errors import PyPdfError

from vada.errors import InputError
from vada.markdown import printable
from vada.models.debate import Material

FIELD = "material"
MAX_MEGABYTES = 20
MAX_CHARACTERS = 600_000
MAX_UNPACKED = 100_000_000
"""Bytes a DOCX may unpack to; more is a bomb, not a document."""
_BROKEN_PDF = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError)
_BROKEN_DOCX = (zipfile.BadZipFile, OpcError, SyntaxError, ValueError, KeyError, AttributeError, OSError)
"""What the readers raise on a damaged file; lxml's errors are SyntaxErrors."""
PDF_SECONDS = 30.0
"""A PDF that takes longer than this to read is refused."""


def read(name: str, data: bytes) -> Material:
    """The text of a file. Raises InputError (field `material`) naming the file and what is wrong with it."""
    name = clean_name(name)
    if len(data) > MAX_MEGABYTES * 1_000_000:
        raise _refused(name, f"is larger than {MAX_MEGABYTES} MB", "Give the part that matters.")
    reader = _READERS.get(name.rpartition(".")[2].lower(), _text)
    text = printable(reader(name, data)).strip()
    if not text:
        raise _refused(name, "holds no text", "A scanned document must be turned into text first.")
    if len(text) > MAX_CHARACTERS:
        raise _refused(
            name, f"holds {len(text):,} characters; {MAX_CHARACTERS:,} are read", "Give the part that matters."
        )
    return Material(name=name, text=text)


def clean_name(name: str) -> str:
    """A name to show: the last part of a path, one line, at most 120 characters; never empty."""
    last = printable(name).replace("\\", "/").rpartition("/")[2]
    return " ".join(last.split())[-120:] or "untitled"


def _refused(name: str, what: str, next_step: str) -> InputError:
    return InputError(FIELD, f"{name} {what}.", next_step=next_step)


def _text(name: str, data: bytes) -> str:
    """A text file: UTF-8, UTF-16 with its mark, else Windows-1252; anything with zero bytes is no text."""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in data and not marked:
        raise _refused(name, "is not a text file", "Text, Markdown, CSV, PDF and DOCX can be read.")
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise _refused(name, "is in an encoding that cannot be read", "Save it as UTF-8.")


def _pdf(name: str, data: bytes) -> str:
    try:
        return "\n\n".join(_pdf_pages(name, data))
    except InputError:
        raise
    except _BROKEN_PDF as error:
        raise _refused(name, "is not a readable PDF", "Export it again, or paste its text.") from error


def _pdf_pages(name: str, data: bytes) -> Iterator[str]:
    """The text of each page, while there is time and room."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise _refused(name, "is locked with a password", "Give a copy without the password.")
    end, characters = time.monotonic() + PDF_SECONDS, 0
    for page in reader.pages:
        if time.monotonic() > end:
            raise _refused(name, f"takes longer than {PDF_SECONDS:.0f} seconds to read", "Paste the part that matters.")
        text = page.extract_text()
        characters += len(text)
        yield text
        if characters > MAX_CHARACTERS:
            return


def _docx(name: str, data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_UNPACKED:
                raise _refused(name, "unpacks to more than a document holds", "Paste its text.")
        return "\n".join(_docx_lines(data))
    except InputError:
        raise
    except _BROKEN_DOCX as error:
        raise _refused(name, "is not a readable DOCX", "Save it again as .docx, or paste its text.") from error


def _docx_lines(data: bytes) -> Iterator[str]:
    """Paragraphs and tables in their order; the cells of a row split by ` | `."""
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, Paragraph):
            yield block.text
        elif isinstance(block, Table):
            for row in block.rows:
                yield " | ".join(cell.text for cell in row.cells)


_READERS: dict[str, Callable[[str, bytes], str]] = {"pdf": _pdf, "docx": _docx}
TYPES = ("txt", "md", "csv", "pdf", "docx")
"""The endings the upload offers."""
