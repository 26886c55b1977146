"""What a small model is held to, read off the prompt it is given."""

import json
import re
from typing import Any

import pytest

from vada.llm.local.bounds import bounded
from vada.llm.local.grammar import grammar
from vada.llm.local.shown import shown
from vada.llm.local.wording import worded
from vada.llm.request import schema
from vada.models.replies import REPLIES, ProposalReply, Reply

SHARED = (
    '<question>Should <challenge label="X9" target="a"> move?</question>\n'
    "<constraints>\nC1: no downtime\nC2: 9 words\n</constraints>\n<priorities></priorities>\n"
    '<context source="brief" round="2">\nDECIDED\n- [timing] later (June; confidence 0.80)\n</context>'
)
TABLE = """<proposals>
<proposal letter="A">
<point label="A1" key="answer" value="no &quot;never&quot;" confidence="0.90" evidence="">Stay.</point>
<draft>
Stay.
</draft>
</proposal>
<proposal letter="B">
<point label="B1" key="cost" value="less" confidence="0.40" evidence="S1">It costs less.</point>
</proposal>
</proposals>
<sources>
<source label="S1" kind="named" verified="no" url="">A book</source>
</sources>
<register>
<challenge label="X1" target="answer" confidence="0.80" status="open" evidence="">
</challenge>
</register>
<vetoes>
<veto label="V1" target="cost"><remove>it</remove><reason>dear</reason></veto>
</vetoes>
<last_decisions>
<decision key="answer" value="no" status="decided" confidence="0.80">Stay.</decision>
<decision key="timing" value="June" status="active" confidence="0.80">Later.</decision>
</last_decisions>"""


def held(kind: str, role: str, inputs: str = "", horizon: str = "", first: str = SHARED) -> dict[str, Any]:
    """The properties a reply is held to."""
    texts = [first, inputs, f"# {role}\nYou decide.", horizon, "CRITICAL REMINDER: …"]
    found: dict[str, Any] = bounded(schema(REPLIES[kind]), shown(texts))
    return found.get("properties", found)


def test_a_reply_can_only_name_what_its_prompt_shows() -> None:
    fields = held("SynthesisReply", "Coordinator", TABLE)
    [ruling] = fields["rulings"]["prefixItems"]
    assert ruling["properties"]["target"]["enum"] == ["X1"]
    assert (fields["rulings"]["minItems"], fields["rulings"]["maxItems"]) == (1, 1)
    assert ruling["properties"]["cites"]["items"]["enum"] == ["A1", "B1", "S1", "C1", "C2", "X1", "V1"]
    assert fields["base_draft"]["enum"] == ["A"]
    assert [d["properties"]["key"]["enum"] for d in fields["decisions"]["prefixItems"]] == [["answer"], ["timing"]]
    assert fields["decisions"]["items"]["properties"]["key"]["enum"] == ["cost"]
    assert fields["decisions"]["minItems"] == 2
    assert fields["renegotiations"]["items"]["properties"]["constraint"]["enum"] == ["C1", "C2"]


def test_a_verdict_is_never_narrowed() -> None:
    fields = held("SynthesisReply", "Coordinator", TABLE)
    verdicts = fields["rulings"]["items"]["properties"]["verdict"]["enum"]
    assert verdicts == ["upheld", "partial", "overruled", "undecided"]
    passed, flagged = held("AuditReply", "Blind Critic")["anyOf"]
    assert passed["properties"]["verdict"]["enum"] == ["pass"]
    assert flagged["properties"]["verdict"]["enum"] == ["flag"]


def test_labels_in_the_persons_own_words_are_not_taken_for_labels() -> None:
    assert shown([SHARED, "", "# Coordinator"]).challenges == ()


@pytest.mark.parametrize(
    ("role", "written", "withheld"),
    [
        ("Optimizer A", "draft", ("objections", "vetoes")),
        ("Challenger", "objections", ("draft", "vetoes")),
        ("Simplifier", "vetoes", ("draft", "objections")),
    ],
)
def test_a_debater_writes_what_is_its_own(role: str, written: str, withheld: tuple[str, ...]) -> None:
    fields = held("ProposalReply", role)

    def empty(name: str) -> bool:
        return fields[name].get("const") == "" or fields[name].get("maxItems") == 0

    assert not empty(written)
    assert all(empty(name) for name in (*withheld, "cannot", "sources"))


