"""Who held what, who moved and why, and whether the debate changed anything."""

from tests.failure_modes.cases import clean, planted
from tests.planted import edits as e
from tests.planted.mutators import agreed_from_the_start, copy_plurality, moved_on_evidence, moved_when_upheld
from vada.failure_modes import baseline, moves, positions
from vada.failure_modes.positions import Why, grouped, plurality


def test_every_stated_position_is_in_the_table() -> None:
    run = clean(1)
    said = sum(len({x.key for x in p.points}) for n in (1, 2, 3) for p in e.proposals(run, n))
    assert len(positions(run)) == said


def test_a_move_without_a_reason_says_so() -> None:
    run, n = planted(copy_plurality(1), 1)[0]
    found = [m for m in moves(run, n) if m.why is Why.NONE]
    assert len(found) == 1
    assert found[0].to_plurality


def test_a_move_names_the_new_evidence_that_gave_the_reason() -> None:
    run, n = planted(moved_on_evidence, 1)[0]
    assert any(m.why is Why.EVIDENCE and m.ids for m in moves(run, n))


def test_a_move_names_the_upheld_challenge_that_gave_the_reason() -> None:
    run, n = planted(moved_when_upheld, 1)[0]
    assert any(m.why is Why.UPHELD and ".x" in m.ids[0] for m in moves(run, n))


def test_nobody_moves_where_all_agree() -> None:
    run, n = planted(agreed_from_the_start, 1)[0]
    assert moves(run, n) == ()


def test_a_tie_has_no_plurality() -> None:
    assert plurality(["a", "b"]) == ""
    assert plurality([]) == ""
    assert plurality(["a", "a", "b"]) == "a"


def test_spelling_does_not_make_a_second_group() -> None:
    assert grouped(["40 %", "40.0 %", "60 %"]) == [("40 %", 2), ("60 %", 1)]


def test_the_baseline_says_whether_the_debate_changed_the_blind_plurality() -> None:
    run, _ = planted(agreed_from_the_start, 1)[0]
    assert {b.changed for b in baseline(run) if b.plurality} == {False}
    key = e.synthesis(run, 3).decisions[0].key
    turned = e.settle(run, 3, key, "something quite else")
    assert next(b for b in baseline(turned) if b.key == key).changed


def test_without_rounds_there_is_no_baseline() -> None:
    assert baseline(clean().model_copy(update={"rounds": ()})) == ()
