"""The server: every screen under one address, and the engine that runs debates. `streamlit run app.py`, or `vada`.

The engine starts with the server, so that work resumes with no browser open.
"""

import asyncio
import contextlib
import gc
import importlib
import logging
import pkgutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pages import parts
from pages.parts import state
from pages.parts.headers import Headers
from vada import settings, worker
from vada.errors import VadaError


def start() -> worker.Engine | None:
    """The engine, or None when another process has it, it is off, or the settings are unusable (the pages say so)."""
    try:
        return worker.start_engine(settings.load())
    except VadaError as error:
        logging.getLogger("vada").error("No engine: %s", error)
        return None


def warm() -> None:
    """Load what the first visitor would otherwise wait for: what the screens are made of, figures and prices too. What
    is wrong with the prompts is no reason not to serve: the pages say it."""
    for module in pkgutil.iter_modules(parts.__path__, f"{parts.__name__}."):
        importlib.import_module(module.name)
    with contextlib.suppress(VadaError):
        state.prompts()


@contextlib.asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Debates run while the server does. What stands after the start is frozen: collections need not walk it."""
    engine = await asyncio.to_thread(start)
    await asyncio.to_thread(warm)
    gc.collect()
    gc.freeze()
    yield
    if engine:
        await asyncio.to_thread(engine.stop)


app = st.App("pages/router.py", lifespan=lifespan, middleware=[Middleware(Headers), Middleware(GZipMiddleware)])