def test_it_cites_the_persons_material_and_no_address() -> None:
    fields = held("ProposalReply", "Challenger", first=SHARED + '<material name="Notes.txt">text</material>')
    assert fields["sources"]["maxItems"] == 2
    assert fields["sources"]["items"]["properties"]["url"]["const"] == ""
    assert fields["points"]["items"]["properties"]["evidence"]["items"]["enum"] == ["S1", "S2"]


def test_a_revision_copies_every_field_but_the_flagged_one() -> None:
    inputs = (
        '<conclusion>\n{"recommendation": "Stay &lt;/b>.", "caveats": ["None."], "review_by": ""}\n</conclusion>\n'
        '<flag field="recommendation">Vague.</flag>'
    )
    fields = held("RevisionReply", "Coordinator", inputs)["conclusion"]["properties"]
    assert "const" not in fields["recommendation"]
    assert fields["caveats"] == {"const": ["None."]}
    assert fields["review_by"] == {"const": ""}


@pytest.mark.parametrize(
    ("today", "date", "allowed"),
    [
        ("2026-11-30", "2026-12-24", True),
        ("2026-11-30", "2027-02-28", True),
        ("2026-11-30", "2026-11-01", False),
        ("2026-11-30", "2027-02-31", False),
        ("2026-12-05", "2027-01-05", True),
        ("2026-12-05", "2026-12-31", False),
        ("", "2031-01-05", True),
        ("2026-11-30", "", True),
    ],
)
def test_a_review_date_lies_ahead(today: str, date: str, allowed: bool) -> None:
    horizon = f"`review_by` is the ISO date after {today} by which" if today else ""
    pattern = held("SynthesisReply", "Coordinator", TABLE, horizon)["conclusion"]["properties"]["review_by"]["pattern"]
    assert bool(re.match(pattern, date)) is allowed


@pytest.mark.parametrize("kind", REPLIES.values())
def test_a_prompt_that_is_not_ours_narrows_nothing_but_every_list_and_text_ends(kind: type[Reply]) -> None:
    found = bounded(schema(kind), shown(["A prompt of another kind."]))
    assert found["required"] == list(kind.model_fields)
    for node in nodes(found):
        if node.get("type") == "string":
            assert node.keys() & {"maxLength", "enum", "const", "pattern"}
        if node.get("type") == "array":
            assert "maxItems" in node
            assert "$ref" not in node["items"]


def nodes(schema: Any) -> list[dict[str, Any]]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return [n for value in inner for n in nodes(value)] + ([schema] if isinstance(schema, dict) else [])


def test_a_text_that_must_not_be_empty_is_one_pattern_of_its_lengths() -> None:
    """With a pattern beside the lengths LLGuidance gives up, and the model writes freely."""
    text = {"type": "string", "minLength": 30, "maxLength": 300}
    said = grammar({"type": "object", "properties": {"a": text}})
    assert '"minLength"' not in said
    assert '"maxLength"' not in said
    [pattern] = re.findall(r'"pattern": ("[^ ]*")', said)
    held = re.compile(json.loads(pattern))
    assert held.match("It costs more than it brings in") is None
    assert held.match("It costs more than it brings in.")
    assert held.match(", it costs more than it brings in.") is None
    assert held.match("Too short.") is None
    assert held.match("x" * 300 + ".") is None


def test_the_page_cannot_hold_the_prompts_json() -> None:
    fields = held("DeliverableReply", "Formatter")
    assert "[^{}]{298," in grammar({"type": "object", "properties": fields})


def test_the_words_name_every_field_that_is_written_and_no_other() -> None:
    texts = [SHARED, "", "# Challenger\nObject.", ""]
    words = worded(bounded(schema(ProposalReply), shown(texts)))
    named = re.findall(r"^ *- (\w+):", words, re.MULTILINE)
    assert named == [
        *("weakness", "proposal", "points", "key", "claim", "value", "confidence", "change_my_mind"),
        *("objections", "target", "steel_man", "objection", "confidence"),
    ]
