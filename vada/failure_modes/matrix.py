"""The measured matrix: eleven modes by eight phases, each cell what the phase's defence did in this debate."""

from collections.abc import Iterable, Sequence

from vada.failure_modes.finding import Cell, CellState, Finding, Mark, Mode
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName


def matrix(modes: Iterable[Mode], findings: Sequence[Finding], round: int | None = None) -> tuple[Cell, ...]:
    """The 88 cells of a round, or of the whole debate (None), by mode, then phase."""
    of = {f.mode: f for f in findings if f.round == round}
    return tuple(_cell(mode, phase, of.get(mode.mode)) for mode in modes for phase in EIGHT_PHASES)


def _cell(mode: Mode, phase: PhaseName, finding: Finding | None) -> Cell:
    mark = next((m for m in finding.marks if m.phase is phase), None) if finding else None
    given = {"mode": mode.mode, "phase": phase, "defence": mode.defended_in.get(phase, "")}
    if finding is None or mark is None:
        return Cell(**given, state=CellState.NO_CHANCE)
    return Cell(
        **given,
        state=mark.state,
        fired=mark.fired,
        missed=mark.missed,
        chances=mark.chances,
        level=mark.level,
        sentence=_sentence(finding, mark),
    )


def _sentence(finding: Finding, mark: Mark) -> str:
    """What the cell rests on, in plain words."""
    if mark.state is CellState.MISSED:
        return finding.sentence
    fired = [c.sentence for c in finding.catches if c.phase is mark.phase]
    if fired:
        return " ".join(dict.fromkeys(fired))
    return f"{mark.chances} chance{'s' if mark.chances != 1 else ''}, and nothing to do."


def by_mode(findings: Iterable[Finding], round: int | None = None) -> dict[FailureMode, Finding]:
    """The findings of a round, or of the whole debate (None), by mode."""
    return {f.mode: f for f in findings if f.round == round}
