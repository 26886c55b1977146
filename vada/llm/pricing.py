"""What a call costs and what a debate will. Owns prices and the estimate; never guesses an unknown price.

Prices are genai-prices' own, shipped with the package and read offline. A model it does not know has no price: that is
None here and "unknown" on every page, never 0. Rehearsal calls no model and costs 0.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import genai_prices

from vada.models.debate import REHEARSAL, DebateConfig, Seat
from vada.models.run import Run, Usage
from vada.models.vocabulary import DEBATERS, OPTIMIZERS, Role
from vada.settings import Settings
from vada.tokens import BUDGET_FACTOR
from vada.tokens import estimate as tokens_of

_PROVIDER = "anthropic"


@dataclass(frozen=True)
class Rates:
    """Dollars per million tokens, and per search."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    search: float


@dataclass(frozen=True)
class Span:
    """A low and a high figure."""

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """What a debate will take. `dollars` None: a seat's model has no known price (`unpriced` names them)."""

    calls: Span
    minutes: Span
    tokens: Span
    dollars: Span | None
    unpriced: tuple[str, ...]
    assumptions: tuple[str, ...]


def usage_of(message: Mapping[str, Any]) -> Usage:
    """The tokens and searches that a message reports; `seconds` and `dollars` are left for the caller."""
    raw = message.get("usage") or {}
    details = raw.get("output_tokens_details") or {}
    tools = raw.get("server_tool_use") or {}
    return Usage(
        input_tokens=raw.get("input_tokens") or 0,
        cache_read_tokens=raw.get("cache_read_input_tokens") or 0,
        cache_write_tokens=raw.get("cache_creation_input_tokens") or 0,
        output_tokens=raw.get("output_tokens") or 0,
        thinking_tokens=details.get("thinking_tokens") or 0,
        searches=tools.get("web_search_requests") or 0,
    )


def price(model_name: str, message: Mapping[str, Any]) -> float | None:
    """Dollars of an answered call; None when the model has no known price."""
    try:
        used = genai_prices.extract_usage({"model": model_name, "usage": message["usage"]}, provider_id=_PROVIDER)
        return float(genai_prices.calc_price(used.usage, model_name, provider_id=_PROVIDER).total_price)
    except (LookupError, ValueError):
        return None


def rates(model_name: str) -> Rates | None:
    """The list price of a model (its first tier); None when it is unknown."""
    million = 1_000_000
    parts = (
        {"input_tokens": 1},
        {"output_tokens": 1},
        {"input_tokens": 1, "cache_read_tokens": 1},
        {"input_tokens": 1, "cache_write_tokens": 1},
    )
    prices = [_cost(model_name, **p) for p in parts]
    search = _cost(model_name, web_searches=1)
    if any(p is None for p in prices):
        return None
    read, written, cache_read, cache_write = (round(float(p or 0) * million, 6) for p in prices)
    return Rates(read, written, cache_read, cache_write, search=float(search or 0))


def _cost(model_name: str, **usage: int) -> Decimal | None:
    try:
        return genai_prices.calc_price(genai_prices.Usage(**usage), model_name, provider_id=_PROVIDER).total_price
    except LookupError:
        return None


# What the estimate assumes where nothing is known before the run.
_PROMPT = 1500  # tokens of posture, horizon, round and anchor
_BRIEF = 1040  # the brief's cap of 800 cl100k tokens, widened
_PER_WORD = 1.3 * 1.35  # tokens for a word of prose, widened
_JSON = 1.4  # a reply's labels, keys and quotes on top of its prose
_THINKING = Span(0.3, 2.5)  # thinking tokens for each token of the reply
_FOUND = 4000  # tokens that one search brings back
_SPEED = Span(40, 90)  # tokens a second
_LATENCY = 3.0  # seconds before the first token
_LEAST = 0.4  # of the assumed sizes: what a debate needs at least, before any of its calls was seen


@dataclass(frozen=True)
class _Call:
    """One planned call: its seat, tokens in and out, searches; calls of one `step` run at once. `share` of its input is
    read from the provider's cache, `written` of it written there; `seconds` None: by the tokens it writes."""

    step: str
    kind: str
    seat: Seat
    tokens_in: float
    tokens_out: float
    searches: float = 0
    share: float = 0
    written: float = 0
    seconds: float | None = None

    @property
    def later(self) -> bool:
        """Whether it is of a round that starts from a brief."""
        return self.step[:2] in ("r2", "r3")


