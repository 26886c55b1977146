"""Rule 3: The Challenger states the strongest case for what it attacks before it objects."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role
from vada.rules.rule import Rule
from vada.tokens import words

STATEMENT = "The Challenger states the strongest case for what it attacks before it objects."

SHORTEST = 15
"""Words. [default]"""


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Challenges whose steel man is missing, shorter than 15 words [default], or the objection over again."""
    return [
        Breach(
            rule=3,
            phase=PhaseName.CHALLENGE,
            round=now.number,
            role=Role.CHALLENGER,
            refs=(c.id,),
            message=f"Challenge {c.number} has no steel man of {SHORTEST} words or more.",
        )
        for c in (now.challenges.challenges if now.challenges else ())
        if words(c.steel_man) < SHORTEST or c.steel_man.strip() == c.objection.strip()
    ]


RULE = Rule(3, "steel_man", STATEMENT, check)
