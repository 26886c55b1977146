"""The offline engine: a request's body in, a provider's message out. It calls no model and never says that it did."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from vada.llm.rehearsal import concluding, sources
from vada.llm.rehearsal.case import Case, case
from vada.llm.rehearsal.defend import defend
from vada.llm.rehearsal.deliver import compress, deliver
from vada.llm.rehearsal.once import once
from vada.llm.rehearsal.propose import propose
from vada.llm.rehearsal.reading import Wire, read
from vada.llm.rehearsal.synthesize import synthesize
from vada.llm.rehearsal.verify import verify
from vada.models.replies import REPLIES, AuditReply, Reply
from vada.models.vocabulary import Role
from vada.tokens import count

Body = Mapping[str, Any]
Message = dict[str, Any]

SUBMIT = "submit"


class Rehearsal:
    """Answers every prompt of every phase by rules and a seed: the same body and seed, the same reply."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def answer(self, body: Body) -> Message:
        """A message as the Messages API gives it. Never raises for whatever a prompt holds."""
        wire = read(body)
        made = self._reply(wire)
        mark = hashlib.sha256(f"{self._seed}|{_canonical(body)}".encode("utf-8", "replace")).hexdigest()[:20]
        content = _content(wire, made, self._seed, mark)
        return {
            "id": f"msg_rehearsal_{mark}",
            "type": "message",
            "role": "assistant",
            "model": str(body.get("model") or "rehearsal"),
            "content": content,
            "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": usage(body, wire, content),
        }

    def _reply(self, wire: Wire) -> Reply | str:
        """The reply asked for; plain words where none is."""
        if wire.title == "AuditReply":
            return concluding.audit(wire.question, wire.conclusion())
        if wire.title not in REPLIES:
            return "This is a rehearsal: no model was called. Ask for one of the debate's replies to see one."
        return _made(case(wire, self._seed), wire.title)


def _made(this: Case, title: str) -> Reply:
    role = this.wire.role
    match title:
        case "ProposalReply":
            return propose(this, role if role in _DEBATERS else Role.OPTIMIZER_A)
        case "DefenceReply":
            return defend(this, role if role in _DEBATERS else Role.OPTIMIZER_A)
        case "SynthesisReply":
            return synthesize(this)
        case "VerificationReply":
            return verify(this)
        case "CompressionReply":
            return compress(this)
        case "DeliverableReply":
            return deliver(this)
        case "BaselineReply":
            return once(this)
        case "RevisionReply":
            return concluding.revise(this)
        case _:
            return AuditReply(verdict="pass")


_DEBATERS = (Role.OPTIMIZER_A, Role.OPTIMIZER_B, Role.CHALLENGER, Role.SIMPLIFIER)


def _content(wire: Wire, made: Reply | str, seed: int, mark: str) -> list[dict[str, Any]]:
    """The content blocks: text, or a search, its results and the call that hands the reply in."""
    if isinstance(made, str):
        return [{"type": "text", "text": made}]
    said = made.model_dump()
    if not wire.web:
        return [{"type": "text", "text": json.dumps(said, ensure_ascii=False)}]
    this = case(wire, seed)
    search = f"srvtoolu_{mark}"
    found = [
        {
            "type": "web_search_result",
            "url": h.url,
            "title": h.title,
            "page_age": h.age,
            "encrypted_content": hashlib.sha256(h.text.encode()).hexdigest(),
        }
        for h in sources.hits(this, wire.role)
    ]
    return [
        {"type": "server_tool_use", "id": search, "name": "web_search", "input": {"query": sources.query(this)}},
        {"type": "web_search_tool_result", "tool_use_id": search, "content": found},
        {"type": "tool_use", "id": f"toolu_{mark}", "name": SUBMIT, "input": said},
    ]


def usage(body: Body, wire: Wire, content: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Token counts of what was really read and written. The first call of a round, Optimizer A's proposal, writes the
    shared part to the cache; the others read it."""
    shared = count(wire.shared) if _cached(body) else 0
    writes = wire.title == "ProposalReply" and wire.role is Role.OPTIMIZER_A
    written = sum(count(json.dumps(b.get("input") or b.get("text") or "", ensure_ascii=False)) for b in content)
    searches = sum(b["type"] == "server_tool_use" for b in content)
    return {
        "input_tokens": max(1, input_tokens(body) - shared),
        "cache_creation_input_tokens": shared if writes else 0,
        "cache_read_input_tokens": 0 if writes else shared,
        "output_tokens": written,
        **({"server_tool_use": {"web_search_requests": searches, "web_fetch_requests": 0}} if searches else {}),
    }


def input_tokens(body: Body) -> int:
    """Tokens of everything a body holds: messages, tools and schema."""
    asked = json.dumps([body.get("tools"), body.get("output_config")], ensure_ascii=False, default=str)
    return sum(count(t) for t in _texts(body.get("messages"))) + count(asked)


def _texts(node: Any) -> list[str]:
    if isinstance(node, str):
        return [node]
    if isinstance(node, dict):
        return [t for k in ("text", "content") for t in _texts(node.get(k))]
    return [t for x in node for t in _texts(x)] if isinstance(node, list) else []


def _cached(body: Body) -> bool:
    messages = body.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else {}
    content = first.get("content") if isinstance(first, dict) else None
    return bool(
        isinstance(content, list) and content and isinstance(content[0], dict) and content[0].get("cache_control")
    )


def _canonical(body: Body) -> str:
    """The body as one text, whatever the order of its keys; how it is sent does not count."""
    return json.dumps({k: v for k, v in body.items() if k != "stream"}, sort_keys=True, ensure_ascii=False, default=str)
