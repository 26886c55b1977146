"""Every closed list, once. Pages, prompts, store and tests take their words from here."""

from enum import StrEnum


class PhaseName(StrEnum):
    """The eight phases and the blind audit; the value is the module, prompt folder, store key and page anchor."""

    PREPARE = "p1_prepare"
    PROPOSE = "p2_propose"
    CHALLENGE = "p3_challenge"
    SYNTHESIZE = "p4_synthesize"
    VERIFY = "p5_verify"
    COMPRESS = "p6_compress"
    DECIDE = "p7_decide"
    FORMAT = "p8_format"
    AUDIT = "p9_audit"

    @property
    def title(self) -> str:  # type: ignore[override]  # a word of ours, not str.title
        """The word a person reads."""
        return self.value.split("_", 1)[1].capitalize()


EIGHT_PHASES: tuple[PhaseName, ...] = tuple(p for p in PhaseName if p is not PhaseName.AUDIT)
"""The columns of the coverage matrix; the audit counts as part of phase 8."""


class Role(StrEnum):
    """Who speaks. Four debate, three serve, the Critic only audits."""

    OPTIMIZER_A = "optimizer_a"
    OPTIMIZER_B = "optimizer_b"
    CHALLENGER = "challenger"
    SIMPLIFIER = "simplifier"
    COORDINATOR = "coordinator"
    VERIFIER = "verifier"
    FORMATTER = "formatter"
    CRITIC = "critic"

    @property
    def title(self) -> str:  # type: ignore[override]  # a word of ours, not str.title
        """The word a person reads, for example `Optimizer A` or `Blind Critic`."""
        return {"optimizer_a": "Optimizer A", "optimizer_b": "Optimizer B", "critic": "Blind Critic"}.get(
            self.value, self.value.capitalize()
        )


DEBATERS: tuple[Role, ...] = (Role.OPTIMIZER_A, Role.OPTIMIZER_B, Role.CHALLENGER, Role.SIMPLIFIER)
OPTIMIZERS: tuple[Role, ...] = (Role.OPTIMIZER_A, Role.OPTIMIZER_B)


class FailureMode(StrEnum):
    """The eleven ways a debate goes wrong; the value is the module in `vada.failure_modes`."""

    SYCOPHANCY = "sycophancy"
    MAJORITY_TYRANNY = "majority_tyranny"
    BLUSTER_EFFECT = "bluster_effect"
    ERROR_CASCADE = "error_cascade"
    CONTEXT_DRIFT = "context_drift"
    CONSENSUS_INERTIA = "consensus_inertia"
    NO_NEW_SIGNAL = "no_new_signal"
    ROLE_BLEED = "role_bleed"
    COMPLEXITY_CREEP = "complexity_creep"
    DECISION_OSCILLATION = "decision_oscillation"
    COORDINATOR_HEDGING = "coordinator_hedging"

    @property
    def title(self) -> str:  # type: ignore[override]  # a word of ours, not str.title
        """The words a person reads, for example `Majority Tyranny`."""
        return self.value.replace("_", " ").title()


class DebateState(StrEnum):
    """Where a debate stands. The last five are end states."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    CLEAN = "clean"
    REVISED = "revised"
    UNCONVERGED = "unconverged"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing more will run."""
        return self not in (DebateState.QUEUED, DebateState.RUNNING, DebateState.WAITING)


class GateMode(StrEnum):
    """When the Decision Gate waits for a person."""

    EVERY = "every"
    TROUBLE = "trouble"
    AUTOPILOT = "autopilot"


class GateAction(StrEnum):
    """What the gate recommends (`wait` included) and what a person or autopilot decides (never `wait`)."""

    CONTINUE = "continue"
    FORK = "fork"
    STOP = "stop"
    WAIT = "wait"


