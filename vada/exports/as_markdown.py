"""The Markdown export: inert in any reader, also in one that renders HTML, images, links, diagrams and references.

A model's Markdown is parsed in our dialect and written anew with everything else escaped; only a source's checked
address is a link, and it stands in full.
"""

import re
from collections.abc import Iterable, Iterator

from markdown_it.tree import SyntaxTreeNode

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
from vada.exports.document import document
from vada.exports.names import address
from vada.exports.record import readable, trust
from vada.markdown import difference, printable, tokens
from vada.models.outputs import Evidence
from vada.models.run import Run

_ACTIVE = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
_LINE_START = re.compile(r"^( {0,3})(>|[#+=-](?=[\s#+=-]|$)|\d{1,9}[.)](?=\s|$))", re.M)
_MARKS = {"strong": "**", "em": "*", "s": "~~"}


def markdown(run: Run) -> str:
    """The run as Markdown."""
    return "\n\n".join(text for block in document(run) if (text := _block(block))) + "\n"


def _block(block: Block) -> str:
    """One block."""
    match block:
        case Heading():
            badge = f" ({block.badge})" if block.badge else ""
            return f"{'#' * block.level} {_line(block.text)}{badge}"
        case Notice():
            return _notice(block)
        case Prose():
            return rewritten(block.text, top=block.top)
        case Words():
            return _paragraph(block.text)
        case Bullets():
            return "\n".join(f"- {_line(item)}" for item in block.items)
        case Facts():
            return "\n".join(f"- **{_line(label)}:** {_line(text)}" for label, text in block.rows)
        case Table():
            return _table(block)
        case Change():
            return _change(block)
        case Sources():
            return "\n".join(_source(label, source) for label, source in block.items)
        case AnnexStart():
            return f"---\n\n## {block.text}"


def escape(text: str) -> str:
    """Text in which nothing is Markdown any more; line breaks stay."""
    quiet = _ACTIVE.sub(lambda m: f"\\{m[0]}", printable(text))
    return _LINE_START.sub(lambda m: f"{m[1]}{_escaped_marker(m[2])}", quiet)


def _escaped_marker(marker: str) -> str:
    """`1.` becomes `1\\.`, `#` becomes `\\#`."""
    return f"{marker[:-1]}\\{marker[-1]}"


def _line(text: str) -> str:
    """Text on one line."""
    return escape(" ".join(printable(text).split()))


def _paragraph(text: str) -> str:
    """Text with its line breaks kept: two spaces at a line's end, blank lines between paragraphs."""
    lines = escape("\n".join(line.strip() for line in printable(text).split("\n")))
    return re.sub(r"(?<!\n)\n(?!\n)", "  \n", lines)


def _notice(block: Notice) -> str:
    """A notice as a quotation, which no reader overlooks."""
    lines = [f"**{_line(block.title)}** {_line(block.text)}".rstrip()]
    lines += [_line(block.cause)] if block.cause else []
    return "\n>\n".join(f"> {line}" for line in lines)


def _table(block: Table) -> str:
    rule = ["---:" if i in block.numeric else "---" for i in range(len(block.head))]
    rows = [[_cell(c) for c in row] for row in (block.head, *block.rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:]))


def _cell(text: str) -> str:
    """Text in a table's cell; an empty one holds a space."""
    return _line(text).replace("|", "\\|") or " "


def _change(block: Change) -> str:
    """The words before and after, each whole, since not every reader shows struck words."""
    changed = list(difference(readable(block.before), readable(block.after)))
    before = "".join(f"~~{_line(w)}~~" if tag else escape(w) for tag, w in changed if tag != "ins" and w)
    after = "".join(f"**{_line(w)}**" if tag else escape(w) for tag, w in changed if tag != "del" and w)
    return f"- **Before:** {_spaced(before)}\n- **After:** {_spaced(after)}"


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _source(label: str, source: Evidence) -> str:
    words, _ = trust(source)
    age = f", {_line(source.age)}" if source.age else ""
    quote = f": “{_line(source.quote)}”" if source.quote else ""
    where = f" <{source.url}>" if address(source.url) else f" {_line(source.url)}" if source.url else ""
    return f"- **{label}** {_line(source.title)}{age} ({words}){quote}{where}"


def rewritten(text: str, *, top: int) -> str:
    """A model's Markdown written anew: the same headings, lists, tables and emphasis, nothing that loads or links."""
    return "\n\n".join(_blocks(SyntaxTreeNode(tokens(text, top=top)).children))


def _blocks(nodes: Iterable[SyntaxTreeNode]) -> Iterator[str]:
    for node in nodes:
        match node.type:
            case "heading":
                yield f"{'#' * int(node.tag[1])} {' '.join(_inline(node).split())}"
            case "paragraph":
                yield _starts(_inline(node))
            case "bullet_list" | "ordered_list":
                yield ("\n" if _tight(node) else "\n\n").join(_items(node))
            case "blockquote":
                yield _indented("\n\n".join(_blocks(node.children)), "> ", "> ")
            case "fence" | "code_block":
                yield _code(node.content)
            case "table":
                yield _model_table(node)
            case "hr":
                yield "---"
            case _:
                raise ValueError(f"no such Markdown block: {node.type}")


def _items(node: SyntaxTreeNode) -> Iterator[str]:
    """The items of a list, what belongs to an item set under it."""
    number = int(node.attrs.get("start", 1))
    between = "\n" if _tight(node) else "\n\n"
    for i, item in enumerate(node.children, number):
        marker = f"{i}. " if node.type == "ordered_list" else "- "
        yield _indented(between.join(_blocks(item.children)), marker, " " * len(marker))


def _tight(node: SyntaxTreeNode) -> bool:
    """Whether no blank line stands between the items or inside them."""
    return all(child.hidden for item in node.children for child in item.children if child.type == "paragraph")


def _indented(text: str, first: str, others: str) -> str:
    lines = text.split("\n") or [""]
    return "\n".join(f"{others if i else first}{line}".rstrip() for i, line in enumerate(lines))


def _code(text: str) -> str:
    """A code block without a language, since some readers draw `mermaid`; its fence is longer than any inside."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"


def _model_table(node: SyntaxTreeNode) -> str:
    rows = [row.children for part in node.children for row in part.children]
    sides = {"text-align:right": "---:", "text-align:center": ":---:"}
    rule = [sides.get(str(cell.attrs.get("style", "")), "---") for cell in rows[0]]
    cells = [[_inline(cell).replace("\n", " ").replace("|", "\\|") or " " for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:]))


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(_words(child) for inline in node.children for child in inline.children)


def _words(node: SyntaxTreeNode) -> str:
    match node.type:
        case "strong" | "em" | "s":
            inner = "".join(_words(child) for child in node.children)
            mark = _MARKS[node.type]
            return f"{mark}{inner}{mark}" if inner == inner.strip() and inner else inner
        case "code_inline":
            return _code_span(node.content)
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "\\\n"
        case _:
            return _ACTIVE.sub(lambda m: f"\\{m[0]}", node.content)


def _code_span(text: str) -> str:
    """Code between more backticks than it holds."""
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") or text.strip() != text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _starts(text: str) -> str:
    """A paragraph none of whose lines begins a heading, list, quotation or rule."""
    return _LINE_START.sub(lambda m: f"{m[1]}{_escaped_marker(m[2])}", text)
