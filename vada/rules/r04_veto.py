"""Rule 4: A Simplifier's veto stands unless the Coordinator overrules it naming a constraint or evidence."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role, VetoVerdict
from vada.rules.rule import Rule

STATEMENT = "A Simplifier's veto stands unless the Coordinator overrules it naming a constraint or evidence."

UNGROUNDED = "(The overruling named no constraint and no evidence, so the veto stands.)"
"""What phase 4 adds to such a ruling."""


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Vetoes overruled without a constraint or evidence."""
    return [
        Breach(
            rule=4,
            phase=PhaseName.SYNTHESIZE,
            round=now.number,
            role=Role.COORDINATOR,
            refs=(v.veto,),
            message="A veto was overruled without naming a constraint or evidence; it stands.",
        )
        for v in (now.synthesis.veto_rulings if now.synthesis else ())
        if UNGROUNDED in v.reason
        or (v.verdict is VetoVerdict.OVERRULED and not any(c.startswith(("C", "e-")) for c in v.cites))
    ]


RULE = Rule(4, "veto", STATEMENT, check)
