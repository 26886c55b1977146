"""Every export says what it is worth, above the text, and nothing in it can load, link, run or calculate."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import docx
import pytest
from markdown_it import MarkdownIt
from pydantic import BaseModel

from tests.builders import a_config, a_degraded, a_rehearsal, a_run, a_seat, an_audit
from tests.hostile import CASES, HOST, Case
from vada.errors import InputError
from vada.exports import FORMATS, filename, render, whole
from vada.exports.as_csv import harmless
from vada.exports.as_markdown import escape, rewritten
from vada.exports.document import title
from vada.exports.names import address
from vada.models.debate import ModelRef
from vada.models.outputs import Baseline, Evidence
from vada.models.run import Run
from vada.models.vocabulary import AuditVerdict, DebateState, PhaseName, Role
from vada.settings import SMALL_NOTICE

READABLE = ("md", "html", "docx")


def words(run: Run, format: str) -> str:
    """What a person reads in an export, on one line."""
    made = render(run, format)
    if format == "docx":
        text = _docx_text(made)
    elif format == "html":
        text = Page(made.decode()).words
    else:
        text = re.sub(r"\\(?=[^\w\s])", "", made.decode())
    return " ".join(text.split())


def _docx_text(made: bytes) -> str:
    body = docx.Document(io.BytesIO(made)).element.body
    return "\n".join(
        "".join(t.text or "" for t in p.iter() if t.tag.endswith("}t")) for p in body.iter() if p.tag.endswith("}p")
    )


class Page(HTMLParser):
    """What a browser builds from an HTML export."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self._skip = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._skip = tag in ("style", "title")

    def handle_endtag(self, tag: str) -> None:
        self._skip = False

    def handle_data(self, data: str) -> None:
        self.words += "" if self._skip else data


def hostile(run: Run, text: str) -> Run:
    """The run with `text` in every free text of it."""
    return Run.model_validate(_poisoned(run.model_dump(), run, text))


_KEPT = {
    "id", "key", "point", "challenge", "veto", "constraint", "dimension", "target_point", "target_key", "call_id", "at",
    "created_at", "updated_at", "started_at", "prompt_hash", "constraints_sha", "constraints_block", "head", "stance",
    "before", "after", "args", "slot", "state", "status", "source", "context", "endpoint", "letters", "parent",
}  # fmt: skip


def _poisoned(value: Any, model: Any, text: str) -> Any:
    if isinstance(model, BaseModel):
        return {
            name: _poisoned(value[name], getattr(model, name), text)
            if name not in _KEPT and not (name == "kind" and isinstance(model, Evidence))
            else value[name]
            for name in type(model).model_fields
        }
    if isinstance(model, (tuple, list)):
        return [_poisoned(v, m, text) for v, m in zip(value, model, strict=True)]
    return text if type(model) is str and model else value


# What every export says.


@pytest.mark.parametrize("format", READABLE)
def test_state_and_degradations_stand_above_the_text(format: str) -> None:
    shown = words(a_run(), format)
    deliverable = shown.index("Keep billing in the monolith and give it a boundary")
    assert shown.index("Revised: the blind audit flagged one field") < deliverable
    assert shown.index("The Simplifier did not answer; the round went on without it.") < deliverable
    assert shown.index("529 overloaded_error") < deliverable
    assert shown.index("Invoices must keep going out on the 1st of every month") < deliverable


@pytest.mark.parametrize("format", READABLE)
def test_a_rehearsal_is_named_one(format: str) -> None:
    sentence = "Rehearsal: no model was called."
    assert sentence in words(a_run(config=a_rehearsal()), format)
    assert sentence not in words(a_run(), format)


@pytest.mark.parametrize("format", [*READABLE, "csv"])
def test_a_small_model_is_named_one(format: str) -> None:
    seats = (a_seat(Role.OPTIMIZER_A, model=ModelRef(name="tiny-1.5b", endpoint="local")), *a_run().config.seats[1:])
    run = a_run(config=a_config(seats=seats))
    shown = render(run, format).decode("utf-8-sig") if format == "csv" else words(run, format)
    assert SMALL_NOTICE in shown
    assert SMALL_NOTICE not in words(a_run(), "md")


