"""A debate at a glance, and cards that fill while they are written."""

import json
from datetime import timedelta

import pytest

from tests.builders import START, a_degraded, a_proposal, a_rehearsal, a_run
from vada.models.debate import ModelRef
from vada.models.vocabulary import DEBATERS, DebateState, PhaseName, Role
from vada.views import room

NOW = START + timedelta(seconds=600 + 400)
MODEL = ModelRef(name="m")


def test_the_timeline_of_a_running_round_says_what_is_done_now_and_to_come() -> None:
    run = a_run(rounds=2, stage=PhaseName.CHALLENGE)
    steps = {s.phase: s for s in room.timeline(run, 2, NOW)}
    assert [s.state for s in steps.values()] == ["done", "done", "done", "now", "later", "later", "later"]
    assert steps[PhaseName.PROPOSE].seconds == 55
    assert steps[PhaseName.PROPOSE].dollars == pytest.approx(4 * 0.0123)
    assert steps[PhaseName.SYNTHESIZE].seconds == 40
    assert steps[PhaseName.VERIFY].seconds is None


def test_the_ending_stands_with_the_last_round_only() -> None:
    run = a_run()
    assert len(room.timeline(run, 1, NOW)) == 7
    last = room.timeline(run, 3, NOW)
    assert [s.phase for s in last[-2:]] == [PhaseName.FORMAT, PhaseName.AUDIT]
    assert last[-1].state == "done"


def test_a_phase_that_took_a_fallback_is_marked_and_one_that_died_is_failed() -> None:
    run = a_run()
    assert room.timeline(run, 3, NOW)[1].state == "degraded"
    assert room.timeline(run, 1, NOW)[1].state == "done"
    dead = a_run(rounds=1, stage=PhaseName.CHALLENGE, state=DebateState.FAILED, degraded=())
    assert room.timeline(dead, 1, NOW)[3].state == "failed"
    noted = dead.model_copy(update={"degraded": (a_degraded(phase=PhaseName.SYNTHESIZE, round=1, role=None),)})
    assert room.timeline(noted, 1, NOW)[3].state == "failed"


def test_what_a_person_broke_off_is_stopped_and_not_failed() -> None:
    run = a_run(rounds=1, stage=PhaseName.PREPARE, state=DebateState.STOPPED)
    states = [s.state for s in room.timeline(run, 1, NOW)]
    assert states == ["done", "stopped", *["never"] * 7]
    assert [c.state for c in room.cards(run, run.rounds[0], {})] == ["done", "done", "stopped", "stopped"]


def test_the_five_key_figures_are_there_from_the_first_moment_on() -> None:
    for stage in [None, *PhaseName]:
        figures = room.key_figures(a_run(rounds=1, stage=stage), None)
        assert [f.name for f in figures] == [
            "Round",
            "Weighted score",
            "Spend",
            "Open challenges",
            "Failure modes",
        ]
        assert all(f.value for f in figures)


def test_the_score_carries_its_change_and_the_spend_its_calls() -> None:
    figures = {f.name: f for f in room.key_figures(a_run(config=a_rehearsal()), None)}
    assert figures["Weighted score"].value == "7.1"
    assert figures["Weighted score"].change == "+0.4"
    assert figures["Spend"].value == "$0.00"
    assert figures["Spend"].note == "25 calls, rehearsal"


def test_the_change_of_the_score_is_the_difference_of_the_scores_that_are_shown() -> None:
    run = a_run(rounds=2, stage=PhaseName.DECIDE)
    totals = (6.85, 7.14)  # shown as 6.8 and 7.1, although they differ by 0.29 and their shown values by 0.3
    rounds = tuple(
        r.model_copy(update={"verification": r.verification.model_copy(update={"total": t, "delta": 0.24})})
        for r, t in zip(run.rounds, totals, strict=True)
        if r.verification
    )
    shown = [f"{t:.1f}" for t in totals]
    figure = room.key_figures(run.model_copy(update={"rounds": rounds}), None)[1]
    assert figure.value == shown[1]
    assert figure.change == f"{float(shown[1]) - float(shown[0]):+.1f}" != "+0.2"


def test_the_last_phase_is_the_persons_while_the_gate_waits_and_done_when_it_is_decided() -> None:
    waits = a_run(rounds=2, stage=PhaseName.DECIDE)
    assert [s.state for s in room.timeline(waits, 2, NOW)][-1] == "you"
    assert [s.state for s in room.timeline(waits, 1, NOW)][-1] == "done"
    assert "your turn" in room.key_figures(waits, None)[0].note


def test_the_time_it_ran_stands_apart_from_the_time_it_waited_for_a_person() -> None:
    run = a_run()
    phases = sum(b is not None for r in run.rounds for b in (r.dossier, r.proposals, r.challenges, r.synthesis))
    assert phases == 12
    assert room.running_seconds(run) == 3 * 7 * 55 + 40 + 39
    gates = [600 * n - 20 - (600 * (n - 1) + 6 * 60 + 55) for n in (1, 2, 3)]
    assert room.waiting_seconds(run) == sum(gates)
    assert room.key_figures(run, None)[0].note == "ended, ran 21 min, waited 8 min"