@dataclass(frozen=True)
class Habit:
    """What a call of one kind took, on average over finished ones, re-asks included."""

    rest: float  # input tokens beyond the question, constraints and material; cached ones are counted
    out: float
    searches: float
    share: float  # of the input, read from the provider's cache
    written: float  # of the input, written to it
    seconds: float


Key = tuple[str, bool, bool, str]
Habits = Mapping[Key, Habit]
"""By kind of call, whether its seat searches, whether its round starts from a brief, and model."""

Taken = tuple[str, str, Usage]
"""A finished call: its slot, its model and what it took."""


def taken(run: Run) -> list[Taken]:
    """The calls a debate paid for itself; what it took over from a parent was paid there."""
    return [(c.slot, str(c.model), c.usage) for c in run.calls if not c.reused]


def kind_of(slot: str) -> str:
    """The kind of call a slot is: `propose.challenger`, `defend`, `synthesize`, `verify`, …, `audit`."""
    _, kind, *rest = slot.split(".")
    return f"propose.{rest[0]}" if kind == "propose" else kind.rstrip("12")


def learned(debates: Iterable[tuple[DebateConfig, Iterable[Taken]]]) -> Habits:
    """What the calls of these debates took; the input is taken without what differs from question to question."""
    found: dict[Key, list[tuple[int, Usage]]] = {}
    for config, calls in debates:
        slots: dict[tuple[str, str], Usage] = {}
        for slot, model, used in calls:
            slots[slot, model] = slots.get((slot, model), Usage()) + used
        for (slot, model), used in slots.items():
            if used.output_tokens:
                shared = 0 if kind_of(slot) == "audit" else _counted(config)
                key = (kind_of(slot), _searches(config, slot), slot[:2] in ("r2", "r3"), model)
                found.setdefault(key, []).append((shared, used))
    return {key: _habit(calls) for key, calls in found.items()}


def _searches(config: DebateConfig, slot: str) -> bool:
    """Whether the seat of a slot may search: only debaters do, and their slots end with their role."""
    role = slot.split(".")[-1]
    return role in DEBATERS and config.seat(Role(role)).web


def _habit(calls: list[tuple[int, Usage]]) -> Habit:
    number, used = len(calls), sum((u for _, u in calls), Usage())
    into = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
    return Habit(
        rest=(into - sum(shared for shared, _ in calls)) / number,
        out=used.output_tokens / number,
        searches=used.searches / number,
        share=used.cache_read_tokens / into if into else 0,
        written=used.cache_write_tokens / into if into else 0,
        seconds=used.seconds / number,
    )


def _counted(config: DebateConfig) -> int:
    """Tokens of what every call of a debate carries, as counted and not widened."""
    return round(_shared(config) / BUDGET_FACTOR)


def _as_observed(calls: Iterable[_Call], config: DebateConfig, habits: Habits) -> list[_Call]:
    """The calls with observed figures where their kind was observed; the others stretched as those were."""
    planned = list(calls)
    found = [_observed(c, config, habits) for c in planned]
    pairs = [(p, f) for p, f in zip(planned, found, strict=True) if f is not None]
    into = sum(f.tokens_in for _, f in pairs) / (sum(p.tokens_in for p, _ in pairs) or 1) if pairs else 1
    out = sum(f.tokens_out for _, f in pairs) / (sum(p.tokens_out for p, _ in pairs) or 1) if pairs else 1
    return [
        f or replace(p, tokens_in=p.tokens_in * into, tokens_out=p.tokens_out * out)
        for p, f in zip(planned, found, strict=True)
    ]


def _observed(call: _Call, config: DebateConfig, habits: Habits) -> _Call | None:
    """The call as its kind was observed: searching alike, of the same model, in the same sort of round if possible."""
    web, model = call.seat.web and call.seat.role in DEBATERS, str(call.seat.model)
    alike = [k for k in habits if k[0] == call.kind]
    if not alike:
        return None
    key = max(alike, key=lambda k: (k[1] == web, k[3] == model, k[2] == call.later))
    habit, searching = habits[key], key[1]
    brief = _BRIEF * (call.later - key[2]) / BUDGET_FACTOR
    added = _FOUND * call.searches * (web - searching) if web != searching else 0
    return replace(
        call,
        tokens_in=max(habit.rest + brief + added + (0 if call.kind == "audit" else _counted(config)), 1),
        tokens_out=habit.out,
        searches=habit.searches if web == searching else call.searches,
        share=habit.share,
        written=habit.written,
        seconds=habit.seconds if key[3] == model else None,
    )


