"""A finding while it is made: opportunities, numbers, signals and catches are put in, the finding comes out.

Owns the order of states: occurred over caught over quiet, and not measurable whenever there was no opportunity.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.finding import (
    Catch,
    CellState,
    Finding,
    Kind,
    Level,
    Link,
    Mark,
    Mode,
    Number,
    Signal,
    State,
    level_of,
)
from vada.failure_modes.reading import Reading
from vada.models.run import Run
from vada.models.vocabulary import PhaseName


@dataclass
class Draft:
    """What a detector puts together for one round, or for the debate (`round` None)."""

    mode: Mode
    reading: Reading
    round: int | None
    opportunities: int = 0
    chances: dict[PhaseName, int] = field(default_factory=dict)
    missed: dict[PhaseName, list[Level]] = field(default_factory=dict)
    numbers: list[Number] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    catches: list[Catch] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tally: dict[str, int] = field(default_factory=dict)
    nothing: str = "There was nothing to measure."

    def chance(self, count: int, *phases: PhaseName) -> None:
        """Count opportunities, and that each of these phases' defences had that many chances."""
        self.opportunities += count
        for phase in phases:
            self.chances[phase] = self.chances.get(phase, 0) + count

    def person(self, n: int) -> tuple[PhaseName, ...]:
        """The gate as a defence by a person: only where one was asked."""
        return (PhaseName.DECIDE,) if self.reading.asked(n) else ()

    def number(self, name: str, value: float, cut: Cut | None = None, fires: str = ">=") -> None:
        """A measured number, held against a threshold in force; of several of one name the worst is kept."""
        held = self.reading.cut(cut) if cut else None
        origin = {"origin": held.origin, "version": held.version} if held else {}
        threshold = held.value if held else None
        keep_worst(
            self.numbers,
            Number(name=name, value=round(value, 4), threshold=threshold, fires=fires, cut=cut or "", **origin),
        )

    def count(self, name: str, more: int) -> None:
        """Keep a count that the debate's draft adds up over the rounds."""
        self.tally[name] = self.tally.get(name, 0) + more

    def signal(
        self,
        name: str,
        kind: Kind,
        level: Level,
        phase: PhaseName,
        sentence: str,
        links: Iterable[Link] = (),
        missed: Iterable[PhaseName] = (),
    ) -> None:
        """The mode occurred in `phase`; `missed` are the defences that should have stopped or seen it."""
        self.signals.append(
            Signal(name=name, kind=kind, level=level, phase=phase, sentence=sentence, links=tuple(links))
        )
        alone = level if kind is Kind.ID else Level.AMBER
        for p in missed:
            self.missed.setdefault(p, []).append(alone)

    def caught(self, phase: PhaseName, sentence: str, links: Iterable[Link] = ()) -> None:
        """The signal was in the raw material and `phase` neutralised it."""
        self.catches.append(Catch(phase=phase, sentence=sentence, links=tuple(links)))

    def finding(self, ran: frozenset[PhaseName]) -> Finding:
        """The finding; marks are kept for phases that have run."""
        state = self._state()
        level = level_of(self.signals) if state is State.OCCURRED else None
        links = [k for s in self.signals for k in s.links] or [k for c in self.catches for k in c.links]
        return Finding(
            mode=self.mode.mode,
            round=self.round,
            state=state,
            level=level,
            phase=self._phase(state),
            opportunities=self.opportunities,
            numbers=tuple(self.numbers),
            signals=tuple(self.signals),
            catches=tuple(self.catches),
            evidence=tuple(dict.fromkeys(links)),
            marks=tuple(self._marks(ran)) if self.opportunities else (),
            sentence=self._sentence(state),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _state(self) -> State:
        if self.opportunities == 0:
            return State.NOT_MEASURABLE
        if self.signals:
            return State.OCCURRED
        return State.CAUGHT if self.catches else State.QUIET

    def _phase(self, state: State) -> PhaseName | None:
        if state is State.OCCURRED:
            worst = sorted(self.signals, key=lambda s: s.level is not Level.RED)
            return worst[0].phase
        return self.catches[0].phase if state is State.CAUGHT else None

    def _sentence(self, state: State) -> str:
        if state is State.OCCURRED:
            return " ".join(dict.fromkeys(s.sentence for s in self.signals))
        if state is State.CAUGHT:
            return " ".join(dict.fromkeys(c.sentence for c in self.catches))
        if state is State.NOT_MEASURABLE:
            return self.nothing
        n = self.opportunities
        return f"{n} opportunit{'ies' if n != 1 else 'y'}, and no sign of it."

    def _marks(self, ran: frozenset[PhaseName]) -> Iterable[Mark]:
        fired: dict[PhaseName, int] = {}
        for c in self.catches:
            fired[c.phase] = fired.get(c.phase, 0) + 1
        all_levels = [x for levels in self.missed.values() for x in levels]
        together = level_of(self.signals) is Level.RED and Level.RED not in all_levels  # red only as two signals
        for phase in sorted({*self.chances, *self.missed, *fired} & ran):
            levels = [Level.RED if together else x for x in self.missed.get(phase, [])]
            count = max(self.chances.get(phase, 0), fired.get(phase, 0) + len(levels))
            if count == 0:
                continue
            yield Mark(
                phase=phase,
                state=CellState.MISSED if levels else CellState.FIRED if phase in fired else CellState.QUIET,
                chances=count,
                fired=fired.get(phase, 0),
                missed=len(levels),
                level=(Level.RED if Level.RED in levels else Level.AMBER) if levels else None,
            )


Read = Callable[[Draft, int], None]
"""Puts what a detector sees in round `n` into the draft of that round."""

Close = Callable[[Draft], None]
"""Puts what only the whole debate shows into the draft of the debate, in which all rounds have been merged."""


def finding(
    mode: Mode,
    run: Run | Reading,
    n: int | None,
    read: Read,
    close: Close | None = None,
    *,
    calibration: Calibration | None = None,
) -> Finding:
    """The finding of a mode in round `n`, or in the whole debate (None)."""
    reading = Reading.of(run, calibration)
    if n is not None:
        return _drafted(mode, reading, n, read).finding(reading.ran(n))
    whole = Draft(mode, reading, None)
    for m in reading.numbers:
        _merge(whole, _drafted(mode, reading, m, read))
    if close:
        close(whole)
    ran = frozenset().union(*(reading.ran(m) for m in reading.numbers))
    return whole.finding(ran | ({PhaseName.FORMAT} if reading.run.deliverable else frozenset()))


def _drafted(mode: Mode, reading: Reading, n: int, read: Read) -> Draft:
    draft = Draft(mode, reading, n)
    read(draft, n)
    return draft


def _merge(whole: Draft, part: Draft) -> None:
    """A round's draft into the debate's: everything is added, of a number the worst is kept."""
    whole.opportunities += part.opportunities
    for phase, count in part.chances.items():
        whole.chances[phase] = whole.chances.get(phase, 0) + count
    for phase, levels in part.missed.items():
        whole.missed.setdefault(phase, []).extend(levels)
    for name, more in part.tally.items():
        whole.count(name, more)
    whole.signals += part.signals
    whole.catches += part.catches
    whole.notes += part.notes
    whole.nothing = part.nothing
    for number in part.numbers:
        keep_worst(whole.numbers, number)


def keep_worst(numbers: list[Number], new: Number) -> None:
    """Add a number, or put it in the place of the one of its name if it is worse."""
    same = next((i for i, x in enumerate(numbers) if x.name == new.name), None)
    if same is None:
        numbers.append(new)
    elif new.value < numbers[same].value if new.fires == "<" else new.value > numbers[same].value:
        numbers[same] = new
