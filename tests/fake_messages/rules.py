"""What the Messages API refuses. A request that a provider would answer with 400 must not pass a test here."""

from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]

_FIELDS = {"model", "max_tokens", "messages", "stream", "output_config", "tools", "tool_choice", "metadata", "thinking"}
_KEPT = {"type", "properties", "required", "additionalProperties", "enum", "const", "anyOf", "allOf", "$defs", "$ref"}
_KEPT |= {"items", "minItems", "title", "description", "format"}
_EFFORTS = {"low", "medium", "high", "xhigh", "max"}


def refusal(body: Body) -> str:
    """Why the request is invalid, in the words of an API; empty when it is not."""
    return next(_faults(body), "")


def _faults(body: Body) -> Iterator[str]:
    for field in ("model", "max_tokens", "messages"):
        if not body.get(field):
            yield f"{field}: Field required"
    for field in sorted(set(body) - _FIELDS):
        yield f"{field}: Extra inputs are not permitted"
    yield from _message_faults(body.get("messages") or [])
    config = body.get("output_config") or {}
    if config.get("effort") not in {None, *_EFFORTS}:
        yield "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
    if config.get("format"):
        yield from _schema_faults(config["format"].get("schema") or {}, "output_config.format.schema")
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield "tool_choice: forced tool use is not supported by this model"
    for tool in body.get("tools") or ():
        if tool.get("strict"):
            yield from _schema_faults(tool["input_schema"], f"tools.{tool['name']}.input_schema")


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    if messages and messages[0]["role"] != "user":
        yield "messages: first message must use the user role"
    for i, message in enumerate(messages):
        if isinstance(message["content"], str):
            continue
        for j, block in enumerate(message["content"]):
            where = f"messages.{i}.content.{j}"
            if block.get("type") == "text" and not block["text"].strip():
                yield f"{where}: text content blocks must contain non-whitespace text"
            if message["role"] == "user" and block.get("citations"):
                yield f"{where}: citations are not allowed on user text"
    yield from _tool_faults(messages)
    if messages and messages[-1]["role"] == "assistant" and not _is_paused(messages[-1]):
        yield "messages: prefilling the assistant's reply is not supported by this model"


def _tool_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """A call of a tool is answered by the very next message, before anything else in it; nothing else is answered."""
    for i, message in enumerate(messages):
        before = _ids(messages[i - 1], "tool_use", "id") if i and messages[i - 1]["role"] == "assistant" else []
        results = _ids(message, "tool_result", "tool_use_id") if message["role"] == "user" else []
        for missing in sorted(set(before) - set(results)):
            yield f"messages.{i}: `tool_use` ids were found without `tool_result` blocks: {missing}"
        for unknown in sorted(set(results) - set(before)):
            yield f"messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {unknown}"
        if results and [b.get("type") for b in message["content"][: len(results)]] != ["tool_result"] * len(results):
            yield f"messages.{i}: `tool_result` blocks must come first"


def _ids(message: dict[str, Any], kind: str, name: str) -> list[str]:
    content = message["content"]
    return [b[name] for b in content if b.get("type") == kind] if isinstance(content, list) else []


def _is_paused(message: dict[str, Any]) -> bool:
    """Whether it is a paused turn sent back: it holds a server tool's call."""
    return isinstance(message["content"], list) and any(b["type"] == "server_tool_use" for b in message["content"])


def _schema_faults(schema: Any, where: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for word in sorted(set(schema) - _KEPT):
        yield f"{where}: the keyword {word} is not supported"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: additionalProperties must be false"
    for name, node in {**schema.get("properties", {}), **schema.get("$defs", {})}.items():
        yield from _schema_faults(node, f"{where}.{name}")
    yield from _schema_faults(schema.get("items"), f"{where}.items")