@pytest.mark.parametrize("format", READABLE)
@pytest.mark.parametrize(
    "said",
    [
        "The boundary is enforced in CI, not by agreement.",  # conclusion
        "Billing should own its tables, because shared tables keep deploys coupled.",  # minority report
        "The strongest case on split",  # steel man
        "Nobody names a constraint that needs the bus.",  # veto ruling
        "Weighted total",
        "7.1 (+0.4)",
        "Who owns the tables after the trigger.",  # open question
        "Three engineers for the first two weeks.",  # renegotiation
        "The recommendation leaves open whether the shadow run may send invoices.",  # audit objection
        "where it sends nothing,",  # the one-field fix
        "continue, instead of fork, by Ada",  # override
        "Optimizer B named its weakness after its proposal.",  # breach
        "other-model@anthropic",
        "$0.30",
        "f" * 64,  # record hash
    ],
)
def test_the_annex_holds_the_record(format: str, said: str) -> None:
    shown = words(a_run(), format)
    assert said in shown[shown.index("Annex: the record of the debate") :]


def a_baseline(text: str = "Stay with what you have, **for now**.") -> Baseline:
    """One model's answer without a debate."""
    model = ModelRef(name="large-model")
    return Baseline(state="answered", seat=Role.COORDINATOR, model=model, text=text, words=len(text.split()))


@pytest.mark.parametrize("format", READABLE)
def test_the_answer_of_one_model_asked_once_stands_in_the_annex(format: str) -> None:
    shown = words(a_run(baseline=a_baseline()), format).replace("**", "")
    annex = shown[shown.index("Annex: the record of the debate") :]
    assert "One answer, no debate" in annex
    assert "Stay with what you have, for now." in annex
    assert "One answer, no debate" not in words(a_run(), format)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Should we? " + "A circumstance of it. " * 20, "Should we?"),
        ("We are 9. " + "More. " * 40 + "\nShould we drop it at 1.5 people?", "Should we drop it at 1.5 people?"),
        ("Say something about " + "words " * 60, "Say something about words"),
    ],
)
def test_the_title_of_a_long_question_is_what_it_asks_and_the_whole_follows(question: str, said: str) -> None:
    run = a_run()
    long = run.model_copy(update={"config": run.config.model_copy(update={"question": question})})
    assert title(long).startswith(said)
    assert len(title(long)) <= 161
    assert " ".join(question.split()) in " ".join(words(long, "md").split())


def test_the_constraint_checklist_prefers_the_codes_check_of_the_deliverable() -> None:
    run = a_run()
    assert run.deliverable
    long = run.deliverable.model_copy(update={"text": "word " * 701 + "rollback"})
    shown = words(run.model_copy(update={"deliverable": long}), "md")
    assert "Broken | Counted by code: 702 words; at most 700 allowed" in shown


@pytest.mark.parametrize("format", [*READABLE, "json", "csv"])
@pytest.mark.parametrize("stage", [None, PhaseName.PREPARE, PhaseName.SYNTHESIZE, PhaseName.DECIDE, PhaseName.FORMAT])
def test_an_unfinished_debate_exports_as_far_as_it_has_come(format: str, stage: PhaseName | None) -> None:
    run = a_run(rounds=2, stage=stage) if stage else a_run(rounds=0, stage=None)
    assert render(run, format)
    if format in READABLE:
        assert ("There is no deliverable yet" in words(run, format)) == (
            run.deliverable is None and any(r.synthesis for r in run.rounds)
        )


@pytest.mark.parametrize("format", READABLE)
def test_where_nothing_came_of_them_the_raw_proposals_are_shown(format: str) -> None:
    run = a_run(rounds=1, stage=PhaseName.CHALLENGE, state=DebateState.FAILED, reason="No synthesis could be had.")
    shown = words(run, format)
    assert "Failed: a phase that nothing can replace could not be had. No synthesis could be had." in shown.replace(
        "**", ""
    )
    assert "Proposals of round 1" in shown
    for proposal in run.rounds[0].proposals.proposals if run.rounds[0].proposals else ():
        assert proposal.weakness in shown
        assert proposal.text in shown


