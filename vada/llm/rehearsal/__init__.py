"""The offline engine: debates without a key and without a model, answered by rules and a seed from the person's words.

It speaks the Messages protocol as a transport under the real SDK; the pages and exports label whatever it writes.
"""

from vada.llm.rehearsal.engine import Rehearsal
from vada.llm.rehearsal.transport import RehearsalTransport

__all__ = ["Rehearsal", "RehearsalTransport"]
