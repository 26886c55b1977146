"""The Word file under the DOCX export: page, styles, numbering, tables, links. Knows nothing of debates."""

from collections.abc import Sequence
from datetime import datetime

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.shared import Mm, Pt, RGBColor
from docx.styles.style import ParagraphStyle
from docx.table import Table, _Cell
from docx.text.paragraph import Paragraph
from docx.text.run import Run

TEXT_WIDTH = 166.0
"""Width of the text on A4, mm."""

INK, QUIET, LINK, LINE, RAISED = "1B1F2A", "5A6172", "3448C5", "DDE1EA", "F4F5F8"
FONT, MONO = "Arial", "Courier New"

_HEADINGS = {
    "Title": 20.0,
    "Heading 1": 15.0,
    "Heading 2": 12.5,
    "Heading 3": 11.0,
    "Heading 4": 10.5,
    "Heading 5": 10.5,
}
_SPACE_BEFORE = {
    "Title": 0.0,
    "Heading 1": 20.0,
    "Heading 2": 16.0,
    "Heading 3": 11.0,
    "Heading 4": 9.0,
    "Heading 5": 8.0,
}
_BULLETS = "•◦▪"
_NUMBERS = ("decimal", "lowerLetter", "lowerRoman")
_INDENT = 360  # twentieths of a point per list level


def new_file(title: str, changed: datetime | None) -> Document:
    """An empty A4 document in our styles, with page numbers."""
    file = docx.Document()
    section = file.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(22)
    section.top_margin = section.bottom_margin = Mm(20)
    about = file.core_properties
    about.title, about.author, about.comments = title[:250], "Vāda", ""
    if changed:
        about.created = about.modified = changed.replace(tzinfo=None)
    _styles(file)
    _page_numbers(section.footer.paragraphs[0])
    return file


def _styles(file: Document) -> None:
    """Our type: one face, ink instead of Word's blue, space above headings."""
    normal = _style(file, "Normal")
    _face(normal, 10, INK)
    normal.paragraph_format.space_after = Pt(5)
    normal.paragraph_format.line_spacing = 1.12
    for name, size in _HEADINGS.items():
        style = _style(file, name)
        _face(style, size, INK)
        style.font.bold, style.font.italic = True, False
        style.paragraph_format.space_before = Pt(_SPACE_BEFORE[name])
        style.paragraph_format.space_after = Pt(4)
        style.paragraph_format.keep_with_next = True
        for extra in [*style.element.iter(qn("w:pBdr")), *style.element.rPr.findall(qn("w:spacing"))]:
            extra.getparent().remove(extra)


def _style(file: Document, name: str) -> ParagraphStyle:
    style = file.styles[name]
    if not isinstance(style, ParagraphStyle):
        raise TypeError(f"{name} is no paragraph style of the template")
    return style


def _face(style: ParagraphStyle, size: float, color: str) -> None:
    """Face, size (points) and colour; theme fonts are replaced, since they win over a name."""
    style.font.name, style.font.size, style.font.color.rgb = FONT, Pt(size), RGBColor.from_string(color)
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for part in ("ascii", "hAnsi", "eastAsia", "cs"):
        fonts.attrib.pop(qn(f"w:{part}Theme"), None)
        fonts.set(qn(f"w:{part}"), FONT)


def _page_numbers(paragraph: Paragraph) -> None:
    """`1 / 7`, flush right."""
    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    for code, between in (("PAGE", " / "), ("NUMPAGES", "")):
        field = parse_xml(f'<w:fldSimple {nsdecls("w")} w:instr="{code}"/>')
        field.append(look(paragraph.add_run("1"), size=8, color=QUIET)._r)
        paragraph._p.append(field)
        look(paragraph.add_run(between), size=8, color=QUIET)


def look(
    run: Run,
    *,
    size: float | None = None,
    color: str = "",
    bold: bool | None = None,
    ground: str = "",
    mono: bool = False,
) -> Run:
    """Set what is given of a run's look; sizes in points, colours as six hex digits."""
    if size:
        run.font.size = Pt(size)
    if color:
        run.font.color.rgb = RGBColor.from_string(color)
    if bold is not None:
        run.bold = bold
    if mono:
        run.font.name = MONO
    if ground:
        run._r.get_or_add_rPr().append(_shade(ground))
    return run


def _shade(fill: str) -> BaseOxmlElement:
    shade = OxmlElement("w:shd")
    for name, value in (("val", "clear"), ("color", "auto"), ("fill", fill)):
        shade.set(qn(f"w:{name}"), value)
    return shade


