"""Each rule finds its own breach in a round, and only that."""

import pytest

from tests.builders import A, a_config, a_proposal, a_round, a_synthesis, a_verification, proposals
from vada import rules
from vada.models.outputs import ConstraintCheck, Leak, VetoRuling
from vada.models.vocabulary import Holds, Role, VetoVerdict


def broken(now, number: int):
    rule = next(r for r in rules.RULES if r.number == number)
    return rule.check(now, a_config())


def with_proposals(**changes):
    base = proposals(1)
    return a_round(1, proposals=base.model_copy(update=changes))


def with_proposal(**changes):
    base = proposals(1)
    mine = (a_proposal(A, 1, **changes), *base.proposals[1:])
    return a_round(1, proposals=base.model_copy(update={"proposals": mine}))


def with_synthesis(**changes):
    return a_round(1, synthesis=a_synthesis(1, **changes))


def challenges(**changes):
    base = a_round(1).challenges
    first = base.challenges[0].model_copy(update=changes)
    return a_round(1, challenges=base.model_copy(update={"challenges": (first, *base.challenges[1:])}))


BREACHES = {
    1: lambda: with_proposals(
        leaks=(Leak(slot="r1.propose.optimizer_a", source=Role.CHALLENGER, words="eight words"),)
    ),
    2: lambda: with_proposal(weakness_first=False),
    3: lambda: challenges(steel_man="too short"),
    4: lambda: with_synthesis(
        veto_rulings=(VetoRuling(veto="r1.v1", verdict=VetoVerdict.OVERRULED, reason="no", cites=()),)
    ),
    5: lambda: with_synthesis(rulings=()),
    6: lambda: with_synthesis(
        veto_rulings=(VetoRuling(veto="r1.v9", verdict=VetoVerdict.OVERRULED, reason="no", cites=("C1",)),)
    ),
    7: lambda: with_synthesis(rulings=tuple(r.model_copy(update={"cites": ()}) for r in a_synthesis(1).rulings)),
    8: lambda: with_proposal(draft_words=601),
    9: lambda: with_proposal(text="no figure", draft="none", points=(), objections=()),
    10: lambda: a_round(1).model_copy(update={"number": 4}),
    11: lambda: a_round(
        1,
        verification=a_verification(
            1, constraint_checks=(ConstraintCheck(constraint="C9", holds=Holds.NO, reason="broken"),)
        ),
    ),
}


def test_there_are_eleven_in_order():
    assert [r.number for r in rules.RULES] == list(range(1, 12))
    assert set(BREACHES) == set(range(1, 12))


@pytest.mark.parametrize("number", sorted(BREACHES))
def test_a_breach_is_found_and_said(number):
    now = BREACHES[number]()
    found = broken(now, number)
    assert found, f"rule {number} saw nothing"
    assert all(b.rule == number and b.message for b in found)


def test_a_round_that_has_just_begun_breaks_nothing():
    from vada.models.run import Round

    assert rules.check(Round(number=1), a_config()) == ()