def test_a_debate_flagged_twice_shows_both_objections() -> None:
    run = a_run(state=DebateState.UNCONVERGED, audit=an_audit(AuditVerdict.FLAG, AuditVerdict.FLAG))
    shown = words(run, "html")
    assert "Unconverged: The Blind Critic flagged the conclusion twice" in shown


def test_a_debate_whose_critic_did_not_answer_does_not_say_that_it_flagged() -> None:
    run = a_run(state=DebateState.UNCONVERGED, audit=an_audit().model_copy(update={"passes": (), "revision": None}))
    shown = words(run, "html")
    assert "Unconverged: The Blind Critic did not answer; the conclusion is not audited." in shown
    assert "flagged the conclusion" not in shown


def test_both_objections_stand_in_the_annex() -> None:
    run = a_run(state=DebateState.UNCONVERGED, audit=an_audit(AuditVerdict.FLAG, AuditVerdict.FLAG))
    shown = words(run, "html")
    assert shown.count("The recommendation leaves open whether") == 2


def test_a_long_question_is_kept_verbatim_under_its_beginning() -> None:
    question = "First line\n\n    indented 🧑‍⚖️ {braces} <|endoftext|> " + "word " * 60
    run = a_run()
    run = run.model_copy(update={"config": run.config.model_copy(update={"question": question})})
    page = Page(render(run, "html").decode())
    assert title(run).endswith("word…")
    assert question in page.words


# Files.


def test_json_is_the_whole_run_and_stable() -> None:
    run = a_run()
    made = render(run, "json")
    assert made == render(Run.model_validate_json(run.model_dump_json()), "json")
    found = json.loads(made)
    assert {"conclusion", "usage", "rehearsal", "degraded", "audit"} <= set(found)
    fields = {name: found[name] for name in Run.model_fields}
    assert Run.model_validate(fields) == run
    assert whole(run)["usage"]["dollars"] == pytest.approx(run.usage.dollars)


def test_docx_has_real_headings_lists_tables_and_links() -> None:
    file = docx.Document(io.BytesIO(render(a_run(), "docx")))
    headings = [
        (p.style.name, p.text) for p in file.paragraphs if p.style and p.style.name.startswith(("Heading", "Title"))
    ]
    assert ("Title", a_run().config.question) in headings
    assert ("Heading 1", "Deliverable") in headings
    assert ("Heading 2", "Keep billing in the monolith and give it a boundary") in headings
    numbered = [p.text for p in file.paragraphs if p._p.pPr is not None and p._p.pPr.numPr is not None]
    assert "In week one, list every call into billing." in numbered
    assert any(t.cell(0, 0).text == "Trigger" for t in file.tables)
    links = {r.target_ref for r in file.part.rels.values() if r.is_external}
    assert links == {e.url for e in _evidence() if e.url}


def _evidence() -> list[Evidence]:
    return [e for r in a_run().rounds if r.proposals for p in r.proposals.proposals for e in p.evidence]


def test_docx_numbers_each_list_from_its_own_start() -> None:
    run = a_run()
    assert run.deliverable
    text = "1. one\n2. two\n\nbetween\n\n5. five\n6. six\n\n- a\n  1. deep"
    made = render(run.model_copy(update={"deliverable": run.deliverable.model_copy(update={"text": text})}), "docx")
    file = docx.Document(io.BytesIO(made))
    ids = {
        p.text: p._p.pPr.numPr.numId.val for p in file.paragraphs if p._p.pPr is not None and p._p.pPr.numPr is not None
    }
    assert ids["one"] == ids["two"] != ids["five"] == ids["six"]
    numbering = file.part.numbering_part.element
    starts = {
        n.numId: [o.find(".//{*}startOverride").get(_w("val")) for o in n.lvlOverride_lst] for n in numbering.num_lst
    }
    assert starts[ids["one"]] == ["1"]
    assert starts[ids["five"]] == ["5"]


def _w(name: str) -> str:
    return f"{{http://schemas.openxmlformats.org/wordprocessingml/2006/main}}{name}"


def test_pdf_holds_the_sources_as_its_only_outside_links() -> None:
    made = render(a_run(), "pdf")
    assert made.startswith(b"%PDF-")
    links = set(re.findall(rb"/URI \(([^)]*)\)", unpacked(made)))
    assert links == {e.url.encode() for e in _evidence() if e.url}


