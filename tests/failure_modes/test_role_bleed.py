"""Role bleed: checks on every turn."""

import pytest

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import (
    blank_objections,
    concedes,
    simplifier_adds,
    simplifier_rewords,
    straw_man,
    swap,
    verifier_invents,
    weakness_last,
)
from vada.failure_modes import Level, State
from vada.failure_modes.role_bleed import fidelity
from vada.models.vocabulary import OPTIMIZERS, FailureMode, PhaseName, Role

MODE = FailureMode.ROLE_BLEED


@pytest.mark.parametrize(
    ("make", "signal"),
    [
        (blank_objections, "no objection"),
        (simplifier_adds(1), "adding Simplifier"),
        (verifier_invents(1), "inventing Verifier"),
        (swap(Role.CHALLENGER, OPTIMIZERS[0]), "no objection"),
    ],
)
def test_a_role_that_does_the_contrary_of_its_task_is_red(make: object, signal: str) -> None:
    for run, n in planted(make):  # type: ignore[arg-type]
        found = look(MODE, run, n)
        assert occurs(found, signal)
        assert found.level is Level.RED


def test_a_weakness_after_the_proposal_is_amber() -> None:
    for run, n in planted(weakness_last(1)):
        found = look(MODE, run, n)
        assert occurs(found, "weakness after the proposal")
        assert found.level is Level.AMBER


def test_the_simplifier_in_the_optimizers_seat_leaves_it_without_a_draft() -> None:
    for run, n in planted(swap(Role.SIMPLIFIER, OPTIMIZERS[1])):
        assert occurs(look(MODE, run, n), "no draft")


def test_output_that_only_another_role_gives_is_amber() -> None:
    run = clean(1)
    vetoes = next(p.vetoes for p in e.proposals(run, 1) if p.vetoes)
    spoiled = e.with_proposals(
        run, 1, lambda p: p.model_copy(update={"vetoes": vetoes}) if p.role is Role.CHALLENGER else p
    )
    assert occurs(look(MODE, spoiled, 1), "another role's output")


def test_a_steel_man_unlike_its_target_is_a_straw_man_and_amber() -> None:
    for run, n in planted(straw_man):
        found = look(MODE, run, n)
        assert {"straw man", "no steel man"} & names(found)
        assert found.level is Level.AMBER


def test_fidelity_is_high_for_the_targets_own_words() -> None:
    claim = "Billing keeps its tables in the monolith until the shadow run has ended."
    assert fidelity(f"At its strongest: {claim}", claim) > 90
    assert fidelity("They just like cheap ferries.", claim) < 50


def test_a_steel_man_may_quote_only_what_was_said() -> None:
    run = clean(1)
    first = e.challenges(run, 1)[0]
    claim = next(x.claim for p in e.proposals(run, 1) for x in p.points if x.id == first.target_point)
    for quote, wrong in ((claim, False), ("Nobody needs ferries, nurses or bread in such a small town anyway", True)):
        told = first.model_copy(update={"steel_man": f"{first.steel_man} They say “{quote}”."})
        register = e.at(run, 1).challenges
        assert register
        spoiled = e.put(run, 1, challenges=register.model_copy(update={"challenges": (told,)}))
        assert ("misquotation" in names(look(MODE, spoiled, 1))) is wrong


def test_sentences_that_nobody_said_are_amber() -> None:
    run = clean(1)
    odd = " ".join(f"Zebra quartz number {w} jumps sphinx vow blackly." for w in ("one", "two", "three", "four"))
    spoiled = e.with_synthesis(run, 1, text=f"{e.synthesis(run, 1).text} {odd}")
    assert occurs(look(MODE, spoiled, 1), "orphan claims")


def test_a_refusal_without_a_point_is_a_meta_debate() -> None:
    run = clean(1)
    text = "This is not the right question, and it is too vague to be of any use to the people who asked it of us here."
    spoiled = e.with_proposals(
        run, 1, lambda p: p.model_copy(update={"text": text, "points": ()}) if p.role is Role.CHALLENGER else p
    )
    assert occurs(look(MODE, spoiled, 1), "meta-debate")


def test_in_another_language_the_phrases_are_not_looked_for() -> None:
    run = clean(1)
    german = (
        "Wir schlagen vor, den Dienst zu teilen, weil die Kosten sonst steigen und niemand weiss, wer am Ende dafür "
        "bezahlt, wenn es schiefgeht."
    )
    spoiled = e.with_proposals(run, 1, lambda p: p.model_copy(update={"text": german}))
    assert any("English" in note for note in look(MODE, spoiled, 1).notes)


@pytest.mark.parametrize("make", [concedes, simplifier_rewords])
def test_playing_the_role_mildly_is_no_bleed(make: object) -> None:
    for run, n in planted(make):  # type: ignore[arg-type]
        assert look(MODE, run, n).state is not State.OCCURRED


def test_a_reply_repaired_by_a_second_ask_is_a_catch() -> None:
    run = clean(1)
    first = next(c for c in run.calls if c.slot == "r1.propose.challenger")
    bad = first.model_copy(update={"id": "call-bad", "status": "bad_reply"})
    again = first.model_copy(update={"attempt": 2})
    calls = (*(c for c in run.calls if c is not first), bad, again)
    found = look(MODE, run.model_copy(update={"calls": calls}), 1)
    assert found.state is State.CAUGHT
    assert found.phase is PhaseName.PROPOSE
