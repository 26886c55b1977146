"""The seam between the pipeline and any model: what a phase asks, what it gets, and what is kept of it.

A phase sees only `LLM`. The journal is handed in by the engine, so that `llm` and `store` do not know each other.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from vada.models.debate import Seat
from vada.models.replies import Reply
from vada.models.run import Usage
from vada.models.vocabulary import PhaseName

R = TypeVar("R", bound=Reply)
R_co = TypeVar("R_co", bound=Reply, covariant=True)


@dataclass(frozen=True)
class Part:
    """A piece of a prompt, in the order it is sent. `name` is one of: shared, posture, horizon, context, input, round,
    whisper, anchor; `shared` is the same in every call of a debate, `context` for all agents of a round."""

    name: str
    text: str


def prompt_hash(parts: Iterable[Part]) -> str:
    """sha256 (hex) of the parts' names and texts in order."""
    text = json.dumps([[part.name, part.text] for part in parts], ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(frozen=True)
class Ask(Generic[R_co]):
    """One question to one seat."""

    slot: str  # unique in a debate: `r1.propose.optimizer_a`, `end.audit.2`
    seat: Seat
    phase: PhaseName
    round: int
    parts: tuple[Part, ...]
    reply: type[R_co]
    retries: int = 1  # further attempts after the first, of any failure; a bad reply is re-asked once, naming the fault
    live: bool = False  # whether its text streams to the page while it is written
    constraints_sha: str = ""
    check: Callable[[R_co], str] | None = (
        None  # names a fault of a valid reply, or ""; one re-ask, then it is taken as it is
    )


@dataclass(frozen=True)
class SearchHit:
    """A result the search returned; what a citation is checked against."""

    url: str
    title: str
    age: str = ""
    cited: str = ""  # the words a citation quoted, or the excerpt a search provider gave, if any


@dataclass(frozen=True)
class Answer(Generic[R_co]):
    """A validated reply and what stands behind it."""

    value: R_co
    call_id: str
    text: str  # the reply's own text, as written
    hits: tuple[SearchHit, ...] = ()
    degraded: tuple[str, ...] = ()  # plain words, for example that the search failed
    fallback_model: str = ""  # set when a fallback of the seat answered


@dataclass(frozen=True)
class CallRecord:
    """One wire call, exactly as sent and answered; recorded before it is parsed. Never holds a key.

    `request` is the JSON body; `message` the provider's message (content blocks, usage, stop_reason) or None on error.
    """

    id: str
    slot: str
    attempt: int
    role: str
    phase: str
    round: int
    model: str  # name@endpoint
    request: dict[str, Any]
    parts: tuple[Part, ...]
    message: dict[str, Any] | None
    error: dict[str, Any] | None  # {kind, message, status, request_id, retry, retry_after}
    started_at: str
    seconds: float
    first_token_seconds: float | None
    usage: Usage
    prompt_hash: str
    constraints_sha: str = ""
    request_id: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class Journal(Protocol):
    """Where calls are kept. A recorded attempt is answered from the record and never paid again."""

    async def find(self, slot: str, attempt: int) -> CallRecord | None:
        """The recorded attempt, or None when it was never finished."""
        ...

    async def save(self, record: CallRecord) -> CallRecord:
        """Keep a finished attempt; returns the record that stands (another worker's, if that came first)."""
        ...

    def tell(self, slot: str, attempt: int, text: str) -> None:
        """The text so far of a live call; cheap, may drop intermediate states."""
        ...

    async def cancelled(self) -> bool:
        """Whether the person has stopped the debate."""
        ...


class LLM(Protocol):
    """Any model behind a seat."""

    async def ask(self, ask: Ask[R]) -> Answer[R]:
        """Answer with a validated reply. Raises LLMError (retries spent, refused, timed out) or CancelledError."""
        ...
