"""What a request costs in tokens; the provider's prefix cache is real arithmetic over the `cache_control` marks."""

import hashlib
import json
import threading
from dataclasses import dataclass
from typing import Any

from vada.tokens import count

Body = dict[str, Any]


@dataclass(frozen=True)
class _Prefix:
    key: str
    tokens: int
    ttl: str


class PrefixCache:
    """Prefixes that were sent marked before; a later request that begins with one reads it instead of paying it."""

    def __init__(self, smallest: int = 512) -> None:
        self._smallest = smallest  # tokens; a shorter prefix is not kept
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def charge(self, body: Body) -> dict[str, Any]:
        """The input side of the usage; what was marked is known from now on."""
        total, marked = _prefixes(body)
        marked = [p for p in marked if p.tokens >= self._smallest]
        with self._lock:
            read = max((p.tokens for p in marked if p.key in self._known), default=0)
            self._known.update(p.key for p in marked)
        longest = max((p.tokens for p in marked), default=0)
        written = longest - read
        hours = any(p.ttl == "1h" for p in marked)
        return {
            "input_tokens": total - longest,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 0 if hours else written,
                "ephemeral_1h_input_tokens": written if hours else 0,
            },
        }


def tokens(body: Body) -> int:
    """Tokens of a whole request."""
    return _prefixes(body)[0]


def _prefixes(body: Body) -> tuple[int, list[_Prefix]]:
    """Tokens of everything, and each marked prefix: the tools, then the messages' blocks in order."""
    seen, total, marked = hashlib.sha256(str(body.get("model")).encode()), 0, []
    for block in _blocks(body):
        mark = block.get("cache_control")
        bare = json.dumps({k: v for k, v in block.items() if k != "cache_control"}, sort_keys=True)
        seen.update(bare.encode())
        total += count(block["text"] if block.get("type") == "text" else bare)
        if mark:
            marked.append(_Prefix(seen.hexdigest(), total, mark.get("ttl", "5m")))
    return total, marked


def _blocks(body: Body) -> list[dict[str, Any]]:
    blocks = list(body.get("tools") or ())
    for message in body.get("messages", ()):
        content = message["content"]
        blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return blocks
