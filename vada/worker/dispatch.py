"""The engine of a process: hands what the record says is owed to DBOS, whose queue, recovery and workflow ids see to it
that each step is run, by one worker, again after a crash. Decides nothing about a debate (`vada.engine` does).

The record is the truth: the queue's own database may be emptied at any time and is filled again from it.
"""

import asyncio
import logging
import os
import secrets
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID
from sqlalchemy import Connection

from vada import probed, tokens
from vada.engine import END, LLMFor, Runner
from vada.llm import pricing
from vada.llm.base import LLM, Journal
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.debate import DebateConfig
from vada.models.run import BASELINE
from vada.prompts import PromptBook
from vada.settings import Settings
from vada.store import Database, Due, debates, workers
from vada.store.database import address
from vada.worker import bell, reports
from vada.worker.lock import FileLock

QUEUE = "rounds"
AT_ONCE = 100
"""Steps one process runs at a time; what limits them in practice is each endpoint's concurrency."""

MOMENT = 0.25
"""Seconds between two looks at what is owed and how running debates stand."""

BEAT = 1.0
"""Seconds between two signs of life."""

_APP_VERSION = "1"  # pinned: DBOS leaves work of another version alone (raise it only when the queue is to be dropped)
_SWEEP = 2.0
_HOUSEKEEPING = 3600.0
_LONGEST_WAIT = 300.0
_DONE = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_log = logging.getLogger("vada.worker")


