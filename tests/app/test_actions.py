"""The actions outside the gate: what the menu offers, and a fork that can hold no stance."""

from tests.app import kept
from tests.app.screens import opened
from tests.builders import a_call, a_run
from tests.recorded import put
from vada.models.vocabulary import DebateState, PhaseName, Role
from vada.settings import load
from vada.store import Database, calls

RETRY = "Retry failed calls"


def given_up(id_: str, slot: str) -> None:
    """What the engine notes when nothing usable came of a slot."""
    database = Database.open(load().database_url)
    database.write(lambda c: calls.give_up(c, id_, slot))
    database.close()


def offered(id_: str) -> str:
    return str(opened("debate.py", id=id_).get("menu_button"))


def test_retry_is_offered_after_replies_that_came_and_could_not_be_used() -> None:
    run = a_run(rounds=1, stage=PhaseName.DECIDE)
    slot = "r1.propose.simplifier"
    answered = a_call(slot, Role.SIMPLIFIER, PhaseName.PROPOSE, 1, id="call-of-no-use")
    id_ = kept.put(run.model_copy(update={"calls": (answered,)}))
    assert run.state is DebateState.WAITING
    assert RETRY not in offered(id_)
    given_up(id_, slot)
    assert RETRY in offered(id_)


def test_a_fork_after_the_last_round_locks_no_stance_and_says_why() -> None:
    run = a_run()
    screen = opened("debate.py", id=put(run))
    screen.session_state["open"] = ("fork", run.id, 0, "")
    screen.run()
    assert not screen.exception
    lock = next(s for s in screen.selectbox if s.label == "Lock a stance")
    assert lock.disabled
    assert any("No round is left" in c.value for c in screen.caption)
    screen.selectbox(key="fork-round").select_index(0)
    screen.session_state["open"] = ("fork", run.id, 0, "")
    screen.run()
    assert not next(s for s in screen.selectbox if s.label == "Lock a stance").disabled
