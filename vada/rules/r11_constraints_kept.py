"""Rule 11: A constraint is renegotiated formally or kept; it is never dropped silently."""

from vada.constraints import renegotiated
from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import Holds, PhaseName
from vada.rules.rule import Rule

STATEMENT = "A constraint is renegotiated formally or kept; it is never dropped silently."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Constraints the Verifier finds broken that nobody put up for renegotiation."""
    if now.verification is None or now.synthesis is None:
        return []
    asked = {r.constraint for r in now.synthesis.renegotiations}
    asked |= renegotiated(now.dossier.constraints_block) if now.dossier else set()
    return [
        Breach(
            rule=11,
            phase=PhaseName.VERIFY,
            round=now.number,
            refs=(c.constraint,),
            message=f"{c.constraint} is broken and not up for renegotiation: {c.reason}",
        )
        for c in now.verification.constraint_checks
        if c.holds is Holds.NO and c.constraint not in asked
    ]


RULE = Rule(11, "constraints_kept", STATEMENT, check)
