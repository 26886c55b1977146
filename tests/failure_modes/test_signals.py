"""The text measures."""

import pytest

from vada.failure_modes import signals
from vada.models.outputs import Evidence

GERMAN = (
    "Das ist ein langer deutscher Satz, in dem wir zeigen wollen, dass die Sprache erkannt wird, denn so soll es sein."
)
FRENCH = (
    "Nous devons décider si la société doit migrer ses factures vers un service séparé pendant la prochaine année, car "
    "on ne sait pas."
)
ENGLISH = (
    "We should decide whether the company must move billing to a separate service during the next year, or whether the "
    "monolith can stay as it is."
)


def test_stop_words_and_endings_carry_no_meaning() -> None:
    assert signals.tok("The migrations of the services") == signals.tok("services migrations")


def test_jaccard_of_nothing_is_zero() -> None:
    assert signals.jaccard([], []) == 0
    assert signals.jaccard("ab", "bc") == pytest.approx(1 / 3)


def test_a_claim_is_carried_by_a_sentence_that_holds_its_words() -> None:
    claim = "Billing owns its tables from the first day on"
    assert signals.cov(claim, ["It rains.", "In the end billing owns its tables from the first day on, we say."]) >= 90
    assert signals.cov(claim, ["The harbour town buys an electric ferry next spring."]) < 50


def test_a_sentence_of_two_words_carries_nothing() -> None:
    assert signals.cov("Billing owns its tables", ["Billing tables."]) == 0


def test_novelty_is_the_share_of_word_pairs_not_heard() -> None:
    assert signals.novelty(["one two three"], ["one two"]) == pytest.approx(0.5)
    assert signals.novelty(["one"], ["one two"]) is None


def test_overlap_needs_two_texts() -> None:
    assert signals.overlap(["harbour ferries"]) is None
    mean, closest = signals.overlap(["harbour ferries", "harbour ferries", "clinic nurses"]) or (0, 0)
    assert closest == 1
    assert mean == pytest.approx(1 / 3)


def test_a_shared_run_that_was_given_to_all_does_not_count() -> None:
    run = "one two three four five six seven eight nine"
    assert signals.longest_shared(f"{run} a", f"b {run}", "") == 8
    assert signals.longest_shared(f"{run} a", f"b {run}", run) == 0


def test_densities_count_phrases_once_and_per_thousand_words() -> None:
    assert signals.hits(("core_hedges",), "It tends to rain, maybe.") == ["tends to", "maybe"]
    assert signals.density(("core_hedges",), "maybe " + "word " * 99) == pytest.approx(10)
    assert signals.density(("core_hedges",), "") == 0


def test_an_unknown_list_is_an_error() -> None:
    with pytest.raises(KeyError):
        signals.lexicon("nonsense")


@pytest.mark.parametrize(
    ("text", "expected"), [(ENGLISH, True), (GERMAN, False), (FRENCH, False), ("Too short.", None)]
)
def test_english_is_told_by_its_stop_words(text: str, expected: bool | None) -> None:
    assert signals.english(text) is expected


def test_numbers_leave_out_list_marks_and_read_separators() -> None:
    assert signals.numbers("1. Pay 90,000 euros in 3 steps at 2.5 %.") == {90000.0, 2.5}


def test_a_share_and_its_percentage_are_the_same_number() -> None:
    assert signals.same_number(35, {0.35})
    assert signals.same_number(0.35, {35})
    assert not signals.same_number(36, {0.35})


def test_sentences_keep_decimals_together() -> None:
    assert signals.sentences("It costs 2.5 euros. Fine!\n- One item") == ("It costs 2.5 euros.", "Fine!", "- One item")


def test_a_source_without_address_has_no_site() -> None:
    assert signals.domain(Evidence(id="e-1", title="A book")) == ""
    assert signals.domain(Evidence(id="e-1", title="A page", url="https://www.example.org/x")) == "example.org"
