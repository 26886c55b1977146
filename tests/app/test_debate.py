"""The debate screen on a real record: every stage is drawn, the gate decides once, model text is inert."""

import json

import pytest

from tests.app.hostile_run import poisoned
from tests.app.screens import active_markup, labels, opened, words
from tests.builders import a_gate_decision, a_rehearsal, a_run, an_audit
from tests.hostile import CASES, HOST
from tests.recorded import put
from vada.models.run import Run
from vada.models.vocabulary import AuditVerdict, DebateState, GateAction, PhaseName, Role
from vada.settings import load
from vada.store import Database, calls
from vada.worker import Debates


def debates() -> Debates:
    """The record of this test."""
    return Debates.open(load())


def waiting(number: int = 2) -> Run:
    """A debate that waits at the gate of a round, in the record."""
    run = a_run(rounds=number, stage=PhaseName.DECIDE)
    put(run)
    return run


@pytest.mark.parametrize("stage", [None, *PhaseName])
def test_every_stage_is_drawn(stage: PhaseName | None) -> None:
    screen = opened("debate.py", id=put(a_run(rounds=1, stage=stage)))
    assert not screen.exception
    assert "Should we move billing out of our monolith" in words(screen)


@pytest.mark.parametrize("state", [s for s in DebateState if s.ended])
def test_every_ending_is_drawn_with_what_to_do_next(state: DebateState) -> None:
    run = a_run(state=state, reason="Stopped by Ada.", audit=an_audit(AuditVerdict.FLAG, AuditVerdict.FLAG))
    screen = opened("debate.py", id=put(run))
    assert not screen.exception
    assert "Actions" in str(screen.get("menu_button"))
    if state is DebateState.FAILED:
        assert "only those are paid" in words(screen)


def test_without_a_debate_the_latest_are_offered() -> None:
    put(a_run())
    screen = opened("debate.py")
    assert screen.header[0].value == "No debate is open"
    assert "Should we move billing" in words(screen)


def test_an_unknown_debate_is_said_to_be_unknown_with_a_way_on() -> None:
    screen = opened("debate.py", id="nobody")
    assert not screen.exception
    assert "There is no debate nobody." in words(screen)


def test_live_cards_show_weakness_first_and_for_whom_one_waits() -> None:
    run = a_run(rounds=1, stage=PhaseName.PREPARE)
    put(run, due="r1")
    text = json.dumps({"weakness": "A weak spot.", "proposal": "Draw the boundary at"})[:-2]
    database = Database.open(load().database_url)
    database.write(lambda c: calls.write_partials(c, {(run.id, "r1.propose.challenger"): (1, text)}))
    screen = opened("debate.py", id=run.id)
    said = words(screen)
    assert "Waiting for 2 more: Challenger and Simplifier." in said
    assert said.index("A weak spot.") < said.index("Draw the boundary at")
    assert "{" not in said


def test_the_key_figures_stand_above_the_cards() -> None:
    screen = opened("debate.py", id=put(a_run(config=a_rehearsal())))
    assert [m.label for m in screen.metric] == [
        "Round",
        "Weighted score",
        "Failure-mode cells tested",
        "Open challenges",
        "Spend",
    ]
    assert screen.metric[4].value == "\\$0.00"
    assert "rehearsal, no model was called" in words(screen)


def test_the_register_says_whom_an_objection_is_against_and_what_became_of_it() -> None:
    said = words(opened("debate.py", id=put(a_run()), round="1"))
    assert "Against: Optimizer A" in said
    assert "Objection upheld" in said
    assert "Veto stands" in said


def test_changes_of_the_synthesis_are_shown_on_demand_and_say_since_when() -> None:
    screen = opened("debate.py", id=put(a_run()), round="2")
    assert not any("vada-diff" in h.proto.body for h in screen.get("html"))
    (switch,) = [t for t in screen.toggle if t.label == "Show changes since round 1"]
    switch.set_value(True).run()
    assert any("vada-diff" in h.proto.body for h in screen.get("html"))
    assert "taken out" in words(screen)


