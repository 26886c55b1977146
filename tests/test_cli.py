"""The command line as a person meets it: real processes, the rehearsal engine, exit codes, which stream says what."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests import recorded
from tests.failure_modes import cases
from tests.fake_messages import Gaps, Server
from vada.__main__ import EXIT, SEVERITY, code_of
from vada.failure_modes import CUTOFFS, Calibration, Cut
from vada.models.vocabulary import DebateState
from vada.settings import load
from vada.worker import Debates
from vada.worker.debates import CALIBRATION

QUESTION = "Should a 12-person startup move its monolith to microservices?"


def vada(*args: str, code: int | None = 0, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command; asserts its exit code unless None."""
    done = subprocess.run(
        [sys.executable, "-m", "vada", *args],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert code is None or done.returncode == code, f"exit {done.returncode}\n{done.stdout[:500]}\n{done.stderr}"
    return done


def begun(*args: str, **environment: str) -> subprocess.Popen[str]:
    """Start the command and leave it running."""
    return subprocess.Popen(
        [sys.executable, "-m", "vada", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def ended(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The run on stdout, of a debate that ran to its end; asserts that exit code and state agree."""
    run: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == {"clean": 0, "revised": 0, "unconverged": 3}[run["state"]], done.stderr
    return run


def test_without_a_key_a_question_runs_to_a_deliverable_and_says_that_it_is_a_rehearsal() -> None:
    done = vada("run", QUESTION, "--constraint", "No new hires.", "--gate", "autopilot", "--json", code=None)
    run = ended(done)
    assert run["rehearsal"] is True
    assert "Rehearsal" in done.stderr
    assert 1 <= len(run["rounds"]) <= 3
    phases = ("dossier", "proposals", "challenges", "synthesis", "verification", "brief", "verdict", "decision")
    assert all(r[phase] for r in run["rounds"] for phase in phases)
    assert run["conclusion"]["recommendation"]
    assert run["audit"]["passes"]
    assert run["usage"]["output_tokens"] > 0
    assert run["degraded"] == []
    assert run["deliverable"]["text"]
    assert "Round 1" in done.stderr
    assert "Verify" in done.stderr


def test_without_json_the_page_is_what_goes_to_stdout() -> None:
    done = vada("run", QUESTION, "--gate", "autopilot", "--rounds", "1", code=None)
    id_ = done.stderr.partition("Debate ")[2].split()[0]
    assert done.stdout.strip() == json.loads(vada("show", id_, "--json").stdout)["deliverable"]["text"].strip()


def test_at_a_gate_it_exits_4_and_a_note_reaches_one_role_of_the_next_round() -> None:
    run = json.loads(vada("run", QUESTION, "--gate", "every", "--rounds", "2", "--json", code=4).stdout)
    assert run["state"] == "waiting"
    note = "Ask who is on call in August."
    run = json.loads(vada("gate", run["id"], "continue", "--note", note, "--to", "challenger", "--json", code=4).stdout)
    assert len(run["rounds"]) == 2
    calls = Debates.open(load()).calls(run["id"])
    told = {(c.round, c.role) for c in calls if any(note in p.text for p in c.parts)}
    assert told == {(2, "challenger")}
    assert ended(vada("gate", run["id"], "stop", "--json", code=None))["deliverable"]
    again = vada("gate", run["id"], "continue", code=1)
    assert "already decided: stop, by a person on this machine" in again.stderr


def test_a_person_who_stops_early_gets_exit_code_5() -> None:
    run = json.loads(vada("run", QUESTION, "--gate", "every", "--json", code=4).stdout)
    assert run["rounds"][0]["verdict"]["recommendation"] == "continue"
    stopped = json.loads(vada("gate", run["id"], "stop", "--json", code=5).stdout)
    assert stopped["state"] == "stopped"
    assert stopped["deliverable"]


def test_interrupted_it_says_how_to_go_on_and_goes_on(home: Path) -> None:
    running = begun("run", QUESTION, "--gate", "autopilot", "--rounds", "1", VADA_REHEARSAL_SPEED="3")
    assert running.stderr
    id_ = ""
    for line in running.stderr:
        id_ = line.split()[1] if line.startswith("Debate ") else id_
        if "answered" in line:
            break
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert f"vada resume {id_}" in said
    assert ended(vada("resume", id_, "--json", code=None))["deliverable"]
    vada("verify", id_)


def test_a_killed_run_is_resumed_without_paying_twice() -> None:
    running = begun("run", QUESTION, "--gate", "autopilot", "--rounds", "1", VADA_REHEARSAL_SPEED="3")
    assert running.stderr
    lines = iter(running.stderr)
    id_ = next(line.split()[1] for line in lines if line.startswith("Debate "))
    next(line for line in lines if "answered" in line)
    running.kill()
    running.communicate()
    kept = {c.id for c in Debates.open(load()).calls(id_)}
    assert kept
    run = ended(vada("resume", id_, "--json", code=None))
    assert kept <= {c["id"] for c in run["calls"]}
    assert len({(c["slot"], c["attempt"]) for c in run["calls"]}) == len(run["calls"])


def test_while_a_worker_has_the_folder_a_run_is_followed() -> None:
    worker = begun("worker")
    assert worker.stderr
    assert any("Running debates" in line for line in worker.stderr)
    done = vada("run", QUESTION, "--gate", "autopilot", "--rounds", "1", "--json", code=None)
    assert "following" in done.stderr
    assert ended(done)["deliverable"]
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=30)
    assert worker.returncode == 0


def test_a_debate_is_listed_shown_exported_verified_and_moved(home: Path, tmp_path: Path) -> None:
    id_ = ended(vada("run", QUESTION, "--gate", "autopilot", "--rounds", "1", "--json", code=None))["id"]
    assert [row["id"] for row in json.loads(vada("list", "--json").stdout)] == [id_]
    assert json.loads(vada("list", "no such words", "--json").stdout) == []
    assert id_ in vada("list").stdout
    assert QUESTION in vada("show", id_).stdout
    page = tmp_path / "page.md"
    vada("export", id_, "--format", "md", "-o", str(page))
    assert QUESTION in page.read_text()
    assert json.loads(vada("export", id_, "--format", "json").stdout)["id"] == id_
    assert "sound" in vada("verify", id_).stdout
    packed = tmp_path / "debate.zip"
    vada("export", id_, "--format", "bundle", "-o", str(packed))
    there = str(tmp_path / "there")
    assert vada("import", str(packed), VADA_HOME=there).stdout.strip() == id_
    assert "sound" in vada("verify", id_, VADA_HOME=there).stdout


def test_an_edited_record_is_found_by_verify(home: Path) -> None:
    import sqlite3

    id_ = ended(vada("run", QUESTION, "--gate", "autopilot", "--rounds", "1", "--json", code=None))["id"]
    with sqlite3.connect(home / "vada.db") as connection:
        edit = "UPDATE events SET payload = replace(payload, 'optimizer_a', 'optimizer_b') WHERE key = ?"
        connection.execute(edit, ("r1.replied.optimizer_a",))
        connection.execute("UPDATE calls SET body = replace(body, 'end_turn', 'other') WHERE slot = 'r1.verify'")
    found = vada("verify", id_, code=1).stdout
    assert "(r1.replied.optimizer_a): was changed" in found
    assert "r1.verify" in found


def test_a_fork_runs_here_and_shares_its_parents_round() -> None:
    parent = ended(vada("run", QUESTION, "--gate", "autopilot", "--rounds", "2", "--json", code=None))
    child = ended(vada("fork", parent["id"], "--after", "1", "--lock", "split=never", "--json", code=None))
    assert child["config"]["lineage"]["locked_key"] == "split"
    assert [c["id"] for c in child["calls"] if c["reused"]] == [c["id"] for c in parent["calls"] if c["round"] == 1]


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (("run", " "), "QUESTION"),
        (("run", QUESTION, "--pack", "nonsense"), "--pack"),
        (("run", QUESTION, "--panel", "nonsense"), "--panel"),
        (("run", QUESTION, "--material", "no-such-file.txt"), "--material"),
        (("run", QUESTION, "--model", "coordinator"), "--model"),
        (("run", QUESTION, "--model", "boss=x@rehearsal"), "--model"),
        (("run", QUESTION, "--model", "all=x@nowhere"), "--model"),
        (("run", QUESTION, "--model", "all=claude-opus-5-5"), "--model"),
        (("import", "no-such-file.zip"), "FILE"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_option(args: tuple[str, ...], option: str) -> None:
    done = vada(*args, code=2)
    assert done.stderr.startswith(f"vada: {option}: ")
    assert done.stdout == ""


def test_a_debate_that_is_not_there_is_said_so() -> None:
    assert "no debate nosuch" in vada("show", "nosuch", code=1).stderr


def test_the_question_may_come_from_stdin() -> None:
    done = vada("run", "-", "--gate", "autopilot", "--rounds", "1", "--json", code=None, stdin=QUESTION)
    assert ended(done)["config"]["question"] == QUESTION


def test_a_model_is_named_for_one_role_or_all() -> None:
    args = ("--model", "all=one@rehearsal", "--model", "verifier=two@rehearsal")
    run = ended(vada("run", QUESTION, "--gate", "autopilot", "--rounds", "1", *args, "--json", code=None))
    models = {s["role"]: s["model"]["name"] for s in run["config"]["seats"]}
    assert models.pop("verifier") == "two"
    assert set(models.values()) == {"one"}


def test_of_a_forks_children_the_failed_one_gives_the_exit_code() -> None:
    assert code_of([DebateState.FAILED, DebateState.STOPPED]) == 1
    assert code_of([DebateState.CLEAN, DebateState.WAITING]) == 4
    assert code_of([DebateState.UNCONVERGED, DebateState.CLEAN]) == 3
    assert set(SEVERITY) == set(EXIT)


def test_where_nobody_runs_debates_a_command_says_so_and_waits_for_nobody() -> None:
    done = vada("run", QUESTION, "--gate", "autopilot", code=1, VADA_WORKER="off")
    assert "Nobody runs the debates here" in done.stderr
    assert "vada worker" in done.stderr
    assert "following" not in done.stderr
    id_ = done.stderr.partition("Debate ")[2].split()[0]
    assert ended(vada("resume", id_, "--json", code=None))["deliverable"]


def test_too_few_rounds_are_not_calibrated_on() -> None:
    recorded.put(cases.clean(1))
    done = vada("calibrate", code=1)
    assert "3 finished rounds are there; a calibration needs 30." in done.stderr
    assert Debates.open(load()).value(CALIBRATION) is None


def test_a_calibration_is_kept_says_what_changed_and_is_what_findings_name() -> None:
    for seed in range(12):
        recorded.put(cases.clean(seed).model_copy(update={"id": f"calibrated{seed:02}"}))
    done = vada("calibrate")
    kept = Calibration.model_validate(Debates.open(load()).value(CALIBRATION))
    assert kept.version in done.stdout
    assert kept.rounds == 36
    changed = next(c for c in kept.cutoffs if c.cut is Cut.OVERLAP)
    assert f"{CUTOFFS[Cut.OVERLAP].value:7.2f} -> {changed.value:7.2f}" in done.stdout
    assert "Nothing changed" in vada("calibrate").stdout
    assert f"in place of {kept.version}" in vada("calibrate", "--shipped").stdout
    assert Debates.open(load()).value(CALIBRATION) is None


def test_doctor_says_what_is_configured() -> None:
    done = vada("doctor")
    assert "key missing" in done.stdout
    assert "rehearsal" in done.stdout
    told = json.loads(vada("doctor", "--json").stdout)
    assert {e["name"] for e in told["endpoints"]} >= {"anthropic", "rehearsal"}


def test_doctor_keeps_what_it_found_and_run_refuses_a_model_that_is_gone() -> None:
    with Server(models=("qwen3-32b",), gaps=Gaps(stream="refused")) as server:
        desk = {"VADA_ENDPOINTS__DESK__URL": server.url}
        said = vada("doctor", "--call", **desk).stdout
        assert "qwen3-32b: answers, keeps schema, takes tools, not: streams, counts tokens, searches" in said
        refused = vada("run", QUESTION, "--panel", "rehearsal", "--model", "critic=qwen-32b@desk", code=2, **desk)
        assert "desk does not list the model qwen-32b. Perhaps qwen3-32b" in refused.stderr
        server.models = ("qwen3-32b", "qwen-32b")  # the list it kept is read anew before it refuses
        server.log.clear()
        vada("run", QUESTION, "--panel", "rehearsal", "--model", "critic=qwen-32b@desk", "--gate", "autopilot",
             "--rounds", "1", code=None, **desk)  # fmt: skip
        assert {e.status for e in server.calls} == {200}
    assert len(Debates.open(load()).list()) == 1


def test_without_a_command_it_serves_the_app(tmp_path: Path) -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "vada", "--port", str(port), "--host", "127.0.0.1"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "STREAMLIT_SERVER_HEADLESS": "true", "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    try:
        assert _answers(f"http://127.0.0.1:{port}/_stcore/health", 60) == b"ok"
    finally:
        server.terminate()
        server.wait(30)


def _answers(url: str, seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bytes(answer.read())
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
