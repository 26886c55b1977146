"""Rule 5: Challenges are registered and ruled on one by one."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role
from vada.rules.rule import Rule

STATEMENT = "Challenges are registered and ruled on one by one."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Objections missing from the register, and challenges without a ruling."""
    register = now.challenges.challenges if now.challenges else ()
    challenger = now.proposals.of(Role.CHALLENGER) if now.proposals else None
    known = {c.objection for c in register}
    lost = [o for o in (challenger.objections if challenger and now.challenges else ()) if o.objection not in known]
    ruled = {r.challenge for r in now.synthesis.rulings} if now.synthesis else {c.id for c in register}
    return [
        Breach(
            rule=5,
            phase=PhaseName.CHALLENGE,
            round=now.number,
            message=f"An objection is not in the register: {o.objection}",
        )
        for o in lost
    ] + [
        Breach(
            rule=5,
            phase=PhaseName.SYNTHESIZE,
            round=now.number,
            role=Role.COORDINATOR,
            refs=(c.id,),
            message=f"Challenge {c.number} got no ruling.",
        )
        for c in register
        if c.id not in ruled
    ]


RULE = Rule(5, "registered", STATEMENT, check)
