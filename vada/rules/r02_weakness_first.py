"""Rule 2: Every agent names one weakness before it proposes."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName
from vada.rules.rule import Rule

STATEMENT = "Every agent names one weakness before it proposes."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Proposals without a weakness, or with it after the proposal."""
    return [
        Breach(
            rule=2,
            phase=PhaseName.PROPOSE,
            round=now.number,
            role=p.role,
            message=f"{p.role.title} did not name a weakness first.",
        )
        for p in (now.proposals.proposals if now.proposals else ())
        if not p.weakness.strip() or not p.weakness_first
    ]


RULE = Rule(2, "weakness_first", STATEMENT, check)