def band(paragraph: Paragraph, *, ground: str = "", edge: str = "") -> None:
    """A ground behind a paragraph, with room above and below, and a thick edge at its left."""
    properties = paragraph._p.get_or_add_pPr()
    room = f'w:val="single" w:sz="4" w:space="3" w:color="{ground}"'
    left = f'<w:left w:val="single" w:sz="24" w:space="7" w:color="{edge}"/>' if edge else ""
    edges = f"<w:top {room}/>{left}<w:bottom {room}/>" if ground else left
    properties.append(parse_xml(f"<w:pBdr {nsdecls('w')}>{edges}</w:pBdr>"))
    if edge:
        paragraph.paragraph_format.left_indent = Mm(3)
    if ground:
        properties.append(_shade(ground))
    _in_order(properties, "pStyle keepNext keepLines pageBreakBefore numPr pBdr shd tabs spacing ind jc rPr")


def _in_order(properties: BaseOxmlElement, order: str) -> None:
    """Word refuses properties out of the schema's order."""
    rank = {qn(f"w:{name}"): i for i, name in enumerate(order.split())}
    properties[:] = sorted(properties, key=lambda e: rank.get(e.tag, len(rank)))


def link(paragraph: Paragraph, url: str) -> None:
    """An address shown in full that opens itself."""
    target = paragraph.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    wrap = OxmlElement("w:hyperlink")
    wrap.set(qn("r:id"), target)
    run = look(paragraph.add_run(url), color=LINK, size=9.5)
    run.underline = True
    wrap.append(run._r)
    paragraph._p.append(wrap)


class Numbering:
    """Real Word lists: each list its own instance, so that numbers begin where its author began them."""

    def __init__(self, file: Document) -> None:
        self._part = file.part.numbering_part.element
        self._bullets = self._define([("bullet", b) for b in _BULLETS], 9001)
        self._numbers = self._define([(form, f"%{i}.") for i, form in enumerate(_NUMBERS, 1)], 9002)

    def bullets(self) -> int:
        """A new bulleted list."""
        return self._instance(self._bullets, 0, None)

    def numbers(self, level: int, start: int) -> int:
        """A new numbered list that begins at `start`."""
        return self._instance(self._numbers, level, start)

    def _define(self, forms: Sequence[tuple[str, str]], id_: int) -> int:
        levels = "".join(
            f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/>'
            f'<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="{_INDENT * (i + 1)}" w:hanging="{_INDENT - 60}"/></w:pPr>'
            "</w:lvl>"
            for i, (form, text) in enumerate(forms)
        )
        kind = '<w:multiLevelType w:val="multilevel"/>'
        made = parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{id_}">{kind}{levels}</w:abstractNum>')
        first = self._part.find(qn("w:num"))
        self._part.insert(self._part.index(first) if first is not None else len(self._part), made)
        return id_

    def _instance(self, abstract: int, level: int, start: int | None) -> int:
        num = self._part.add_num(abstract)
        if start is not None:
            num.add_lvlOverride(ilvl=level).add_startOverride(start)
        return int(num.numId)

    @staticmethod
    def put(paragraph: Paragraph, number: int, level: int) -> None:
        """Make a paragraph an item of a list."""
        properties = paragraph._p.get_or_add_pPr()
        properties.get_or_add_numPr().get_or_add_numId().val = number
        properties.get_or_add_numPr().get_or_add_ilvl().val = level
        paragraph.paragraph_format.space_after = Pt(2)

    @staticmethod
    def beside(paragraph: Paragraph, level: int) -> None:
        """Set a further paragraph of an item under the item's text."""
        paragraph.paragraph_format.left_indent = Pt(_INDENT * (level + 1) / 20)


def table(file: Document, rows: int, widths: Sequence[float], *, lined: bool = True) -> Table:
    """An empty table over the text's width; `widths` are relative. Lined ones have a line under each row."""
    made: Table = file.add_table(rows=rows, cols=len(widths))
    made.autofit = False
    whole = sum(widths)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = Mm(TEXT_WIDTH * width / whole)
        for cell in column.cells:
            cell.width = Mm(TEXT_WIDTH * width / whole)
    _borders(made, lined)
    for row in made.rows:
        row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
    return made


def _borders(made: Table, lined: bool) -> None:
    line = f'w:val="single" w:sz="4" w:space="0" w:color="{LINE}"'
    edges = f"<w:bottom {line}/><w:insideH {line}/>" if lined else ""
    properties = made._tbl.tblPr
    margins = "".join(
        f'<w:{side} w:w="{width}" w:type="dxa"/>'
        for side, width in (("top", 40), ("left", 0), ("bottom", 40), ("right", 120))
    )
    properties.append(parse_xml(f"<w:tblBorders {nsdecls('w')}>{edges}</w:tblBorders>"))
    properties.append(parse_xml(f"<w:tblCellMar {nsdecls('w')}>{margins}</w:tblCellMar>"))
    _in_order(properties, "tblStyle tblW jc tblInd tblBorders tblLayout tblCellMar tblLook")


def repeat_head(made: Table) -> None:
    """Show the first row again on every page the table reaches."""
    made.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def cell_text(cell: _Cell) -> Paragraph:
    """The one paragraph of a cell, set tight."""
    paragraph: Paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(0)
    return paragraph