def test_a_finished_round_stays_reachable() -> None:
    run = waiting(3)
    screen = opened("debate.py", id=run.id)
    assert screen.session_state[f"round-{run.id}"] == 3
    first = opened("debate.py", id=run.id, round="1")
    assert first.session_state[f"round-{run.id}"] == 1
    assert "The debate is further on." in words(first)
    assert "A service of its own would not have prevented" in words(first)


def test_why_the_gate_recommends_what_it_does_is_on_the_page() -> None:
    screen = opened("debate.py", id=waiting().id)
    said = words(screen)
    assert "The gate recommends to fork into two debates." in said
    assert "Are there two answers that exclude each other?" in said
    assert "rollout is held both as 5 % canary (0.75) and as shadow run (0.77)." in said


def test_continue_is_recorded_once_with_the_persons_name_and_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_PERSON", "Ada")
    run = waiting()
    screen = opened("debate.py", id=run.id)
    gate = f"gate-{run.id}-2"
    screen.text_area(key=f"{gate}-whisper").set_value("Read the list.")
    screen.selectbox(key=f"{gate}-to").set_value("Challenger")
    screen.text_input(key=f"{gate}-note").set_value("One branch is enough.")
    screen.get("button_group")  # the answer to the renegotiation
    screen.session_state[f"answer-{run.id}-r2.n1"] = "Reject"
    screen.button(key="decide-continue").click().run()
    assert not screen.exception
    decision = debates().run(run.id).rounds[1].decision
    assert decision
    assert (decision.action, decision.recommended, decision.by) == (GateAction.CONTINUE, GateAction.FORK, "Ada")
    assert [(w.text, w.to) for w in decision.whispers] == [("Read the list.", Role.CHALLENGER)]
    assert [(a.id, a.accepted) for a in decision.renegotiations] == [("r2.n1", False)]
    assert decision.note == "One branch is enough."
    assert decision.active is None
    assert decision.base_round is None


def test_edited_active_items_keep_the_ids_of_those_left_alone() -> None:
    run = waiting()
    screen = opened("debate.py", id=run.id)
    field = screen.text_area(key=f"gate-{run.id}-2-active")
    kept = field.value.splitlines()[0]
    field.set_value(f"{kept}\nWho pays for it?")
    screen.button(key="decide-continue").click().run()
    decision = debates().run(run.id).rounds[1].decision
    assert decision
    assert decision.active
    assert [(a.id, a.text) for a in decision.active] == [("r2.a1", kept), ("r2.person.2", "Who pays for it?")]


def test_a_gate_that_another_has_decided_says_by_whom_and_stays_as_it_is() -> None:
    run = waiting()
    screen = opened("debate.py", id=run.id)
    debates().decide(run.id, 2, a_gate_decision(2, action=GateAction.STOP, by="Grace", whispers=(), renegotiations=()))
    screen.button(key="decide-continue").click().run()
    assert not screen.exception
    assert [t.value for t in screen.toast] == ["This gate was already decided by Grace: stop."]
    decision = debates().run(run.id).rounds[1].decision
    assert decision
    assert decision.by == "Grace"


def test_what_cannot_be_chosen_cannot_be_clicked() -> None:
    screen = opened("debate.py", id=waiting(3).id)
    assert screen.button(key="decide-continue").disabled
    assert screen.button(key="decide-fork").disabled
    assert not screen.button(key="decide-stop").disabled


def test_the_branches_of_a_fork_can_be_opened() -> None:
    run = waiting()
    screen = opened("debate.py", id=run.id)
    screen.button(key="decide-fork").click().run()
    assert not screen.exception
    assert len(debates().run(run.id).children) == 2
    assert "Forked into 2 debates" in words(screen)


@pytest.mark.parametrize("shift", [0, 7, 13])
def test_no_text_of_a_model_becomes_markup_or_stands_in_a_label(shift: int) -> None:
    screen = opened("debate.py", id=put(poisoned(a_run(), shift)))
    assert not screen.exception
    assert not active_markup(screen)
    assert "Open in full" in labels(screen)
    assert HOST not in labels(screen)
    assert not [c.name for c in CASES if c.shows in labels(screen)]
    assert len([c.name for c in CASES if c.shows in words(screen)]) == len(CASES)
