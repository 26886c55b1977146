"""A private PostgreSQL server for tests: its own data folder and port, stopped and removed afterwards."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psycopg


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, the newest version first; None when PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return versions[-1].parent if versions else None


class Server:
    """A running server. `database()` makes an empty database and returns its address."""

    def __init__(self, bin_: Path) -> None:
        self._bin = bin_
        self._folder = Path(tempfile.mkdtemp(prefix="vada-pg-"))
        self._count = 0
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port: int = s.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres", "postgres")
        self._run("initdb", "-A", "trust", "-U", "vada", "-E", "UTF8", "--no-sync", "-D", str(self._folder / "data"))
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} "
            "-c fsync=off -c max_connections=200"
        )
        log = str(self._folder / "log")
        self._run("pg_ctl", "-w", "-D", str(self._folder / "data"), "-l", log, "-o", options, "start")

    def database(self) -> str:
        """The address of a new, empty database."""
        self._count += 1
        name = f"t{self._count}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._address(name)

    def stop(self) -> None:
        """Stop the server and remove its data."""
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _address(self, name: str) -> str:
        return f"postgresql://vada@127.0.0.1:{self.port}/{name}"

    def _run(self, program: str, *args: str) -> None:
        """Run one of its programs, as the user `postgres` when we are root, which it refuses to run as."""
        who: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(
            [str(self._bin / program), *args],
            check=True,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            cwd=self._folder,
            **who,
        )
