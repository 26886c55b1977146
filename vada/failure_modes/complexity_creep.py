"""Complexity creep: each round adds, none takes away."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.COMPLEXITY_CREEP,
    line="Each round adds, none takes away.",
    about=(
        "Unrestrained rebuttals in public debates grew to 1.48 times the opening, later rounds by 1.35 and 1.07 "
        "(medians). Growth is not a fault when the score rises with it. No judgement by people stands behind "
        "these cut-offs yet."
    ),
    measured_by=(
        "Words of the synthesis against the last round's; decisions, parameters and sections; what was taken out; "
        "the change of the weighted score."
    ),
    blind_spots="Length stands for complexity. A short text can be the more complicated one.",
    sources=("pradyuprasad, llms_overconfidence: public debates (growth medians; computed from them)",),
    defended_in={
        PhaseName.PROPOSE: "P Simplifier",
        PhaseName.CHALLENGE: "P the Simplifier's veto",
        PhaseName.SYNTHESIZE: "P vetoes are ruled on",
        PhaseName.VERIFY: "D growth against score",
        PhaseName.COMPRESS: "P the cap of 800 tokens",
        PhaseName.DECIDE: "D stop",
        PhaseName.FORMAT: "P the page's word cap",
    },
)
