"""The record as each released version wrote it: a rehearsed debate that waits at its first gate, every table as rows.

`python -m tests.store.released` writes the file of the present schema; a file is never written again after its release.
"""

import gzip
import json
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, table
from sqlalchemy import column as column_

Rows = dict[str, list[dict[str, Any]]]

FOLDER = Path(__file__).parent


def files() -> list[Path]:
    """One file for each schema that was released, oldest first."""
    return sorted(FOLDER.glob("*.json.gz"))


def revision_of(file: Path) -> str:
    """The migration that a file's rows fit."""
    return file.name.partition(".")[0]


def read(file: Path) -> Rows:
    """The rows of each table, tables in an order in which they can be written."""
    found: Rows = json.loads(gzip.decompress(file.read_bytes()))
    return found


def enter(c: Connection, rows: Rows) -> None:
    """Write rows with the columns they had, whatever the tables are called today."""
    for name, values in rows.items():
        if values:
            c.execute(insert(table(name, *(column_(n) for n in values[0]))), values)
