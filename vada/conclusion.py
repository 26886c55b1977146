"""The structured conclusion: from the wire to a value, to the JSON the Blind Critic sees, the one-field fix, and what
the audit came to in words."""

import json
from collections.abc import Callable, Sequence

from vada.models.debate import DebateConfig
from vada.models.outputs import Audit, Branch, Conclusion, Participant, Revision, UnresolvedPoint
from vada.models.replies import ConclusionReply
from vada.models.vocabulary import AuditVerdict, ConclusionField


def conclusion_from(
    reply: ConclusionReply, config: DebateConfig, agents: Callable[[Sequence[str]], tuple[str, ...]] = tuple
) -> Conclusion:
    """The reply as a value; `agents` turns letters into roles, participants are filled in by code."""
    return Conclusion(
        recommendation=reply.recommendation,
        key_condition=reply.key_condition,
        caveats=tuple(reply.caveats),
        conditional_branches=tuple(Branch(condition=b.condition, path=b.path) for b in reply.conditional_branches),
        unresolved_points=tuple(
            UnresolvedPoint(point=u.point, position_a=u.position_a, position_b=u.position_b, agents=agents(u.agents))
            for u in reply.unresolved_points
        ),
        review_by=reply.review_by,
        participants=tuple(Participant(role=s.role, model=str(s.model)) for s in config.seats),
    )


def audited_json(conclusion: Conclusion) -> str:
    """The conclusion as the Blind Critic sees it: its fields, without who took part."""
    return json.dumps(conclusion.model_dump(mode="json", exclude={"participants"}), ensure_ascii=False, indent=2)


def revise(conclusion: Conclusion, field: ConclusionField, proposed: Conclusion) -> tuple[Conclusion, Revision]:
    """Take the flagged field of `proposed` and nothing else; every other field stays byte for byte."""
    before, after = _json(conclusion, field), _json(proposed, field)
    revised = conclusion.model_copy(update={field.value: getattr(proposed, field.value)})
    touched = any(_json(conclusion, f) != _json(proposed, f) for f in ConclusionField if f is not field)
    return revised, Revision(field=field, before=before, after=after, touched_others=touched)


def audit_words(audit: Audit | None) -> str:
    """What the blind audit came to, in a sentence; says of no look that it took place when it did not."""
    if audit is None or not audit.passes:
        return "The Blind Critic did not answer; the conclusion is not audited."
    looks, passed = len(audit.passes), audit.passes[-1].verdict is AuditVerdict.PASS
    if passed:
        return (
            "The Blind Critic passed the conclusion."
            if looks == 1
            else "The Blind Critic flagged the conclusion; it was fixed and passed."
        )
    if looks > 1:
        return "The Blind Critic flagged the conclusion twice; both objections are shown."
    if audit.revision is None:
        return "The Blind Critic flagged the conclusion and it could not be fixed; the objection is shown."
    return "The Blind Critic flagged the conclusion; it was fixed, but the Critic did not look again."


def _json(conclusion: Conclusion, field: ConclusionField) -> str:
    return json.dumps(conclusion.model_dump(mode="json")[field.value], ensure_ascii=False)