def unpacked(made: bytes) -> bytes:
    """The PDF's compressed streams, readable."""
    return b"\n".join(zlib.decompress(found[1]) for found in re.finditer(rb"stream\r?\n(x.*?)endstream", made, re.S))


def test_pdf_of_a_waiting_debate_renders() -> None:
    assert render(a_run(rounds=2, stage=PhaseName.DECIDE), "pdf").startswith(b"%PDF-")


def test_pdf_without_pango_says_what_to_install(tmp_path: Path) -> None:
    missing = tmp_path / "weasyprint" / "__init__.py"
    missing.parent.mkdir()
    missing.write_text("raise OSError(\"cannot load library 'libpango-1.0-0'\")\n")
    script = "from tests.builders import a_run\nfrom vada.exports import render\nrender(a_run(), 'pdf')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])}
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 1
    assert "VadaError: PDF export needs the Pango library" in ended.stderr
    assert "apt-get install libpango-1.0-0 libpangoft2-1.0-0" in ended.stderr


def test_csv_has_a_row_for_every_challenge_and_veto_and_carries_the_state() -> None:
    run = a_run()
    rows = list(csv.DictReader(io.StringIO(render(run, "csv").decode("utf-8-sig"))))
    challenges = [c.id for r in run.rounds if r.challenges for c in r.challenges.challenges]
    assert [r["id"] for r in rows if r["kind"] == "challenge"] == challenges
    assert {r["id"] for r in rows if r["kind"] == "veto"} == {"r1.v1", "r2.v1"}
    assert (rows[0]["against"], rows[0]["ruling"]) == ("Optimizer A", "Objection upheld")
    assert all(r["record_hash"] == run.head and r["state"].startswith("Revised") and r["cost"] == "$0.30" for r in rows)
    assert all("did not answer" in r["notices"] for r in rows)


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_name_is_codes_own(format: str) -> None:
    run = a_run(id="../../etc/passwd\x00")
    evil = run.config.model_copy(update={"question": "../../../C:\\con |<>*? \u202efdp.exe\n"})
    name = filename(run.model_copy(update={"config": evil}), format)
    assert re.fullmatch(rf"vada[a-z0-9-]*\.{format}", name)
    assert len(name) < 110
    assert filename(a_run(), "md") == "vada-should-we-move-billing-out-of-our-monolith-into-billing-7f3a.md"


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="Use one of md, docx, pdf, html, json, csv"):
        render(a_run(), "exe")


# Hostile text.


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_html_stays_inert(case: Case) -> None:
    page = Page(render(hostile(a_run(baseline=a_baseline()), case.text), "html").decode())
    ours = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "aside",
        "article",
        "nav",
        "section",
        "dl",
        "dt",
        "dd",
    }
    text = {
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "ul",
        "ol",
        "li",
        "strong",
        "em",
        "s",
        "code",
        "pre",
        "blockquote",
        "hr",
    }
    parts = {
        "table",
        "colgroup",
        "col",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
        "div",
        "span",
        "small",
        "q",
        "a",
        "ins",
        "del",
    }
    assert {tag for tag, _ in page.elements} <= ours | text | parts
    for tag, attributes in page.elements:
        assert not {a for a in attributes if a.startswith("on") or a in ("src", "srcset", "action", "background")}
        if tag == "a":
            target = attributes["href"] or ""
            assert target.startswith("#annex-") or address(target) == target
            assert HOST not in target
    assert sum(tag == "style" for tag, _ in page.elements) == 1
    assert page.words.count(case.shows) > 20


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_markdown_stays_inert_in_a_reader_that_renders_everything(case: Case) -> None:
    made = render(hostile(a_run(baseline=a_baseline()), case.text), "md").decode()
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    active = [
        t.type
        for block in reader.parse(made)
        for t in (block, *(block.children or ()))
        if t.type in ("image", "html_block", "html_inline")
        or (t.type == "link_open" and HOST in str(t.attrs.get("href")))
    ]
    assert active == []
    assert "```mermaid" not in made
    assert made.count(case.shows) > 20


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_docx_stays_inert(case: Case) -> None:
    made = render(hostile(a_run(baseline=a_baseline()), case.text), "docx")
    file = docx.Document(io.BytesIO(made))
    assert not [r.target_ref for r in file.part.rels.values() if r.is_external]
    assert not [e.tag for e in file.element.body.iter() if e.tag.endswith(("}drawing", "}pict", "}object"))]
    assert _docx_text(made).count(case.shows) > 20


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_csv_cells_are_never_formulas(case: Case) -> None:
    rows = list(
        csv.reader(io.StringIO(render(hostile(a_run(baseline=a_baseline()), case.text), "csv").decode("utf-8-sig")))
    )
    assert any(case.shows in cell for row in rows for cell in row)
    for cell in (c for row in rows[1:] for c in row):
        assert not cell.lstrip(' \t\r\n"').startswith(("=", "+", "-", "@"))
        assert not re.search(r"[;\t\n]\s*[=+\-@]", cell)


