"""The one answer of one model that is asked once: the page it would begin a debate with, before anybody objects."""

from vada.llm.rehearsal import draft
from vada.llm.rehearsal.book import Stance
from vada.llm.rehearsal.case import Case
from vada.models.replies import BaselineReply
from vada.models.vocabulary import Role


def once(case: Case) -> BaselineReply:
    """The draft of the first round's Optimizer A, with the issues it does not raise settled as they first come up."""
    held: dict[str, Stance] = {p.stance.key: p.stance for p in case.plot.positions(Role.OPTIMIZER_A, 1)}
    for part, stance in case.plot.first.items():
        if part != "sixth":
            held.setdefault(case.plot.keys[part], stance)
    return BaselineReply(text=draft.write(case, Role.OPTIMIZER_A, held, case.wire.cap(700)))
