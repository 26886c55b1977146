"""The debate screen on a real record: every stage is drawn, the gate decides once, model text is inert."""

import json

import pytest

from pages.parts import actions, live
from tests.app.hostile_run import poisoned
from tests.app.screens import active_markup, labels, markup, opened, words
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
        "Spend",
        "Open challenges",
        "Failure modes",
    ]
    assert screen.metric[2].value == "\\$0.00"
    assert "25 calls, rehearsal" in words(screen)


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
    assert "Fork, because on rollout, “5 % canary” (75 %) and “shadow run” (77 %) exclude each other" in said
    bar = markup(screen)
    why = next(b for b in bar.split("\n") if 'class="vd-checks"' in b and "This decided it" in b)
    assert why.index("This decided it") < why.index("Does a decision go back and forth?")
    assert "0.7" not in said


def test_who_disagrees_stands_under_the_tiles_in_the_bar_and_in_the_table() -> None:
    screen = opened("debate.py", id=waiting().id)
    line = "Answer on rollout: shadow run (Optimizer B, Challenger). Against: Optimizer A, “5 % canary” 75 %."
    assert words(screen).count(line) == 2
    rows = [row for row in markup(screen).split("<tr") if 'class="apart"' in row]
    assert ["Against" in row for row in rows] == [True]
    assert "5 % canary" in rows[0]


def test_the_bar_says_what_was_spent_and_why_a_dead_button_is_dead() -> None:
    said = words(opened("debate.py", id=waiting(1).id))
    assert "So far 7 calls, $0.09 · next round 6–9 calls, about $0.09" in said
    assert "not both sure enough" in said
    said = words(opened("debate.py", id=waiting_at_the_end()))
    assert "3 rounds are the most" in said


def waiting_at_the_end() -> str:
    """A debate at the gate of its last round."""
    return put(a_run(id="last", rounds=3, stage=PhaseName.DECIDE))


def test_what_is_typed_counts_at_once_and_says_to_whom_it_goes() -> None:
    run = waiting()
    screen = opened("debate.py", id=run.id)
    gate = f"gate-{run.id}-2"
    screen.text_area(key=f"{gate}-whisper").set_value("Read the list.").run()
    assert "1 note goes to all agents with the next round." in words(screen)
    assert "Notes (1)" in [b.proto.popover.label for b in screen.get("popover")]
    screen.selectbox(key=f"{gate}-to").set_value("Challenger").run()
    assert "1 note goes to the Challenger with the next round." in words(screen)
    screen.button(key=f"{gate}-whisper-add").click().run()
    screen.text_area(key=f"{gate}-whisper").set_value("Count again.").run()
    screen.selectbox(key=f"{gate}-to").set_value("Optimizer A").run()
    assert "2 notes go to the Challenger and to Optimizer A with the next round." in words(screen)
    assert debates().run(run.id).rounds[1].decision is None


def test_at_the_last_gate_a_note_says_whom_it_still_reaches() -> None:
    screen = opened("debate.py", id=waiting_at_the_end())
    screen.text_area(key="gate-last-3-whisper").set_value("Name a date.").run()
    assert "1 note goes to the Formatter, who writes the deliverable." in words(screen)
    screen.selectbox(key="gate-last-3-to").set_value("Challenger").run()
    assert "A note to one agent reaches nobody, because no round follows." in words(screen)


@pytest.mark.parametrize(("person", "whose"), [("Ada", "Your note"), ("Grace", "Note of Ada")])
def test_a_round_shows_the_note_it_was_sent_with_at_its_top(
    monkeypatch: pytest.MonkeyPatch, person: str, whose: str
) -> None:
    monkeypatch.setenv("VADA_PERSON", person)
    said = words(opened("debate.py", id=waiting().id))
    assert f"{whose} to the Challenger: Read the incident list line by line." in said
    assert said.index(whose) < said.index("Weakness first")


def test_no_shortcut_of_the_gate_can_be_pressed_while_one_types() -> None:
    """Streamlit drops one without Ctrl, Alt or Cmd in a field; one with any of them would decide from within a note."""
    screen = opened("debate.py", id=waiting().id)
    shortcuts = {b.key: b.proto.shortcut for b in screen.button if b.proto.shortcut}
    assert list(shortcuts) == ["decide-fork"]
    assert not {"ctrl", "cmd", "alt", "mod"} & set(shortcuts["decide-fork"].split("+"))


def test_at_the_last_gate_stopping_is_the_one_clear_way_on() -> None:
    screen = opened("debate.py", id=waiting_at_the_end())
    stop = screen.button(key="decide-stop")
    assert (stop.label, stop.proto.type) == ("Stop and write the deliverable", "primary")
    assert screen.button(key="decide-continue").proto.type == "secondary"


def test_the_menu_offers_no_second_way_to_stop_at_a_gate() -> None:
    def offered(run: Run) -> list[str]:
        return list(opened("debate.py", id=put(run)).get("menu_button")[0].proto.options)

    assert actions.FINISH not in offered(a_run(id="waits", rounds=2, stage=PhaseName.DECIDE))
    assert actions.FINISH in offered(a_run(id="runs", rounds=2, stage=PhaseName.CHALLENGE))


def test_a_finished_debate_says_first_what_was_decided() -> None:
    run = a_run()
    said = words(opened("debate.py", id=put(run)))
    assert run.conclusion
    assert said.index(live.first_sentence(run.conclusion.recommendation)) < said.index("Prepare")


def test_a_debate_that_a_person_finished_early_says_by_whom_and_contradicts_nothing() -> None:
    reason = "Ended early by Ada. The Blind Critic passed the conclusion."
    screen = opened("debate.py", id=put(a_run(state=DebateState.STOPPED, reason=reason)))
    said = words(screen)
    assert "Finished early, by Ada." in said
    assert "The Blind Critic passed the conclusion." in said
    assert "What existed then is kept" not in said


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Do not move yet. Wait.", "Do not move yet."),
        ("Pay 1.5 people.\nThen “stop”.", "Pay 1.5 people."),
        ("Keep e.g. the old one", "Keep e.g. the old one"),
    ],
)
def test_the_first_sentence_ends_where_it_ends(text: str, first: str) -> None:
    assert live.first_sentence(text) == first


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
