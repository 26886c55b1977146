"""What a provider's message says: its text, its reply, what its searches found. Pure; never asks again.

It reads the recorded message, so that a replayed call and a fresh one are read alike.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, cast

from pydantic import ValidationError

from vada.errors import BadReplyError
from vada.llm.base import SearchHit
from vada.llm.request import LOOK_UP, SUBMIT
from vada.models.replies import Reply

R = TypeVar("R", bound=Reply)
Message = Mapping[str, Any]

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_TAG = re.compile("<(?=[A-Za-z/])")
_BRACES = 500  # opening braces to try
_SEARCH_FAULTS = {
    "unavailable": "the search is unavailable",
    "too_many_requests": "too many searches for now",
    "max_uses_exceeded": "the call's searches are used up",
    "query_too_long": "the search words were too long",
    "invalid_tool_input": "the search words were unusable",
    "request_too_large": "the search request was too large",
}


def clean(value: Any) -> Any:
    """The value without NUL and lone surrogates, which no database keeps; � stands in their place."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {clean(k): clean(v) for k, v in value.items()}
    if isinstance(value, list):
        return [clean(v) for v in value]
    return value


def checked(data: object) -> dict[str, Any]:
    """The message. Raises ValueError when it is none: a gateway's page, another protocol's answer."""
    content = data.get("content") if isinstance(data, dict) else None
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise ValueError("what came is not a message")
    return cast(dict[str, Any], data)


def text_of(message: Message) -> str:
    """The reply's own text: what was handed in by `submit`, else the text blocks joined."""
    submitted = _submitted(message)
    if submitted is not None:
        return json.dumps(submitted, ensure_ascii=False)
    return "".join(b.get("text") or "" for b in message["content"] if b.get("type") == "text")


def flattened(message: Message, hits: Sequence[SearchHit]) -> str:
    """The reply as plain text that may be sent again: its text, and what was searched for it as lines."""
    lines = [f"- {h.title} — {h.url}" + (f": {h.cited}" if h.cited else "") for h in hits]
    told = [_TAG.sub("&lt;", " ".join(line.split())) for line in lines]  # nothing of a page opens a line or a tag
    found = "\n\nFound by the search:\n" + "\n".join(told) if told else ""
    return (text_of(message) + found).strip()


def handed_in(message: Message) -> bool:
    """Whether `submit` was called."""
    return _submitted(message) is not None


def reply_of(message: Message, kind: type[R]) -> R:
    """The validated reply. Raises BadReplyError whose `fault` says what a re-ask must name."""
    submitted = _submitted(message)
    text = text_of(message)
    if not text.strip():
        raise BadReplyError("The model answered with nothing.", fault="it is empty.", kind="empty")
    found = submitted if submitted is not None else _object_in(text, set(kind.model_fields))
    try:
        return kind.model_validate(clean(found))
    except ValidationError as error:
        fault = _named(error)
        raise BadReplyError(f"The reply does not fit its schema: {fault}", fault=fault) from error


def _submitted(message: Message) -> Any:
    calls = [b["input"] for b in message["content"] if b.get("type") == "tool_use" and b.get("name") == SUBMIT]
    return calls[-1] if calls else None


def _object_in(text: str, fields: set[str]) -> Any:
    """The first balanced JSON object in the text that has one of the reply's fields, fenced or not.

    A broken reply still holds whole objects deeper in; they have other fields and are not taken for it.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_not_a_number)
    for start in itertools.islice((m.start() for m in re.finditer("{", text)), _BRACES):
        try:
            found, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if fields & set(found):
            return found
    raise BadReplyError("The reply holds no whole JSON object.", fault="it holds no whole JSON object.")


def _not_a_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _named(error: ValidationError) -> str:
    """The first three faults, each with its field."""
    faults = [f"{'.'.join(map(str, e['loc'])) or 'the reply'}: {e['msg'].lower()}" for e in error.errors()]
    more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
    return "; ".join(faults[:3]) + more + "."


def hits_of(message: Message) -> tuple[SearchHit, ...]:
    """What the searches returned, and once more with the words where a citation quotes it."""
    ages: dict[str, str] = {}
    hits: list[SearchHit] = []
    for result in _results(message):
        ages[result.get("url", "")] = result.get("page_age") or ""
        hits.append(SearchHit(result.get("url", ""), result.get("title") or "", result.get("page_age") or ""))
    for block in message["content"]:
        for cited in block.get("citations") or () if block.get("type") == "text" else ():
            url = cited.get("url") or ""
            if url:
                hits.append(SearchHit(url, cited.get("title") or "", ages.get(url, ""), cited.get("cited_text") or ""))
    return tuple(dict.fromkeys(hits))


def hits_in(turn: Message) -> tuple[SearchHit, ...]:
    """What our own search found, from the turn that gave it to the model."""
    lists = [_text_in(b).partition("\n")[2] for b in _results_in(turn) if not b.get("is_error")]
    rows = [row for found in lists if found for row in json.loads(found)]
    return tuple(SearchHit(r["url"], r["title"], r["age"], r["excerpt"]) for r in rows)


def faults_in(turn: Message) -> tuple[str, ...]:
    """In plain words, why a search of ours did not work, from the turn that said so to the model."""
    return tuple(dict.fromkeys(_text_in(b) for b in _results_in(turn) if b.get("is_error")))


def _results_in(turn: Message) -> list[dict[str, Any]]:
    return [b for b in turn["content"] if b.get("type") == "tool_result"]


def _text_in(result: dict[str, Any]) -> str:
    return "".join(b["text"] for b in result["content"])


def query_of(call: Mapping[str, Any]) -> str | None:
    """The search words of a tool call; None when it calls another tool."""
    given = call.get("input")
    return str(given.get("query") or "") if call.get("name") == LOOK_UP and isinstance(given, dict) else None


def search_faults(message: Message) -> tuple[str, ...]:
    """In plain words, why a search did not work; empty when all did."""
    codes = [
        b["content"].get("error_code", "")
        for b in message["content"]
        if b.get("type") == "web_search_tool_result" and isinstance(b.get("content"), dict)
    ]
    words = (f"A web search failed: {_SEARCH_FAULTS.get(c, c or 'no reason given')}." for c in codes)
    return tuple(dict.fromkeys(words))


def _results(message: Message) -> Iterator[dict[str, Any]]:
    for block in message["content"]:
        if block.get("type") == "web_search_tool_result" and isinstance(block.get("content"), list):
            yield from (r for r in block["content"] if r.get("type") == "web_search_result")
