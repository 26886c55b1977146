"""Evidence items: one id for one source in every round, and whether a search really returned it.

Never fetches anything: a citation is checked against what the search results of the same call say.
"""

import hashlib
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

from vada.llm.base import SearchHit
from vada.models.debate import Material
from vada.models.outputs import Evidence
from vada.models.replies import SourceReply

_TRACKING = ("utm_", "fbclid", "gclid", "mc_", "ref", "source")


def canonical(url: str) -> str:
    """A web address without scheme, www, fragment, tracking parameters and trailing slash; empty when it is none."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or "." not in host:
        return ""
    query = [(k, v) for k, v in parse_qsl(parts.query) if not k.lower().startswith(_TRACKING)]
    tail = f"?{urlencode(query)}" if query else ""
    return f"{host.removeprefix('www.')}{parts.path.rstrip('/')}{tail}"


def item_id(source: str) -> str:
    """`e-` and 8 hex digits of the canonical address, else of the folded title."""
    return "e-" + hashlib.sha256((canonical(source) or " ".join(source.casefold().split())).encode()).hexdigest()[:8]


def items(
    sources: Sequence[SourceReply], hits: Sequence[SearchHit], material: Sequence[Material]
) -> dict[str, Evidence]:
    """The sources of a reply by their refs, each checked against the search hits or the person's material."""
    found = {canonical(h.url): h for h in hits}
    return {s.ref.strip(): _item(s, found, material) for s in sources if s.title.strip() or s.url.strip()}


QUOTE = 5
"""Words from which on a quote shows where it is from. [default]"""


def _quotes(quote: str, material: Material) -> bool:
    """Whether enough words stand in the material as they are quoted."""
    return len(quote.split()) >= QUOTE and quote in material.text


def _item(source: SourceReply, hits: dict[str, SearchHit], material: Sequence[Material]) -> Evidence:
    """One source as an evidence item."""
    address = canonical(source.url)
    hit = hits.get(address) if address else None
    named = source.title.casefold().strip()
    inside = next(
        (m for m in material if not address and (_quotes(source.quote, m) or (named and named == m.name.casefold()))),
        None,
    )
    return Evidence(
        id=item_id((address and source.url) or (inside.name if inside else source.title)),
        title=(hit.title if hit else source.title) or source.url,
        url=source.url.strip() if address else "",
        quote=source.quote or (hit.cited if hit else ""),
        age=hit.age if hit else "",
        kind="web" if address else "material" if inside else "named",
        verified=hit is not None or inside is not None,
    )
