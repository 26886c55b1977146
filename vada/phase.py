"""What a phase is: what it takes and gives, how often it tries, and what it falls back on. The table of the README is
this, in code. A phase gets a `Turn` and returns a value; it never sees a database."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from vada import constraints
from vada.llm.base import LLM
from vada.models.debate import DebateConfig
from vada.models.outputs import Degraded, Dossier, Whisper
from vada.models.run import Round, Usage
from vada.models.vocabulary import PhaseName, Role
from vada.prompts import PromptBook, Shared


@dataclass(frozen=True)
class Fallback:
    """What a phase does when it cannot do its work. `message` is plain words for the page, formatted with `who`."""

    key: str
    message: str


@dataclass(frozen=True)
class Phase:
    """The declaration of a phase."""

    name: PhaseName
    takes: str
    gives: str
    retries: int = 0
    fallbacks: tuple[Fallback, ...] = ()

    def degraded(self, key: str, round_: int, *, role: Role | None = None, cause: str = "", who: str = "") -> Degraded:
        """The record of a fallback taken. Raises KeyError for a fallback the phase does not declare."""
        found = {f.key: f for f in self.fallbacks}[key]
        name = who or (role.title if role else "")
        return Degraded(
            phase=self.name, round=round_, key=key, role=role, cause=cause, message=found.message.format(who=name)
        )


NOTHING = Usage()


def _no_limit(_: int) -> str:
    return ""


@dataclass(frozen=True)
class Turn:
    """What every phase of one round works with."""

    config: DebateConfig
    round: int
    past: tuple[Round, ...]  # the finished rounds, oldest first
    llm: LLM
    prompts: PromptBook
    degrade: Callable[[Degraded], Awaitable[None]]
    whispers: tuple[Whisper, ...] = ()  # left at the last gate
    today: str = ""  # ISO date, for `review_by`
    defenders: int = 2  # how many agents may be asked to defend in a round
    spent: Usage = NOTHING  # so far, this debate's own calls
    minutes: float = 0.0  # of running time so far
    limit: Callable[[int], str] = _no_limit  # why a round should not be begun within the budget; empty when it may


def standing(turn: Turn, dossier: Dossier) -> Dossier:
    """A finished round's dossier with every change of a constraint that a person has accepted since."""
    block = constraints.block(turn.config.constraints, constraints.accepted(turn.past))
    return dossier.model_copy(update={"constraints_block": block, "constraints_sha": constraints.sha(block)})


def shared(turn: Turn, dossier: Dossier) -> Shared:
    """What every prompt of the dossier's round holds, byte for byte the same."""
    return turn.prompts.shared(
        turn.config,
        context=dossier.context,
        source=dossier.source,
        round=dossier.round,
        constraints_block=dossier.constraints_block,
    )
