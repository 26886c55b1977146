"""The one answer of one model that is asked once: the page it would begin a debate with, before anybody objects."""

from vada.llm.rehearsal import draft
from vada.llm.rehearsal.book import Stance
from vada.llm.rehearsal.case import Case
from vada.models.replies import BaselineReply


def once(case: Case) -> BaselineReply:
    """A first draft as the Optimizer who will not lead would write it, so that the two pages can be told apart."""
    held: dict[str, Stance] = {p.stance.key: p.stance for p in case.plot.positions(case.plot.other, 1)}
    for part, stance in case.plot.first.items():
        if part != "sixth":
            held.setdefault(case.plot.keys[part], stance)
    return BaselineReply(text=draft.write(case, case.plot.other, held, case.wire.cap(700)))
