"""Workers at a fraction of the start: `python -m tests.chaos.nursery` loads everything once and forks a worker for each
number it reads, which says its number and process id when it runs. A fork is a process of its own, killed alone.
"""

import os
import signal
import sys
import threading
from typing import NoReturn

import anthropic.lib.streaming  # noqa: F401  loaded here once, instead of in every worker
import httpcore2  # noqa: F401

from vada import settings, tokens, worker
from vada.llm import pricing
from vada.worker import dispatch  # noqa: F401


def grow(number: int) -> NoReturn:
    """Be a worker, as `vada worker` is one, until asked to stop."""
    os.environ["ANTHROPIC_CUSTOM_HEADERS"] = f"x-worker: {number}"
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    engine = worker.start_engine(settings.load())
    assert engine is not None
    while not engine.running:
        stop.wait(0.01)
    os.write(1, f"{number} {os.getpid()}\n".encode())
    stop.wait()
    engine.stop()
    os._exit(0)


def main() -> None:
    """Fork for each number until the input ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    pricing.price("claude-sonnet-5-5", {"usage": {"input_tokens": 1, "output_tokens": 1}})
    tokens.estimate("warm")
    for line in sys.stdin:
        if os.fork() == 0:
            sys.stdin.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            grow(int(line))


if __name__ == "__main__":
    main()