def test_objections_that_are_being_answered_are_told_before_the_register_has_them() -> None:
    run = a_run(rounds=1, stage=PhaseName.PROPOSE)
    figure = room.key_figures(run, None)[3]
    assert (figure.value, figure.note) == ("3", "3 raised, being answered")
    assert room.key_figures(a_run(rounds=1, stage=PhaseName.PREPARE), None)[3].note == "none raised yet"


def test_a_challenge_is_open_without_a_ruling_or_when_it_is_undecided() -> None:
    assert room.open_challenges(a_run(rounds=1, stage=PhaseName.CHALLENGE)) == 3
    assert room.open_challenges(a_run(rounds=1, stage=PhaseName.SYNTHESIZE)) == 1


def test_cards_say_who_is_done_who_writes_and_for_whom_one_waits() -> None:
    run = a_run(rounds=1, stage=PhaseName.PREPARE)
    live = {"r1.propose.challenger": '{"weakness": "Everyone assu'}
    cards = room.cards(run, run.rounds[0], live)
    assert [c.state for c in cards] == ["done", "done", "writing", "waiting"]
    assert cards[2].weakness == "Everyone assu"
    assert room.waiting_for(cards) == (Role.CHALLENGER, Role.SIMPLIFIER)


def test_an_agent_that_did_not_answer_is_missing_and_one_that_hung_before_is_benched() -> None:
    run = a_run()
    assert [c.state for c in room.cards(run, run.rounds[2], {})] == ["done", "done", "done", "missing"]
    dossier = run.rounds[2].dossier
    assert dossier
    benched = run.rounds[2].model_copy(update={"dossier": dossier.model_copy(update={"benched": (Role.SIMPLIFIER,)})})
    assert room.cards(run, benched, {})[3].state == "benched"


def test_a_card_numbers_its_sources_and_shows_a_late_weakness() -> None:
    card = room.card(a_proposal(Role.OPTIMIZER_B, 2))
    assert card.late_weakness
    assert [s.site for s in card.sources] == ["martinfowler.com", "named, no address"]
    assert card.claims[0].sources == (card.sources[0],)


def test_any_prefix_of_a_reply_makes_a_card_and_never_shows_raw_json() -> None:
    p = a_proposal(Role.CHALLENGER, 1)
    whole = json.dumps(
        {
            "weakness": 'It is "quoted" and has a \\ in it.',
            "proposal": p.text + " \u2013 naïve",
            "points": [
                {"key": x.key, "claim": x.claim, "value": x.value, "confidence": x.confidence} for x in p.points
            ],
            "objections": [{"target": "split", "steel_man": "Fair.", "objection": "But no.", "confidence": 0.5}],
            "sources": [],
        }
    )
    seen = ""
    for end in range(1, len(whole) + 1):
        card = room.partial_card(Role.CHALLENGER, MODEL, whole[:end])
        shown = card.weakness + card.text
        assert "{" not in shown
        assert len(shown) >= len(seen) - 1  # an escape may take one character back, never more
        seen = shown
    assert seen == 'It is "quoted" and has a \\ in it.' + p.text + " – naïve"
    assert card.objections == (("Fair.", "But no."),)


def test_prose_before_the_reply_is_skipped_and_prose_alone_is_shown_as_it_is() -> None:
    card = room.partial_card(Role.CHALLENGER, MODEL, 'I will search first.\n{"weakness": "W"')
    assert (card.weakness, card.text) == ("W", "")
    assert room.partial_card(Role.CHALLENGER, MODEL, "I will search first.").text == "I will search first."
    assert room.partial_card(Role.CHALLENGER, MODEL, "{nonsense").text == ""


def test_wrong_shapes_in_a_partial_reply_are_left_out() -> None:
    card = room.partial_card(
        Role.CHALLENGER, MODEL, '{"weakness": 3, "points": "no", "vetoes": [1, {"remove": "bus"}]}'
    )
    assert (card.weakness, card.claims, card.vetoes) == ("", (), (("bus", ""),))


def test_who_is_writing_after_the_proposals_is_said_with_the_readable_text() -> None:
    live = {
        "r1.synthesize": '{"rulings": [], "synthesis": "Billing gets',
        "r1.defend.optimizer_a": '{"answers": [{"challenge": "X1", "verdict": "defend", "reason": "Because',
        "end.audit.1": '{"verdict": "pa',
        "r1.propose.challenger": "{}",
    }
    said = {w.role: w for w in room.writing(live)}
    assert said[Role.COORDINATOR].text == "Billing gets"
    assert said[Role.OPTIMIZER_A].text == "Because"
    assert said[Role.CRITIC].text == ""
    assert set(said).isdisjoint({r for r in DEBATERS if r is not Role.OPTIMIZER_A})
