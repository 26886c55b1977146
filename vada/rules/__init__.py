"""The eleven structural rules: each is text in the prompts and a pure check on the outputs. A breach never aborts a
debate: it is recorded, shown, and counted in the failure-mode matrix."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.rules import (
    r01_blind,
    r02_weakness_first,
    r03_steel_man,
    r04_veto,
    r05_registered,
    r06_minority,
    r07_evidence_first,
    r08_word_caps,
    r09_specific,
    r10_three_rounds,
    r11_constraints_kept,
)
from vada.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    r01_blind.RULE,
    r02_weakness_first.RULE,
    r03_steel_man.RULE,
    r04_veto.RULE,
    r05_registered.RULE,
    r06_minority.RULE,
    r07_evidence_first.RULE,
    r08_word_caps.RULE,
    r09_specific.RULE,
    r10_three_rounds.RULE,
    r11_constraints_kept.RULE,
)
"""All eleven, in order."""


def check(now: Round, config: DebateConfig) -> tuple[Breach, ...]:
    """Every breach of every rule in a round so far."""
    return tuple(b for rule in RULES for b in rule.check(now, config))
