"""The seal of a debate's record: canonical JSON and the hash chain over its events. Pure.

`hash = sha256(prev + canonical(event without prev and hash))`, hex; the first event's `prev` is empty. So an edited,
missing, added or reordered event shows, unless every later hash was made anew, which changes the head.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from vada.models.events import Event


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII. Raises ValueError for NaN or infinity."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha(value: object) -> str:
    """SHA-256 of the canonical JSON, hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def seal(prev: str, content: Mapping[str, Any]) -> str:
    """The hash of an event whose content (all fields but `prev` and `hash`) follows `prev`."""
    return hashlib.sha256((prev + canonical(content)).encode()).hexdigest()


def content_of(event: Event) -> dict[str, Any]:
    """What an event's hash is made of beside `prev`."""
    return event.model_dump(mode="json", exclude={"prev", "hash"})


def problems(events: Sequence[Event], *, version: int, head: str) -> list[str]:
    """What is wrong with a record whose debate claims `version` events ending in `head`; empty when it is sound."""
    found = []
    prev = ""
    for expected, event in enumerate(events, 1):
        name = f"event {event.seq} ({event.key})"
        if event.seq != expected:
            found.append(f"{name}: event {expected} is missing")
            break
        if event.prev != prev:
            found.append(f"{name}: does not follow the event before it")
        if event.hash != seal(event.prev, content_of(event)):
            found.append(f"{name}: was changed after it was written")
        prev = event.hash
    if len(events) != version:
        found.append(f"the debate had {version} events, the record holds {len(events)}")
    elif prev != head:
        found.append("the last event is not the one the debate ended with")
    return found
