"""The Messages client: asks a seat, keeps every wire call before reading it, and tries again within bounds.

What is tried next depends only on what was recorded, so a replay walks the same way without a wait and without the
wire. It never makes up a reply, and no text it keeps or raises holds a key.
"""

import asyncio
import json
import random
import time
import uuid
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast

import httpx2
from anthropic.types import Message

from vada.errors import BadReplyError, CancelledError, LLMError, SearchError
from vada.llm import pricing, reading, request, search
from vada.llm.base import Answer, Ask, CallRecord, Journal, SearchHit, prompt_hash
from vada.llm.endpoints import Endpoints, Line
from vada.llm.faults import as_data, fault, fault_of, from_data, next_step, waits
from vada.llm.ledger import OverBudgetError
from vada.llm.request import Plan
from vada.models.debate import REHEARSAL, ModelRef
from vada.models.replies import Reply
from vada.models.run import Usage
from vada.settings import EndpointSettings, Searcher, Settings
from vada.tokens import estimate

R = TypeVar("R", bound=Reply)

_LOOK = 0.4  # seconds between two looks whether the debate was stopped
_TELL = 0.1  # seconds between two states of a live text
_PAUSES = 5  # how often a reply may pause before it counts as none
_NOT_SENT = ("cancelled", "interrupted")
_SEARCH_WORDS = ("web_search", "web search", "tool")
_STREAM_WORDS = ("stream",)
_SCHEMA_WORDS = ("output_config", "schema", "grammar", "structured", "effort")


class MessagesLLM:
    """Any model behind a Messages endpoint, for one debate. Implements `LLM`."""

    def __init__(self, endpoints: Endpoints, journal: Journal, settings: Settings | None = None) -> None:
        """`settings` say how calls are made; unset: as the endpoints' own do."""
        self._endpoints = endpoints
        self._journal = journal
        self._settings = settings or endpoints.settings

    async def ask(self, ask: Ask[R]) -> Answer[R]:
        """Answer with a validated reply: from the record where there is one, else from the seat's model, then its
        fallbacks. Raises LLMError of the seat's own model when all are spent, CancelledError when stopped."""
        talk = _Talk(self._endpoints, self._journal, self._settings, ask)
        failed: list[tuple[ModelRef, LLMError]] = []
        for model in (ask.seat.model, *ask.seat.fallbacks):
            try:
                answer = await talk.with_model(model)
            except LLMError as error:
                failed.append((model, error))
                continue
            return replace(answer, fallback_model=str(model)) if failed else answer
        raise _all_spent(failed)


def _all_spent(failed: list[tuple[ModelRef, LLMError]]) -> LLMError:
    """The seat's own error, with what its fallbacks said after it."""
    (_, first), *rest = failed
    for model, error in rest:
        first.message += f" Its fallback {model} failed too: {error.message}"
    return first


class _UnusableError(BadReplyError):
    """A reply that was read and cannot be used; `reply` is its text, to be sent back with the fault."""

    def __init__(
        self, error: BadReplyError, who: str, record: CallRecord, hits: list[SearchHit], *, not_handed_in: bool
    ) -> None:
        fault = f"it was not handed in by `{request.SUBMIT}`." if not_handed_in else error.fault
        super().__init__(f"{who}: {error.message}", fault=fault, kind=error.kind)
        self.next_step = next_step(error.kind)
        self.request_id = record.request_id
        self.reply = reading.flattened(record.message or {"content": []}, tuple(dict.fromkeys(hits)))


class _Clock:
    """The time an ask may take. Standing in the endpoint's queue does not count; the hung call before it would."""

    def __init__(self, seconds: float) -> None:
        self.limit = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def extend(self, seconds: float) -> None:
        self._end += seconds


@dataclass
class _Coming:
    """What has come of a wire call so far."""

    began: float = field(default_factory=time.monotonic)
    stream: Any = None
    whole: dict[str, Any] | None = None
    request_id: str | None = None
    first: float | None = None
    text: str = ""  # as told to a page: the text, or what `submit` is being handed
    submitting: bool = False

    def take(self, event: Any) -> bool:
        """Note a stream event; whether the text grew."""
        block = event.content_block if event.type == "content_block_start" else None
        if block is not None and block.type == "tool_use" and block.name == request.SUBMIT:
            self.submitting, self.text = True, ""
        if event.type != "content_block_delta":
            return False
        if self.first is None:
            self.first = time.monotonic() - self.began
        kind = "partial_json" if self.submitting else "text"
        piece = getattr(event.delta, kind, "") or ""
        self.text += piece
        return bool(piece)

    def message(self) -> dict[str, Any] | None:
        """The message so far; None when nothing of it has come."""
        if self.whole is None and self.stream is not None:
            with suppress(AssertionError):  # the SDK has no message before its first event
                self.whole = _as_dict(self.stream.current_message_snapshot)
        return self.whole


