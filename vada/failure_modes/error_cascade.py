"""Error cascade: a fault that was found, or never checked, is built upon."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.ERROR_CASCADE,
    line="An unchecked error is built upon.",
    about=(
        "Errors amplify 17.2x in independent multi-agent systems, where nobody checks, against 4.4x with a "
        "central coordinator (Kim et al. 2025, first version). An uncorrected error normally survives: a wrong "
        "plurality was still there a round later in 23 of 26 public discussions (88 %). So a fault that stands "
        "two rounds after it was flagged means that the defence failed."
    ),
    measured_by=(
        "Every fault the Verifier flags has a fingerprint. Counted are the rounds it stands after it was flagged, "
        "the decisions that rest on it now against then, and numbers of the synthesis that stand in no proposal, "
        "evidence or constraint."
    ),
    blind_spots=(
        "An error nobody flags is not seen: only the process is measured, never correctness. Derived sums count "
        "as unsourced numbers."
    ),
    sources=(
        (
            "Kim et al. 2025, Towards a Science of Scaling Agent Systems, arXiv:2512.08296 (later versions drop "
            "the figure)"
        ),
        "HKUST-KnowComp, LLM-discussion: 100 public GSM8K discussions (23 of 26; computed from them)",
    ),
    defended_in={
        PhaseName.PROPOSE: "P independent proposals",
        PhaseName.CHALLENGE: "D objections",
        PhaseName.VERIFY: "D errors are tracked by id until they are gone",
        PhaseName.DECIDE: "D a person sees it",
        PhaseName.FORMAT: "D blind audit",
    },
)
