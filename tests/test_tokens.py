"""Counting tokens and words."""

import pytest

from vada.tokens import count, estimate, words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("antidisestablishmentarianism", 6), ("お誕生日おめでとう", 9), ("2 + 2 = 4", 7)],
)
def test_tokens_are_those_of_the_published_examples(text: str, tokens: int) -> None:
    assert count(text) == tokens


def test_a_special_tokens_spelling_is_plain_text() -> None:
    assert count("<|endoftext|>") > 1


def test_an_estimate_is_wider_than_the_count() -> None:
    assert estimate("hello world") == 3


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        (" — …", 0),
        ("It's a 3.5-fold rise", 4),
        ("**Bold** and well-known, 1,200 $", 4),
        ("don’t stop\n- item", 3),
        ("Zahlungsverkehr über Grenzen", 3),
    ],
)
def test_words_are_counted_as_a_reader_would(text: str, number: int) -> None:
    assert words(text) == number