def estimate(config: DebateConfig, settings: Settings, habits: Habits | None = None) -> Estimate:
    """Calls, minutes, tokens and dollars of a debate, low to high, before it starts. With `habits` (see `learned`) the
    calls are taken to be as those were; without, the written assumptions hold."""
    short, long = list(_plan(config, settings, low=True)), list(_plan(config, settings, low=False))
    if habits:
        short, long = _as_observed(short, config, habits), _as_observed(long, config, habits)
    ttl = settings.ttl(config.gate)
    low, high = _dollars(short, settings, ttl), _dollars(long, settings, ttl)
    return Estimate(
        calls=Span(len(short), len(long)),
        minutes=Span(_minutes(short, settings, _SPEED.high), _minutes(long, settings, _SPEED.low)),
        tokens=Span(sum(c.tokens_in + c.tokens_out for c in short), sum(c.tokens_in + c.tokens_out for c in long)),
        dollars=None if low is None or high is None else Span(low, high),
        unpriced=unpriced(config),
        assumptions=_assumptions(config, settings, habits),
    )


def unpriced(config: DebateConfig) -> tuple[str, ...]:
    """The models of a debate whose price is not known."""
    return tuple(sorted({str(s.model) for s in config.seats if not _priced(s)}))


@dataclass(frozen=True)
class Need:
    """What some calls will take; `dollars` None: a price is unknown."""

    dollars: float | None
    tokens: float
    minutes: float

    def __add__(self, other: "Need") -> "Need":
        dollars = None if self.dollars is None or other.dollars is None else self.dollars + other.dollars
        return Need(dollars, self.tokens + other.tokens, self.minutes + other.minutes)


NOTHING = Need(0, 0, 0)


def need(
    config: DebateConfig,
    settings: Settings,
    number: int,
    calls: Iterable[Taken],
    kinds: Iterable[str],
    margin: float = 1,
) -> Need:
    """What calls of these kinds in round `number` (`defend` counts for all its calls) or at the end will take, judged
    by what the debate's finished `calls` took; before any, the least that can be hoped for, so that only what is
    hopeless is refused."""
    wanted, seen = set(kinds), list(calls)
    margin *= 1 if seen else _LEAST
    plan = [*_round(config, settings, number, low=False, thinking=_THINKING.low)]
    plan += _ending(config, low=False, thinking=_THINKING.low)
    planned = [c for c in _as_observed(plan, config, learned([(config, seen)])) if c.kind in wanted]
    dollars = _dollars(planned, settings, settings.ttl(config.gate))
    return Need(
        None if dollars is None else dollars * margin,
        sum(c.tokens_in + c.tokens_out for c in planned) * margin,
        _minutes(planned, settings, _SPEED.high) * margin,
    )


def _plan(config: DebateConfig, settings: Settings, *, low: bool) -> Iterator[_Call]:
    """Every call of the shortest likely debate (`low`) or of the longest."""
    thinking = _THINKING.low if low else _THINKING.high
    for number in range(1, (min(2, config.rounds) if low else config.rounds) + 1):
        yield from _round(config, settings, number, low=low, thinking=thinking)
    yield from _ending(config, low=low, thinking=thinking)


def _round(config: DebateConfig, settings: Settings, number: int, *, low: bool, thinking: float) -> Iterator[_Call]:
    caps, shared, more = config.caps, _shared(config) + (_BRIEF if number > 1 else 0), 1 + thinking
    replies = {r: _written(_proposal_words(config, r)) for r in DEBATERS}
    everything = sum(replies.values())
    for role in DEBATERS:
        seat = config.seat(role)
        searches = 0 if not seat.web else 1 if low else settings.search_uses
        into: float = shared + _PROMPT + searches * _FOUND
        yield _Call(f"r{number}.propose", f"propose.{role}", seat, into, replies[role] * more, searches)
    for role in DEBATERS[: 0 if low else settings.defenders]:
        answer = _written(caps.defence)
        searches = 1 if config.seat(role).web else 0
        into = shared + _PROMPT + replies[role] + replies[Role.CHALLENGER] + searches * _FOUND
        yield _Call(f"r{number}.defend", "defend", config.seat(role), into, answer * more, searches)
    coordinator = config.seat(Role.COORDINATOR)
    synthesis = _written(caps.synthesis + caps.recommendation + 40 * 8)
    into = shared + _PROMPT + everything + settings.defenders * _written(caps.defence)
    yield _Call(f"r{number}.synthesize", "synthesize", coordinator, into, synthesis * more)
    into, checks = shared + _PROMPT + everything + synthesis, _written(caps.verification)
    yield _Call(f"r{number}.verify", "verify", config.seat(Role.VERIFIER), into, checks * more)
    if not low:
        yield _Call(f"r{number}.compress", "compress", coordinator, shared + 2 * _BRIEF, _BRIEF * more)


