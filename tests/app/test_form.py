"""The New debate form: what config it makes, what it refuses and where, what it never loses."""

from pathlib import Path

import pytest

from pages.parts.build import build, faults, sketch, slug
from pages.parts.constraint_kinds import KINDS, check_of, checked_by_code, who_checks, worded
from pages.parts.form import (
    CUSTOM,
    ConstraintRow,
    DimensionRow,
    Form,
    MaterialRow,
    dimensions_of,
    follow_up,
    fresh,
    from_config,
    mended,
)
from tests.builders import a_config, a_pack, a_run
from vada.errors import InputError
from vada.models.debate import REHEARSAL, Check, Pack
from vada.models.vocabulary import CheckKind, GateMode, Role
from vada.settings import Settings

PACK = a_pack()
PACKS: dict[str, Pack] = {PACK.key: PACK, "other": a_pack(key="other", name="Other")}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """No key anywhere."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    return Settings(home=tmp_path)


def a_form(settings: Settings, **changes: object) -> Form:
    return fresh(settings, PACKS).model_copy(update={"question": "Buy or build?", **changes})


def fields(form: Form, settings: Settings) -> list[str]:
    return [fault.field for fault in faults(form, settings, PACKS)]


def test_a_question_alone_is_enough_and_without_a_key_it_is_a_rehearsal(settings: Settings) -> None:
    config = build(a_form(settings), settings, PACKS, seed=9)
    assert config.question == "Buy or build?"
    assert {s.role for s in config.seats} == set(Role)
    assert config.rehearsal
    assert (config.rounds, config.gate, config.seed) == (3, GateMode.EVERY, 9)


def test_the_question_is_kept_byte_for_byte(settings: Settings) -> None:
    question = "  Wo\u0308rter {{ x }}\n<|endoftext|> 🙂 \n"
    assert build(a_form(settings, question=question), settings, PACKS).question == question


def test_every_fault_is_named_at_its_field_at_once(settings: Settings) -> None:
    form = a_form(
        settings,
        question=" ",
        constraints=[ConstraintRow(text="ok"), ConstraintRow(kind="max_words", args=["many"])],
        models={"verifier": "some-model@nowhere", "critic": "@"},
        dollars=-1.0,
        rounds=7,
    )
    expected = ["question", "constraints.1", "models.verifier", "models.critic", "budget.dollars", "rounds"]
    assert fields(form, settings) == expected
    with pytest.raises(InputError) as raised:
        build(form, settings, PACKS)
    assert raised.value.field == "question"


def test_a_panel_without_its_key_says_which_variable_to_set(settings: Settings) -> None:
    (found,) = faults(a_form(settings, panel="best"), settings, PACKS)
    assert found.field == "panel"
    assert "ANTHROPIC_API_KEY" in found.next_step


def test_a_model_that_was_typed_is_named_itself_when_its_key_is_missing(settings: Settings) -> None:
    form = a_form(settings, models={"critic": "claude-opus-5-5@anthropic"})
    assert fields(form, settings) == ["models.critic"]


def test_a_sketch_needs_neither_question_nor_key_and_is_none_for_what_cannot_be_used(settings: Settings) -> None:
    made = sketch(a_form(settings, question="", panel="best"), settings, PACKS)
    assert made is not None
    assert made.seats[0].model.name == "claude-opus-5-5"
    assert sketch(a_form(settings, rounds=7), settings, PACKS) is None


def test_a_saved_form_that_names_what_is_gone_is_mended_and_can_start(settings: Settings) -> None:
    saved = Form(
        question="Buy or build?",
        pack="gone",
        panel="gone",
        gate="gone",
        rounds=9,
        dollars=-1.0,
        constraints=[ConstraintRow(text="Cheap.", kind="gone")],
        dimensions={PACK.key: [DimensionRow(key="fit", name="Fit", weight=99)]},
    )
    config = build(mended(saved, settings, PACKS), settings, PACKS)
    assert (config.rounds, config.gate, config.budget.dollars) == (3, GateMode.EVERY, None)
    assert [c.text for c in config.constraints] == ["Cheap."]


def test_blank_rows_vanish_and_ids_are_numbered_without_gaps(settings: Settings) -> None:
    rows = [ConstraintRow(text=" "), ConstraintRow(text=" Keep  this "), ConstraintRow(), ConstraintRow(text="That")]
    made = build(a_form(settings, constraints=rows), settings, PACKS).constraints
    assert [(c.id, c.text) for c in made] == [("C1", " Keep  this "), ("C2", "That")]


@pytest.mark.parametrize(
    ("kind", "args", "made", "sentence"),
    [
        ("max_words", ["1,200"], ("1200",), "At most 1200 words."),
        ("min_words", ["50"], ("50",), "At least 50 words."),
        ("must_include", ["cost; {risk} ;"], ("cost", "{risk}"), "Must include “cost”, “{risk}”."),
        ("must_not", ["synergy"], ("synergy",), "Must not include “synergy”."),
        ("number_range", ["1", "2.5", ""], ("1", "2.5"), "Every figure lies between 1 and 2.5."),
        ("number_range", ["1", "2.5", "%"], ("1", "2.5", "%"), "Every figure in % lies between 1 and 2.5."),
        ("format", ["table"], ("table",), "The deliverable has table."),
        ("count", ["5", "steps"], ("5", "steps"), "Exactly 5 steps."),
    ],
)
def test_a_kind_with_its_arguments_is_a_check_and_a_sentence(
    settings: Settings, kind: str, args: list[str], made: tuple[str, ...], sentence: str
) -> None:
    row = ConstraintRow(kind=kind, args=args)
    [constraint] = build(a_form(settings, constraints=[row]), settings, PACKS).constraints
    assert constraint.check == Check(kind=CheckKind(kind), args=made)
    assert constraint.text == worded(kind, args) == sentence


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("max_words", []),
        ("max_words", ["0"]),
        ("max_words", ["²"]),
        ("must_include", [" ; "]),
        ("number_range", ["3", "1"]),
        ("number_range", ["", "1"]),
        ("format", ["haiku"]),
        ("count", ["5", ""]),
        ("count", ["some", "bullets"]),
    ],
)
def test_an_incomplete_check_is_refused_and_never_worded(kind: str, args: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^(Give|Choose|Say|The first)"):
        check_of(kind, args)
    assert worded(kind, args) == ""


def test_every_kind_of_check_can_be_entered() -> None:
    assert set(KINDS) == set(CheckKind)


def test_a_plain_wording_is_read_as_a_check() -> None:
    assert checked_by_code("Answer in at most 300 words", "", []) == Check(kind=CheckKind.MAX_WORDS, args=("300",))
    assert checked_by_code("Keep it friendly", "", []) is None


@pytest.mark.parametrize(
    ("text", "kind", "args", "said"),
    [
        ("at most 400 words", "", [], "Counted by code: at most 400 words"),
        ("", "max_words", ["400"], "Counted by code: at most 400 words"),
        ('It must mention "Vienna".', "", [], "Checked by code: must include “Vienna”"),
        ("No layoffs", "", [], "Judged by the Verifier"),
        ("", "max_words", ["many"], "Code counts the words of the deliverable."),
        ("", "", [], ""),
    ],
)
def test_a_constraint_says_who_will_check_it_and_for_what(text: str, kind: str, args: list[str], said: str) -> None:
    assert who_checks(text, kind, args) == said


def test_edited_dimensions_belong_to_their_pack_and_survive_a_change_of_pack(settings: Settings) -> None:
    form = a_form(settings, pack=PACK.key)
    rows = [*dimensions_of(form, PACKS)[:1], DimensionRow(name="Fit für uns", weight=2)]
    form.dimensions[PACK.key] = rows
    form.pack = "other"
    assert len(build(form, settings, PACKS).pack.dimensions) == len(PACKS["other"].dimensions)
    form.pack = PACK.key
    made = build(form, settings, PACKS).pack.dimensions
    assert [(d.key, d.weight) for d in made] == [("soundness", 0.3), ("fit_für_uns", 2)]
    assert all(d.scale_0 and d.scale_5 and d.scale_10 for d in made)


def test_dimensions_of_weight_nothing_are_not_scored_and_one_must_remain(settings: Settings) -> None:
    form = a_form(settings, pack=PACK.key)
    form.dimensions[PACK.key] = [DimensionRow(name="", weight=0)]
    assert fields(form, settings) == ["dimensions"]
    form.dimensions[PACK.key] = [DimensionRow(name=" ", weight=1)]
    assert fields(form, settings) == ["dimensions"]


def test_two_dimensions_of_one_name_get_keys_of_their_own(settings: Settings) -> None:
    form = a_form(settings, pack=PACK.key)
    form.dimensions[PACK.key] = [DimensionRow(name="Fit", weight=1)] * 3
    assert [d.key for d in build(form, settings, PACKS).pack.dimensions] == ["fit", "fit_2", "fit_2_2"]
    assert slug("!!") == "dimension"


def test_two_materials_of_one_name_are_told_apart(settings: Settings) -> None:
    rows = [MaterialRow(name="a.md", text="x"), MaterialRow(name="a.md", text="y"), MaterialRow(name="b", text=" ")]
    made = build(a_form(settings, materials=rows), settings, PACKS).material
    assert [(m.name, m.text) for m in made] == [("a.md", "x"), ("a.md (2)", "y")]


def test_a_model_typed_for_one_role_changes_that_seat_alone(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    form = a_form(settings, panel="balanced", models={"critic": "claude-haiku-5-5"})
    config = build(form, settings, PACKS)
    assert config.seat(Role.CRITIC).model.name == "claude-haiku-5-5"
    assert config.seat(Role.COORDINATOR).model == settings.panels["balanced"].of(Role.COORDINATOR)


def test_web_search_is_for_debaters_at_an_endpoint_that_has_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    form = a_form(settings, panel="balanced", models={"simplifier": f"{REHEARSAL}@{REHEARSAL}"})
    searching = {s.role for s in build(form, settings, PACKS).seats if s.web}
    assert searching == {Role.OPTIMIZER_A, Role.OPTIMIZER_B, Role.CHALLENGER}
    form.web = False
    assert not any(s.web for s in build(form, settings, PACKS).seats)


def test_a_form_made_of_a_config_builds_it_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    config = a_config(pack=PACK)
    again = build(from_config(config, PACKS), settings, PACKS, seed=config.seed)
    kept = {"question", "constraints", "material", "priorities", "pack", "rounds", "gate", "context", "budget"}
    assert again.model_dump(include=kept) == config.model_dump(include=kept)
    assert [str(s.model) for s in again.seats] == [str(s.model) for s in config.seats]


def test_a_follow_up_brings_decisions_and_minority_and_asks_for_a_question(settings: Settings) -> None:
    run = a_run()
    form = follow_up(run, PACKS)
    assert form.question == ""
    text = form.materials[0].text
    synthesis = run.rounds[-1].synthesis
    assert synthesis
    assert all(d.statement in text for d in synthesis.decisions)
    assert all(m.position in text for m in synthesis.minority)
    form.question, form.panel, form.models = "And now?", REHEARSAL, {}
    lineage = build(form, settings, PACKS).lineage
    assert lineage is not None
    assert (lineage.parent, lineage.round) == (run.id, 0)


def test_a_draft_of_another_version_keeps_what_is_known() -> None:
    form = Form.model_validate({"question": "Q", "gone": 1, "constraints": [{"text": "a", "colour": "red"}]})
    assert form.question == "Q"
    assert form.constraints[0].text == "a"
    assert form.panel != CUSTOM
