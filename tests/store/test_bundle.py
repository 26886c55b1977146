"""A bundle brings a debate whole to another installation, and a hostile one brings nothing."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import builders
from vada.errors import InputError
from vada.models.events import Event, EventKind
from vada.models.run import fold
from vada.models.vocabulary import PhaseName
from vada.settings import Settings
from vada.store import Database, Draft, bundle, calls, chain, debates, events, gates
from vada.store.calls import Call
from vada.worker import Debates

ID = "1ngtk0000000000000"


@pytest.fixture
def database(home: Path) -> Database:
    return Database.open(f"sqlite:///{home / 'vada.db'}")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Database:
    return Database.open(f"sqlite:///{tmp_path / 'elsewhere.db'}")


def a_record(trace: dict[str, Any]) -> dict[str, Any]:
    """A call record as JSON values that fits a trace."""
    same = ("id", "slot", "attempt", "role", "phase", "round", "started_at", "usage", "prompt_hash")
    given = {k: trace[k] for k in same}
    rest: dict[str, Any] = {
        "model": "m@rehearsal",
        "request": {},
        "parts": [],
        "message": {"content": []},
        "error": None,
    }
    return {**given, **rest, "seconds": 1.0, "first_token_seconds": None}


@pytest.fixture
def packed(database: Database) -> bytes:
    """The bundle of a finished three-round debate."""
    run = builders.a_run()

    def write(c: Any) -> None:
        debates.create(c, ID, run.config, step="")
        for e in builders.events(run)[1:]:
            payload = e.payload
            if e.kind is EventKind.CALL_ENDED:
                body = a_record(payload)
                payload = {**payload, "record_sha": chain.sha(body)}
                calls.save(c, ID, Call(payload["id"], payload["slot"], payload["attempt"], e.round, e.at, body))
            events.append(c, ID, Draft(e.kind, e.key, e.round, e.phase, payload, e.at))
        for r in run.rounds:
            assert r.verdict
            gates.open_(c, ID, r.number, r.verdict)
            if r.decision:
                gates.decide(c, ID, r.number, r.decision)

    database.write(write)
    return database.read(lambda c: bundle.pack(c, ID))


def parts_of(data: bytes) -> dict[str, list[Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {i.filename: [json.loads(x) for x in packed.read(i).splitlines()] for i in packed.infolist()}


def zipped(parts: dict[str, list[Any]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, lines in parts.items():
            packed.writestr(name, "".join(json.dumps(x) + "\n" for x in lines))
    return file.getvalue()


def resealed(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events sealed anew, as somebody would who forges a whole record."""
    prev, made = "", []
    for data in told:
        event = Event.model_validate({**data, "prev": prev, "hash": ""})
        event = event.model_copy(update={"hash": chain.seal(prev, chain.content_of(event))})
        made.append(event.model_dump(mode="json"))
        prev = event.hash
    return made


def test_a_debate_arrives_whole_with_its_ids(packed: bytes, database: Database, elsewhere: Database) -> None:
    debates_there = Debates(Settings(), elsewhere)
    assert debates_there.import_bundle(packed) == ID
    here = fold(database.read(lambda c: events.read(c, ID)))
    assert debates_there.run(ID) == here
    assert debates_there.verify(ID) == []
    assert [r.id for r in debates_there.calls(ID)]
    assert debates_there.list()[0].created_at == here.created_at
    assert debates_there.export_bundle(ID) == packed or parts_of(debates_there.export_bundle(ID)) == parts_of(packed)


def test_a_debate_is_not_taken_in_twice(packed: bytes, elsewhere: Database) -> None:
    debates_there = Debates(Settings(), elsewhere)
    debates_there.import_bundle(packed)
    with pytest.raises(InputError, match="already"):
        debates_there.import_bundle(packed)


def test_what_was_running_there_runs_here_only_when_resumed(database: Database, elsewhere: Database) -> None:
    run = builders.a_run(rounds=1, stage=PhaseName.SYNTHESIZE)

    def write(c: Any) -> None:
        debates.create(c, ID, run.config, step="r1")
        for e in builders.events(run)[1:]:
            if e.kind is not EventKind.CALL_ENDED:
                events.append(c, ID, Draft(e.kind, e.key, e.round, e.phase, e.payload, e.at))

    database.write(write)
    debates_there = Debates(Settings(), elsewhere)
    debates_there.import_bundle(database.read(lambda c: bundle.pack(c, ID)))
    assert elsewhere.read(debates.owed) == []
    debates_there.resume(ID)
    assert [d.step for d in elsewhere.read(debates.owed)] == ["r1"]


Parts = dict[str, list[Any]]


def _edited_event(parts: Parts) -> None:
    parts["events.jsonl"][0]["payload"]["question"] = "Another?"


def _edited_call(parts: Parts) -> None:
    parts["calls.jsonl"][0]["body"]["message"] = {"content": [{"type": "text", "text": "forged"}]}


def _missing_call(parts: Parts) -> None:
    parts["calls.jsonl"].pop()


