"""The left side of the New debate form: the question, what must hold, and the material. Draws; decides nothing."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import streamlit as st

from pages.parts import draft, inert
from pages.parts.constraint_kinds import FORMATS, KINDS, Kind, checked_by_code, who_checks, worded
from pages.parts.form import ConstraintRow, Form, MaterialRow, Row
from pages.parts.material import MAX_MEGABYTES, TYPES, read
from vada.errors import InputError
from vada.models.debate import Check, Pack
from vada.models.vocabulary import CheckKind
from vada.tokens import count

R = TypeVar("R", bound=Row)


class Faults:
    """What is wrong with the form, by field. It looks anew each time: a field just mended is no longer wrong."""

    def __init__(self, find: Callable[[], Iterable[InputError]]) -> None:
        self._find = find

    def all(self) -> list[InputError]:
        """Every fault, in the order of the page."""
        return list(self._find())

    def at(self, field: str) -> InputError | None:
        """What is wrong with one field."""
        return next((fault for fault in self._find() if fault.field == field), None)

    def within(self, prefix: str) -> bool:
        """Whether a field of that beginning is wrong."""
        return any(fault.field.startswith(prefix) for fault in self._find())


@st.cache_data(show_spinner=False, max_entries=200)
def tokens(text: str) -> int:
    """Tokens of a text, counted once."""
    return count(text)


def fault_at(faults: Faults, field: str) -> None:
    """What is wrong with a field, right below it."""
    if wrong := faults.at(field):
        st.html(f'<div class="vada-field-problem" role="alert">{inert.escaped(str(wrong))}</div>')


def question(form: Form, packs: Mapping[str, Pack], faults: Faults) -> None:
    """The question, the domain, and examples that fill it in."""
    form.question = st.text_area(
        "What must be decided?",
        key=draft.seeded("question", form.question),
        on_change=draft.take,
        args=("question", form, "question"),
        height=130,
        placeholder="A real question with its circumstances: who you are, what you have tried, which figures you know.",
        help="It reaches every agent exactly as you write it, in every round.",
    )
    fault_at(faults, "question")
    keys = list(packs)
    key = draft.seeded("pack", form.pack)
    chosen = st.pills(
        "Domain",
        keys,
        key=key,
        format_func=lambda k: packs[k].name,
        required=True,
        wrap=True,
        help="Gives the Optimizers their expertise and says what is scored. Everything it sets can be edited.",
    )
    form.pack = chosen or form.pack
    fault_at(faults, "pack")
    pack = packs.get(form.pack)
    if pack:
        st.caption(pack.description)
        if not form.question.strip():
            _examples(form, pack)


def _examples(form: Form, pack: Pack) -> None:
    """Example questions; a click fills the question."""
    st.caption("Or begin with an example")
    with st.grid(3, min_column_width=220, key="examples"):
        for i, example in enumerate(pack.examples):
            label = inert.one_line(example, 300).replace("$", "\\$")
            st.button(label, key=f"example.{i}", on_click=_fill, args=(form, example), width="stretch", wrap=True)


def _fill(form: Form, example: str) -> None:
    form.question = example
    st.session_state[draft.FIELD + "question"] = example


def constraints(form: Form, faults: Faults) -> None:
    """Constraints, one a row, each with a check by code where one fits."""
    st.subheader(
        "What must hold",
        help="Constraints reach every agent word for word. One may be renegotiated formally, never dropped silently.",
        anchor=False,
    )
    for number, row in enumerate(form.constraints, 1):
        _constraint(form, row, number)
        fault_at(faults, f"constraints.{number - 1}")
    st.text_input(
        "Add a constraint",
        key="add.constraint",
        placeholder="Add a constraint and press Enter, for example: at most 400 words",
        label_visibility="collapsed",
        icon=":material/add:",
        on_change=_add_typed,
        args=(form,),
    )
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Add a check by code",
            key="add.check",
            type="tertiary",
            icon=":material/rule:",
            on_click=_add_check,
            args=(form,),
        )
        with st.popover("Paste a list", type="tertiary", icon=":material/content_paste:"):
            st.text_area("Constraints, one a line", key="add.lines", on_change=_add_lines, args=(form,))


def _add_typed(form: Form) -> None:
    text = st.session_state.get("add.constraint", "")
    if text.strip():
        form.constraints.append(ConstraintRow(text=text))
    st.session_state["add.constraint"] = ""


def _add_check(form: Form) -> None:
    form.constraints.append(ConstraintRow(kind=CheckKind.MAX_WORDS.value, args=["400"]))


def _add_lines(form: Form) -> None:
    form.constraints += [
        ConstraintRow(text=line) for line in st.session_state["add.lines"].splitlines() if line.strip()
    ]
    st.session_state["add.lines"] = ""


def _constraint(form: Form, row: ConstraintRow, number: int) -> None:
    """One row: its text, how it is checked, the check's arguments, and a way to remove it."""
    with st.container(key=f"constraint.{row.id}", horizontal=True, vertical_alignment="center", gap="small"):
        row.text = st.text_input(
            f"Constraint {number}",
            label_visibility="collapsed",
            key=draft.seeded(f"c.{row.id}.text", row.text),
            on_change=draft.take,
            args=(f"c.{row.id}.text", row, "text"),
            placeholder=worded(row.kind, row.args) or "In your own words",
            width=340 if row.kind else "stretch",
        )
        read_as = None if row.kind else checked_by_code(row.text, "", [])
        row.kind = st.selectbox(
            f"How constraint {number} is checked",
            ["", *(k.value for k in KINDS if not read_as or k is not read_as.kind)],
            key=draft.seeded(f"c.{row.id}.kind", row.kind),
            format_func=lambda k: KINDS[CheckKind(k)].title if k else _as_worded(read_as),
            width=190,
            label_visibility="collapsed",
        )
        if row.kind:
            _arguments(row, KINDS[CheckKind(row.kind)])
        remove(form.constraints, row, f"Remove constraint {number}")
    if said := who_checks(row.text, row.kind, row.args):
        st.html(f'<div class="vada-quiet">{inert.escaped(said)}</div>')


