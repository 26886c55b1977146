"""The DOCX export: the run's blocks as Word headings, lists and tables. Fetches nothing and embeds nothing."""

import io
from datetime import datetime

from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Mm, Pt
from docx.text.paragraph import Paragraph

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
    Tone,
    Words,
)
from vada.exports.document import document, title
from vada.exports.names import address
from vada.exports.prose import ProseWriter
from vada.exports.record import readable, trust
from vada.exports.word import QUIET, RAISED, Numbering, band, cell_text, link, look, new_file, repeat_head, table
from vada.markdown import difference, printable
from vada.models.outputs import Evidence
from vada.models.run import Run

_TONES: dict[Tone, tuple[str, str]] = {  # text, ground
    Tone.GOOD: ("0B6B4F", "E7F5EF"),
    Tone.INFO: ("3448C5", "ECEEFB"),
    Tone.ATTENTION: ("8A3D00", "FDF0E4"),
    Tone.BAD: ("A3162A", "FCEBED"),
}
_SMALL = 9.0  # points, the annex


def docx(run: Run) -> bytes:
    """The run as a Word document."""
    writer = _Writer(run)
    for block in document(run):
        writer.add(block)
    out = io.BytesIO()
    writer.file.save(out)
    return out.getvalue()


class _Writer:
    """Adds blocks to one document; text after the annex begins is set smaller."""

    def __init__(self, run: Run) -> None:
        self.file = new_file(printable(title(run)), _when(run.updated_at))
        self._numbering = Numbering(self.file)
        self._size = 10.0

    def add(self, block: Block) -> None:
        """Append one block."""
        match block:
            case Heading():
                self._heading(block)
            case Notice():
                self._notice(block)
            case Prose():
                ProseWriter(self.file, self._numbering, top=block.top).write(block.text)
            case Words():
                self._words(block)
            case Bullets():
                self._bullets(block)
            case Facts():
                self._facts(block)
            case Table():
                self._table(block)
            case Change():
                self._change(block)
            case Sources():
                self._sources(block)
            case AnnexStart():
                self.file.add_paragraph(printable(block.text), style="Heading 1")
                self._size = _SMALL

    def _heading(self, block: Heading) -> None:
        style = "Title" if block.level == 1 else f"Heading {block.level - 1}"
        paragraph = self.file.add_paragraph(printable(block.text), style=style)
        if block.badge:
            paragraph.add_run("  ")
            color, ground = _TONES[block.tone]
            look(paragraph.add_run(f" {printable(block.badge)} "), size=8, color=color, ground=ground)

    def _notice(self, block: Notice) -> None:
        color, ground = _TONES[block.tone]
        paragraph = self.file.add_paragraph()
        look(paragraph.add_run(block.title), bold=True, color=color)
        self._put(paragraph, f" {block.text}" if block.text else "")
        if block.cause:
            paragraph.add_run().add_break()
            self._put(paragraph, block.cause, size=8, color=QUIET)
        band(paragraph, ground=ground, edge=color)
        paragraph.paragraph_format.keep_together = True
        self._gap()

    def _put(
        self, paragraph: Paragraph, text: str, *, size: float | None = None, color: str = "", bold: bool = False
    ) -> None:
        """Text with its line breaks, as it is."""
        for i, line in enumerate(printable(text).split("\n")):
            if i:
                paragraph.add_run().add_break()
            if line:
                look(paragraph.add_run(line), size=size, color=color, bold=bold or None)

    def _words(self, block: Words) -> None:
        quiet = {"size": 9.0, "color": QUIET} if block.quiet else {"size": self._size}
        self._put(self.file.add_paragraph(), block.text, **quiet)

    def _bullets(self, block: Bullets) -> None:
        number = self._numbering.bullets()
        for item in block.items:
            paragraph = self.file.add_paragraph()
            self._numbering.put(paragraph, number, 0)
            self._put(paragraph, item, size=self._size)

    def _facts(self, block: Facts) -> None:
        made = table(self.file, len(block.rows), (22, 78), lined=False)
        for (label, text), row in zip(block.rows, made.rows, strict=True):
            self._put(cell_text(row.cells[0]), label, size=_SMALL, color=QUIET)
            self._put(cell_text(row.cells[1]), text, size=self._size)
        self._gap()

    def _gap(self) -> None:
        """A little room after what would else grow together with the next of its kind."""
        gap = self.file.add_paragraph()
        gap.paragraph_format.space_after = Pt(0)
        gap.paragraph_format.line_spacing = Pt(6)

    def _table(self, block: Table) -> None:
        made = table(self.file, len(block.rows) + 1, block.widths)
        repeat_head(made)
        for i, (cells, row) in enumerate(zip((block.head, *block.rows), made.rows, strict=True)):
            strong = i == 0 or (block.total and i == len(block.rows))
            for j, (text, box) in enumerate(zip(cells, row.cells, strict=True)):
                paragraph = cell_text(box)
                if j in block.numeric:
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
                self._put(paragraph, text, size=9 if i == 0 else _SMALL, color="" if i else QUIET, bold=strong)
        self._gap()

    def _change(self, block: Change) -> None:
        paragraph = self.file.add_paragraph()
        for tag, words in difference(readable(block.before), readable(block.after)):
            start = len(paragraph.runs)
            self._put(paragraph, words, size=_SMALL)
            for run in paragraph.runs[start:]:
                if tag:
                    look(run, color=_TONES[Tone.GOOD if tag == "ins" else Tone.BAD][0])
                    run.underline, run.font.strike = tag == "ins", tag == "del"
        band(paragraph, ground=RAISED)

    def _sources(self, block: Sources) -> None:
        for label, source in block.items:
            self._source(label, source)

    def _source(self, label: str, source: Evidence) -> None:
        """One source: what it is, whether it was found, the words quoted, its address in full."""
        paragraph = self.file.add_paragraph()
        paragraph.paragraph_format.left_indent, paragraph.paragraph_format.first_line_indent = Mm(9), Mm(-9)
        paragraph.paragraph_format.tab_stops.add_tab_stop(Mm(9))
        self._put(paragraph, f"{label}\t", size=_SMALL, color=QUIET)
        self._put(paragraph, f"{source.title}{f', {source.age}' if source.age else ''}", size=_SMALL)
        words, tone = trust(source)
        color, ground = _TONES[tone]
        look(paragraph.add_run("  "), size=_SMALL)
        look(paragraph.add_run(f" {words} "), size=8, color=color, ground=ground, bold=True)
        if source.quote:
            paragraph.add_run().add_break()
            self._put(paragraph, f"“{source.quote}”", size=_SMALL, color=QUIET)
        if source.url:
            paragraph.add_run().add_break()
            if address(source.url):
                link(paragraph, source.url)
            else:
                self._put(paragraph, source.url, size=_SMALL)


def _when(iso: str) -> datetime | None:
    try:
        return datetime.fromisoformat(iso)
    except ValueError:
        return None
