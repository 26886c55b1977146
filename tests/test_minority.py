"""The minority report says who still holds a view and who has given it up."""

from typing import Any

from tests.builders import a_point, a_proposal, a_round, a_synthesis, proposals
from vada import minority
from vada.models.outputs import MinorityEntry, Proposals
from vada.models.run import Round
from vada.models.vocabulary import Role

A, B = Role.OPTIMIZER_A, Role.OPTIMIZER_B


def an_entry(point: str, *holders: Role) -> MinorityEntry:
    return MinorityEntry(id=f"m.{point}", point=point, position=f"What {point} says.", holders=holders)


def a_turn(number: int, a: str, *entries: MinorityEntry, **decided: Any) -> Round:
    """A round in which Optimizer A answers `split` with a value, and B answers nothing."""
    said = (a_point(A, number, key="split", value=a),) if a else ()
    made = proposals(number)
    others = tuple(p for p in made.proposals if p.role not in (A, B))
    own = a_proposal(A, number, points=said)
    return a_round(
        number,
        proposals=Proposals(proposals=(own, a_proposal(B, number, points=()), *others)),
        synthesis=a_synthesis(number, minority=entries, **decided),
    )


def test_a_view_its_holder_has_left_says_in_which_round_and_stands_last() -> None:
    left, challenge = an_entry("r1.optimizer_a.p1", A), an_entry("r2.x1", Role.CHALLENGER)
    rounds = (a_turn(1, "extract now", left), a_turn(2, "keep the monolith", left, challenge))
    now = minority.views(rounds, 2)
    assert [v.entry for v in now] == [challenge, left]
    assert [v.held for v in now] == ["Challenger", "Optimizer A in round 1, given up in round 2"]
    assert [v.given_up for v in now] == [False, True]


def test_in_its_own_round_and_while_it_is_repeated_a_view_is_held() -> None:
    kept = an_entry("r1.optimizer_a.p1", A)
    rounds = (a_turn(1, "extract now", kept), a_turn(2, "Extract now.", kept), a_turn(3, "", kept, decisions=()))
    assert [minority.views(rounds, n)[0].held for n in (1, 2, 3)] == ["Optimizer A"] * 3


def test_who_returns_to_a_view_holds_it_again() -> None:
    kept = an_entry("r1.optimizer_a.p1", A)
    rounds = tuple(a_turn(n, v, kept) for n, v in enumerate(("extract now", "keep the monolith", "extract now"), 1))
    assert [minority.views(rounds, n)[0].given_up for n in (2, 3)] == [True, False]


def test_of_two_holders_the_one_who_left_is_named_apart() -> None:
    shared = an_entry("r1.optimizer_a.p1", A, B)
    rounds = (a_turn(1, "extract now", shared), a_turn(2, "keep the monolith", shared))
    (view,) = minority.views(rounds, 2)
    assert view.held == "Optimizer B; Optimizer A in round 1, given up in round 2"
    assert not view.given_up


def test_a_round_without_a_synthesis_has_no_report() -> None:
    assert minority.views((a_turn(1, "extract now"),), 2) == ()
