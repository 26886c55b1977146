"""Presets and single values are kept by name; an engine that stops beating is struck off."""

import time

from vada.store import Database, shelf, workers


def test_a_preset_is_kept_replaced_and_forgotten(database: Database) -> None:
    database.write(lambda c: shelf.save_preset(c, "mine", {"rounds": 2}))
    database.write(lambda c: shelf.save_preset(c, "mine", {"rounds": 3}))
    assert database.read(shelf.read_presets) == {"mine": {"rounds": 3}}
    database.write(lambda c: shelf.delete_preset(c, "mine"))
    assert database.read(shelf.read_presets) == {}


def test_a_value_is_kept_and_replaced(database: Database) -> None:
    assert database.read(lambda c: shelf.read_value(c, "calibration")) is None
    database.write(lambda c: shelf.save_value(c, "calibration", [1]))
    database.write(lambda c: shelf.save_value(c, "calibration", [1, 2]))
    assert database.read(lambda c: shelf.read_value(c, "calibration")) == [1, 2]


def test_values_are_read_by_how_their_keys_begin_letter_by_letter(database: Database) -> None:
    for key in ("a_b:one", "a_b:two", "axb:three", "calibration"):
        database.write(lambda c, key=key: shelf.save_value(c, key, key))
    assert list(database.read(lambda c: shelf.read_values(c, "a_b:"))) == ["a_b:one", "a_b:two"]


def test_who_stops_beating_is_struck_off_and_learns_it_when_it_beats_again(database: Database) -> None:
    assert database.write(lambda c: workers.beat(c, "one")) is False
    assert database.write(lambda c: workers.beat(c, "one")) is True
    assert database.write(lambda c: workers.living(c, 5)) == {"one"}
    time.sleep(0.05)
    assert database.write(lambda c: workers.living(c, 0.01)) == set()
    assert database.write(lambda c: workers.beat(c, "one")) is False
    database.write(lambda c: workers.leave(c, "one"))
    assert database.write(lambda c: workers.living(c, 5)) == set()
