"""What the server answers when nothing is scripted: the rehearsal engine's reply, after a search where it may."""

import hashlib
import json
from typing import Any

from tests.fake_messages.matching import described, texts, title
from vada.llm.rehearsal import Rehearsal
from vada.models.replies import REPLIES
from vada.tokens import count

Body = dict[str, Any]
Message = dict[str, Any]

CITED = "Most of the teams that were asked would do it again."


class Engine:
    """Makes whole messages; the same request gets the same reply."""

    def __init__(self, seed: int = 0) -> None:
        self._rehearsal = Rehearsal(seed=seed)

    def answer(self, body: Body, *, search: bool, schema: bool) -> Message:
        """The message for a request, its input not yet charged. Without `schema` or `search` the server ignores it."""
        told = {**body, "output_config": {"format": {"schema": described(body)}}} if described(body) else body
        whole = self._rehearsal.answer(told) if title(body) in REPLIES else _unknown(body)
        whole = {**whole, "model": body["model"]}
        if not search:
            whole = without_search(whole)
        elif any(tool.get("name") == "search_web" for tool in body.get("tools") or ()):
            whole = handed_in(whole)
        return cited(whole) if schema else as_prose(whole)


def message(content: list[dict[str, Any]], body: Body, stop: str | None = "end_turn", **more: Any) -> Message:
    """A whole message of these blocks."""
    written = count(json.dumps(content, ensure_ascii=False)) if content else 1
    return {
        "id": "msg_" + hashlib.sha256(json.dumps([body, content]).encode()).hexdigest()[:20],
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": written},
        **more,
    }


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def reply_text(whole: Message) -> str:
    """The reply in a message as JSON text, however it was handed in."""
    for block in whole["content"]:
        if block["type"] == "tool_use":
            return json.dumps(block["input"], ensure_ascii=False)
    return "".join(b["text"] for b in whole["content"] if b["type"] == "text")


def replaced(whole: Message, reply: Any) -> Message:
    """The message with another reply in the place of its own."""
    content = []
    for block in whole["content"]:
        if block["type"] == "tool_use":
            block = {**block, "input": reply}
        elif block["type"] == "text" and not block.get("citations"):
            block = text_block(json.dumps(reply, ensure_ascii=False))
        content.append(block)
    return {**whole, "content": content}


def as_prose(whole: Message) -> Message:
    """The reply as a server gives it that keeps no schema: in a fence, with a word before and after."""
    fenced = f"Here is my answer:\n```json\n{reply_text(whole)}\n```\nI hope it helps."
    return {**whole, "content": [text_block(fenced)], "stop_reason": "end_turn"}


def found(body: Body) -> list[dict[str, Any]]:
    """Two search results made of the question's own words, the same for the same question."""
    words = next((t for t in texts(body) if "<question>" in t), "a question")
    topic = words.partition("<question>")[2].partition("</question>")[0].strip() or words
    mark = hashlib.sha256(topic.encode()).hexdigest()[:6]
    return [
        {
            "type": "web_search_result",
            "url": f"https://{host}.example/{mark}",
            "title": f"{kind}: {topic[:60]}",
            "page_age": age,
            "encrypted_content": "ZmFrZQ==",
        }
        for host, kind, age in (("survey", "Survey", "June 2026"), ("report", "Field report", None))
    ]


def citing(result: dict[str, Any]) -> dict[str, Any]:
    """A sentence that cites a search result."""
    source = {
        "type": "web_search_result_location",
        "url": result["url"],
        "title": result["title"],
        "cited_text": CITED,
        "encrypted_index": "ZmFrZQ==",
    }
    return {"type": "text", "text": "A source was found that bears on this.", "citations": [source]}


def search_blocks(body: Body) -> list[dict[str, Any]]:
    """A search, its results, and a sentence that cites the first of them."""
    results = found(body)
    return [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": results[0]["title"]}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": results},
        citing(results[0]),
    ]


def searched(whole: Message, times: int = 1) -> Message:
    """The message with its searches on the bill."""
    used = {"web_search_requests": times, "web_fetch_requests": 0}
    return {**whole, "usage": {**whole["usage"], "server_tool_use": used}}


def without_search(whole: Message) -> Message:
    """The message of a server that does not search: only what the model itself wrote."""
    content = [b for b in whole["content"] if b["type"] in ("text", "tool_use")]
    usage = {k: v for k, v in whole["usage"].items() if k != "server_tool_use"}
    return {**whole, "content": content, "usage": usage}


def handed_in(whole: Message) -> Message:
    """The message with its reply as a call of `submit`."""
    call = {"type": "tool_use", "id": "toolu_submit", "name": "submit", "input": json.loads(reply_text(whole))}
    return {**whole, "content": [call], "stop_reason": "tool_use"}


def cited(whole: Message) -> Message:
    """The message with a sentence after its search that cites the first result, as a provider writes it."""
    for i, block in enumerate(whole["content"]):
        if block["type"] == "web_search_tool_result" and block["content"]:
            sentence = citing(block["content"][0])
            return {**whole, "content": [*whole["content"][: i + 1], sentence, *whole["content"][i + 1 :]]}
    return whole


def _unknown(body: Body) -> Message:
    """The smallest instance of a schema that is no reply of ours, by `submit` where there is such a tool; what a search
    finds where there is none but the search; else plain words."""
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    tools = {t["name"]: t for t in body.get("tools") or ()}
    if "submit" in tools:
        schema = tools["submit"]["input_schema"]
        call = {"type": "tool_use", "id": "toolu_1", "name": "submit", "input": sample(schema, schema)}
        return message([call], body, "tool_use")
    found = search_blocks(body) if "web_search" in tools else []
    text = json.dumps(sample(schema, schema)) if schema else "Four."
    return message([*found, text_block(text)], body)


def sample(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The smallest value that fits a schema."""
    if "$ref" in schema:
        node: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            node = node[step]
        return sample(node, root)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {k: sample(v, root) for k, v in schema.get("properties", {}).items()}
        case "array":
            return [sample(schema["items"], root)]
        case "integer":
            return 4
        case "number":
            return 0.5
        case "boolean":
            return True
        case _:
            return "text"
