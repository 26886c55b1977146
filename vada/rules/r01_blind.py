"""Rule 1: Agents are blind: none sees another's text of the same round before it has proposed."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName
from vada.rules.rule import Rule

STATEMENT = "Agents are blind: none sees another's text of the same round before it has proposed."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Every run of eight words of another agent's same-round text in a proposal prompt."""
    return [
        Breach(
            rule=1,
            phase=PhaseName.PROPOSE,
            round=now.number,
            message=f"{leak.slot} held words of {leak.source.title}: “{leak.words}”",
        )
        for leak in (now.proposals.leaks if now.proposals else ())
    ]


RULE = Rule(1, "blind", STATEMENT, check)
