"""Coordinator hedging: positions are averaged instead of decided."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.COORDINATOR_HEDGING,
    line="Averages positions instead of deciding.",
    about=(
        "A challenge left undecided and a split difference are events. Hedging words are only a hint: 9 % of "
        "ordinary public speeches pass the cut-offs, and calibrated uncertainty beside a decision is good "
        "practice."
    ),
    measured_by=(
        "Share of challenges left undecided; a numeric decision at the mean of proposals that lie far apart, "
        "equal to none and citing no evidence; hedges and non-committal phrases per thousand words of decisions "
        "and rulings."
    ),
    blind_spots=(
        "English word lists only. Most hedges planted in our own tests are of the same kind as the list, so their "
        "recall is an upper bound."
    ),
    sources=(
        "pradyuprasad, llms_overconfidence: 2 000 public speeches (hedge densities; computed from them)",
        "Hyland, hedges in research articles: about 14.5 per thousand words (cited after a secondary source)",
    ),
    defended_in={
        PhaseName.CHALLENGE: "P every challenge gets a verdict",
        PhaseName.SYNTHESIZE: "P rulings are an enum",
        PhaseName.VERIFY: "D undecided challenges, split differences",
        PhaseName.DECIDE: "D undecided items keep the debate open",
        PhaseName.FORMAT: "D decisiveness check",
    },
)
