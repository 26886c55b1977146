"""Bluster: a confident claim without evidence wins over a calmer one that has some."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.BLUSTER_EFFECT,
    line="Vivid and wrong beats calm and right.",
    about=(
        "An unanswered confident advocate misleads; two-sided challenge with evidence reverses it (Khan 2024; "
        "Kraidia 2026). In public policy debates 15 % of claims were held with 0.75 or more and no evidence, 7 % "
        "with 0.85 or more; the most assertive speeches did not win more often (42 % against 53 %, suggestive "
        "only). So assertive words count as colour, and the event is an unsupported confident point that wins "
        "over a supported one."
    ),
    measured_by=(
        "Points with confidence of 0.75 or more and no evidence that were taken up unchallenged; issues won by "
        "such a point over a rival with evidence and lower confidence; confidence rising by 10 points in a round "
        "without new evidence."
    ),
    blind_spots=(
        "The number of sources is not their quality; a made-up source counts unless a search or the material shows it."
    ),
    sources=(
        "Khan et al. 2024, Debating with More Persuasive LLMs Leads to More Truthful Answers, arXiv:2402.06782",
        "Kraidia 2026 (cited after a secondary source)",
        (
            "pradyuprasad, llms_overconfidence: public debates with private bets (the figures above were "
            "computed from them)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P word caps, a confidence for every claim",
        PhaseName.CHALLENGE: "D evidence is asked for",
        PhaseName.SYNTHESIZE: "P authors are anonymous and shuffled",
        PhaseName.VERIFY: "D evidence check",
        PhaseName.FORMAT: "P rhetoric is stripped",
    },
)