class Engine:
    """Runs debates in this process from `start` to `stop`. One at a time in a process, because DBOS is.

    With `only`, what was unfinished before it started is left alone, except those debates: a command must not spend
    money on debates it was not asked about.
    """

    def __init__(self, settings: Settings, *, only: Collection[str] = (), llm_for: LLMFor | None = None) -> None:
        self._settings = settings
        self._only = only
        self._endpoints = Endpoints(settings)
        self._llm_for = llm_for or self._messages
        url = address(settings.database_url)
        self._file = Path(url.database or "") if url.get_backend_name() == "sqlite" else None
        self._lock = FileLock(self._file.with_suffix(".lock")) if self._file else None
        self._id = _executor(self._file, only)
        self._left_alone: set[str] = set()
        self._handed: set[str] = set()
        self._waits: dict[str, tuple[float, float]] = {}  # workflow -> (not before, the wait after that)
        self._nudged, self._stopping = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._database: Database | None = None
        self._runner: Runner | None = None

    @property
    def running(self) -> bool:
        """Whether it runs debates now; False while it stands by because another process does."""
        return self._runner is not None and not self._stopping.is_set()

    def start(self) -> bool:
        """Begin; False when another process has the data folder. Raises SettingsError, PromptError."""
        if self._lock is not None and not self._lock.take():
            return False
        try:
            _away_from_loops(self._launch)
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise
        return True

    def stand_by(self) -> None:
        """Begin as soon as no other process has the data folder."""
        self._spawn(self._take_over, "vada-standby")

    def nudge(self) -> None:
        """Look at once at what is owed."""
        self._nudged.set()

    def stop(self) -> None:
        """Stop running; what is unfinished stays owed. A second time nothing happens."""
        global _current
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._nudged.set()
        for thread in self._threads:
            thread.join(10)
        if self._runner is not None and self._database is not None:
            DBOS.destroy()
            _current = None
            bell.leave(self.nudge)
            self._database.write(lambda c: workers.leave(c, self._id))
            self._database.close()
        if self._lock is not None:
            self._lock.release()

    def runs(self, debate: str) -> bool:
        """Whether this engine runs that debate."""
        return debate not in self._left_alone

    async def run(self, due: Due) -> None:
        """Run a step on the event loop that DBOS gave it."""
        if self._runner is None or not self.runs(due.debate):
            return
        self._loop = asyncio.get_running_loop()
        await self._runner.run(due)
        self.nudge()

    def _messages(self, journal: Journal, config: DebateConfig) -> LLM:
        """The client of a step: made as the settings say, and where they are silent as the last checks found."""
        assert self._database is not None
        found = probed.applied(self._settings, self._database.read(reports.read))
        return MessagesLLM(self._endpoints, journal, found.model_copy(update={"cache_ttl": found.ttl(config.gate)}))

    def _launch(self) -> None:
        global _current
        self._database = database = Database.open(self._settings.database_url)
        if self._only:
            self._left_alone = {d.debate for d in database.read(debates.owed)} - set(self._only)
        runner = Runner(self._settings, database, PromptBook.load(), self._llm_for)
        _launch_dbos(self._settings, self._file, self._id)
        self._runner, _current = runner, self
        bell.listen(self.nudge)
        database.write(lambda c: workers.beat(c, self._id))
        self._spawn(_warm_up, "vada-warm-up")
        self._spawn(lambda: self._every(MOMENT, self._moment, self._nudged), "vada-moment")
        self._spawn(lambda: self._every(BEAT, self._beat, self._stopping), "vada-beat")
        _log.info("Engine %s runs debates of %s", self._id, self._settings.home)

    def _take_over(self) -> None:
        while not self._stopping.wait(1.0):
            if self.start():
                return

    def _spawn(self, work: Callable[[], None], name: str) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _every(self, seconds: float, work: Callable[[], None], wake: threading.Event) -> None:
        """Do some work again and again until the engine stops; a failure is logged and tried again."""
        while not self._stopping.is_set():
            try:
                work()
            except Exception:
                if not self._stopping.is_set():
                    _log.exception("The engine stumbled; it goes on")
            wake.wait(seconds)
            if wake is self._nudged:
                wake.clear()

    # Every moment: how running debates stand, what was written, what is owed.

    def _moment(self) -> None:
        assert self._runner is not None
        self._runner.look()
        self._runner.write_texts()
        owed = self._owed()
        self._handed &= {d.workflow for d in owed}
        for due in owed:
            if due.workflow not in self._handed:
                self._hand_over(due)

    def _owed(self) -> list[Due]:
        assert self._database is not None
        return [d for d in self._database.read(debates.owed) if self.runs(d.debate)]

    def _hand_over(self, due: Due) -> None:
        """Put a step in the queue; nothing happens when it is there already, whoever put it there."""
        with SetWorkflowID(due.workflow):
            if due.step == BASELINE:
                DBOS.enqueue_workflow(QUEUE, ask_one_model, due.debate, due.generation)
            elif due.step == END:
                DBOS.enqueue_workflow(QUEUE, play_the_ending, due.debate, due.generation)
            else:
                DBOS.enqueue_workflow(QUEUE, play_a_round, due.debate, int(due.step[1:]), due.generation)
        self._handed.add(due.workflow)

    # Every beat: who lives, whose work is taken over, what came to nothing.

    _last_sweep = _last_housekeeping = 0.0

    def _beat(self) -> None:
        assert self._database is not None
        if not self._database.write(lambda c: workers.beat(c, self._id)):
            _log.warning("This worker was given up for dead; its debates may be in other hands")
        now = time.monotonic()
        if now - self._last_sweep >= _SWEEP:
            self._last_sweep = now
            self._sweep()
        if now - self._last_housekeeping >= _HOUSEKEEPING:
            self._last_housekeeping = now
            self._keep_house()

    def _sweep(self) -> None:
        """Put right what the record owes and the queue does not do."""
        assert self._database is not None
        owed = {d.workflow: d for d in self._owed()}
        if not owed:
            return
        known = DBOS.list_workflows(workflow_ids=list(owed), load_input=False, load_output=False)
        for workflow in owed.keys() - {w.workflow_id for w in known}:
            self._hand_over(owed[workflow])
        for done in (w for w in known if w.status in _DONE):
            self._again(owed[done.workflow_id])
        if any(w.status == "PENDING" and w.executor_id != self._id for w in known):
            self._database.write(lambda c: self._take_from_the_dead(c, list(owed)))

    def _again(self, due: Due) -> None:
        """Try a step again that ended without doing what was owed, each time after a longer wait."""
        assert self._database is not None
        name, now = f"{due.debate}:{due.step}", time.monotonic()
        not_before, wait = self._waits.get(name, (0.0, 1.0))
        if now >= not_before:
            self._waits[name] = (now + wait, min(wait * 2, _LONGEST_WAIT))
            if self._database.write(lambda c: debates.again(c, due)):
                _log.info("%s came to nothing; it is tried again", due.workflow)

    def _take_from_the_dead(self, c: Connection, owed: list[str]) -> None:
        """Put back in the queue what dead workers were running. On SQLite whoever is not this process is dead."""
        if not workers.alone(c):
            return
        living = {self._id} if self._file else workers.living(c, workers.PATIENCE)
        pending = DBOS.list_workflows(workflow_ids=owed, status="PENDING", load_input=False, load_output=False)
        dead = [w.workflow_id for w in pending if w.executor_id not in living]
        if dead:
            _log.warning("Taking over from dead workers: %s", ", ".join(dead))
            DBOS.resume_workflows(dead, queue_name=QUEUE)

    def _keep_house(self) -> None:
        """Remove what the deployer does not want kept, and what the queue needs no more."""
        assert self._database is not None
        if self._settings.retention_days is not None:
            before = (datetime.now(UTC) - timedelta(days=self._settings.retention_days)).isoformat()
            for id_ in self._database.read(lambda c: debates.expired(c, before)):
                self._database.write(lambda c, id_=id_: debates.purge(c, id_))  # type: ignore[misc]
        yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()
        old = DBOS.list_workflows(
            status=list(_DONE), end_time=yesterday, limit=1000, load_input=False, load_output=False
        )
        if old:
            DBOS.delete_workflows([w.workflow_id for w in old])


