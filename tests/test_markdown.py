"""Model text is inert, and its differences and plain form are true to it."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile import CASES, Case
from vada.markdown import diff_html, inert_html, plain, printable, tokens, unfinished_html

HARMLESS = {"div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "s", "code", "pre"} | {
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "br",
    "ins",
    "del",
}


class Elements(HTMLParser):
    """Collects what a browser would build from a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def assert_inert(text: str) -> None:
    """No element outside the harmless list, no attribute but the wrapper's class and a list's start."""
    for tag, attributes in Elements(text).found:
        assert tag in HARMLESS
        allowed = {"div": {"class"}, "ol": {"start"}, "th": {"style"}, "td": {"style"}}.get(tag, set())
        assert set(attributes) <= allowed, f"{tag} carries {attributes}"
        assert re.fullmatch(r"(text-align:(left|center|right);?)?", attributes.get("style") or "")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_hostile_text_is_inert_and_still_readable(case: Case) -> None:
    shown = inert_html(case.text)
    assert_inert(shown)
    assert case.shows in Elements(shown).words


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_difference_of_hostile_texts_is_inert(case: Case) -> None:
    shown = diff_html("before", case.text)
    assert_inert(shown)
    assert case.shows in Elements(shown).words


@given(st.text(max_size=200))
def test_no_text_at_all_becomes_active(text: str) -> None:
    assert_inert(inert_html(text))
    assert_inert(diff_html(text, text[::-1]))
    plain(text).encode()


def test_formatting_survives() -> None:
    shown = inert_html("# Title\n\n**bold** *em* ~~gone~~ `code`\n\n3. three\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    for piece in ("<h1>Title</h1>", "<strong>", "<em>", "<s>", "<code>", '<ol start="3">', "<th>a</th>", "<td>1</td>"):
        assert piece in shown


def test_columns_keep_their_alignment() -> None:
    assert '<td style="text-align:right">1</td>' in inert_html("| a |\n|--:|\n| 1 |")


def test_headings_can_be_set_under_ours() -> None:
    shown = inert_html("## Title\n\n### Part\n\n###### Small", top=3)
    assert "<h3>Title</h3>" in shown
    assert "<h4>Part</h4>" in shown
    assert "<h6>Small</h6>" in shown


def test_a_dollar_amount_stays_a_dollar_amount() -> None:
    assert "costs $5 and $10" in inert_html("costs $5 and $10")


def test_plain_leaves_words_and_drops_marks() -> None:
    text = "# T\n\n**b** and `c`\n\n- one\n- two\n  - three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"
    assert plain(text) == "T\n\nb and c\n\none\ntwo\nthree\n\na | b\n1 | 2\n\nend"


def test_a_difference_marks_the_changed_words_only() -> None:
    shown = diff_html("Keep the old plan for a **year**.", "Keep the new plan for a year.")
    assert shown == (
        '<div class="vada-md vada-diff"><p>Keep the <del>old</del><ins>new</ins> plan for a year.</p></div>'
    )


def test_neighbouring_changes_are_one_change() -> None:
    assert "<del>the old</del><ins>every new</ins>" in diff_html("Keep the old plan", "Keep every new plan")


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_a_difference_holds_both_texts(before: list[str], after: list[str]) -> None:
    old, new = " ".join(before), " ".join(after)
    shown = diff_html(old, new)
    strip = re.compile(r"<[^>]+>")
    assert strip.sub("", re.sub(r"<ins>.*?</ins>", "", shown)).strip() == old
    assert strip.sub("", re.sub(r"<del>.*?</del>", "", shown)).strip() == new


def test_a_very_long_difference_is_taken_by_lines() -> None:
    before = "\n\n".join(f"line {i} of the text" for i in range(2000))
    shown = diff_html(before, before.replace("line 7 of", "line seven of"))
    assert shown.count("<del>") == 1
    assert "<del>line 7 of the text</del><ins>line seven of the text</ins>" in shown


def test_printable_keeps_what_is_visible() -> None:
    assert printable("a\x00b\u202ec\ud83d\r\n🧑‍⚖️\t") == "abc\ufffd\n🧑‍⚖️\t"


def test_tokens_carry_inline_children() -> None:
    inline = next(t for t in tokens("**b** c") if t.type == "inline")
    assert [t.type for t in inline.children or ()] == ["text", "strong_open", "text", "strong_close", "text"]


def test_a_difference_keeps_paragraphs_and_bullets() -> None:
    shown = diff_html(
        "Settled:\n\n- One thing.\n- Two things.", "Settled:\n\n- One thing.\n- Three things.\n- A last one."
    )
    assert "<p>Settled:</p><ul><li>One thing.</li><li><del>Two</del><ins>Three</ins> things" in shown
    assert shown.count("<li>") == 3


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("First.\n\n**Do the smaller thing", "<strong>Do the smaller thing</strong>"),
        ("**Do the smaller thing*", "<strong>Do the smaller thing</strong>"),
        ("1. **Done.** Then `make", "<strong>Done.</strong> Then <code>make</code>"),
        ("Now **", "<p>Now</p>"),
    ],
)
def test_marks_that_are_not_closed_yet_are_not_read_as_text(written: str, shown: str) -> None:
    assert shown in unfinished_html(written)
    assert "*" not in unfinished_html(written)


def test_a_text_with_all_its_marks_is_the_same_finished_or_not() -> None:
    whole = "**Do it.** Use `make` at 2 * 3.\n\n- one\n- **two**"
    assert unfinished_html(whole) == inert_html(whole)
