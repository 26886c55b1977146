"""Rule 8: Every agent keeps its word cap; words are counted."""

from vada.models.debate import DebateConfig
from vada.models.outputs import Breach
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role
from vada.rules.rule import Rule
from vada.tokens import words

STATEMENT = "Every agent keeps its word cap; words are counted."


def check(now: Round, config: DebateConfig) -> list[Breach]:
    """Outputs over their cap, with both figures."""
    caps, found = config.caps, []
    for p in now.proposals.proposals if now.proposals else ():
        cap = now.dossier.caps.get(p.role) if now.dossier else None
        if cap and p.words > cap:
            found.append((PhaseName.PROPOSE, p.role, p.words, cap, "proposal"))
        if p.draft_words > caps.draft:
            found.append((PhaseName.PROPOSE, p.role, p.draft_words, caps.draft, "draft"))
    for c in now.challenges.challenges if now.challenges else ():
        found += [
            (PhaseName.CHALLENGE, d.role, words(d.reason), caps.defence, "defence")
            for d in c.defences
            if words(d.reason) > caps.defence
        ]
    if now.synthesis and (n := words(now.synthesis.conclusion.recommendation)) > caps.recommendation:
        found.append((PhaseName.SYNTHESIZE, Role.COORDINATOR, n, caps.recommendation, "recommendation"))
    if now.synthesis and now.synthesis.words > caps.synthesis:
        found.append((PhaseName.SYNTHESIZE, Role.COORDINATOR, now.synthesis.words, caps.synthesis, "synthesis"))
    if now.verification and now.verification.words > caps.verification:
        found.append((PhaseName.VERIFY, Role.VERIFIER, now.verification.words, caps.verification, "verification"))
    return [
        Breach(
            rule=8,
            phase=phase,
            round=now.number,
            role=role,
            message=f"The {what} of {role.title} has {n} words; its cap is {cap}.",
        )
        for phase, role, n, cap, what in found
    ]


RULE = Rule(8, "word_caps", STATEMENT, check)