_current: Engine | None = None


@DBOS.workflow(name="round", max_recovery_attempts=None)
async def play_a_round(debate: str, number: int, generation: int) -> None:
    """A round of a debate, start to gate. It has no DBOS step: what is paid for is in the record of calls."""
    if _current is not None:
        await _current.run(Due(debate, f"r{number}", generation))


@DBOS.workflow(name="ending", max_recovery_attempts=None)
async def play_the_ending(debate: str, generation: int) -> None:
    """The deliverable and the blind audit of a debate."""
    if _current is not None:
        await _current.run(Due(debate, END, generation))


@DBOS.workflow(name="baseline", max_recovery_attempts=None)
async def ask_one_model(debate: str, generation: int) -> None:
    """The one answer of one model, beside the debate."""
    if _current is not None:
        await _current.run(Due(debate, BASELINE, generation))


def _executor(file: Path | None, only: Collection[str]) -> str:
    """Under which name DBOS runs this process's work. The engine of a SQLite folder has one name, under which DBOS
    takes up what it left; any other process has its own."""
    if file is not None and not only:
        return "vada"
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"


def _launch_dbos(settings: Settings, file: Path | None, executor: str) -> None:
    """Start DBOS; on SQLite its own file lies beside the record, so that the two do not wait for each other."""
    url = address(settings.database_url)
    if file is not None:
        queue = file.with_name(f"{file.stem}-queue.db")
        with closing(sqlite3.connect(queue, timeout=30)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
        system = f"sqlite:///{queue}"
    else:
        system = url.render_as_string(hide_password=False)
    config: DBOSConfig = {
        "name": "vada",
        "system_database_url": system,
        "application_version": _APP_VERSION,
        "executor_id": executor,
        "serializer": DBOSPortableJSONSerializer(),
        "notification_listener_polling_interval_sec": MOMENT,
        "log_level": "WARNING",
        "run_migrations": True,
    }
    DBOS(config=config)
    logging.getLogger("dbos").addFilter(_Quiet())
    DBOS.launch()
    DBOS.register_queue(QUEUE, worker_concurrency=AT_ONCE, polling_interval_sec=MOMENT, on_conflict="always_update")


class _Quiet(logging.Filter):
    """Leaves out DBOS's traces of work that was stopped on purpose or handed on."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        return not any(word in text for word in ("Cancelled", "cancelled", "latest version"))


def _warm_up() -> None:
    """Load what the first reply needs before it comes: between a reply and its record nothing should have to wait."""
    import httpcore2  # noqa: F401

    pricing.price("claude-sonnet-5-5", {"usage": {"input_tokens": 1, "output_tokens": 1}})
    tokens.estimate("warm")


def _away_from_loops(work: Callable[[], None]) -> None:
    """Do some work in a thread of its own: started inside an event loop, DBOS would run every debate on that loop."""
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=guarded, name="vada-launch")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