def _other_decision(parts: Parts) -> None:
    parts["gates.jsonl"][0]["decision"]["by"] = "Mallory"


def _path(parts: Parts) -> None:
    parts["../../vada.toml"] = []


def _more(parts: Parts) -> None:
    parts["extra.py"] = []


def _id_of_path(parts: Parts) -> None:
    parts["bundle.json"][0]["id"] = "../../x"


def _other_version(parts: Parts) -> None:
    parts["bundle.json"][0]["version"] = 2


def _other_ids(parts: Parts) -> None:
    parts["bundle.json"][0]["id"] = "1ngtk0000000000001"


def _unknown_field(parts: Parts) -> None:
    parts["events.jsonl"][0]["surprise"] = 1


def _unknown_kind(parts: Parts) -> None:
    parts["events.jsonl"][1]["kind"] = "run_this"


def _long_key(parts: Parts) -> None:
    parts["events.jsonl"][1]["key"] = "k" * 10_000
    _seal(parts)


def _nul_key(parts: Parts) -> None:
    parts["events.jsonl"][1]["key"] = "a\x00b"
    _seal(parts)


def _payload_that_is_none(parts: Parts) -> None:
    finished = next(e for e in parts["events.jsonl"] if e["kind"] == "phase_finished")
    finished["payload"] = {"nonsense": True}
    _seal(parts)


def _call_that_is_none(parts: Parts) -> None:
    call = parts["calls.jsonl"][0]
    call["body"] = {"nonsense": True}
    trace = next(e for e in parts["events.jsonl"] if e["payload"].get("id") == call["id"])
    trace["payload"]["record_sha"] = chain.sha(call["body"])
    _seal(parts)


def _seal(parts: Parts) -> None:
    parts["events.jsonl"] = resealed(parts["events.jsonl"])
    parts["bundle.json"][0]["head"] = parts["events.jsonl"][-1]["hash"]


HOSTILE: list[Callable[[Parts], None]] = [
    _edited_event,
    _edited_call,
    _missing_call,
    _other_decision,
    _path,
    _more,
    _id_of_path,
    _other_version,
    _other_ids,
    _unknown_field,
    _unknown_kind,
    _long_key,
    _nul_key,
    _payload_that_is_none,
    _call_that_is_none,
]


@pytest.mark.parametrize("harm", HOSTILE, ids=lambda f: f.__name__.strip("_"))
def test_a_hostile_bundle_is_refused_and_nothing_of_it_kept(
    harm: Callable[[Parts], None], packed: bytes, elsewhere: Database
) -> None:
    parts = parts_of(packed)
    harm(parts)
    debates_there = Debates(Settings(), elsewhere)
    with pytest.raises(InputError, match="refused"):
        debates_there.import_bundle(zipped(parts))
    assert debates_there.list() == []


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 not a zip", b"{}", b"\x00" * 1000])
def test_what_is_no_bundle_is_refused(data: bytes, elsewhere: Database) -> None:
    with pytest.raises(InputError, match="refused"):
        Debates(Settings(), elsewhere).import_bundle(data)


def test_a_bomb_is_refused_before_it_is_unpacked_whole(elsewhere: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MOST_BYTES", 1_000_000)
    parts: Parts = {name: [] for name in ("bundle.json", "events.jsonl", "calls.jsonl", "gates.jsonl")}
    with pytest.raises(InputError, match="larger"):
        Debates(Settings(), elsewhere).import_bundle(zipped({**parts, "events.jsonl": ["x" * 2_000_000]}))


def test_deep_nesting_is_refused(packed: bytes, elsewhere: Database) -> None:
    parts = parts_of(packed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as z:
        for name in parts:
            z.writestr(name, "[" * 200_000 + "]" * 200_000)
    with pytest.raises(InputError, match="refused"):
        Debates(Settings(), elsewhere).import_bundle(file.getvalue())


def _corrupt(data: bytes, at: int) -> bytes:
    return data[:at] + bytes(b ^ 0xFF for b in data[at : at + 40]) + data[at + 40 :]


def _as_method(data: bytes, method: int) -> bytes:
    """The same archive, every part said to be packed by another method."""
    spoiled = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = spoiled.find(mark)
        while at >= 0:
            spoiled[at + offset : at + offset + 2] = method.to_bytes(2, "little")
            at = spoiled.find(mark, at + 4)
    return bytes(spoiled)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: _corrupt(data, 60),
        lambda data: _corrupt(data, 2000),
        lambda data: _as_method(data, zipfile.ZIP_LZMA),
        lambda data: _as_method(data, zipfile.ZIP_BZIP2),
        lambda data: _as_method(data, 9),
    ],
    ids=["first part", "in the middle", "not LZMA", "not bzip2", "a method of no one"],
)
def test_a_damaged_archive_is_refused(damage: Callable[[bytes], bytes], packed: bytes, elsewhere: Database) -> None:
    with pytest.raises(InputError, match="refused"):
        Debates(Settings(), elsewhere).import_bundle(damage(packed))
