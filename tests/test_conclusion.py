"""What the blind audit came to, in words that claim no look that did not take place."""

import pytest

from tests.builders import an_audit
from vada.conclusion import audit_words
from vada.models.outputs import Audit
from vada.models.vocabulary import AuditVerdict

PASS, FLAG = AuditVerdict.PASS, AuditVerdict.FLAG


def audit(*verdicts: AuditVerdict, fixed: bool = True) -> Audit:
    """An audit with these looks; without the fix where there was none."""
    if not verdicts:
        return an_audit(PASS).model_copy(update={"passes": (), "revision": None})
    whole = an_audit(FLAG, *verdicts[1:]) if verdicts[0] is FLAG else an_audit(PASS)
    passes = an_audit(FLAG, FLAG).passes[:1] if len(verdicts) == 1 and verdicts[0] is FLAG else whole.passes
    revision = an_audit(FLAG, PASS).revision if fixed and verdicts[0] is FLAG else None
    return whole.model_copy(update={"passes": passes, "revision": revision})


@pytest.mark.parametrize(
    ("came_to", "said"),
    [
        (audit(PASS), "passed the conclusion"),
        (audit(FLAG, PASS), "it was fixed and passed"),
        (audit(FLAG, FLAG), "flagged the conclusion twice"),
        (audit(FLAG, fixed=False), "it could not be fixed"),
        (audit(FLAG), "did not look again"),
        (audit(), "is not audited"),
        (None, "is not audited"),
    ],
)
def test_each_way_an_audit_goes_has_its_own_words(came_to: Audit | None, said: str) -> None:
    assert said in audit_words(came_to)
    assert ("twice" in audit_words(came_to)) == (came_to is not None and len(came_to.passes) == 2 and "twice" in said)
