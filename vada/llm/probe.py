"""Whether an endpoint answers, which models it lists, and what each keeps of the protocol: asked at set-up.

Owns the check and its few short questions; never asks in a debate's name, and no report holds a key. A report is data
(`vada.models.reports`); what follows from it is decided in `vada.probed`.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import anthropic
import httpx2
from anthropic.types import Message
from pydantic import BaseModel, ValidationError

from vada.errors import LLMError
from vada.llm import reading, request
from vada.llm.endpoints import CONNECT, Endpoints, Line
from vada.llm.faults import fault, fault_of
from vada.models.debate import REHEARSAL, ModelRef
from vada.models.reports import Ability, EndpointReport, ModelReport
from vada.probed import debaters
from vada.settings import Settings

_ROOM = 1000  # tokens a short answer may take; a model may think first, and that counts
_TIME = 60.0  # seconds a short answer may take where the endpoint has no limit of its own
_SUM = "How much is 2 + 2?"
_HAND_IN = f"{_SUM} Hand your answer in by calling `{request.SUBMIT}` once."
_LOOK_UP = "Search the web once for the date of the next solar eclipse, then answer with that date only."

_ONE = request.Plan(web="endpoint", structure="none", room=_ROOM, search_uses=1)
_NO = ("bad_request", "malformed")
_FAULTS = (anthropic.APIError, httpx2.HTTPError, ValueError, AssertionError)
"""What the SDK raises for a call that came to nothing; AssertionError for a stream without a message."""


async def check(
    settings: Settings, name: str, *, models: Iterable[str] | None = None, call: bool = False
) -> EndpointReport:
    """Whether an endpoint answers and has the models asked about (default: those its panels name).

    With `call` each of them, or a listed one where no panel names any, is asked a few short questions, which costs
    a little and tells what it keeps of the protocol.
    """
    asked = tuple(dict.fromkeys(models if models is not None else _models_at(settings, name)))
    found = settings.endpoints.get(name)
    report = EndpointReport(
        name=name,
        url=found.address if found else "",
        at=datetime.now(UTC).isoformat(),
        key="missing" if found and not found.configured else "present" if found and found.key_env else "not needed",
        reachable=True,
    )
    endpoints, began, more = Endpoints(settings), time.monotonic(), dict[str, Any]()
    try:
        line = endpoints.line(name)
        listed = (REHEARSAL,) if name == REHEARSAL else await _listed(line)
        more = {"listed": listed or (), "seconds": time.monotonic() - began}
        if call and models is None and not asked and listed:
            asked = (next(iter(debaters(listed)), listed[0]),)
        more["models"] = tuple([await _report(line, m, listed, call) for m in asked])
    except LLMError as error:
        more = {"reachable": error.status is not None, "error": error.message, "next_step": error.next_step}
    finally:
        await endpoints.aclose()
    return report.model_copy(update={"seconds": time.monotonic() - began, **more})


def _models_at(settings: Settings, name: str) -> list[str]:
    return [m.name for p in settings.panels.values() for m in p.models if m.endpoint == name]


async def _listed(line: Line) -> tuple[str, ...] | None:
    """The models a server lists; None when it has no such list."""
    try:
        page = await line.client.models.list(limit=1000, timeout=CONNECT)
        models = getattr(page, "data", None)  # a gateway's page is not a list of models, whatever the types say
        if not isinstance(models, list):
            raise ValueError("what came is not a list of models")
        return tuple(m.id for m in models)
    except anthropic.NotFoundError:
        return None
    except (anthropic.APIError, httpx2.HTTPError, ValueError) as error:
        raise fault_of(error, line.name, line.secrets) from error


async def _report(line: Line, model: str, listed: tuple[str, ...] | None, call: bool) -> ModelReport:
    known = model in listed if listed is not None else None
    if call and line.name != REHEARSAL:
        return await _Probe(line, model).report(known)
    error = "" if known is not False else f"{line.name} does not list the model {model}."
    return ModelReport(name=model, listed=known, error=error)


class _Sum(BaseModel):
    sum: int


class _Probe:
    """The short questions to one model. A refusal (400), or what is not the protocol, is a no; another failure tells
    nothing."""

    def __init__(self, line: Line, model: str) -> None:
        self._line = line
        self._model = model
        self._who = str(ModelRef(name=model, endpoint=line.name))
        self._answered = False
        self._refused: LLMError | None = None  # the first failure: what is said when nothing was answered

    async def report(self, listed: bool | None) -> ModelReport:
        """Ask what vada.toml leaves open. The first question also tells whether the model answers at all."""
        (first, ask), *others = self._questions()
        found: dict[Ability, bool | None] = {first: await self._tried(ask)}
        if self._answered or (self._refused and self._refused.kind in _NO):
            answers = await asyncio.gather(*(self._tried(ask) for _, ask in others))
            found |= dict(zip((ability for ability, _ in others), answers, strict=True))
            if not self._answered:
                await self._tried(self._plainly)
        if not self._answered:
            return ModelReport(name=self._model, listed=listed, answers=False, error=str(self._refused))
        wrong = self._contradiction(found)
        return ModelReport(name=self._model, listed=listed, answers=True, error=wrong, **found)

    def _questions(self) -> list[tuple[Ability, Callable[[], Awaitable[bool | None]]]]:
        """What is asked; what vada.toml denies is not, and web search only where it says nothing."""
        e = self._line.settings
        possible: list[tuple[Ability, Callable[[], Awaitable[bool | None]], bool]] = [
            ("streams", self._streams, e.stream),
            ("keeps_schema", self._keeps_schema, e.structure == "native"),
            ("takes_tools", self._takes_tools, True),
            ("searches", self._searches, "search" not in e.model_fields_set),
            ("counts_tokens", self._counts_tokens, True),
        ]
        return [(ability, ask) for ability, ask, wanted in possible if wanted]

    async def _tried(self, ask: Callable[[], Awaitable[bool | None]]) -> bool | None:
        try:
            async with self._line.places:
                return await ask()
        except _FAULTS as error:
            said = fault_of(error, self._who, self._line.secrets)
        except LLMError as error:
            said = error
        self._refused = self._refused or said
        return False if said.kind in _NO else None

    async def _plainly(self) -> None:
        await self._message(_SUM)

    async def _streams(self) -> bool:
        pieces = False
        async with self._line.client.messages.stream(**self._question(_SUM)) as stream:
            if "json" in stream.response.headers.get("content-type", ""):
                self._answered = bool(reading.checked(json.loads(await stream.response.aread())))
                return False
            async for event in stream:
                pieces = pieces or event.type == "content_block_delta"
            message = stream.current_message_snapshot
        if message.stop_reason is None:
            raise fault("malformed", self._who)
        self._answered = True
        return pieces

    async def _keeps_schema(self) -> bool | None:
        form = {"type": "json_schema", "schema": anthropic.transform_schema(_Sum)}
        message = await self._message(_SUM, output_config={"format": form})
        return None if _cut(message) else _fits(reading.text_of(message))

    async def _takes_tools(self) -> bool | None:
        message = await self._message(_HAND_IN, tools=[_submit()], tool_choice={"type": "auto"})
        return None if _cut(message) else reading.handed_in(message) and _fits(reading.text_of(message))

    async def _searches(self) -> bool | None:
        message = await self._message(_LOOK_UP, tools=[request.own_search(_ONE)])
        return None if _cut(message) else any(b.get("type") == "web_search_tool_result" for b in message["content"])

    async def _counts_tokens(self) -> bool:
        asked = [{"role": "user", "content": _SUM}]
        count: Any = self._line.client.messages.count_tokens
        try:
            found = await count(model=self._model, messages=asked, timeout=self._line.settings.timeout or _TIME)
        except anthropic.NotFoundError:
            return False
        return isinstance(getattr(found, "input_tokens", None), int)

    def _question(self, text: str, **more: Any) -> dict[str, Any]:
        asked = [{"role": "user", "content": text}]
        seconds = self._line.settings.timeout or _TIME
        return {"model": self._model, "max_tokens": _ROOM, "messages": asked, "timeout": seconds, **more}

    async def _message(self, text: str, **more: Any) -> dict[str, Any]:
        """The answer to a question. Raises what the SDK raises, ValueError when it is no message."""
        message: Any = await self._line.client.messages.create(**self._question(text, **more))
        read = reading.checked(message.to_dict() if isinstance(message, Message) else message)
        self._answered = True
        return read

    def _contradiction(self, found: dict[Ability, bool | None]) -> str:
        """What vada.toml promises and the model does not keep; what it leaves open is taken from the report instead."""
        given = self._line.settings.model_fields_set
        if "structure" in given and found.get("keeps_schema") is False:
            return f'{self._model} does not keep a schema here: set schema = "prompt" in vada.toml.'
        if "stream" in given and found.get("streams") is False:
            return f"{self._model} does not stream here: set stream = false in vada.toml."
        return ""


def _submit() -> dict[str, Any]:
    """The strict tool that hands a reply in, for the sum."""
    return {
        "name": request.SUBMIT,
        "description": "Hand in your answer.",
        "input_schema": anthropic.transform_schema(_Sum),
        "strict": True,
    }


def _cut(message: dict[str, Any]) -> bool:
    """Whether it came to its end before it could tell anything."""
    return message.get("stop_reason") in ("max_tokens", "refusal", "pause_turn")


def _fits(text: str) -> bool:
    try:
        _Sum.model_validate_json(text)
    except ValidationError:
        return False
    return True
