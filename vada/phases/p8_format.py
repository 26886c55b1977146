"""Phase 8, Format: the base draft with its amendments becomes a page for the person who must decide.

Amend, don't recompose: the Formatter keeps the base draft's structure. Everything else is an annex that code renders.
"""

from vada import constraints as cons
from vada.conclusion import audited_json
from vada.errors import LLMError
from vada.llm.base import Ask
from vada.models.outputs import Deliverable, Synthesis
from vada.models.replies import DeliverableReply
from vada.models.run import Round
from vada.models.vocabulary import PhaseName, Role
from vada.phase import Fallback, Phase, Turn, shared, standing
from vada.roles import cap_for
from vada.tokens import words

PHASE = Phase(
    name=PhaseName.FORMAT,
    takes="base draft, amendments, synthesis, verification, conclusion",
    gives="the deliverable: a page",
    retries=2,
    fallbacks=(
        Fallback(
            "format_failed", "Formatting failed; the raw synthesis stands in its place, with the scores appended."
        ),
    ),
)


async def format_page(turn: Turn, base: Round) -> Deliverable:
    """The deliverable, written from the round `base`."""
    assert base.synthesis is not None
    assert base.dossier is not None
    synthesis, seat = base.synthesis, turn.config.seat(Role.FORMATTER)
    dossier, unchanged = standing(turn, base.dossier), cons.unchanged(turn.config.constraints, cons.accepted(turn.past))
    issues = base.verification.issues if base.verification else ()
    ask = Ask(
        slot="end.format",
        seat=seat,
        phase=PHASE.name,
        round=turn.round,
        parts=turn.prompts.compose(
            seat,
            turn.config,
            horizon="format",
            round=turn.round,
            cap=cons.word_limit(unchanged, cap_for(Role.FORMATTER, "format", turn.config.caps)),
            shared=shared(turn, dossier),
            inputs=turn.prompts.render(
                "phases/p8_format/format",
                base_draft=_draft(base, synthesis),
                amendments=synthesis.amendments,
                issues=issues,
                conclusion=audited_json(synthesis.conclusion),
                synthesis=synthesis.text,
            ),
            whispers=turn.whispers,
        ),
        reply=DeliverableReply,
        retries=PHASE.retries,
        live=True,
        constraints_sha=dossier.constraints_sha,
        check=lambda reply: "" if reply.text.strip() else "`text` is empty: write the page.",
    )
    try:
        answer = await turn.llm.ask(ask)
        if not answer.value.text.strip():
            raise LLMError("The Formatter's page is empty.", kind="bad_reply")
    except LLMError as error:
        await turn.degrade(PHASE.degraded("format_failed", turn.round, role=Role.FORMATTER, cause=str(error)))
        return _page(turn, raw_page(base), base, fallback=True)
    by_label = {f"M{i}": a.id for i, a in enumerate(synthesis.amendments, 1)}
    return _page(
        turn,
        answer.value.text,
        base,
        applied=tuple(
            dict.fromkeys(by_label[a.strip().upper()] for a in answer.value.applied if a.strip().upper() in by_label)
        ),
        left_open=tuple(answer.value.left_open),
        call_id=answer.call_id,
    )


def _draft(base: Round, synthesis: Synthesis) -> str:
    """The draft the Coordinator named; the synthesis where there is none."""
    proposal = base.proposals.of(synthesis.base_draft) if base.proposals and synthesis.base_draft else None
    return proposal.draft if proposal and proposal.draft else synthesis.text


def raw_page(base: Round) -> str:
    """The raw synthesis with the scores appended."""
    assert base.synthesis is not None
    lines = [base.synthesis.text]
    if base.verification:
        lines += ["", f"Scores (round {base.number}, weighted {base.verification.total:.1f} of 10):", ""]
        lines += [f"- {s.dimension}: {s.score:.1f}. {s.reason}" for s in base.verification.scores]
    return "\n".join(lines)


def _page(
    turn: Turn,
    text: str,
    base: Round,
    *,
    fallback: bool = False,
    applied: tuple[str, ...] = (),
    left_open: tuple[str, ...] = (),
    call_id: str = "",
) -> Deliverable:
    unchanged = cons.unchanged(turn.config.constraints, cons.accepted(turn.past))
    checks = tuple(c for x in unchanged if (c := cons.check(x, text)))
    return Deliverable(
        text=text,
        words=words(text),
        applied=applied,
        left_open=left_open,
        base_round=base.number,
        checks=checks,
        fallback=fallback,
        call_id=call_id,
    )
