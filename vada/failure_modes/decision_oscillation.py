"""Decision oscillation: a round undoes the one before."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.DECISION_OSCILLATION,
    line="Round N undoes round N-1.",
    about=(
        "Rare in public discussions: 1.2 % of agents and none of 100 groups went back to an earlier answer. So a "
        "single return is news. A change with new evidence or an upheld challenge is no oscillation."
    ),
    measured_by=(
        "A decided issue whose position changed without new evidence and without an upheld challenge; a position "
        "that left and came back (A, B, A). Numbers are compared with a tolerance of 5 %, texts from a similarity "
        "of 90 on."
    ),
    blind_spots="A renamed issue escapes: positions are followed by their key.",
    sources=(
        (
            "Hong et al. 2025, Measuring Sycophancy of Language Models in Multi-turn Dialogues (SYCON Bench, "
            "number of flips), arXiv:2505.23840"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (7 of 577 agents; computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P decided items are locked",
        PhaseName.CHALLENGE: "P a reopening needs a reason",
        PhaseName.SYNTHESIZE: "P a change names its reason",
        PhaseName.VERIFY: "D diff to the last round",
        PhaseName.COMPRESS: "P decided list",
        PhaseName.DECIDE: "D stance hashes",
    },
)
