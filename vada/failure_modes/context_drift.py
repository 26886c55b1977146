"""Context drift: constraints are forgotten and the question shifts."""

from vada.failure_modes.finding import Mode
from vada.models.vocabulary import FailureMode, PhaseName

MODE = Mode(
    mode=FailureMode.CONTEXT_DRIFT,
    line="Constraints are forgotten, meanings shift.",
    about=(
        "A broken constraint that nobody renegotiated, or a prompt without the verbatim constraints, is an event. "
        "Shared words between question and synthesis are only a hint: on public debates a low share separated a "
        "wholly foreign text (recall 1.00, false alarms 12 %) but a half-foreign one only in 27 %."
    ),
    measured_by=(
        "Constraint checks of the synthesis that failed and were not formally renegotiated; the hash of the "
        "constraints in every prompt of the round against the original; the share of the question's words that "
        "the synthesis still uses, and its fall since round 1."
    ),
    blind_spots=(
        "A constraint that code cannot check rests on the Verifier's word. Synonyms look like drift, and a text "
        "can keep the words and lose the meaning."
    ),
    sources=(
        (
            "Zhou et al. 2023, Instruction-Following Evaluation for Large Language Models (IFEval), "
            "arXiv:2311.07911 (constraints that code can check)"
        ),
        "Becker et al. 2025, Stay Focused: Problem Drift in Multi-Agent Debate, arXiv:2502.19559",
        "pradyuprasad, llms_overconfidence: public policy debates (the figures above were computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P constraints verbatim, anchor",
        PhaseName.PROPOSE: "P anchor",
        PhaseName.CHALLENGE: "P anchor",
        PhaseName.SYNTHESIZE: "P anchor; a constraint is renegotiated formally",
        PhaseName.VERIFY: "D constraint checks",
        PhaseName.COMPRESS: "P constraints are never cut",
        PhaseName.FORMAT: "D constraint audit",
    },
)
