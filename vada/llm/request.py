"""An Ask as the JSON body of a wire call. Pure; never sends and never reads a setting.

One user message, one text block per part, no `system`; the anchor is the last text of the last message, whatever is put
before it. Two parts are marked for the provider's cache: `shared`, so that every other call reads what stands up to
there, and `horizon`, so that the same role's call of the next round reads its posture and task too.
"""

import json
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import anthropic

from vada.llm.base import Ask, Part
from vada.models.replies import Reply

SEARCH = "web_search"
SUBMIT = "submit"

Body = dict[str, Any]
Turn = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """How the next wire call is made. `turns` stand between the prompt and its answer."""

    web: bool
    structure: Literal["native", "prompt", "none"]
    room: int  # max_tokens
    effort: str | None = None
    cache_ttl: str = "5m"
    search_uses: int = 3
    stream: bool = True
    turns: tuple[Turn, ...] = ()

    def fresh(self) -> "Plan":
        """The same, without turns."""
        return replace(self, turns=())


def as_sent(plan: Plan, sent: Body) -> Plan:
    """The plan with what a recorded body tells of how it was made: what was found out about a server since must not
    make a replay take another way."""
    web = any(t.get("name") == SEARCH for t in sent.get("tools") or ())
    structure, config = plan.structure, sent.get("output_config")
    if config:
        structure = "native"
    elif not web and structure == "native":
        structure = "prompt"
    return replace(plan, web=web, structure=structure, stream=bool(sent.get("stream")))


def body(ask: Ask[Reply], model: str, plan: Plan) -> Body:
    """The body of a call, exactly as it is sent."""
    out: Body = {"model": model, "max_tokens": plan.room, "messages": messages(ask, plan)}
    config: Body = {}
    if plan.structure == "native" and plan.effort:
        config["effort"] = plan.effort
    if plan.web:
        out["tools"] = tools(ask.reply, plan.search_uses)
        out["tool_choice"] = {"type": "auto"}
    elif plan.structure == "native":
        config["format"] = {"type": "json_schema", "schema": schema(ask.reply)}
    if config:
        out["output_config"] = config
    if plan.stream:
        out["stream"] = True
    return out


def messages(ask: Ask[Reply], plan: Plan) -> list[Turn]:
    """The prompt's one user message and the turns after it."""
    described = [Part("schema", description(ask.reply))] if plan.structure == "prompt" and not plan.web else []
    parts = before_anchor(ask.parts, described)
    return [{"role": "user", "content": [_block(p, plan) for p in parts if p.text]}, *plan.turns]


def before_anchor(parts: tuple[Part, ...], extra: list[Part]) -> list[Part]:
    """The parts with `extra` before the anchor; after everything when there is no anchor."""
    anchors = [p for p in parts if p.name == "anchor"]
    return [*(p for p in parts if p.name != "anchor"), *extra, *anchors]


def asked_again(ask: Ask[Reply], plan: Plan, bad: str, fault: str, *, describe: bool) -> Plan:
    """The plan of a re-ask: the bad reply, then what is wrong with it, then the anchor again. It does not search."""
    text = f"Your reply cannot be used: {fault}\nReply again, whole, with that put right, as one JSON object only."
    if describe:
        text += f"\n\n{description(ask.reply)}"
    told = [Part("fault", text), *(p for p in ask.parts if p.name == "anchor")]
    turns = (
        {"role": "assistant", "content": [{"type": "text", "text": bad}]},
        {"role": "user", "content": [{"type": "text", "text": p.text} for p in told]},
    )
    return replace(plan, web=False, turns=turns)


_MARKED = ("shared", "horizon")


def _block(part: Part, plan: Plan) -> Body:
    block: Body = {"type": "text", "text": part.text}
    if part.name in _MARKED:
        block["cache_control"] = {"type": "ephemeral", **({"ttl": "1h"} if plan.cache_ttl == "1h" else {})}
    return block


def tools(reply: type[Reply], search_uses: int) -> list[Body]:
    """The web search and the one strict tool that hands the reply in."""
    return [
        {"type": "web_search_20250305", "name": SEARCH, "max_uses": search_uses},
        {
            "name": SUBMIT,
            "description": "Hand in your reply. Call it exactly once, after your searches; nothing else is read.",
            "input_schema": schema(reply),
            "strict": True,
        },
    ]


@cache
def schema(reply: type[Reply]) -> Body:
    """The reply's schema with only what the provider's grammar knows."""
    return anthropic.transform_schema(reply.wire_schema())


@cache
def description(reply: type[Reply]) -> str:
    """The schema in words, for a server that does not enforce one."""
    shown = json.dumps(reply.wire_schema(), ensure_ascii=False)
    return (
        "Reply with one JSON object and nothing else: no prose before or after it, every property present. "
        f"It must fit this JSON schema:\n{shown}"
    )
