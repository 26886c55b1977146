"""The pieces an export is laid out from, the same for every format. Values only; text in them is not yet harmless."""

from dataclasses import dataclass
from enum import StrEnum

from vada.models.outputs import Evidence


class Tone(StrEnum):
    """What a notice or badge says beside its words; never shown by colour alone."""

    GOOD = "good"
    INFO = "info"
    ATTENTION = "attention"
    BAD = "bad"


@dataclass(frozen=True)
class Heading:
    """A heading; 1 is the title, 2 a part, 3 a section, 4 an entry."""

    level: int
    text: str
    badge: str = ""
    tone: Tone = Tone.INFO


@dataclass(frozen=True)
class Notice:
    """Something said above everything it touches."""

    tone: Tone
    title: str
    text: str = ""
    cause: str = ""


@dataclass(frozen=True)
class Prose:
    """A model's Markdown; `page` marks the deliverable itself."""

    text: str
    page: bool = False

    @property
    def top(self) -> int:
        """The level of its highest heading: the page stands under a part, anything else under a section."""
        return 3 if self.page else 4


@dataclass(frozen=True)
class Words:
    """Text that is not Markdown, verbatim with its line breaks; `quiet` is set smaller."""

    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Bullets:
    """Short items, each plain text."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """Labels of code's own, each with a plain text."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """A table of plain text; `widths` are relative, `numeric` the columns set flush right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...]
    numeric: tuple[int, ...] = ()
    total: bool = False  # the last row sums the others


@dataclass(frozen=True)
class Change:
    """A text before and after."""

    before: str
    after: str


@dataclass(frozen=True)
class Sources:
    """The evidence, numbered as the text cites it."""

    items: tuple[tuple[str, Evidence], ...]


@dataclass(frozen=True)
class AnnexStart:
    """Where the page for the reader ends and the record begins."""

    text: str


Block = Heading | Notice | Prose | Words | Bullets | Facts | Table | Change | Sources | AnnexStart