def _as_dict(message: Message) -> dict[str, Any]:
    data = message.to_dict(mode="json", warnings=False)
    return cast(dict[str, Any], reading.clean(data))


class _Talk(Generic[R]):
    """One ask on its way to an answer. Attempts are numbered through, over models too."""

    def __init__(self, endpoints: Endpoints, journal: Journal, settings: Settings, ask: Ask[R]) -> None:
        self.endpoints = endpoints
        self.journal = journal
        self.settings = settings
        self.ask = ask
        self.attempt = 0
        self.searches = 0  # made through the search provider for this attempt
        self.hits: list[SearchHit] = []
        self.degraded: list[str] = []
        self.replayed = False  # whether the last attempt came from the record

    async def with_model(self, model: ModelRef) -> Answer[R]:
        """The answer of one model, with its own retries and its own time. Raises LLMError when it is spent."""
        plan = start = self._plan(model)
        clock = _Clock(self.settings.timeout(self.ask.seat.role, model.endpoint))
        failures = pauses = 0
        kept: Answer[R] | None = None
        while True:
            try:
                plan, record = await self._attempt(model, plan, clock)
                if self.replayed:
                    plan = request.as_sent(plan, record.request)
                if record.error and record.error["kind"] in _NOT_SENT:
                    continue
                self._note_searches(record.message)
                if _paused(record) and pauses < _PAUSES:
                    plan, pauses = _continued(plan, record), pauses + 1
                    continue
                if _looks_up(record) and plan.looked_up <= plan.search_uses:
                    plan = replace(_continued(plan, record), web="provider")
                    continue
                value = self._value(record, plan, model)
            except OverBudgetError:
                if kept is None:
                    raise
                return kept
            except LLMError as error:
                if kept is not None:
                    return kept
                failures += 1
                after = self._remedy(plan, start, error)
                if after is None or failures > self.ask.retries:
                    raise
                await self._back_off(model, error, failures, clock)
                plan = after
                continue
            answer = self._answer(value, record)
            wrong = self.ask.check(value) if self.ask.check and kept is None else ""
            if not wrong or failures >= self.ask.retries:
                return answer
            failures, kept = failures + 1, answer
            plan = request.asked_again(self.ask, plan, answer.text, wrong, describe=False)

    def _plan(self, model: ModelRef) -> Plan:
        settings = self.settings
        role, endpoint = settings.role(self.ask.seat.role), settings.endpoints.get(model.endpoint)
        return Plan(
            web=self._searcher(model, endpoint) if self.ask.seat.web else "",
            structure=endpoint.structure if endpoint else "native",
            room=role.max_tokens,
            effort=role.effort,
            cache_ttl=settings.cache_ttl,
            search_uses=settings.search_uses,
            allowed_domains=settings.allowed_domains,
            blocked_domains=settings.blocked_domains,
            stream=endpoint.stream if endpoint else True,
        )

    def _searcher(self, model: ModelRef, endpoint: EndpointSettings | None) -> Searcher:
        """Who searches for this model; where nobody can, that is said."""
        searcher = self.settings.searcher(model.endpoint)
        if not searcher:
            self._degrade(f"{model} has no web search: it answered without.")
        if searcher == "provider":
            if endpoint is None or endpoint.structure != "native":
                self._degrade(f"{model} is not set up for tools, so it answered without a web search.")
                return ""
            try:
                self.endpoints.search_provider()
            except SearchError as error:
                self._degrade(f"{model} answered without a web search: {search.said(error)}")
                return ""
        return searcher

    def _degrade(self, words: str) -> None:
        if words not in self.degraded:
            self.degraded.append(words)

    def _answer(self, value: R, record: CallRecord) -> Answer[R]:
        text = reading.text_of(record.message or {"content": []})
        return Answer(value, record.id, text, tuple(dict.fromkeys(self.hits)), tuple(self.degraded))

    # Reading a record: the same for a fresh one and a replayed one.

    def _note_searches(self, message: dict[str, Any] | None) -> None:
        """Keep what the endpoint's own searches returned, and say what went wrong with them."""
        if message is not None:
            self.hits += reading.hits_of(message)
            for words in reading.search_faults(message):
                self._degrade(words)

    def _value(self, record: CallRecord, plan: Plan, model: ModelRef) -> R:
        """The reply in a record. Raises LLMError when there is none."""
        if record.error is not None:
            raise from_data(record.error)
        message, who = record.message or {"content": []}, str(model)
        stop = message.get("stop_reason")
        if stop == "refusal":
            raise fault("refused", who, said=_explained(message), request_id=record.request_id)
        if stop == "pause_turn":
            raise fault("paused", who, request_id=record.request_id)
        if stop is None and record.request.get("stream"):
            raise fault("truncated", who, request_id=record.request_id)
        try:
            return reading.reply_of(message, self.ask.reply)
        except BadReplyError as error:
            if stop == "max_tokens":
                raise fault("max_tokens", who, room=plan.room, request_id=record.request_id) from error
            if stop == "model_context_window_exceeded":
                raise fault("context", who, request_id=record.request_id) from error
            raise _UnusableError(
                error, who, record, self.hits, not_handed_in=bool(plan.web) and not reading.handed_in(message)
            ) from error

    def _remedy(self, plan: Plan, start: Plan, error: LLMError) -> Plan | None:
        """How the next attempt is made after this failure; None when no further one can help."""
        said = error.message.lower()
        if error.kind == "bad_request" and plan.stream and any(w in said for w in _STREAM_WORDS):
            return replace(plan, stream=False)
        if error.kind == "bad_request" and plan.web and any(w in said for w in _SEARCH_WORDS):
            lacks = "search" if plan.web == "endpoint" else "use tools, so it cannot search"
            self._degrade(f"The endpoint does not {lacks}, so it answered without. {error.message}")
            return replace(plan.fresh(), web="")
        if error.kind == "bad_request" and plan.structure == "native" and any(w in said for w in _SCHEMA_WORDS):
            return replace(plan, structure="prompt")
        if error.kind == "max_tokens":
            return replace(plan, room=2 * start.room) if plan.room == start.room else None
        if isinstance(error, _UnusableError):
            if not error.reply or (plan.turns and not plan.web):
                return plan.fresh()
            describe = plan.structure != "prompt"
            return request.asked_again(self.ask, plan, error.reply, error.fault, describe=describe)
        return plan if waits(error) else None

    # Making an attempt.

    async def _attempt(self, model: ModelRef, plan: Plan, clock: _Clock) -> tuple[Plan, CallRecord]:
        """The next attempt: as recorded, else over the wire; and its plan, with the results of the searches it waited
        for. What a recorded attempt was sent is not searched again."""
        self.attempt, self.searches = self.attempt + 1, 0
        found = await self.journal.find(self.ask.slot, self.attempt)
        self.replayed = found is not None
        if plan.waits:
            turns = found.request["messages"][1:] if found else await self._looked_up(plan, clock)
            plan = replace(plan, turns=tuple(turns))
            for turn in plan.turns[-1:]:
                self.hits += reading.hits_in(turn)
                for words in reading.faults_in(turn):
                    self._degrade(words)
        return plan, found or await self._wire(model, plan, clock)

    async def _looked_up(self, plan: Plan, clock: _Clock) -> list[request.Turn]:
        """The turns with the one that answers the searches the model asked for; one that failed is said in it."""
        left, results = plan.search_uses - plan.looked_up, []
        for call in request.calls(plan.turns[-1]["content"]):
            query, id = reading.query_of(call), call.get("id") or ""
            if query is None:
                results.append(request.no_such_tool(id))
            elif left <= 0:
                results.append(request.spent(id, plan.search_uses))
            else:
                left, self.searches = left - 1, self.searches + 1
                try:
                    results.append(request.found(id, await self._found(query, clock)))
                except SearchError as error:
                    results.append(request.failed(id, f"A web search failed: {search.said(error)}"))
        return [*plan.turns, request.answered(self.ask, results)]

    async def _found(self, query: str, clock: _Clock) -> tuple[SearchHit, ...]:
        """What the search provider finds. Raises SearchError, and CancelledError when stopped meanwhile."""
        await self._stop_if_cancelled()
        provider, settings = self.endpoints.search_provider(), self.settings
        finding = asyncio.create_task(search.find(provider, query, settings, seconds=min(search.SECONDS, clock.left())))
        try:
            while not finding.done():
                await asyncio.wait({finding}, timeout=_LOOK)
                await self._stop_if_cancelled()
            return finding.result()
        finally:
            finding.cancel()
            await asyncio.gather(finding, return_exceptions=True)

    async def _wire(self, model: ModelRef, plan: Plan, clock: _Clock) -> CallRecord:
        """Send one call and keep what came of it, whatever that is. Raises CancelledError when stopped meanwhile."""
        await self._stop_if_cancelled()
        line = self.endpoints.line(model.endpoint)
        body = request.body(self.ask, model.name, plan)
        async with self._place(line, clock):
            started, coming = datetime.now(UTC), _Coming()
            error: LLMError | None = None
            try:
                error = await self._watched(self._sent(line, body, coming, clock), str(model), line, clock)
            except BaseException:  # the task was cancelled, or our own fault: what came was paid for
                if coming.message() is not None:
                    ended = fault("interrupted", str(model))
                    await self.journal.save(self._record(model, body, coming, ended, started))
                raise
        record = await self.journal.save(self._record(model, body, coming, error, started))
        if error is not None and error.kind == "cancelled":
            raise CancelledError("The debate was stopped while this call ran.")
        return record

    async def _sent(self, line: Line, body: dict[str, Any], coming: _Coming, clock: _Clock) -> None:
        """Make the call; what comes is noted in `coming`."""
        options: Any = {k: v for k, v in body.items() if k != "stream"}
        options["timeout"] = httpx2.Timeout(clock.left() + 5, connect=10)
        if not body.get("stream"):
            message = await line.client.messages.create(**options)
            coming.request_id = getattr(message, "_request_id", None)
            coming.whole = reading.checked(_as_dict(message) if isinstance(message, Message) else message)
            return
        async with line.client.messages.stream(**options) as stream:
            coming.request_id = stream.request_id
            if "json" in stream.response.headers.get("content-type", ""):  # it does not stream and says so by this
                coming.whole = reading.checked(reading.clean(json.loads(await stream.response.aread())))
                return
            coming.stream = stream
            await self._read_out(stream, coming)
            reading.checked(coming.message())

    async def _read_out(self, stream: AsyncIterator[Any], coming: _Coming) -> None:
        """Read the stream to its end; tell a live call's text as it grows."""
        told = 0.0
        async for event in stream:
            if coming.take(event) and self.ask.live and time.monotonic() - told > _TELL:
                told = time.monotonic()
                self.journal.tell(self.ask.slot, self.attempt, coming.text)
        if self.ask.live:
            self.journal.tell(self.ask.slot, self.attempt, coming.text)

    async def _watched(self, work: Coroutine[Any, Any, None], who: str, line: Line, clock: _Clock) -> LLMError | None:
        """Run the call until it ends, the time is up, or the debate is stopped; what went wrong, or None."""
        call, watch = asyncio.create_task(work), asyncio.create_task(self._until_cancelled())
        try:
            await asyncio.wait({call, watch}, timeout=clock.left(), return_when=asyncio.FIRST_COMPLETED)
            in_time, stopped = call.done(), watch.done()
        finally:
            call.cancel()
            watch.cancel()
            await asyncio.gather(call, watch, return_exceptions=True)
        if in_time:
            error = call.exception()
            return fault_of(error, who, line.secrets) if isinstance(error, Exception) else None
        if stopped:
            watch.result()  # raises what the journal raised
            return fault("cancelled", who)
        return fault("timeout", who, seconds=clock.limit)

    def _record(
        self, model: ModelRef, body: dict[str, Any], coming: _Coming, error: LLMError | None, started: datetime
    ) -> CallRecord:
        message, seconds = coming.message(), time.monotonic() - coming.began
        return CallRecord(
            id=uuid.uuid4().hex,
            slot=self.ask.slot,
            attempt=self.attempt,
            role=self.ask.seat.role.value,
            phase=self.ask.phase.value,
            round=self.ask.round,
            model=str(model),
            request=body,
            parts=self.ask.parts,
            message=message,
            error=as_data(error) if error else None,
            started_at=started.isoformat(),
            seconds=seconds,
            first_token_seconds=coming.first,
            usage=_usage(model, message, seconds, searches=self.searches),
            prompt_hash=prompt_hash(self.ask.parts),
            constraints_sha=self.ask.constraints_sha,
            request_id=coming.request_id or (error.request_id if error else None),
        )

    # Waiting, always with an eye on the person's stop.

    @asynccontextmanager
    async def _place(self, line: Line, clock: _Clock) -> AsyncIterator[None]:
        """A place in the endpoint's queue, once its back-off is over."""
        began = time.monotonic()
        turn = asyncio.create_task(line.places.acquire())
        try:
            while not turn.done():
                await asyncio.wait({turn}, timeout=_LOOK)
                await self._stop_if_cancelled()
            clock.extend(time.monotonic() - began)
            await self._wait_out(line, clock)
            yield
        finally:
            turn.cancel()
            await asyncio.gather(turn, return_exceptions=True)
            if not turn.cancelled():
                line.places.release()

    async def _wait_out(self, line: Line, clock: _Clock) -> None:
        """Wait until the endpoint takes calls again. Raises LLMError when that is later than the ask may last."""
        while (seconds := self.endpoints.held(line.name)) > 0:
            if seconds >= clock.left():
                raise fault(
                    "rate_limited", line.name, said=f"calls again in {seconds:.0f} seconds", retry_after=seconds
                )
            await self._sleep(min(seconds, _LOOK))

    async def _back_off(self, model: ModelRef, error: LLMError, failures: int, clock: _Clock) -> None:
        """Wait before the next attempt, as long as the server asks. Raises the error when there is no time for it."""
        if self.replayed or not waits(error):
            return
        wait = error.retry_after
        if wait is None:
            wait = min(0.5 * 2 ** (failures - 1), 8.0) * random.uniform(0.75, 1)
        if error.kind == "rate_limited":
            self.endpoints.hold(model.endpoint, wait)
        if wait >= clock.left():
            raise error
        end = time.monotonic() + wait
        while (rest := end - time.monotonic()) > 0:
            await self._sleep(min(rest, _LOOK))

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._stop_if_cancelled()

    async def _stop_if_cancelled(self) -> None:
        if await self.journal.cancelled():
            raise CancelledError("The debate was stopped.")

    async def _until_cancelled(self) -> None:
        while True:
            if await self.journal.cancelled():
                return
            await asyncio.sleep(_LOOK)


