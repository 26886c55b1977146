"""A server that speaks the Messages protocol, so that the real SDK is tested over HTTP without a key or a network.

It answers by the rehearsal engine, counts tokens and cached prefixes as a provider would, logs every request, and goes
wrong exactly as scripted. `python -m tests.fake_messages --port 8900` runs it by hand.
"""

from tests.fake_messages.answers import (
    Answer,
    Changed,
    CutStream,
    Default,
    EmptyReply,
    ErrorInStream,
    Hang,
    LooksUp,
    Malformed,
    MaxTokens,
    NoSubmit,
    Pause,
    Refusal,
    SearchFails,
    Status,
    Text,
    Whole,
)
from tests.fake_messages.matching import asked_again, role, says, wants
from tests.fake_messages.server import Entry, Gaps, Server

__all__ = [
    "Answer",
    "Changed",
    "CutStream",
    "Default",
    "EmptyReply",
    "Entry",
    "ErrorInStream",
    "Gaps",
    "Hang",
    "LooksUp",
    "Malformed",
    "MaxTokens",
    "NoSubmit",
    "Pause",
    "Refusal",
    "SearchFails",
    "Server",
    "Status",
    "Text",
    "Whole",
    "asked_again",
    "role",
    "says",
    "wants",
]
