"""What the provider's prompt cache saves: debates of three rounds, each request charged by arithmetic over its marks.

Two sums are printed. `at most`: as the fake server does it, where a prefix is known as soon as a request with it came
and the schema of the reply is no part of it. `at least`: calls of one step are sent at the same moment and read nothing
of each other's, and a prefix belongs to the schema it was sent with, as some providers have it. A real bill lies
between.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from bench.debates import Bench, bench
from tests.fake_messages.usage import PrefixCache
from vada.llm.base import CallRecord
from vada.models.run import Run, Usage

BAR = 0.6
"""Share of the input tokens of rounds 2 and 3 that should be read from the cache."""

_CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("two models, no material", {}),
    ("one model, no material", {"panel": "fast"}),
    ("two models, 1,500 words of material", {"words": 1500}),
    ("one model, 1,500 words of material", {"panel": "fast", "words": 1500}),
    ("two models, 4,000 words of material", {"words": 4000}),
    ("two models, 4,000 words and web search", {"words": 4000, "web": True}),
)


def main(arguments: Sequence[str]) -> int:
    """Play and print; 1 when no case reaches the bar."""
    parser = argparse.ArgumentParser(prog="python -m bench cache", description=__doc__)
    parser.add_argument("--calls", action="store_true", help="print every call of each debate")
    given = parser.parse_args(arguments)
    shares = []
    print("read from the cache in rounds 2 and 3, and the whole debate's input tokens")
    for name, changes in _CASES:
        with bench() as place:
            run = played(place, **changes)
            records = sorted(place.records(run), key=lambda r: r.started_at)
        most, least = [(r, r.usage) for r in records], at_least(records)
        shares.append(share(most))
        print(f"{name}: at most {shares[-1]:.0%}, at least {share(least):.0%}; {bill(run)}; {parts(records)}")
        for (record, used), (_, worst) in zip(most, least, strict=True) if given.calls else ():
            print(f"    {record.slot:26} {record.model:28} {figures(used)}   {figures(worst)}")
    return 0 if max(shares) >= BAR else 1


def played(place: Bench, **changes: Any) -> Run:
    """A debate of three rounds."""
    return place.play(place.config(pack="software_architecture", rounds=3, constraints=2, **changes))


Charged = list[tuple[CallRecord, Usage]]


def at_least(records: Sequence[CallRecord]) -> Charged:
    """The input of each call with a cache that knows a step's prefixes only after the step, each under its schema."""
    cache, out = PrefixCache(), []
    for step in dict.fromkeys(step_of(r) for r in records):
        those = [r for r in records if step_of(r) == step]
        known = set(cache._known)
        for record in those:
            alone = PrefixCache()
            alone._known = set(known)
            used = alone.charge(keyed(record.request))
            cache._known |= alone._known
            out.append((record, usage(used)))
    order = {r.id: i for i, r in enumerate(records)}
    return sorted(out, key=lambda pair: order[pair[0].id])


def step_of(record: CallRecord) -> str:
    """What is sent at the same moment: the proposals of a round, its defences."""
    return ".".join(record.slot.split(".")[:2])


def keyed(request: dict[str, Any]) -> dict[str, Any]:
    """The request with its schema in the place that begins every prefix."""
    schema = json.dumps((request.get("output_config") or {}).get("format"), sort_keys=True)
    return {**request, "model": f"{request['model']} {hashlib.sha256(schema.encode()).hexdigest()}"}


def usage(charged: dict[str, Any]) -> Usage:
    """The input side of a usage."""
    return Usage(
        input_tokens=charged["input_tokens"],
        cache_read_tokens=charged["cache_read_input_tokens"],
        cache_write_tokens=charged["cache_creation_input_tokens"],
    )


def share(calls: Charged) -> float:
    """How much of the input of rounds 2 and 3 was read from the cache."""
    used = sum((u for r, u in calls if r.slot[:2] in ("r2", "r3")), Usage())
    return used.cache_read_tokens / total(used)


def total(used: Usage) -> int:
    """All input tokens."""
    return used.input_tokens + used.cache_read_tokens + used.cache_write_tokens


def figures(used: Usage) -> str:
    """Input at full price, read and written."""
    return f"{used.input_tokens:6} {used.cache_read_tokens:6} {used.cache_write_tokens:6}"


def bill(run: Run) -> str:
    """The debate's input by what is paid for it."""
    u = run.usage
    return (
        f"{u.input_tokens:,} at full price, {u.cache_write_tokens:,} written, {u.cache_read_tokens:,} read, "
        f"${u.dollars or 0:.4f}"
    )


def parts(records: Iterable[CallRecord]) -> str:
    """What part of the input of rounds 2 and 3 any placement could read: what another call was sent before it."""
    shared = own = 0
    for record in (r for r in records if r.slot[:2] in ("r2", "r3")):
        whole = total(record.usage)
        common = sum(len(p.text) for p in record.parts if p.name in ("shared", "posture", "horizon"))
        length = sum(len(p.text) for p in record.parts)
        shared += round(whole * common / length)
        own += whole - round(whole * common / length)
    return f"what a call of another round has too is {shared / (shared + own):.0%} of rounds 2 and 3"
