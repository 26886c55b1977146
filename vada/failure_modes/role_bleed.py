"""Role bleed: roles melt into one voice."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.ROLE_BLEED,
    line="Roles melt into one voice.",
    about=(
        "In 200 public translation debates the side meant to disagree conceded in 21 % of its first turns and 62 "
        "% by the fourth. Agents that leave their role are a known failure of multi-agent systems (MAST, FM-1.2)."
    ),
    measured_by=(
        "Role checks on every turn: the Challenger objects and steel-mans in its target's own terms, a weakness "
        "comes before the proposal, the Simplifier takes out at least as much as it adds, the Coordinator says "
        "nothing no proposal said, the Verifier scores every dimension and invents no point."
    ),
    blind_spots=(
        "15 words, 30 %, 10 % and the similarity of 50 are choices. A role played badly but formally right passes."
    ),
    sources=(
        "Cemri et al. 2025, Why Do Multi-Agent LLM Systems Fail? (MAST), arXiv:2503.13657, failure FM-1.2",
        "Skytliang, Multi-Agents-Debate: 200 public CommonMT debates (21 to 62 %; computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P role instruction, horizon, anchor",
        PhaseName.PROPOSE: "D role checks, retry",
        PhaseName.CHALLENGE: "D steel man present",
        PhaseName.SYNTHESIZE: "D no orphan claims",
        PhaseName.VERIFY: "D the Verifier adds nothing",
    },
)
