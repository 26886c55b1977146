"""Text that a model, a web page, an upload or an import wrote, made harmless to show.

Owns the one Markdown dialect of Vāda (no HTML, no images, no links, no references) and what is made of it: inert HTML,
plain text, a word-level difference, and the tokens that the DOCX export walks. Never fetches, never makes a link.
"""

import difflib
import html
import itertools
import re
from collections.abc import Iterator, Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = (
    MarkdownIt("commonmark", {"html": False, "linkify": False})
    .enable(["table", "strikethrough"])
    .disable(["image", "link", "autolink", "reference"])
)
_BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "pre", "blockquote", "hr", "br"}
_TABLE = {"table", "thead", "tbody", "tr", "th", "td"}
_TAGS = _BLOCKS | _TABLE | {"strong", "em", "s", "code"}
_ATTRIBUTES = {"ol": {"start"}, "th": {"style"}, "td": {"style"}}  # of a style only text-align is let through

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")

_MANY_WORDS = 4_000
"""Above this many words a difference is taken line by line: difflib needs quadratic time."""


def printable(text: str) -> str:
    """The text without what cannot be shown or stored as XML: control characters, direction overrides, zero-width
    spaces; half a surrogate pair becomes U+FFFD. Everything visible stays as it is."""
    return _SURROGATES.sub("\ufffd", _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def tokens(text: str, *, top: int | None = None) -> list[Token]:
    """The markdown-it block tokens of a text; `inline` tokens carry their children. Code walks these for DOCX.
    With `top` the text's highest heading gets that level (1–6) and the others keep their distance from it."""
    stream = _PARSER.parse(printable(text))
    headings = [t for t in stream if t.type in ("heading_open", "heading_close")]
    if top is not None and headings:
        shift = top - min(int(t.tag[1]) for t in headings)
        for token in headings:
            token.tag = f"h{min(max(int(token.tag[1]) + shift, 1), 6)}"
    return stream


def inert_html(text: str, *, top: int | None = None) -> str:
    """A text as HTML in `<div class="vada-md">`: formatting stays, nothing in it can load, link, run or be clicked.
    `top` is the level of its highest heading, for a text that stands under headings of ours."""
    rendered = _PARSER.renderer.render(tokens(text, top=top), _PARSER.options, {})
    clean = nh3.clean(rendered, tags=_TAGS, attributes=_ATTRIBUTES, filter_style_properties={"text-align"})
    return f'<div class="vada-md">{clean}</div>'


def unfinished_html(text: str) -> str:
    """`inert_html` of a text that is still being written: emphasis and code that were opened are closed where it ends,
    so that their marks are not read as text meanwhile."""
    head, gap, tail = text.rstrip().rpartition("\n")
    for mark in ("`", "**"):
        if tail.count(mark) % 2:
            tail = tail.rstrip("*`")
            tail = f"{tail.rstrip()}{mark}" if tail.count(mark) % 2 else tail
    return inert_html(f"{head}{gap}{tail}")


def plain(text: str) -> str:
    """A text without its Markdown marks: an item a line, paragraphs a blank line apart, table cells split by ` | `."""
    return "\n".join(_lines(tokens(text))).strip()


_BULLET = "• "


def _lines(stream: Sequence[Token], *, bullets: bool = False) -> Iterator[str]:
    """The lines of `plain`; with `bullets` an item begins with its bullet or number."""
    depth = 0
    row: list[str] | None = None
    mark = ""
    for token in stream:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                depth += 1
            case "list_item_open" if bullets:
                mark = f"{token.info}. " if token.info else _BULLET
            case "bullet_list_close" | "ordered_list_close":
                depth -= 1
                if not depth:
                    yield ""
            case "tr_open":
                row = []
            case "tr_close":
                yield " | ".join(row or ())
                row = None
            case "inline" if row is not None:
                row.append(_words(token))
            case "inline":
                yield mark + _words(token)
                mark = ""
            case "fence" | "code_block":
                yield token.content.rstrip("\n")
                yield ""
            case "paragraph_close" | "heading_close" | "table_close" if not depth:
                yield ""
            case _:
                pass


def _words(inline: Token) -> str:
    """The words of an inline token."""
    return "".join("\n" if t.type in ("softbreak", "hardbreak") else t.content for t in inline.children or ())


def difference(before: str, after: str) -> Iterator[tuple[str, str]]:
    """What changed, word by word, in reading order: (`del`, `ins` or empty for unchanged, words). No Markdown marks."""
    return _difference(plain(before), plain(after))


def _difference(before: str, after: str) -> Iterator[tuple[str, str]]:
    for tag, pieces in _changes(*_pieces(before, after)):
        yield tag, "".join(pieces)


def diff_html(before: str, after: str) -> str:
    """The `difference` of two texts as inert HTML with `<ins>` and `<del>`; paragraphs and bullets stay."""
    old, new = ("\n".join(_lines(tokens(t), bullets=True)).strip() for t in (before, after))
    body = "".join(_marked(tag, words) for tag, words in _difference(old, new))
    blocks = "".join(_block(lines) for lines in re.split(r"\n{2,}", body))
    clean = nh3.clean(blocks, tags={"p", "br", "ul", "li", "ins", "del"}, attributes={})
    return f'<div class="vada-md vada-diff">{clean}</div>'


def _pieces(before: str, after: str) -> tuple[list[str], list[str]]:
    """Both texts cut into words and spaces, or into lines when they are long."""
    short = len(before.split()) + len(after.split()) <= _MANY_WORDS
    cut = re.compile(r"\n+|• |[^\S\n]+|\w+(?:[.,'’-]\w+)*|[^\w\s]" if short else r"[^\n]+|\n+")
    return cut.findall(before), cut.findall(after)


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(`del` | `ins` | ``, pieces) in reading order; a lone space between two changes belongs to both."""
    out: list[str] = []
    into: list[str] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lone = b - a == 1 and old[a] == " " and b < len(old) and (out or into)
        if tag != "equal" or lone:
            out += old[a:b]
            into += new[c:d]
            continue
        yield from _flush(out, into)
        out, into = [], []
        yield "", old[a:b]
    yield from _flush(out, into)


def _flush(out: list[str], into: list[str]) -> Iterator[tuple[str, list[str]]]:
    if out:
        yield "del", out
    if into:
        yield "ins", into


def _marked(tag: str, text: str) -> str:
    """A run as HTML; neither the end of a line nor a bullet is ever inside `<ins>` or `<del>`."""
    parts = re.split(rf"(\n+|{_BULLET})", text)
    return "".join(f"<{tag}>{html.escape(p)}</{tag}>" if tag and p.strip("\n• ") else html.escape(p) for p in parts)


def _block(lines: str) -> str:
    """The lines of a paragraph as HTML, those that begin with a bullet as a list."""
    made = []
    for listed, group in itertools.groupby(lines.split("\n"), lambda line: line.lstrip().startswith(_BULLET.strip())):
        shown = [line.replace(_BULLET, " ").strip() if listed else line for line in group if line.strip()]
        items = "".join(f"<li>{line}</li>" for line in shown)
        made.append(f"<ul>{items}</ul>" if listed else f"<p>{'<br>'.join(shown)}</p>" if shown else "")
    return "".join(made)
