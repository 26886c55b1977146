"""What code must know of a role's calls: which tasks there are, and which word cap a call has.

Never holds wording for a model; that is `prompts/roles/`.
"""

from typing import Final, Literal, get_args

from vada.models.debate import Caps
from vada.models.vocabulary import Role

Horizon = Literal["propose", "defend", "synthesize", "verify", "compress", "format", "revise"]
"""The task of a call; the Blind Critic's audit has none."""

HORIZONS: Final[tuple[Horizon, ...]] = get_args(Horizon)


def cap_for(role: Role, horizon: Horizon, caps: Caps) -> int:
    """The word cap (words) that a call's anchor names; an Optimizer's draft has `caps.draft` beside it.

    Raises KeyError for a role that does not propose.
    """
    match horizon:
        case "propose":
            return {
                Role.OPTIMIZER_A: caps.claims,
                Role.OPTIMIZER_B: caps.claims,
                Role.CHALLENGER: caps.challenger,
                Role.SIMPLIFIER: caps.simplifier,
            }[role]
        case "defend":
            return caps.defence
        case "synthesize" | "compress":
            return caps.synthesis
        case "verify":
            return caps.verification
        case "format":
            return caps.deliverable
        case "revise":
            return caps.recommendation
