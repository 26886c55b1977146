"""A model's Markdown as Word paragraphs, by walking the tokens of `vada.markdown`, which know no link or image."""

from dataclasses import dataclass, replace

from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Mm, Pt
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from markdown_it.tree import SyntaxTreeNode

from vada.exports.word import LINE, QUIET, RAISED, Numbering, band, cell_text, look, repeat_head, table
from vada.markdown import tokens

_LEFT, _RIGHT, _CENTER = WD_ALIGN_PARAGRAPH.LEFT, WD_ALIGN_PARAGRAPH.RIGHT, WD_ALIGN_PARAGRAPH.CENTER
_DEEPEST = 2  # list levels the numbering defines, from 0


@dataclass(frozen=True)
class _Place:
    """Where in lists and quotes a block stands."""

    level: int = -1  # list level, -1 outside lists
    number: int = 0  # the list's Word id
    first: bool = False  # the item's own first paragraph
    quote: int = 0


class ProseWriter:
    """Writes Markdown into a document."""

    def __init__(self, file: Document, numbering: Numbering, *, top: int, size: float | None = None) -> None:
        """`top` is the level of the highest heading (2 is Word's `Heading 1`); `size` in points, None the style's."""
        self._file, self._numbering, self._top, self._size = file, numbering, top, size
        self._last: Paragraph  # the paragraph written last

    def write(self, text: str) -> None:
        """Append the text."""
        self._blocks(SyntaxTreeNode(tokens(text, top=self._top)), _Place())

    def _blocks(self, node: SyntaxTreeNode, place: _Place) -> None:
        for child in node.children:
            self._block(child, place)
            place = replace(place, first=False)

    def _block(self, node: SyntaxTreeNode, place: _Place) -> None:
        match node.type:
            case "heading":
                level = min(max(int(node.tag[1]) - 1, 1), 5)
                self._inline(node, self._file.add_paragraph(style=f"Heading {level}"), sized=False)
            case "paragraph":
                self._inline(node, self._paragraph(place))
            case "bullet_list" | "ordered_list":
                self._list(node, place)
            case "blockquote":
                self._blocks(node, replace(place, quote=place.quote + 1))
            case "fence" | "code_block":
                self._code(node.content, place)
            case "table":
                self._table(node)
            case "hr":
                look(self._paragraph(_Place()).add_run("· · ·"), color=QUIET)
                self._last.alignment = _CENTER
            case _:
                raise ValueError(f"no such Markdown block: {node.type}")

    def _paragraph(self, place: _Place) -> Paragraph:
        """An empty paragraph where its list and quote put it."""
        paragraph = self._last = self._file.add_paragraph()
        if place.level >= 0 and place.first:
            self._numbering.put(paragraph, place.number, place.level)
        elif place.level >= 0:
            self._numbering.beside(paragraph, place.level)
        if place.quote:
            band(paragraph, edge=LINE)
            paragraph.paragraph_format.left_indent = Mm(5 * place.quote + 6 * (place.level + 1))
        return paragraph

    def _list(self, node: SyntaxTreeNode, place: _Place) -> None:
        level = min(place.level + 1, _DEEPEST)
        ordered = node.type == "ordered_list"
        start = int(node.attrs.get("start", 1))
        number = self._numbering.numbers(level, start) if ordered else self._numbering.bullets()
        for item in node.children:
            self._blocks(item, replace(place, level=level, number=number, first=True))
        if place.level < 0:
            self._last.paragraph_format.space_after = Pt(7)

    def _code(self, text: str, place: _Place) -> None:
        paragraph = self._paragraph(place)
        band(paragraph, ground=RAISED)
        for i, line in enumerate(text.rstrip("\n").split("\n")):
            run = look(paragraph.add_run(), mono=True, size=9)
            if i:
                run.add_break()
            run.add_text(line)

    def _table(self, node: SyntaxTreeNode) -> None:
        rows = [row for part in node.children for row in part.children]
        made = table(self._file, len(rows), [1.0] * len(rows[0].children))
        repeat_head(made)
        for row, filled in zip(rows, made.rows, strict=True):
            for cell, box in zip(row.children, filled.cells, strict=True):
                paragraph = cell_text(box)
                paragraph.alignment = _side(str(cell.attrs.get("style", "")))
                self._inline(cell, paragraph, bold=cell.type == "th")
        after = self._file.add_paragraph()
        after.paragraph_format.space_after = Pt(2)

    def _inline(self, node: SyntaxTreeNode, paragraph: Paragraph, *, bold: bool = False, sized: bool = True) -> None:
        """The words of a block, with their emphasis."""
        for inline in node.children:
            for child in inline.children:
                self._words(child, paragraph, frozenset({"strong"} if bold else ()), sized)

    def _words(self, node: SyntaxTreeNode, paragraph: Paragraph, marks: frozenset[str], sized: bool) -> None:
        if node.type in ("strong", "em", "s"):
            for child in node.children:
                self._words(child, paragraph, marks | {node.type}, sized)
        elif node.type == "softbreak":
            self._marked(paragraph.add_run(" "), marks, sized)
        elif node.type == "hardbreak":
            paragraph.add_run().add_break()
        else:
            run = self._marked(paragraph.add_run(node.content), marks, sized)
            if node.type == "code_inline":
                look(run, mono=True, ground=RAISED)

    def _marked(self, run: Run, marks: frozenset[str], sized: bool) -> Run:
        """Emphasis as Word has it; `strong` in a heading changes nothing, since headings are bold."""
        run.bold = True if "strong" in marks else None
        run.italic = True if "em" in marks else None
        if "s" in marks:
            run.font.strike = True
            look(run, color=QUIET)
        return look(run, size=self._size) if sized else run


def _side(style: str) -> WD_ALIGN_PARAGRAPH:
    return _RIGHT if "right" in style else _CENTER if "center" in style else _LEFT
