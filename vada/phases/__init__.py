"""The shape of a debate: eight phases and the blind audit, one module each. `vada.play` plays them in order.

    round 1…3:  p1_prepare → p2_propose ⇢ p3_challenge → p4_synthesize → p5_verify → p6_compress → p7_decide
    ending:     p8_format → p9_audit

A defence (phase 3) starts as soon as the Challenger and the defender are in; all else waits for what it takes.
"""

from vada.models.vocabulary import PhaseName
from vada.phase import Phase
from vada.phases import (
    p1_prepare,
    p2_propose,
    p3_challenge,
    p4_synthesize,
    p5_verify,
    p6_compress,
    p7_decide,
    p8_format,
    p9_audit,
)

PHASES: dict[PhaseName, Phase] = {
    p.PHASE.name: p.PHASE
    for p in (
        p1_prepare,
        p2_propose,
        p3_challenge,
        p4_synthesize,
        p5_verify,
        p6_compress,
        p7_decide,
        p8_format,
        p9_audit,
    )
}
"""Every phase's declaration, in order."""
