"""The one answer of one model through the queue: an engine takes it up, also one that starts later."""

from tests.worker.conftest import House
from vada.models.vocabulary import GateMode


def test_an_engine_takes_it_up_and_one_that_starts_later_finds_it_owed(house: House) -> None:
    first = house.engine()
    assert first.start()
    id_ = house.start(rounds=1, gate=GateMode.AUTOPILOT)
    state = house.rest(id_).state
    first.stop()
    house.debates.ask_once(id_)
    assert house.debates.asking(id_)
    assert house.engine().start()
    house.until(lambda: not house.debates.asking(id_))
    run = house.debates.run(id_)
    assert run.baseline
    assert run.baseline.state == "answered"
    assert run.state is state