def _paused(record: CallRecord) -> bool:
    return record.error is None and (record.message or {}).get("stop_reason") == "pause_turn"


def _looks_up(record: CallRecord) -> bool:
    """Whether the model waits for a search of ours. One that handed its reply in does not."""
    message = record.message or {}
    return (
        record.error is None
        and message.get("stop_reason") == "tool_use"
        and request.offers_look_up(record.request)
        and any(reading.query_of(call) is not None for call in request.calls(message["content"]))
        and not reading.handed_in(message)
    )


def _continued(plan: Plan, record: CallRecord) -> Plan:
    """The plan that lets a reply go on that paused or waits for a search: what it has said so far, unchanged, as the
    last turn."""
    said = list((record.message or {})["content"])
    turns = list(plan.turns)
    if turns and turns[-1]["role"] == "assistant":
        said = [*turns.pop()["content"], *said]
    return replace(plan, turns=(*turns, {"role": "assistant", "content": said}))


def _explained(message: dict[str, Any]) -> str:
    """Why the provider refused, in its own words."""
    details = message.get("stop_details") or {}
    words = [details.get("explanation") or "", reading.text_of(message).strip()]
    category = f"[{details['category']}]" if details.get("category") else ""
    return " ".join(filter(None, [category, *words]))


def _usage(model: ModelRef, message: dict[str, Any] | None, seconds: float, *, searches: int) -> Usage:
    """Tokens, time and money of a call, and the searches made for it beside its own. Of a broken-off one the provider
    counted no output: that is estimated. What a search provider charges is not known."""
    if message is None:
        return Usage(seconds=seconds, searches=searches)
    used = pricing.usage_of(message)
    used = used.model_copy(update={"searches": used.searches + searches})
    if message.get("stop_reason") is None:
        written = max(used.output_tokens, estimate(reading.text_of(message)))
        used = used.model_copy(update={"output_tokens": written})
        message = {**message, "usage": {**(message.get("usage") or {}), "output_tokens": written}}
    dollars = 0.0 if model.endpoint == REHEARSAL else pricing.price(model.name, message)
    return used.model_copy(update={"seconds": seconds, "dollars": dollars})
