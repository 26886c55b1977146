"""Majority tyranny: a minority's confident point disappears without a ruling, right or wrong."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.MAJORITY_TYRANNY,
    line="Dissenters conform to the many, right or wrong.",
    about=(
        "When the plurality of 100 public maths discussions was wrong, a minority had the right answer in 10 of "
        "26 cases. So a confident minority point must be adopted, ruled on, or kept in the minority report; what "
        "is shown is a point that vanished without any of the three."
    ),
    measured_by=(
        "Points held by fewer than half of the agents that answer an issue, with a confidence of at least 0.60 "
        "and the run's median: is their id in the decisions' sources, the minority report, or a ruling with a "
        "reason? And if it is cited, does the synthesis say anything like it?"
    ),
    blind_spots=(
        "Ids can be cited falsely, hence the wording cross-check; agreement by paraphrase alone passes that check."
    ),
    sources=(
        (
            "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (10 of 26 wrong pluralities; computed "
            "from them)"
        ),
        (
            "pradyuprasad, llms_overconfidence: 2 000 stated confidences (median 0.65, upper quartile 0.75; "
            "computed from them)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P agents are blind",
        PhaseName.CHALLENGE: "P each challenge is ruled on alone",
        PhaseName.SYNTHESIZE: "P confidence and evidence decide, not counts",
        PhaseName.VERIFY: "D dropped points",
        PhaseName.COMPRESS: "P minority report",
        PhaseName.DECIDE: "D a person sees it",
    },
)