def _ending(config: DebateConfig, *, low: bool, thinking: float) -> Iterator[_Call]:
    caps, shared, more = config.caps, _shared(config), 1 + thinking
    page, conclusion = _written(caps.deliverable), _written(caps.recommendation * 3)
    into = shared + _PROMPT + _written(caps.draft + caps.synthesis) + conclusion
    yield _Call("end.format", "format", config.seat(Role.FORMATTER), into, page * more)
    into = tokens_of(config.question) + conclusion
    look = _Call("end.audit", "audit", config.seat(Role.CRITIC), into, 100 * more)
    yield look
    if not low:
        coordinator, into = config.seat(Role.COORDINATOR), shared + _PROMPT + conclusion
        yield _Call("end.revise", "revise", coordinator, into, conclusion * more)
        yield look


def _shared(config: DebateConfig) -> int:
    """Tokens that every call of a round carries."""
    texts = [config.question, config.priorities, *(c.text for c in config.constraints)]
    return sum(tokens_of(t) for t in (*texts, *(m.text for m in config.material)))


def _proposal_words(config: DebateConfig, role: Role) -> int:
    caps = config.caps
    if role in OPTIMIZERS:
        return caps.claims + caps.draft
    return caps.challenger if role is Role.CHALLENGER else caps.simplifier


def _written(words: int) -> float:
    """Tokens of a reply of so many words."""
    return words * _PER_WORD * _JSON


def _priced(seat: Seat) -> bool:
    return seat.model.endpoint == REHEARSAL or rates(seat.model.name) is not None


def _dollars(calls: Iterable[_Call], settings: Settings, ttl: str) -> float | None:
    """What the models' providers charge when what is written to their cache is kept for `ttl` (an hour costs more to
    write); what a search provider of the settings does is not known."""
    total = 0.0
    for call in calls:
        if call.seat.model.endpoint == REHEARSAL:
            continue
        written = int(call.tokens_in * call.written)
        used = {
            "input_tokens": int(call.tokens_in),
            "cache_read_tokens": int(call.tokens_in * call.share),
            "cache_write_tokens": written,
            "cache_write_1h_tokens": written if ttl == "1h" else 0,
            "output_tokens": int(call.tokens_out),
        }
        cost = _cost(call.seat.model.name, **used)
        if cost is None:
            return None
        total += float(cost)
        if settings.searcher(call.seat.model.endpoint) == "endpoint":
            total += call.searches * float(_cost(call.seat.model.name, web_searches=1) or 0)
    return total


def _minutes(calls: list[_Call], settings: Settings, speed: float) -> float:
    """Steps run one after another, the calls of a step at once, as many as the endpoint takes."""
    seconds = 0.0
    for step in dict.fromkeys(c.step for c in calls):
        those = [c for c in calls if c.step == step]
        places = min(settings.endpoints[c.seat.model.endpoint].concurrency for c in those)
        waves = math.ceil(len(those) / places)
        seconds += waves * max(_seconds(c, settings, speed) for c in those)
    return seconds / 60


def _seconds(call: _Call, settings: Settings, speed: float) -> float:
    if call.seconds is not None:
        return call.seconds
    took = _LATENCY + call.tokens_out / speed + 2 * call.searches
    if call.seat.model.endpoint != REHEARSAL:
        return took
    return 3.0 / settings.rehearsal_speed if settings.rehearsal_speed else 0.0


def _assumptions(config: DebateConfig, settings: Settings, habits: Habits | None) -> tuple[str, ...]:
    """What the figures rest on, in plain words."""
    length = (
        f"Low: it ends after round {min(2, config.rounds)}, nobody defends, the audit passes at once. "
        f"High: all {config.rounds} rounds, {settings.defenders} defences and a compression in each, one revision."
    )
    if habits:
        return (length, "Calls are taken to be as long, as cached and as quick as those of your debates so far.")
    said = [
        length,
        "Every reply fills its word cap; the model thinks 0.3 to 2.5 tokens for each token it writes.",
        "Retries are not counted, and no discount for cached prompts is taken.",
        f"An endpoint writes {_SPEED.low:.0f} to {_SPEED.high:.0f} tokens a second; a local one may be far slower.",
    ]
    if any(s.web for s in config.seats):
        said.append(f"A debater searches 1 to {settings.search_uses} times; each search brings about {_FOUND} tokens.")
    return tuple(said)
