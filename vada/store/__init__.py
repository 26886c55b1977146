"""The record of debates: the only SQL of our own. SQLite or PostgreSQL by URL, the same code.

`database` opens, migrates and runs transactions; the other modules are functions on a connection, one module a table
group (`debates`, `events`, `calls`, `gates`, `shelf`, `workers`), so that one transaction can span several. `bundle`
moves a debate between installations. Nothing here knows a model, a phase or the engine.
"""

from vada.store.database import Database
from vada.store.debates import DebateRow, Due
from vada.store.events import Draft, LostClaimError

__all__ = ["Database", "DebateRow", "Draft", "Due", "LostClaimError"]
