"""Rule 6: Overruled positions stay in the minority report."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role, Verdict, VetoVerdict
from vada.rules.rule import Rule

STATEMENT = "Overruled positions stay in the minority report."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Overruled challenges and vetoes that no minority entry keeps."""
    if now.synthesis is None:
        return []
    kept = {m.point for m in now.synthesis.minority}
    overruled = [r.challenge for r in now.synthesis.rulings if r.verdict is Verdict.OVERRULED]
    overruled += [v.veto for v in now.synthesis.veto_rulings if v.verdict is VetoVerdict.OVERRULED]
    return [
        Breach(
            rule=6,
            phase=PhaseName.SYNTHESIZE,
            round=now.number,
            role=Role.COORDINATOR,
            refs=(id_,),
            message="An overruled position is not in the minority report.",
        )
        for id_ in overruled
        if id_ not in kept
    ]


RULE = Rule(6, "minority", STATEMENT, check)
