"""The model itself: llama.cpp's server, in this process. Owns how it is set up; never knows the Messages protocol.

Its runtime, xllamacpp, is of the extra `local`; it is imported when a model is opened and not before.
"""

import importlib.util
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import httpx2

from vada.errors import LLMError
from vada.llm.local.weights import EXTRA

WINDOW = 12_288
"""Tokens the model sees at once, prompt and reply together; our longest prompts take about half."""

_BATCH = 256  # prompt tokens between two looks whether the call was given up
_KEPT_MIB = 256  # host memory for prompts that may come again; its own default is 8 GiB

Chunk = dict[str, Any]
Tell = Callable[[Chunk], bool]
"""Takes a chunk of the answer; True stops the model."""


class Server(Protocol):
    """What is asked of a model's server; one call at a time."""

    window: int

    def chat(self, request: dict[str, Any], tell: Tell) -> None:
        """Answer a chat completion in chunks, an error being one of them."""
        ...

    def count(self, messages: list[dict[str, Any]]) -> int:
        """The tokens of a prompt."""
        ...


def installed() -> bool:
    """Whether the runtime is there."""
    return importlib.util.find_spec("xllamacpp") is not None


def need_runtime() -> None:
    """Raises LLMError (not_configured) that names the extra when the runtime is missing."""
    if not installed():
        raise LLMError(
            "The local model needs its runtime, xllamacpp, which is not installed.",
            kind="not_configured",
            next_step=EXTRA,
        )


def threads(cores: int | None = None) -> int:
    """All cores but one, at least one: with all of them busy it slows down tenfold as soon as anything else runs."""
    if cores is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


class LlamaServer:
    """xllamacpp's server. It also listens on this computer's own address, so it takes a key nobody knows."""

    def __init__(self, path: Path, window: int = WINDOW) -> None:
        need_runtime()
        import xllamacpp

        self.window = window
        self._key = secrets.token_urlsafe(32)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx, params.n_parallel = window, 1
        params.n_batch = params.n_ubatch = _BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
        params.cache_ram_mib = _KEPT_MIB
        params.api_keys = [self._key]
        params.ui = params.endpoint_slots = params.endpoint_props = params.warmup = False
        params.verbosity = -1
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise LLMError(
                f"The model in {path} could not be loaded: {error}.",
                kind="not_configured",
                next_step="Check that the file is an instruct model in GGUF format and that memory is free.",
            ) from error

    def chat(self, request: dict[str, Any], tell: Tell) -> None:
        """Answer a chat completion in chunks."""

        def each(came: Chunk | list[Chunk]) -> bool:
            stop = False
            for chunk in came if isinstance(came, list) else [came]:
                stop = tell(chunk) or stop
            return stop

        self._server.handle_chat_completions(request, each)

    def count(self, messages: list[dict[str, Any]]) -> int:
        """The tokens of a prompt, by the model's own tokenizer and template."""
        found = httpx2.post(
            f"{self._server.listening_address}/v1/messages/count_tokens",
            headers={"Authorization": f"Bearer {self._key}"},
            json={"model": "local", "messages": messages},
            trust_env=False,
        )
        return int(found.raise_for_status().json()["input_tokens"])