def _as_worded(read_as: Check | None) -> str:
    """What a constraint is checked as when no kind was chosen: the kind code reads from its wording."""
    return KINDS[read_as.kind].title if read_as else "As worded"


def _arguments(row: ConstraintRow, kind: Kind) -> None:
    """The inputs of a check."""
    made = []
    for i, label in enumerate(kind.labels):
        value = row.args[i] if i < len(row.args) else ""
        name = f"c.{row.id}.{row.kind}.{i}"
        if row.kind == CheckKind.FORMAT:
            value = value if value in FORMATS else FORMATS[0]
            key = draft.seeded(name, value)
            made.append(st.selectbox(label, FORMATS, key=key, width=150, label_visibility="collapsed"))
        else:
            width = 230 if row.kind in (CheckKind.MUST_INCLUDE, CheckKind.MUST_NOT) else 96
            key = draft.seeded(name, value)
            made.append(st.text_input(label, key=key, width=width, placeholder=label, label_visibility="collapsed"))
    row.args = made


def remove(rows: list[R], row: R, help: str) -> None:
    """A button that takes a row out of its list."""
    st.button(
        "",
        key=f"remove.{row.id}",
        icon=":material/close:",
        type="tertiary",
        help=help,
        on_click=_drop,
        args=(rows, row),
    )


def _drop(rows: list[R], row: R) -> None:
    if row in rows:
        rows.remove(row)


def material(form: Form) -> None:
    """Texts the debate may rest on, uploaded or pasted, with their length."""
    st.subheader(
        "Material",
        help="Texts that agents may cite. Each agent gets all of them in every round, so their length costs.",
        anchor=False,
    )
    for row in form.materials:
        _text(form, row)
    upload = st.session_state.setdefault("upload.number", 0)
    st.file_uploader(
        "Files",
        type=list(TYPES),
        accept_multiple_files=True,
        key=f"upload.{upload}",
        max_upload_size=MAX_MEGABYTES,
        on_change=_take_files,
        args=(form, f"upload.{upload}"),
    )
    for refused in st.session_state.get("upload.refused", []):
        st.html(f'<div class="vada-field-problem" role="alert">{inert.escaped(refused)}</div>')
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Paste a text",
            key="add.text",
            type="tertiary",
            icon=":material/content_paste:",
            on_click=_add_text,
            args=(form,),
        )
        total = sum(tokens(row.text) for row in form.materials)
        if total:
            st.caption(f"≈ {total:,} tokens of material in every call")


def _take_files(form: Form, key: str) -> None:
    """Read what was uploaded into rows of its own; what cannot be read is said below the upload."""
    refused = []
    for file in st.session_state.get(key) or []:
        try:
            made = read(file.name, file.getvalue())
            form.materials.append(MaterialRow(name=made.name, text=made.text))
        except InputError as error:
            refused.append(str(error))
    st.session_state["upload.refused"] = refused
    st.session_state["upload.number"] += 1


def _add_text(form: Form) -> None:
    form.materials.append(MaterialRow(name=f"Pasted text {len(form.materials) + 1}"))


def _text(form: Form, row: MaterialRow) -> None:
    """One text: its name, its length, the text itself."""
    with st.container(border=True, key=f"material.{row.id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            row.name = st.text_input(
                "Name", key=draft.seeded(f"m.{row.id}.name", row.name), placeholder="Name",
                label_visibility="collapsed", width="stretch",
                on_change=draft.take, args=(f"m.{row.id}.name", row, "name"),
            )  # fmt: skip
            st.caption(f"≈ {tokens(row.text):,} tokens", width="content")
            remove(form.materials, row, "Remove this text")
        with st.expander("Text", expanded=not row.text, key=f"open.{row.id}"):
            row.text = st.text_area(
                "Text", key=draft.seeded(f"m.{row.id}.text", row.text), height=180, label_visibility="collapsed",
                on_change=draft.take, args=(f"m.{row.id}.text", row, "text"),
            )  # fmt: skip


def priorities(form: Form) -> None:
    """What matters most, in the person's words."""
    form.priorities = st.text_input(
        "What matters most",
        key=draft.seeded("priorities", form.priorities),
        on_change=draft.take,
        args=("priorities", form, "priorities"),
        placeholder="For example: being able to undo it matters more than speed",
        help="Tells the agents which way to lean when constraints leave room.",
    )
