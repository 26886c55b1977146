"""Consensus inertia: a decision stands because it stands."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.CONSENSUS_INERTIA,
    line="Wrong decisions solidify.",
    about=(
        "In public maths discussions a group that was wrong kept the same wrong answer in 54 % of cases (interval "
        "36 to 71 %). A decision may well stand against new evidence; what is shown is that it stood with a "
        "rationale that names no evidence."
    ),
    measured_by=(
        "Decided issues hit by a challenge or a contrary point with evidence not seen before: were they kept with "
        "a ruling that cites neither evidence nor a constraint? Also five challenges without a single one upheld, "
        "and decisions nobody looked at for two rounds."
    ),
    blind_spots=(
        "Whether the cited evidence answers the new one is not judged. The shares of 0.5 and the five challenges "
        "are choices."
    ),
    sources=(
        (
            "Liang et al. 2023, Encouraging Divergent Thinking through Multi-Agent Debate, arXiv:2305.19118 "
            "(degeneration of thought)"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (54 %; computed from them)",
    ),
    defended_in={
        PhaseName.PROPOSE: "P critique before proposal",
        PhaseName.CHALLENGE: "D decided items may be challenged",
        PhaseName.SYNTHESIZE: "P rulings carry reasons",
        PhaseName.VERIFY: "D sunsets",
        PhaseName.COMPRESS: "P decided apart from active",
        PhaseName.DECIDE: "D fork",
    },
)
