"""The blind audit: the Critic sees the question and the conclusion JSON, nothing else.

On a flag the Coordinator fixes only the flagged field, once; the Critic, fresh again, looks once more. Anything unclear
counts as a flag, and so does an audit that could not be had.
"""

from vada.conclusion import audited_json, conclusion_from, revise
from vada.errors import LLMError
from vada.llm.base import Ask
from vada.models.outputs import Audit, AuditPass, Conclusion, Revision
from vada.models.replies import AuditReply, RevisionReply
from vada.models.run import Round
from vada.models.vocabulary import AuditVerdict, ConclusionField, DebateState, PhaseName, Role
from vada.phase import Fallback, Phase, Turn, shared, standing
from vada.roles import cap_for

PHASE = Phase(
    name=PhaseName.AUDIT,
    takes="the question and the conclusion JSON, nothing else",
    gives="pass, or a flag with field and objection; after a flag the one-field fix and a second look",
    retries=2,
    fallbacks=(
        Fallback("audit_skipped", "The Blind Critic did not answer; the conclusion is not audited."),
        Fallback("revision_failed", "The flagged field could not be fixed; the flag stands."),
    ),
)


async def audit(turn: Turn, base: Round) -> Audit:
    """The audit of the conclusion of round `base`."""
    assert base.synthesis is not None
    conclusion = base.synthesis.conclusion
    first = await _look(turn, conclusion, 1)
    if first is None:
        return Audit(passes=(), conclusion=conclusion)
    if first.verdict is AuditVerdict.PASS or first.field is None:
        return Audit(passes=(first,), conclusion=conclusion)
    fixed = await _fix(turn, base, conclusion, first)
    if fixed is None:
        return Audit(passes=(first,), conclusion=conclusion)
    conclusion, revision = fixed
    second = await _look(turn, conclusion, 2)
    return Audit(passes=(first, second) if second else (first,), revision=revision, conclusion=conclusion)


def state(audit: Audit) -> DebateState:
    """Clean when the first look passed, revised when the second did, else unconverged."""
    if not audit.passes or audit.passes[-1].verdict is AuditVerdict.FLAG:
        return DebateState.UNCONVERGED
    return DebateState.CLEAN if len(audit.passes) == 1 else DebateState.REVISED


async def _look(turn: Turn, conclusion: Conclusion, attempt: int) -> AuditPass | None:
    """One look of the Critic in a fresh context; None when it could not be had."""
    ask = Ask(
        slot=f"end.audit.{attempt}",
        seat=turn.config.seat(Role.CRITIC),
        phase=PHASE.name,
        round=turn.round,
        parts=turn.prompts.compose_audit(turn.config.question, audited_json(conclusion)),
        reply=AuditReply,
        retries=PHASE.retries,
        check=fault,
    )
    try:
        answer = await turn.llm.ask(ask)
    except LLMError as error:
        await turn.degrade(PHASE.degraded("audit_skipped", turn.round, role=Role.CRITIC, cause=str(error)))
        return None
    reply = answer.value
    clear_pass = reply.verdict == "pass" and not reply.objection.strip()
    return AuditPass(
        attempt=attempt,
        verdict=AuditVerdict.PASS if clear_pass else AuditVerdict.FLAG,
        field=None if clear_pass else _field(reply.field),
        objection=""
        if clear_pass
        else reply.objection.strip() or "The Critic flagged the conclusion and gave no objection.",
        call_id=answer.call_id,
    )


def fault(reply: AuditReply) -> str:
    """What makes a reply unclear, in the words of a re-ask; empty when it is clear."""
    if reply.verdict == "flag" and _named(reply.field) is None:
        return f"`field` must be one of {', '.join(ConclusionField)}."
    if reply.verdict == "flag" and not reply.objection.strip():
        return "`objection` is empty: state the exact objection."
    if reply.verdict == "pass" and reply.objection.strip():
        return "`verdict` is pass but there is an objection: flag it, or leave `objection` empty."
    return ""


def _named(text: str) -> ConclusionField | None:
    """The conclusion field a reply names, also as a path such as `caveats[0]`."""
    name = text.strip().split("[")[0].split(".")[0]
    return ConclusionField(name) if name in set(ConclusionField) else None


def _field(text: str) -> ConclusionField:
    """The flagged field; what names none is taken for the recommendation."""
    return _named(text) or ConclusionField.RECOMMENDATION


async def _fix(turn: Turn, base: Round, conclusion: Conclusion, flag: AuditPass) -> tuple[Conclusion, Revision] | None:
    """The conclusion with the flagged field fixed; None when that could not be had."""
    assert flag.field is not None
    assert base.dossier is not None
    dossier = standing(turn, base.dossier)
    seat = turn.config.seat(Role.COORDINATOR)
    ask = Ask(
        slot="end.revise",
        seat=seat,
        phase=PHASE.name,
        round=turn.round,
        parts=turn.prompts.compose(
            seat,
            turn.config,
            horizon="revise",
            round=turn.round,
            cap=cap_for(Role.COORDINATOR, "revise", turn.config.caps),
            shared=shared(turn, dossier),
            inputs=turn.prompts.render(
                "phases/p9_audit/revise",
                conclusion=audited_json(conclusion),
                field=flag.field.value,
                objection=flag.objection,
            ),
        ),
        reply=RevisionReply,
        retries=PHASE.retries,
        constraints_sha=dossier.constraints_sha,
        check=lambda reply: (
            "" if reply.conclusion.recommendation.strip() else "`recommendation` is empty: keep or mend it."
        ),
    )
    try:
        answer = await turn.llm.ask(ask)
        if not answer.value.conclusion.recommendation.strip():
            raise LLMError("The revision has no recommendation.", kind="bad_reply")
    except LLMError as error:
        await turn.degrade(PHASE.degraded("revision_failed", turn.round, role=Role.COORDINATOR, cause=str(error)))
        return None
    return revise(conclusion, flag.field, conclusion_from(answer.value.conclusion, turn.config))