@pytest.mark.parametrize(
    "start", ["=1", "+1", "-1", "@A1", "\t=1", "\r=1", " =1", "＝1", "＋1", "|calc", "%0A=1", '"=1']
)
def test_a_cell_that_would_calculate_gets_an_apostrophe(start: str) -> None:
    assert harmless(start).startswith("'")


def test_an_ordinary_cell_stays_as_it_is() -> None:
    assert harmless("Two – or three; a well-known plan, 5 - 3 = 2") == "Two – or three; a well-known plan, 5 - 3 = 2"


def test_the_pdf_of_hostile_text_fetches_nothing_and_links_nowhere() -> None:
    made = render(hostile(a_run(), "\n\n".join(c.text for c in CASES)), "pdf")
    assert made.startswith(b"%PDF-")
    assert b"/Type /Page" in unpacked(made)
    assert b"/URI" not in unpacked(made)


@pytest.mark.parametrize(
    ("url", "links"),
    [
        ("https://example.org/a?b=c#d", True),
        ("http://example.org", True),
        ("https://user@example.org/", False),
        ("https://xn--80ak6aa92e.com/", False),
        ("https://еxample.org/", False),
        ("javascript:alert(1)", False),
        ("https://localhost/", False),
        ("https://example.org/<b>", False),
        ("https://example.org/a b", False),
        ("HTTPS://[::1", False),
        ("", False),
    ],
)
def test_only_a_plain_web_address_becomes_a_link(url: str, links: bool) -> None:
    assert address(url) == (url if links else None)


# Markdown written anew.


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\ntext **b** *c* ~~d~~ `e`\n\n- x\n- y\n  - z\n\n1. one\n2. two",
        "| a | b |\n|---|--:|\n| 1 | 2 |",
        "> quoted\n> on\n\n```\ncode ` here\n```",
        "3. three\n\n   more of three\n4. four",
        "snake_case and 2 * 3 and a_b_ c",
        "1986\\. A year. \\# no heading \\- no list",
        "`` a`b ``",
    ],
)
def test_a_models_markdown_written_anew_reads_the_same(text: str) -> None:
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    assert reader.render(rewritten(text, top=1)) == reader.render(text)


def _text_of(markdown: str) -> str:
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = [c for t in reader.parse(markdown) for c in t.children or ()]
    assert {t.type for t in tokens} <= {"text", "softbreak", "hardbreak"}
    return "".join("\n" if t.type.endswith("break") else t.content for t in tokens)


@pytest.mark.parametrize(
    "text",
    [
        "__init__ and *args",
        "a [b](c) ![d](e) <f> &amp; `g` \\h",
        "# no",
        "> no",
        "- no",
        "1. no",
        "===",
        "---",
        "~~a~~",
        "<https://a.b>",
    ],
)
def test_escaped_text_reads_as_it_was(text: str) -> None:
    assert _text_of(escape(text)) == text


def test_every_degradation_is_shown_not_only_the_first() -> None:
    second = a_degraded(
        phase=PhaseName.VERIFY, round=2, key="verification_skipped", message="Verification was skipped."
    )
    run = a_run()
    run = run.model_copy(update={"degraded": (*run.degraded, second)})
    checks: list[Callable[[str], bool]] = [
        lambda t: "went on without it" in t,
        lambda t: "Verification was skipped." in t,
    ]
    assert all(check(words(run, format)) for format in READABLE for check in checks)
