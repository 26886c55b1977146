"""The Calls screen: every call with its prompt by parts, its reply or fault, what it took; and nothing secret."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app import kept
from tests.app.screens import active_markup, labels, opened, words
from tests.builders import a_call, a_failed_call, a_rehearsal, a_run
from tests.hostile import CASES, HOST, Case
from tests.recorded import put
from vada.llm.base import Part
from vada.models.debate import Expected
from vada.models.run import Usage
from vada.models.vocabulary import PhaseName, Role
from vada.settings import load
from vada.worker import Debates

PAGE = "calls.py"


def figure(screen: AppTest) -> dict[str, Any]:
    """The time line's figure."""
    spec: dict[str, Any] = json.loads(screen.get("plotly_chart")[0].proto.spec)
    return spec


def codes(screen: AppTest) -> list[str]:
    """The texts that are shown exactly as they are."""
    return [c.value for c in screen.code]


def test_without_a_debate_the_latest_are_offered() -> None:
    screen = opened(PAGE)
    assert not screen.exception
    assert "No debate is open" in [h.value for h in screen.header]


def test_before_the_first_call_it_says_what_will_come() -> None:
    screen = opened(PAGE, id=put(a_run(rounds=1, stage=PhaseName.PREPARE)))
    assert not screen.exception
    assert "No call has come to its end yet." in words(screen)


def test_the_totals_are_those_of_the_run() -> None:
    run = a_run()
    screen = opened(PAGE, id=kept.put(run))
    said = words(screen)
    assert f"Calls {len(run.calls)}" in said
    assert f"Not answered {sum(c.status != 'ok' for c in run.calls)}" in said
    assert f"Cost ${run.usage.dollars:.2f}" in said


def test_the_calls_of_a_rehearsal_cost_nothing() -> None:
    screen = opened(PAGE, id=kept.put(a_run(rounds=1, config=a_rehearsal())))
    assert "Cost $0.00" in words(screen)


def test_the_cost_can_be_split_by_role_phase_or_endpoint_beside_the_estimate() -> None:
    config = a_run().config.model_copy(
        update={"expected": Expected(calls=(14, 27), minutes=(2, 5), dollars=(0.6, 1.4))}
    )
    run = a_run(config=config)
    screen = opened(PAGE, id=kept.put(run))
    assert "Expected before the start: 14 to 27 calls and $0.60 to $1.40. It took" in words(screen)
    for by in ("role", "phase", "endpoint"):
        screen.segmented_control(key="cost.by").set_value(by).run()
        (table,) = [d.value for d in screen.dataframe if by in d.value.columns]
        assert table["calls"].sum() == sum(not c.reused for c in run.calls)
        assert table["dollars"].sum() == pytest.approx(run.usage.dollars)


def test_every_call_is_a_bar_and_a_row() -> None:
    run = a_run()
    screen = opened(PAGE, id=kept.put(run))
    bars = [row for trace in figure(screen)["data"] for row in trace["customdata"]]
    assert sorted(row[0] for row in bars) == sorted(c.id for c in run.calls)
    assert len(screen.dataframe[0].value) == len(run.calls)


def test_the_chosen_call_stands_in_the_address_and_shows_its_prompt_by_parts() -> None:
    run = a_run(rounds=1)
    call = run.calls[-1]
    screen = opened(PAGE, id=kept.put(run))
    chosen = screen.selectbox(key="call")
    labelled = dict(zip([c[0] for t in figure(screen)["data"] for c in t["customdata"]], chosen.options, strict=False))
    assert len(labelled) == len(run.calls)
    screen.session_state["call"] = call.id
    screen.run()
    said = words(screen)
    for name in kept.PARTS:
        assert name.capitalize() in said
        assert f"Text of {name} for {call.role.title}." in codes(screen)
    assert "Stop reason end_turn" in said


def test_the_request_is_shown_exactly_as_it_went_over_the_wire() -> None:
    run = a_run(rounds=1)
    screen = opened(PAGE, id=kept.put(run))
    sent = [json.loads(c) for c in codes(screen) if "max_tokens" in c]
    assert len(sent) == 1
    assert sent[0] in [record.request for record in Debates.open(load()).calls(run.id)]


def test_a_failed_call_says_in_the_providers_words_why_and_what_its_status_was() -> None:
    failed = a_failed_call(1, message="Overloaded, says the provider.")
    screen = opened(PAGE, id=kept.put(a_run(rounds=1).model_copy(update={"calls": (failed,)})))
    screen.session_state["call"] = failed.id
    screen.run()
    said = words(screen)
    assert "No usable answer" in said
    assert "Overloaded, says the provider." in said
    assert "529" in said


def test_a_call_taken_over_from_a_parent_is_marked_and_not_counted_as_paid() -> None:
    usage = Usage(input_tokens=10, output_tokens=10, dollars=5.0)
    call = a_call("r1.propose.simplifier", Role.SIMPLIFIER, PhaseName.PROPOSE, 1, usage=usage, reused=True)
    run = a_run(rounds=1, stage=PhaseName.PROPOSE).model_copy(update={"calls": (call,)})
    screen = opened(PAGE, id=kept.put(run))
    assert "taken over" in [str(v) for v in screen.dataframe[0].value["ended"]]
    assert "Cost $0.00" in words(screen)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_hostile_text_in_prompt_reply_fault_and_model_stays_a_text(case: Case) -> None:
    run = a_run(rounds=1)
    hostile = {"content": [{"type": "text", "text": case.text}], "stop_reason": case.text}
    error = {"kind": "server", "message": case.text, "request_id": case.text}
    screen = opened(
        PAGE, id=kept.put(run, parts=(Part("shared", case.text),), message=hostile, error=error, model=f"{case.text}@x")
    )
    assert not screen.exception
    assert case.text in codes(screen)
    assert active_markup(screen) == []
    assert HOST not in labels(screen)
    hovers = [text for trace in figure(screen)["data"] for row in trace["customdata"] for text in row[1:]]
    assert not any("<" in text for text in hovers)
