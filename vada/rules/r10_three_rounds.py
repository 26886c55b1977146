"""Rule 10: At most 3 rounds; stop when the weighted score moves by less than 0.5 on the 0–10 scale."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import GateAction, PhaseName
from vada.rules.rule import Rule
from vada.scoring import MOVE

STATEMENT = "At most 3 rounds; stop when the weighted score moves by less than 0.5 on the 0–10 scale."

MOST = 3
"""Rounds."""


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """A fourth round, or a verdict to go on although the score stood still."""
    found = []
    if now.number > MOST:
        found.append(f"This is round {now.number}; a debate has at most {MOST}.")
    moved = now.verification.delta if now.verification else None
    if now.verdict and now.verdict.recommendation is GateAction.CONTINUE and moved is not None and abs(moved) < MOVE:
        found.append(f"The gate recommends another round although the score moved by only {moved:+.1f}.")
    return [Breach(rule=10, phase=PhaseName.DECIDE, round=now.number, message=m) for m in found]


RULE = Rule(10, "three_rounds", STATEMENT, check)
