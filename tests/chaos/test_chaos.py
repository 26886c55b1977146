"""Small tortures of real processes; `python -m tests.chaos` runs them at full size."""

import os
import time
from collections.abc import Iterator

import pytest

from tests.chaos.harness import Yard, torture, yard
from vada.models.events import EventKind


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """What a yard sets in the environment goes with the test."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def test_kills_at_random_moments_lose_nothing_on_sqlite() -> None:
    account = torture(kills=3, debates=2, workers=1, latency=0.2, longest=2.0)
    assert account.sound, account


@pytest.mark.postgres
def test_kills_at_random_moments_lose_nothing_on_postgresql_with_two_workers(postgres_url: str) -> None:
    os.environ["VADA_DATABASE_URL"] = postgres_url
    account = torture(kills=3, debates=2, workers=2, latency=0.2, longest=2.0)
    assert account.sound, account


def taken_up(made: Yard, ids: list[str]) -> bool:
    """Whether each of the debates was taken up again."""
    return all(any(e.kind is EventKind.RESUMED for e in made.debates.events(i)) for i in ids)


@pytest.mark.postgres
def test_the_living_take_over_from_the_dead_within_ten_seconds(postgres_url: str) -> None:
    os.environ["VADA_DATABASE_URL"] = postgres_url
    with yard(latency=2.0) as made:
        first = made.worker()
        made.start(2)
        made.until(lambda: len(made.server.calls) >= 4, 20)
        made.worker()
        mine = made.running()
        made.kill(first)
        assert made.until(lambda: taken_up(made, mine), 30) < 10


@pytest.mark.postgres
def test_a_frozen_worker_that_comes_back_corrupts_nothing(postgres_url: str) -> None:
    os.environ["VADA_DATABASE_URL"] = postgres_url
    began = time.monotonic()
    with yard(latency=0.5) as made:
        frozen = made.worker()
        made.start(2)
        made.until(lambda: len(made.server.calls) >= 6, 20)
        mine = made.running()
        made.worker()
        frozen.freeze()
        made.until(lambda: taken_up(made, mine), 30)
        frozen.thaw()
        made.until(lambda: not made.running(), 120)
        account = made.account(began)
        assert account.unsound == account.unended == [], account
        assert account.lost == 0, account
        assert all(len({e.key for e in made.debates.events(i)}) == len(made.debates.events(i)) for i in made.ids)
