"""Small things kept by name beside the debates: presets of the New debate page, and single values of the program."""

import json
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vada.store import chain
from vada.store.schema import meta, presets


def read_presets(c: Connection) -> dict[str, dict[str, Any]]:
    """Every preset, by name."""
    rows = c.execute(select(presets).order_by(presets.c.name))
    return {row.name: json.loads(row.data) for row in rows}


def save_preset(c: Connection, name: str, data: dict[str, Any]) -> None:
    """Keep a preset; one of the same name is replaced."""
    text = chain.canonical(data)
    if not c.execute(update(presets).where(presets.c.name == name).values(data=text)).rowcount:
        c.execute(insert(presets).values(name=name, data=text))


def delete_preset(c: Connection, name: str) -> None:
    """Forget a preset."""
    c.execute(delete(presets).where(presets.c.name == name))


def read_value(c: Connection, key: str) -> Any:
    """The value under a key, or None."""
    text = c.execute(select(meta.c.value).where(meta.c.key == key)).scalar()
    return None if text is None else json.loads(text)


def read_values(c: Connection, prefix: str) -> dict[str, Any]:
    """The values whose keys begin with a prefix, by key."""
    rows = c.execute(select(meta).where(meta.c.key.startswith(prefix, autoescape=True)).order_by(meta.c.key))
    return {row.key: json.loads(row.value) for row in rows}


def save_value(c: Connection, key: str, value: Any) -> None:
    """Keep a JSON value under a key."""
    text = chain.canonical(value)
    if not c.execute(update(meta).where(meta.c.key == key).values(value=text)).rowcount:
        c.execute(insert(meta).values(key=key, value=text))
