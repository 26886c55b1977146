"""One model asked once, in words: each model once, the price before, what both sides took after."""

from tests.builders import a_rehearsal, a_run
from vada.models.debate import ModelRef, Seat
from vada.models.outputs import Baseline
from vada.models.vocabulary import Role
from vada.views import once


def test_each_model_can_be_asked_once_the_coordinators_first() -> None:
    run = a_run()
    found = once.seats(run)
    assert found[0].role is Role.COORDINATOR
    assert len({s.model for s in found}) == len(found) == len({s.model for s in run.config.seats})


def test_the_price_is_said_as_far_as_it_is_known() -> None:
    run = a_run()
    known, unknown = (Seat(role=Role.COORDINATOR, model=ModelRef(name=n)) for n in ("claude-opus-4-5", "nobodys"))
    assert once.price(run, known).startswith("1 call, about $0.0")
    assert once.price(run, unknown) == "1 call, price unknown"
    rehearsed = a_run(config=a_rehearsal())
    assert once.price(rehearsed, once.seats(rehearsed)[0]) == "1 call, no cost (rehearsal)"


def test_what_the_answer_took_is_counted_apart_from_the_debate() -> None:
    run = a_run()
    seat = run.config.seat(Role.COORDINATOR)
    answer = Baseline(state="answered", seat=seat.role, model=seat.model, text="Wait.", words=1)
    call = run.calls[0].model_copy(update={"id": "c-once", "slot": "baseline", "round": 0})
    both = run.model_copy(update={"baseline": answer, "calls": (*run.calls, call)})
    assert once.took(run) == ""
    assert once.took(both).startswith("1 word, ")
    assert once.debated(both) == once.debated(run)