class Verdict(StrEnum):
    """A ruling on a challenge."""

    UPHELD = "upheld"
    PARTIAL = "partial"
    OVERRULED = "overruled"
    UNDECIDED = "undecided"

    @property
    def title(self) -> str:  # type: ignore[override]  # words of ours, not str.title
        """The words a person reads: what became of the objection."""
        return {
            "upheld": "Objection upheld",
            "partial": "Objection upheld in part",
            "overruled": "Objection rejected",
            "undecided": "Undecided",
        }[self.value]


class VetoVerdict(StrEnum):
    """A ruling on a veto; it stands unless overruled with a constraint or evidence."""

    STANDS = "stands"
    OVERRULED = "overruled"

    @property
    def title(self) -> str:  # type: ignore[override]  # words of ours, not str.title
        """The words a person reads."""
        return {"stands": "Veto stands", "overruled": "Veto overruled"}[self.value]


class DefenceVerdict(StrEnum):
    """How the challenged agent answers."""

    DEFEND = "defend"
    CONCEDE = "concede"


class ChallengeStatus(StrEnum):
    """What became of a challenge before the Coordinator ruled."""

    DEFENDED = "defended"
    CONCEDED = "conceded"
    UNDEFENDED = "undefended"


class DecisionStatus(StrEnum):
    """Whether the Coordinator locked a decision or left it open."""

    DECIDED = "decided"
    ACTIVE = "active"


class PointFate(StrEnum):
    """What the synthesis did with a proposal's point (`raw_vs_synthesis`)."""

    KEPT = "kept"
    MERGED = "merged"
    OVERRULED = "overruled"
    DROPPED = "dropped"


class ErrorKind(StrEnum):
    """What kind of fault the Verifier found."""

    WRONG = "wrong"
    UNSUPPORTED_NUMBER = "unsupported_number"
    CONTRADICTION = "contradiction"
    NOT_ACTIONABLE = "not_actionable"
    UNCLEAR = "unclear"


class Holds(StrEnum):
    """Whether a constraint is kept."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


class Trajectory(StrEnum):
    """Direction of the weighted score, computed by code from its change."""

    FIRST = "first"
    RISING = "rising"
    FLAT = "flat"
    FALLING = "falling"


class AmendmentKind(StrEnum):
    """What an amendment does to the base draft."""

    CORRECTION = "correction"
    CAVEAT = "caveat"
    FIRST_STEP = "first_step"
    TRIGGER = "trigger"
    DELETION = "deletion"


class AuditVerdict(StrEnum):
    """The Blind Critic's answer; anything unclear counts as a flag."""

    PASS = "pass"
    FLAG = "flag"


class ConclusionField(StrEnum):
    """The fields of the conclusion that the Blind Critic may flag and the Coordinator may fix."""

    RECOMMENDATION = "recommendation"
    KEY_CONDITION = "key_condition"
    CAVEATS = "caveats"
    CONDITIONAL_BRANCHES = "conditional_branches"
    UNRESOLVED_POINTS = "unresolved_points"
    REVIEW_BY = "review_by"


class CheckKind(StrEnum):
    """Kinds of constraint that code can check."""

    MAX_WORDS = "max_words"
    MIN_WORDS = "min_words"
    MUST_INCLUDE = "must_include"
    MUST_NOT = "must_not"
    NUMBER_RANGE = "number_range"
    FORMAT = "format"
    COUNT = "count"


class Method(StrEnum):
    """A way of reasoning, given out so that one model family does not repeat itself in every seat."""

    FIRST_PRINCIPLES = "first_principles"
    PRECEDENT = "precedent"
    FAILURE_ANALYSIS = "failure_analysis"
    SIMPLIFICATION = "simplification"


METHODS: dict[Role, Method] = {
    Role.OPTIMIZER_A: Method.FIRST_PRINCIPLES,
    Role.OPTIMIZER_B: Method.PRECEDENT,
    Role.CHALLENGER: Method.FAILURE_ANALYSIS,
    Role.SIMPLIFIER: Method.SIMPLIFICATION,
}
"""Who reasons how when one family of models fills every seat."""
