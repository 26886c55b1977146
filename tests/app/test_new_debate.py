"""The New debate screen: what it shows, what it refuses and where, what it starts, and that nothing typed is lost."""

import re
import threading
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import draft
from pages.parts.form import Form
from tests.app.screens import ROUTER, active_markup, labels, markup, opened, words
from tests.builders import a_rehearsal, a_run
from tests.fake_messages import Gaps, Server
from tests.fake_messages.fixture import fake_server
from tests.hostile import CASES, HOST
from tests.recorded import put
from vada.models.reports import EndpointReport
from vada.models.vocabulary import GateMode, Role
from vada.settings import load
from vada.worker import Debates

__all__ = ["fake_server"]
PAGE = "new_debate.py"
QUESTION = "Should nine engineers split their monolith this year?"


def debates() -> Debates:
    """The record of this test."""
    return Debates.open(load())


def typed(screen: AppTest, text: str = QUESTION) -> AppTest:
    """The screen with a question in it."""
    screen.text_area(key="n.question").set_value(text)
    return screen.run()


def started(screen: AppTest) -> AppTest:
    screen.button(key="new.start").click()
    return screen.run()


def test_an_empty_form_offers_examples_and_says_what_it_will_take() -> None:
    screen = opened(PAGE)
    assert not screen.exception
    assert screen.title[0].value == "New debate"
    assert screen.button(key="example.0").label
    assert "calls" in words(screen)
    assert "No cost, no model" in words(screen)


def test_without_a_key_it_says_that_it_will_be_a_rehearsal() -> None:
    screen = opened(PAGE)
    assert any("This will be a rehearsal" in m.value for m in screen.markdown)
    assert screen.button(key="new.start").label == "Start rehearsal"


def test_an_example_fills_the_question() -> None:
    screen = opened(PAGE)
    screen.button(key="example.1").click().run()
    question = screen.text_area(key="n.question").value
    assert question
    assert question.endswith("?")
    assert "example.1" not in [b.key for b in screen.button]


def test_start_makes_one_debate_of_what_was_typed() -> None:
    screen = typed(opened(PAGE))
    screen.text_input(key="add.constraint").set_value("At most 300 words.").run()
    screen.segmented_control(key="n.gate").set_value(GateMode.AUTOPILOT.value).run()
    started(screen)
    assert not screen.exception
    (row,) = debates().list()
    config = debates().run(row.id).config
    assert config.question == QUESTION
    assert [c.text for c in config.constraints] == ["At most 300 words."]
    assert config.gate is GateMode.AUTOPILOT
    assert screen.session_state["debate_id"] == row.id


def test_a_second_press_that_overtakes_the_first_starts_nothing_more() -> None:
    screen = typed(opened(PAGE))
    form = screen.session_state["new.form"]
    form.started = debates().start(a_run().config)  # as far as the first press came before the second broke in
    started(screen)
    assert not screen.exception
    assert [row.id for row in debates().list()] == [form.started]
    assert screen.session_state["debate_id"] == form.started


def test_after_a_start_the_form_begins_anew_and_the_debate_is_not_started_again() -> None:
    screen = started(typed(opened(PAGE)))
    screen.switch_page(PAGE).run()
    assert screen.text_area(key="n.question").value == ""
    assert len(debates().list()) == 1


def test_a_start_without_a_question_says_so_at_the_field_and_beside_the_button_and_loses_nothing() -> None:
    screen = opened(PAGE)
    screen.text_input(key="add.constraint").set_value("No new hires.").run()
    started(screen)
    assert markup(screen).count("There is no question yet.") == 2
    assert "Not started." in words(screen)
    assert debates().list() == []
    assert "No new hires." in [t.value for t in screen.text_input]
    typed(screen)
    assert "There is no question yet." not in words(screen)


def test_a_check_that_cannot_be_used_is_named_at_its_row() -> None:
    screen = typed(opened(PAGE))
    screen.button(key="add.check").click().run()
    words_wanted = next(t for t in screen.text_input if t.value == "400")
    words_wanted.set_value("many").run()
    started(screen)
    assert "Give a whole number above 0." in words(screen)
    assert screen.text_area(key="n.question").value == QUESTION
    assert debates().list() == []


