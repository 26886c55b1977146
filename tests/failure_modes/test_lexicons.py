"""The word lists and their notices."""

import importlib.resources

import pytest

from vada.failure_modes import signals

LISTS = ("stop_words", "core_hedges", "noncommittal", "boosters", "intensifiers", "refusals", "proposing")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_folded_and_holds_nothing_twice(name: str) -> None:
    entries = signals.listed(name)
    assert entries
    assert all(x == x.casefold().strip() for x in entries)
    assert len(set(entries)) == len(entries)


def test_the_hedges_and_the_non_committal_phrases_are_separate() -> None:
    assert not set(signals.listed("core_hedges")) & set(signals.listed("noncommittal"))


def test_the_notices_of_the_sources_are_shipped_beside_the_lists() -> None:
    notice = importlib.resources.files("vada.failure_modes").joinpath("lexicons/NOTICE.md").read_text("utf-8")
    assert "The ConvoKit Developers" in notice
    assert "Titus Wormer" in notice
    assert "Permission is hereby granted" in notice
