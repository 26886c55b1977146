"""No new signal: several masks of one model say the same thing, and a round adds nothing."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.NO_NEW_SIGNAL,
    line="One model, several masks: no diversity.",
    about=(
        "Openings of the same model on the same motion share more words (median 0.26) than those of different "
        "models (0.19) or of another topic (0.10); a panel of four of one model is told apart with recall 0.93 at "
        "15 % false alarms. So shared words alone are amber. A round in which nobody says a new point and nobody "
        "brings new evidence is an event."
    ),
    measured_by=(
        "Mean and closest pairwise word overlap of the blind proposals; share of two-word runs not heard before; "
        "points unlike all earlier points, plus new evidence; overlap of the cited domains."
    ),
    blind_spots=(
        "The cut-offs depend on length and template and come from policy debates: recalibrate on your own debates."
    ),
    sources=(
        "pradyuprasad, llms_overconfidence: 590 openings by ten models (the figures above were computed from them)",
        (
            "Kaesberg et al. 2025, Voting or Consensus? Decision-Making in Multi-Agent Debate, arXiv:2502.19130 "
            "(more rounds can hurt)"
        ),
    ),
    defended_in={
        PhaseName.PROPOSE: "P different models, methods and web searches",
        PhaseName.VERIFY: "D novelty",
        PhaseName.DECIDE: "D stop when nothing is new",
    },
)
