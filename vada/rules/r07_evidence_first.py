"""Rule 7: The Coordinator weighs confidence and evidence, not rhetoric."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role, Verdict
from vada.rules.rule import Rule

STATEMENT = "The Coordinator weighs confidence and evidence, not rhetoric."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Rulings for or against a challenge that give no reason or cite nothing."""
    return [
        Breach(
            rule=7,
            phase=PhaseName.SYNTHESIZE,
            round=now.number,
            role=Role.COORDINATOR,
            refs=(r.challenge,),
            message="A ruling cites no point, evidence or constraint.",
        )
        for r in (now.synthesis.rulings if now.synthesis else ())
        if r.verdict is not Verdict.UNDECIDED and (not r.reason.strip() or not r.cites)
    ]


RULE = Rule(7, "evidence_first", STATEMENT, check)
