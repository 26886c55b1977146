"""The weights file: whole or not there, checked, put together once; each way it can fail says what to do."""

import hashlib
import os
import sys
import time
from pathlib import Path

import pytest

from vada.errors import LLMError
from vada.llm.local.weights import QWEN, Weights, assemble, prepare

PARTS = (b"GGUF" + b"a" * 100, b"b" * 50, b"c" * 7)
WHOLE = b"".join(PARTS)


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Weights in three installed packages whose code must not run."""
    names = tuple(f"weights_of_{tmp_path.name.replace('-', '_')}_{i}" for i in range(len(PARTS)))
    for name, data in zip(names, PARTS, strict=True):
        folder = tmp_path / "site" / name / "data"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("raise RuntimeError('this code must not run')")
        (folder / "part.bin").write_bytes(data)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return Weights("tiny.gguf", len(WHOLE), hashlib.sha256(WHOLE).hexdigest(), names)


def part(weights: Weights, number: int) -> Path:
    return next(p for s in sys.path if (p := Path(s) / weights.packages[number] / "data" / "part.bin").is_file())


def test_the_parts_become_one_file_and_progress_is_told(weights: Weights, tmp_path: Path) -> None:
    told: list[float] = []
    path = assemble(weights, tmp_path / "cache", told.append)
    assert path.read_bytes() == WHOLE
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert [p.name for p in path.parent.iterdir()] == ["tiny.gguf"]


def test_a_whole_file_is_checked_and_not_written_again(weights: Weights, tmp_path: Path) -> None:
    path = assemble(weights, tmp_path)
    before = path.stat().st_mtime_ns
    part(weights, 0).write_bytes(b"x" * len(PARTS[0]))
    assert assemble(weights, tmp_path).stat().st_mtime_ns == before


def test_a_file_that_went_bad_is_made_anew(weights: Weights, tmp_path: Path) -> None:
    path = assemble(weights, tmp_path)
    path.write_bytes(b"y" * len(WHOLE))
    assert assemble(weights, tmp_path).read_bytes() == WHOLE


def test_a_damaged_part_leaves_no_file(weights: Weights, tmp_path: Path) -> None:
    part(weights, 1).write_bytes(b"x" * len(PARTS[1]))
    with pytest.raises(LLMError, match=r"damaged.*reinstall") as raised:
        assemble(weights, tmp_path / "cache")
    assert raised.value.kind == "not_configured"
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_missing_part_is_named_with_the_extra(weights: Weights, tmp_path: Path) -> None:
    part(weights, 1).unlink()
    name = weights.packages[1].replace("_", "-")
    with pytest.raises(LLMError, match=f"1 of 3 parts .*first {name}.*--extra local"):
        assemble(weights, tmp_path / "cache")


def test_too_little_room_on_the_disk_is_said_before_anything_is_written(weights: Weights, tmp_path: Path) -> None:
    huge = Weights(weights.file, 10**16, weights.sha256, weights.packages)
    with pytest.raises(LLMError, match=r"need 10000000\.2 GB in .*cache; .* GB are free"):
        assemble(huge, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(weights: Weights, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(LLMError, match=r"cannot be written to .*cache"):
        assemble(weights, tmp_path / "cache")


def test_what_an_ended_process_left_is_removed_and_what_one_writes_now_is_not(weights: Weights, tmp_path: Path) -> None:
    old, new = tmp_path / "tiny.gguf.old.part", tmp_path / "tiny.gguf.new.part"
    for left in (old, new):
        left.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    assemble(weights, tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_model_file_of_ones_own_is_taken_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(WHOLE)
    assert prepare(own) == own


@pytest.mark.parametrize("content", [None, b"PK\x03\x04 a zip file"])
def test_what_is_no_model_file_is_refused_by_name(tmp_path: Path, content: bytes | None) -> None:
    own = tmp_path / "own.gguf"
    if content is not None:
        own.write_bytes(content)
    with pytest.raises(LLMError, match=r"VADA_GGUF names .*own\.gguf"):
        prepare(own)


def test_the_weights_are_the_official_file_in_22_parts() -> None:
    assert QWEN.sha256 == "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
    assert len(QWEN.packages) == 22
