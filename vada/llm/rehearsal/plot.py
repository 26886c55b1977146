"""What happens in a debate, by its dice: who holds what, who is attacked, who gives in, what goes wrong.

Every call works this out anew from the same words, so that agents who never meet play the same piece. What the wire
shows always comes before it.
"""

from dataclasses import dataclass
from typing import Literal

from vada.llm.rehearsal.book import ANSWER, TRIGGER, Book, Stance
from vada.llm.rehearsal.dice import Dice
from vada.models.vocabulary import OPTIMIZERS, Role

Part = Literal["answer", "second", "third", "fourth", "fifth", "sixth"]
Mode = Literal["claim", "refine", "dissent", "adopt"]
Fault = Literal["hedge", "vague", "number", "straw"]


@dataclass(frozen=True)
class Position:
    """What a role says on one issue in one round, and how: anew, further, against the decision, or having moved."""

    part: Part
    stance: Stance
    mode: Mode


@dataclass(frozen=True)
class Plot:
    """One debate's course. The lead's answer (`first`) prevails over the other Optimizer's (`rival`)."""

    lead: Role
    other: Role
    keys: dict[Part, str]
    first: dict[Part, Stance]
    rival: dict[Part, Stance]
    third_view: Stance  # the Challenger's own answer
    drops: bool  # the Coordinator loses a point of the Challenger in round 1
    forks: bool  # two firm stances meet on an open issue in round 1
    converges: bool  # the objection to the other Optimizer's answer is upheld, and it comes round
    renegotiates: bool
    last_partial: bool  # the last challenge is upheld in part
    faults: tuple[Fault, ...]  # planted in the conclusion

    def positions(self, role: Role, round_: int) -> tuple[Position, ...]:
        """What a role argues in a round, the answer first."""
        table = {
            self.lead: _LEAD,
            self.other: _OTHER,
            Role.CHALLENGER: _CHALLENGER,
            Role.SIMPLIFIER: _SIMPLIFIER,
        }.get(role, ())
        lines = table[min(round_, len(table)) - 1] if table else ()
        found = [Position(part, self._stance(part, side), mode) for part, side, mode in lines]
        if role is Role.CHALLENGER and round_ == 1 and self.drops:
            found.append(Position("sixth", self.first["sixth"], "claim"))
        if role is self.other and round_ > 1 and self.converges:
            found[0] = Position("answer", self.first["answer"], "adopt" if round_ == 2 else "refine")
        return tuple(found)

    def _stance(self, part: Part, side: str) -> Stance:
        if side == "own":
            return self.third_view
        return self.first[part] if side == "first" else self.rival[part]

    def attacked(self, round_: int) -> tuple[tuple[Part, Stance], ...]:
        """What the Challenger attacks in a round, the strongest objection first."""
        match min(round_, 3):
            case 1:
                return (("answer", self.rival["answer"]), ("second", self.rival["second"]))
            case 2:
                return (("third", self.first["third"]), ("fourth", self.first["fourth"]))
            case _:
                return (("fifth", self.first["fifth"]),)

    def vetoed(self, round_: int) -> Part:
        """The part whose detail the Simplifier vetoes in a round."""
        parts: tuple[Part, ...] = ("fifth", "fourth", "second")
        return parts[min(round_, 3) - 1]

    def winner(self, key: str, round_: int) -> Stance | None:
        """Which stance prevails on an issue in a round; None for an issue that is not in the piece."""
        part = next((p for p, k in self.keys.items() if k == key), None)
        if part is None:
            return None
        return self.rival[part] if part == "third" and round_ > 1 else self.first[part]

    def open_in(self, key: str, round_: int) -> bool:
        """Whether an issue stays open after a round."""
        return (round_ == 1 and key == self.keys["fourth"]) or (round_ == 2 and key == self.keys["sixth"])


_Line = tuple[tuple[Part, str, Mode], ...]
_LEAD: tuple[_Line, ...] = (
    (("answer", "first", "claim"), ("third", "first", "claim"), ("fifth", "first", "claim")),
    (("answer", "first", "refine"), ("third", "first", "refine"), ("fifth", "first", "refine")),
    (("answer", "first", "refine"), ("third", "rival", "adopt"), ("fifth", "first", "refine")),
)
_OTHER: tuple[_Line, ...] = (
    (("answer", "rival", "claim"), ("second", "rival", "claim"), ("fourth", "first", "claim")),
    (
        ("answer", "rival", "dissent"),
        ("second", "first", "adopt"),
        ("fourth", "first", "refine"),
        ("sixth", "first", "claim"),
    ),
    (("answer", "rival", "dissent"), ("fourth", "first", "refine"), ("sixth", "first", "refine")),
)
_CHALLENGER: tuple[_Line, ...] = (
    (("answer", "own", "claim"), ("second", "first", "claim"), ("fourth", "rival", "claim")),
    (("answer", "own", "dissent"), ("third", "rival", "claim")),
    (("answer", "own", "dissent"), ("fifth", "rival", "claim")),
)
_SIMPLIFIER: tuple[_Line, ...] = (
    (("answer", "first", "claim"), ("fourth", "first", "claim")),
    (("answer", "first", "refine"), ("second", "first", "refine")),
    (("answer", "first", "refine"), ("third", "rival", "refine")),
)


def plot(book: Book, dice: Dice) -> Plot:
    """The course of the debate that these dice give."""
    lead, other = OPTIMIZERS if dice.chance("lead", 0.5) else OPTIMIZERS[::-1]
    keys = _keys(book, dice)
    first, rival = {}, {}
    for part, key in keys.items():
        stances = book.issues[key].stances
        swap = len(stances) > 1 and part != "sixth" and dice.chance(f"swap {key}", 0.5)
        first[part], rival[part] = (
            (stances[1], stances[0]) if swap else (stances[0], stances[-1 if key != ANSWER else 1])
        )
    converges = dice.chance("converges", 0.5)
    return Plot(
        lead=lead,
        other=other,
        keys=keys,
        first=first,
        rival=rival,
        third_view=book.issues[ANSWER].stances[-1],
        drops=dice.chance("drops", 0.4),
        forks=dice.chance("forks", 0.1),
        converges=converges,
        renegotiates=dice.chance("renegotiates", 0.5),
        last_partial=converges or dice.chance("last partial", 0.4),
        faults=_faults(dice),
    )


def _keys(book: Book, dice: Dice) -> dict[Part, str]:
    """Which issue plays which part. What would reverse the answer is always among them."""
    *pool, late = book.keys
    pool.sort(key=lambda key: dice.share(f"order {key}"))
    chosen = pool[:4]
    if TRIGGER not in chosen:
        chosen[dice.below("trigger", 4)] = TRIGGER
    parts: tuple[Part, ...] = ("second", "third", "fourth", "fifth")
    return {"answer": ANSWER, **dict(zip(parts, chosen, strict=True)), "sixth": late}


def _faults(dice: Dice) -> tuple[Fault, ...]:
    """The faults the Blind Critic will find: none in just under half of all debates, two in one of ten."""
    drawn = dice.share("faults")
    if drawn < 0.1:
        return ("vague", "number")
    if drawn < 0.52:
        return (dice.pick("fault", ("vague", "number", "straw", "hedge", "vague", "number")),)
    return ()
