"""A real model without a key: a small one that runs in this process and is spoken to through the same SDK.

Owns the weights, the model, and the transport that speaks the Messages protocol for it. Never calls anything outside
this computer, and never answers by rules.
"""

from pathlib import Path

from vada.llm.local.model import shared
from vada.llm.local.transport import LocalTransport
from vada.llm.local.weights import prepare

__all__ = ["LocalTransport", "open_transport", "prepare"]


def open_transport(name: str, gguf: Path | None = None) -> LocalTransport:
    """The transport to the process's one model, called `name`. The model itself is opened by its first call.

    Raises LLMError (not_configured) that names the extra when the runtime is missing.
    """
    return LocalTransport(shared(gguf), name)
