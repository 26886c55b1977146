"""An exclusive lock on a file, held until released or until the process dies, however it dies."""

import os
import sys
from pathlib import Path


class FileLock:
    """The lock on one path. Not for threads of one process to share out among themselves."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Whether the lock is ours now; False at once when another process has it."""
        if self._file is not None:
            return True
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if not _lock(file):
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not ours."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