def test_a_constraint_that_code_can_count_shows_its_kind_and_number() -> None:
    screen = typed(opened(PAGE))
    screen.text_input(key="add.constraint").set_value("at most 400 words").run()
    screen.text_input(key="add.constraint").set_value("No layoffs").run()
    assert [s.options[0] for s in screen.selectbox if s.label.startswith("How constraint")] == [
        "Maximum words",
        "As worded",
    ]
    said = words(screen)
    assert "Counted by code: at most 400 words" in said
    assert "Judged by the Verifier" in said


def test_a_panel_without_its_key_says_so_at_once_and_still_has_an_estimate() -> None:
    screen = opened(PAGE)
    screen.segmented_control(key="n.panel").set_value("best").run()
    assert "The endpoint anthropic has no key." in words(screen)
    assert "$" in words(screen)


def test_the_estimate_learns_from_what_earlier_debates_took_and_not_from_rehearsals() -> None:
    def said() -> str:
        screen = opened(PAGE)
        screen.segmented_control(key="n.panel").set_value("best").run()
        (found,) = re.findall(r"vada-estimate.*?</div>", markup(screen), re.DOTALL)
        return str(found)

    first = said()
    put(a_run(id="offline", config=a_rehearsal()))
    assert said() == first
    put(a_run(id="paid"))
    assert said() != first


def test_the_estimate_beside_start_is_kept_with_the_debate() -> None:
    started(typed(opened(PAGE)))
    (row,) = debates().list()
    expected = debates().run(row.id).config.expected
    assert expected is not None
    assert 10 < expected.calls[0] <= expected.calls[1] < 40
    assert expected.dollars == (0, 0)


def test_a_model_nobody_knows_is_named_at_its_seat() -> None:
    form = Form(question=QUESTION, models={"verifier": "some-model@nowhere"})
    debates().save_preset(draft.PREFIX + "mine", form.model_dump(mode="json"))
    screen = started(opened(PAGE, draft="mine"))
    assert "There is no endpoint nowhere." in words(screen)
    assert len(debates().list()) == 0


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """An endpoint that lists two models."""
    with Server(models=("qwen3-32b", "glm-5")) as server:
        monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", server.url)
        yield server


def listed(screen: AppTest) -> AppTest:
    """The screen once the endpoints' lists have come."""
    for thread in threading.enumerate():
        if thread.name == "vada-lists":
            thread.join(20)
    return screen.run()


def with_model(model: str) -> AppTest:
    """The screen with a model typed for the Verifier of a rehearsal."""
    form = Form(question=QUESTION, panel="rehearsal", models={"verifier": model})
    debates().save_preset(draft.PREFIX + "mine", form.model_dump(mode="json"))
    return listed(opened(PAGE, draft="mine"))


def test_a_model_that_is_gone_is_said_at_its_seat_before_start_with_those_most_like_it(desk: Server) -> None:
    screen = with_model("qwen-32b@desk")
    assert "desk does not list the model qwen-32b. Perhaps qwen3-32b" in words(screen)
    started(screen)
    assert debates().list() == []
    screen.selectbox(key="n.model.verifier").set_value("qwen3-32b@desk").run()
    assert "does not list" not in words(screen)
    started(screen)
    assert len(debates().list()) == 1


def test_listed_models_are_offered_at_every_seat(desk: Server) -> None:
    screen = listed(opened(PAGE))
    assert {"qwen3-32b@desk", "glm-5@desk"} <= set(screen.selectbox(key="n.model.critic").options)


def test_the_lists_are_not_read_again_at_every_look(desk: Server) -> None:
    listed(listed(listed(opened(PAGE))))
    assert [e.path for e in desk.log] == ["/v1/models"]


def test_an_endpoint_whose_last_check_failed_is_noticed_and_not_refused(desk: Server) -> None:
    desk.stop()
    screen = with_model("qwen-32b@desk")
    assert "The last check of desk failed: desk could not be reached." in words(screen)
    started(screen)
    assert len(debates().list()) == 1


def test_a_report_of_another_address_refuses_nothing(desk: Server) -> None:
    desk.gaps = Gaps(models=True)
    old = EndpointReport(name="desk", url="http://elsewhere", key="not needed", reachable=True, listed=("glm-5",))
    debates().keep_report(old)
    started(with_model("qwen-32b@desk"))
    assert len(debates().list()) == 1


