"""Keys never leave the environment and the wire they are for: a planted key is looked for wherever a debate leaves
anything, after a run in which the provider echoed it in every way it can."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.conftest import Stage, stage
from tests.fake_messages import ErrorInStream, Server, Status, role, wants
from tests.fake_messages.fixture import KEY, fake_server
from vada import exports
from vada.errors import LLMError
from vada.llm.endpoints import Endpoints
from vada.llm.probe import check
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateMode
from vada.settings import Settings

__all__ = ["fake_server", "stage"]

HEADER = "tenant-token-9f8e7d6c5b4a"
SECRETS = (KEY, HEADER)
ECHO = f"invalid x-api-key: {KEY} (tenant {HEADER})"


@pytest.fixture
def planted(stage: Stage, fake_server: Server, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage whose endpoint has a key and a secret header, and whose server echoes both in errors of every kind."""
    monkeypatch.setenv("TENANT_TOKEN", HEADER)
    endpoint = {"url": fake_server.url, "key_env": "ANTHROPIC_API_KEY", "headers": {"X-Tenant": "${TENANT_TOKEN}"}}
    stage.settings = Settings(home=stage.settings.home, endpoints={"anthropic": endpoint})
    stage.endpoints = Endpoints(stage.settings)
    fake_server.script(Status(529, ECHO), match=role("Optimizer A"))
    fake_server.script(ErrorInStream(message=ECHO), match=role("Optimizer B"))
    fake_server.script(Status(401, ECHO), match=role("Simplifier"), times=None)
    fake_server.script(Status(500, ECHO), match=wants("VerificationReply"), times=None)
    fake_server.script(Status(400, ECHO, headers={"x-echo": KEY}), match=wants("DefenceReply"), times=None)
    return stage


def leaks(content: bytes | str) -> list[str]:
    """The secrets that stand in something."""
    text = content.encode() if isinstance(content, str) else content
    return [s for s in SECRETS if s.encode() in text]


def files(folder: Path) -> Iterator[Path]:
    """Every file under a folder."""
    return (p for p in folder.rglob("*") if p.is_file())


async def test_no_secret_is_left_anywhere_by_a_debate_whose_provider_echoes_them(
    planted: Stage, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    run = await planted.play(planted.start(rounds=2, gate=GateMode.AUTOPILOT))
    assert run.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)
    kinds = {c.status for c in run.calls}
    assert {"overloaded", "auth", "server", "bad_request"} <= kinds, "the provider's errors were met"
    assert any("[key removed]" in c.message for c in run.calls), "and their words were kept without the secrets"
    assert all(e.headers.get("x-tenant") == HEADER for e in planted.server.calls), "the secrets were really sent"

    assert not leaks(run.model_dump_json())
    assert not any(leaks(e.model_dump_json()) for e in planted.debates.events(run.id))
    assert not leaks(repr(planted.debates.calls(run.id)))
    assert not any(leaks(f"{e.path} {e.body}") for e in planted.server.log)
    for name in exports.FORMATS:
        assert not leaks(exported(run, name)), name
    assert not leaks(planted.debates.export_bundle(run.id))
    kept = list(files(planted.settings.home))
    assert any(p.suffix == ".db" for p in kept)
    assert [p for p in kept if leaks(p.read_bytes())] == []
    told = capfd.readouterr()
    assert not leaks(told.out + told.err)
    assert not [r.name for r in caplog.records if leaks(r.getMessage())]
    assert not leaks(f"{planted.settings!r} {planted.settings.shown()}")


def exported(run: Run, name: str) -> bytes:
    """A file of the run; of a compressed one, what is in it."""
    content = exports.render(run, name)
    if name != "docx":
        return content
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return b"".join(parts.read(p) for p in parts.namelist())


async def test_no_error_text_holds_a_secret(planted: Stage) -> None:
    for code in (400, 401, 403, 404, 429, 500):
        planted.server.unscripted()
        planted.server.script(Status(code, ECHO), times=None)
        report = await check(planted.settings, "anthropic", models=["claude-opus-5-5"], call=True)
        assert report.models[0].error
        assert not leaks(repr(report))
    endpoints = Endpoints(planted.settings)
    line = endpoints.line("anthropic")
    assert not leaks(repr(line.settings))
    await endpoints.aclose()
    assert not leaks(str(LLMError("x", kind="auth")))


def test_no_process_listing_shows_a_key_while_the_command_runs(
    fake_server: Server,
    home: Path,
) -> None:
    fake_server.latency = 0.3
    question = "Should a 12-person startup move its monolith to microservices?"
    command = [sys.executable, "-m", "vada", "run", question, "--rounds", "1", "--gate", "autopilot"]
    environment = {**os.environ, "VADA_HOME": str(home), "VADA_DEFAULTS__PANEL": "fast"}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seen: list[str] = []

    def look() -> None:
        while running.poll() is None:
            listed = subprocess.run(["ps", "-eww", "-o", "pid,args"], capture_output=True, text=True, check=True)
            seen.append(listed.stdout)
            time.sleep(0.3)

    watch = threading.Thread(target=look)
    watch.start()
    try:
        told, _ = running.communicate(timeout=180)
    finally:
        running.kill()
        watch.join()
    assert running.returncode == 0, told.decode()
    assert fake_server.calls
    assert any("-m vada run" in s for s in seen)
    assert not any(leaks(s) for s in seen)
    assert not leaks(told)
    assert [p for p in files(home) if leaks(p.read_bytes())] == []


def test_the_look_can_find_a_key(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text(f"Authorization: {KEY}")
    assert [leaks(p.read_bytes()) for p in files(tmp_path)] == [[KEY]]
