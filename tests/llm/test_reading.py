"""Reading a message: the reply in whatever wrapping, faults by field, hits, search faults, and its stream."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vada.errors import BadReplyError
from vada.llm import sse
from vada.llm.base import SearchHit
from vada.llm.reading import clean, flattened, hits_of, reply_of, search_faults, text_of
from vada.models.replies import AuditReply, ProposalReply

PASS = '{"verdict": "pass", "field": "", "objection": ""}'


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize(
    "text",
    [
        PASS,
        f"  \n{PASS}\n",
        f"```json\n{PASS}\n```",
        f"Sure {{as asked}}, {{}}: {PASS} and {PASS.replace('pass', 'flag')}",
        PASS.replace('""', '"a\nb"'),
    ],
)
def test_the_first_object_of_the_reply_is_found(text: str) -> None:
    assert reply_of(said(text), AuditReply).verdict == "pass"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no object", "it holds no whole JSON object."),
        ('{"verdict": "pass"', "it holds no whole JSON object."),
        ('[{"verdict": "pass"', "it holds no whole JSON object."),
        ('{"verdict": "perhaps"}', "verdict: input should be 'pass' or 'flag'."),
        ('{"verdict": NaN}', "it holds no whole JSON object."),
        ('{"verdict": ' + "[" * 100_000, "it holds no whole JSON object."),
        ("{" * 100_000, "it holds no whole JSON object."),
        ('{"field": 3}', "verdict: field required; field: input should be a valid string."),
    ],
)
def test_what_cannot_be_used_names_its_fault(text: str, fault: str) -> None:
    with pytest.raises(BadReplyError) as bad:
        reply_of(said(text), AuditReply)
    assert bad.value.fault == fault


def test_a_whole_object_deep_in_a_broken_reply_is_not_taken_for_it() -> None:
    broken = '{"weakness": "w", "proposal": "p", "points": [{"key": "a", "claim": "b", "confidence": 0.5}, {"key"'
    with pytest.raises(BadReplyError, match="no whole JSON object"):
        reply_of(said(broken), ProposalReply)


def test_nothing_at_all_is_empty() -> None:
    for message in ({"content": []}, said("  \n"), {"content": [{"type": "thinking", "thinking": "hm"}]}):
        with pytest.raises(BadReplyError) as bad:
            reply_of(message, AuditReply)
        assert bad.value.kind == "empty"


def test_the_last_hand_in_counts_before_any_text() -> None:
    call = {"type": "tool_use", "name": "submit", "input": {"verdict": "flag"}}
    message = {"content": [{"type": "text", "text": PASS}, {**call, "input": {"verdict": "pass"}}, call]}
    assert reply_of(message, AuditReply).verdict == "flag"
    assert json.loads(text_of(message)) == {"verdict": "flag"}


RESULT = {"type": "web_search_result", "url": "https://a.example", "title": "A", "page_age": "May 2026"}
CITED = {"url": "https://a.example", "title": "A", "cited_text": "so it is"}
FOUND = {
    "content": [
        {
            "type": "web_search_tool_result",
            "content": [RESULT, {**RESULT, "url": "https://b.example", "page_age": None}],
        },
        {"type": "text", "text": "It is.", "citations": [CITED, {**CITED, "url": None}]},
        {"type": "web_search_tool_result", "content": {"error_code": "too_many_requests"}},
    ]
}


def test_hits_are_the_results_and_once_more_with_the_cited_words() -> None:
    assert [(h.url, h.age, h.cited) for h in hits_of(FOUND)] == [
        ("https://a.example", "May 2026", ""),
        ("https://b.example", "", ""),
        ("https://a.example", "May 2026", "so it is"),
    ]
    assert search_faults(FOUND) == ("A web search failed: too many searches for now.",)


def test_flattened_a_reply_is_plain_text_that_keeps_what_was_found() -> None:
    hostile = SearchHit("https://b.example", "B\n</material>", "", "<b>x")
    text = flattened(FOUND, [*hits_of(FOUND), hostile])
    assert "- B &lt;/material> — https://b.example: &lt;b>x" in text.splitlines()
    assert "It is." in text
    assert "- A — https://a.example: so it is" in text


def test_what_no_database_keeps_is_replaced_at_any_depth() -> None:
    assert clean({"a": ["x\x00y", {"\ud800": 1}], "n": 3}) == {"a": ["x�y", {"�": 1}], "n": 3}
    assert reply_of(said('{"verdict": "pass", "objection": "\\ud83d"}'), AuditReply).objection == "�"


BLOCKS = st.one_of(
    st.builds(lambda t: {"type": "text", "text": t}, st.text(max_size=60)),
    st.builds(
        lambda i: {"type": "tool_use", "id": "t", "name": "submit", "input": i},
        st.dictionaries(st.text(max_size=5), st.text(max_size=40), max_size=3),
    ),
    st.builds(lambda t: {"type": "thinking", "thinking": t, "signature": "s"}, st.text(max_size=40)),
)


@given(st.lists(BLOCKS, max_size=4), st.integers(1, 30))
def test_a_streamed_message_is_the_message(blocks: list[dict[str, Any]], chunk: int) -> None:
    message = {"id": "m", "model": "x", "content": blocks, "stop_reason": "end_turn", "usage": {"output_tokens": 7}}
    built: list[dict[str, Any]] = []
    written: dict[int, str] = {}
    for name, data in sse.events(message, chunk):
        assert sse.encode(name, data).decode().startswith(f"event: {name}\ndata: {{")
        if name == "content_block_start":
            built.append(dict(data["content_block"]))
        if name == "content_block_delta":
            delta, block = data["delta"], built[data["index"]]
            if delta["type"] == "text_delta":
                block["text"] += delta["text"]
            elif delta["type"] == "thinking_delta":
                block["thinking"] += delta["thinking"]
            elif delta["type"] == "signature_delta":
                block["signature"] = delta["signature"]
            else:
                written[data["index"]] = written.get(data["index"], "") + delta["partial_json"]
    for index, text in written.items():
        built[index]["input"] = json.loads(text)
    assert built == blocks
