"""Rule 9: Be specific: numbers, measures, specifications."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName
from vada.rules.rule import Rule

STATEMENT = "Be specific: numbers, measures, specifications."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Proposals without a single number."""
    return [
        Breach(
            rule=9,
            phase=PhaseName.PROPOSE,
            round=now.number,
            role=p.role,
            message=f"{p.role.title} gave no number, measure or specification.",
        )
        for p in (now.proposals.proposals if now.proposals else ())
        if not any(
            ch.isdigit()
            for ch in " ".join((p.text, p.draft, *(x.claim for x in p.points), *(o.objection for o in p.objections)))
        )
    ]


RULE = Rule(9, "specific", STATEMENT, check)