def test_a_panel_of_mixed_families_is_offered_once_a_second_family_was_found(desk: Server, fake_server: Server) -> None:
    screen = listed(opened(PAGE))
    names = ["Fast", "Balanced", "Best", "Mixed", "Rehearsal", "Custom"]
    assert screen.segmented_control(key="n.panel").options == names
    screen.segmented_control(key="n.panel").set_value("mixed").run()
    started(typed(screen))
    (row,) = debates().list()
    assert str(debates().run(row.id).config.seat(Role.VERIFIER).model) == "qwen3-32b@desk"


def test_what_was_typed_outlives_a_change_of_screen() -> None:
    screen = typed(opened(PAGE))
    screen.switch_page("settings.py").run()
    screen.switch_page(PAGE).run()
    assert screen.text_area(key="n.question").value == QUESTION


def test_what_was_typed_outlives_the_session_and_the_server_by_the_address() -> None:
    screen = typed(opened(PAGE))
    screen.text_input(key="add.constraint").set_value("No new hires.").run()
    again = opened(PAGE, draft=str(screen.query_params["draft"]))
    assert again.text_area(key="n.question").value == QUESTION
    assert "No new hires." in [t.value for t in again.text_input]


def test_a_draft_nobody_has_begins_anew() -> None:
    screen = opened(PAGE, draft="nobody")
    assert not screen.exception
    assert screen.text_area(key="n.question").value == ""


def test_a_cleared_draft_can_be_brought_back() -> None:
    screen = typed(opened(PAGE))
    screen.button(key="clear").click().run()
    assert screen.text_area(key="n.question").value == ""
    screen.button(key="unclear").click().run()
    assert screen.text_area(key="n.question").value == QUESTION


def test_a_preset_keeps_the_frame_under_a_name_and_not_the_question() -> None:
    screen = typed(opened(PAGE))
    screen.segmented_control(key="n.rounds").set_value(2).run()
    screen.text_input(key="preset.name").set_value("Two rounds")
    screen.button(key="preset.save").click().run()
    again = typed(opened(PAGE), "Another question?")
    assert again.selectbox(key="preset.chosen").options == ["Two rounds"]
    again.button(key="preset.use").click().run()
    assert again.segmented_control(key="n.rounds").value == 2
    assert again.text_area(key="n.question").value == "Another question?"
    again.button(key="preset.delete").click().run()
    assert [name for name in debates().presets() if not name.startswith(draft.PREFIX)] == []


def test_a_preset_needs_a_name() -> None:
    screen = opened(PAGE)
    screen.button(key="preset.save").click().run()
    assert "Give it a name first." in [c.value for c in screen.caption]


def test_a_follow_up_begins_with_what_the_earlier_debate_decided() -> None:
    earlier = put(a_run(config=a_rehearsal()))
    screen = opened(PAGE, **{"from": earlier})
    assert screen.text_area(key="n.question").value == ""
    assert "Outcome of the earlier debate" in [t.value for t in screen.text_input]
    started(typed(screen))
    child = next(row for row in debates().list() if row.id != earlier)
    assert child.parent == earlier


def test_asking_again_fills_in_the_same_question() -> None:
    screen = opened(PAGE, like=put(a_run()))
    assert screen.text_area(key="n.question").value == a_run().config.question


def test_a_follow_up_of_a_debate_nobody_has_says_so_and_can_go_on() -> None:
    screen = AppTest.from_file(str(ROUTER), default_timeout=30)
    screen.query_params["from"] = "nobody"
    screen.run()
    assert not screen.exception
    assert "There is no debate nobody." in words(screen)


def test_a_file_becomes_material_with_its_length_and_a_bad_one_is_named() -> None:
    screen = opened(PAGE)
    notes = ("notes.md", b"Eleven incidents, four of them at night.", "text/markdown")
    screen.file_uploader[0].set_value([notes]).run()
    assert "notes.md" in [t.value for t in screen.text_input]
    assert any("tokens of material in every call" in c.value for c in screen.caption)
    screen.file_uploader[0].set_value([("broken.pdf", b"%PDF-nothing", "application/pdf")]).run()
    assert "broken.pdf is not a readable PDF." in words(screen)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_hostile_text_in_an_earlier_debate_stays_a_text(case: object) -> None:
    run = a_run()
    constraints = (run.config.constraints[0].model_copy(update={"text": case.text}),)  # type: ignore[attr-defined]
    config = run.config.model_copy(update={"question": case.text, "constraints": constraints})  # type: ignore[attr-defined]
    screen = opened(PAGE, like=put(run.model_copy(update={"config": config})))
    assert not screen.exception
    assert active_markup(screen) == []
    assert HOST not in labels(screen)
