"""One model for the whole process: calls stand in one line and one thread answers them, first come, first served.

Owns the thread and the model's life; never reads what is asked. An idle model gives its memory back.
"""

import asyncio
import atexit
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vada.errors import LLMError
from vada.llm.local import weights
from vada.llm.local.server import Chunk, LlamaServer, Server, need_runtime

IDLE = 900.0  # seconds without a call after which the model is let go
_PATIENCE = 5.0  # seconds the process waits at its end for the model to stop

Work = Callable[[Server, "Job"], None]


class Job:
    """A call in the line. What comes of it is read in the event loop that made it; `None` is its end."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._came: asyncio.Queue[Chunk | LLMError | None] = asyncio.Queue()
        self._given_up = threading.Event()

    def give_up(self) -> None:
        """Let the model stop at the next token, or never begin."""
        self._given_up.set()

    def tell(self, chunk: Chunk | LLMError | None) -> bool:
        """From the model's thread: pass a chunk on. True when nobody waits for more."""
        try:
            self._loop.call_soon_threadsafe(self._came.put_nowait, chunk)
        except RuntimeError:  # the loop is closed
            self.give_up()
        return self._given_up.is_set()

    async def next(self) -> Chunk | None:
        """The next chunk; None at the end. Raises LLMError when the model could not be opened."""
        came = await self._came.get()
        if isinstance(came, LLMError):
            raise came
        return came

    def run(self, open_server: Callable[[], Server]) -> None:
        """In the model's thread: do the work, unless it was given up while it stood in the line."""
        if self._given_up.is_set():
            return
        try:
            self._work(open_server(), self)
        except LLMError as error:
            self.tell(error)
        except Exception as error:
            self.tell(LLMError(f"The local model failed: {error}", kind="unexpected"))
        self.tell(None)


class LocalModel:
    """A model, its line and its thread. `open_server` makes it at the first call, and again after it idled."""

    def __init__(self, open_server: Callable[[], Server], idle: float = IDLE) -> None:
        self._open = open_server
        self._idle = idle
        self._line: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._server: Server | None = None
        self._now: Job | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, work: Work) -> Job:
        """Put a call in the line."""
        job = Job(work)
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="local model", daemon=True)
                self._thread.start()
                atexit.register(self.close)
        self._line.put(job)
        return job

    def chat(self, request: dict[str, Any]) -> Job:
        """Put a chat completion in the line."""
        return self.submit(lambda server, job: server.chat(request, job.tell))

    def count(self, messages: list[dict[str, Any]]) -> Job:
        """Put a count of tokens in the line."""
        return self.submit(_counting(messages))

    def close(self) -> None:
        """Stop what runs and end the thread; what still stands in the line is not answered."""
        with self._lock:
            self._closed, thread = True, self._thread
        if thread is None:
            return
        if (now := self._now) is not None:
            now.give_up()
        self._line.put(None)
        thread.join(_PATIENCE)

    def _serve(self) -> None:
        while True:
            try:
                job = self._line.get(timeout=self._idle if self._server is not None else None)
            except queue.Empty:
                self._server = None
                continue
            if job is None or self._closed:
                self._server = None
                return
            self._now = job
            job.run(self._opened)
            self._now = None

    def _opened(self) -> Server:
        if self._server is None:
            self._server = self._open()
        return self._server


def _counting(messages: list[dict[str, Any]]) -> Work:
    def work(server: Server, job: Job) -> None:
        job.tell({"count": server.count(messages)})

    return work


_models: dict[Path | None, LocalModel] = {}
_models_lock = threading.Lock()


def shared(gguf: Path | None = None, open_server: Callable[[], Server] | None = None) -> LocalModel:
    """The process's model of a file, the extra's weights by default; the same for every debate and every loop.

    `open_server` makes it where it is new. Raises LLMError (not_configured) that names the extra when the runtime for
    it is missing.
    """
    with _models_lock:
        if gguf not in _models:
            if open_server is None:
                need_runtime()
            _models[gguf] = LocalModel(open_server or (lambda: LlamaServer(weights.prepare(gguf))))
        return _models[gguf]
