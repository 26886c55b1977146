"""What stands in the New debate form: whatever was typed, usable or not, so that nothing of it is ever lost.

Pure: no Streamlit, no network, no clock. `pages.parts.build` makes the config of it.
"""

from collections.abc import Iterator, Mapping
from secrets import token_hex

from pydantic import BaseModel, ConfigDict, Field

from vada import minority
from vada.models.debate import Constraint, DebateConfig, Dimension, Pack
from vada.models.run import Run
from vada.models.vocabulary import CheckKind, GateMode, Role
from vada.settings import Settings, default_panel

CUSTOM = "custom"
"""The panel's word when every seat is chosen by hand; it starts from the default panel."""


_CASE = {"question", "materials", "parent", "started"}


class _Part(BaseModel):
    """A mutable piece of the form; what a newer version wrote and this one does not know is left out."""

    model_config = ConfigDict(extra="ignore", validate_assignment=False)


class Row(_Part):
    """An entry of a list on the page; `id` names its widgets while other rows come and go."""

    id: str = Field(default_factory=lambda: token_hex(4))


class ConstraintRow(Row):
    """One constraint as typed; `kind` empty: as worded, and checked by code where the wording is plain."""

    text: str = ""
    kind: str = ""
    args: list[str] = []


class MaterialRow(Row):
    """One text beside the question."""

    name: str = ""
    text: str = ""


class DimensionRow(Row):
    """One scoring dimension as typed."""

    key: str = ""
    name: str = ""
    weight: float = 0
    scale_0: str = ""
    scale_5: str = ""
    scale_10: str = ""


class Form(_Part):
    """Everything on the page. Edits that belong to a pack are kept by pack, so that changing it loses nothing."""

    question: str = ""
    priorities: str = ""
    constraints: list[ConstraintRow] = []
    materials: list[MaterialRow] = []
    pack: str = ""
    dimensions: dict[str, list[DimensionRow]] = Field(default={}, description="by pack; absent: the pack's own")
    expertise: dict[str, str] = Field(default={}, description="by `pack.role`; absent: the pack's own")
    panel: str = ""
    models: dict[str, str] = Field(default={}, description="by role, as typed; absent: the panel's")
    gate: str = ""
    rounds: int = 3
    web: bool = True
    context: str = "brief"
    dollars: float | None = None
    minutes: float | None = None
    tokens: int | None = None
    parent: str = Field(default="", description="the debate that this one follows up")
    started: str = Field(default="", description="the debate that was started from it; a second start leads there")

    @property
    def blank(self) -> bool:
        """Whether nothing was typed that would be missed."""
        return not (self.question.strip() or self.priorities.strip() or self.constraints or self.materials)

    def frame(self) -> dict[str, object]:
        """What a preset keeps: everything but the case itself (question, material) and where it came from."""
        return self.model_dump(mode="json", exclude=_CASE)

    def framed(self, preset: Mapping[str, object]) -> "Form":
        """This case in the frame of a preset. Raises pydantic's ValidationError for a preset that is none."""
        return Form.model_validate({**preset, **self.model_dump(include=_CASE)})


# From settings, a pack or an earlier debate to a form.


def fresh(settings: Settings, packs: Mapping[str, Pack]) -> Form:
    """The form as it stands before anything is typed."""
    chosen = settings.defaults
    pack = chosen.pack if chosen.pack in packs else next(iter(packs), "")
    return Form(pack=pack, panel=default_panel(settings), gate=chosen.gate.value, rounds=chosen.rounds, web=chosen.web)


def mended(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> Form:
    """A saved form with the default in place of what this installation does not know, so that it can be shown."""
    default = fresh(settings, packs)
    form.pack = form.pack if form.pack in packs else default.pack
    form.panel = form.panel if form.panel in settings.panels or form.panel == CUSTOM else default.panel
    form.gate = form.gate if form.gate in set(GateMode) else default.gate
    form.rounds = min(max(form.rounds, 1), 3)
    form.dollars, form.minutes = (v if v is None or v >= 0 else None for v in (form.dollars, form.minutes))
    for constraint in form.constraints:
        constraint.kind = constraint.kind if constraint.kind in set(CheckKind) else ""
    for row in (row for rows in form.dimensions.values() for row in rows):
        row.weight = min(max(row.weight, 0.0), 10.0)
    return form


def dimensions_of(form: Form, packs: Mapping[str, Pack]) -> list[DimensionRow]:
    """The dimensions of the form's pack, edited or the pack's own; a copy."""
    if form.pack in form.dimensions:
        return [row.model_copy() for row in form.dimensions[form.pack]]
    pack = packs.get(form.pack)
    return [_dimension(pack, d) for d in pack.dimensions] if pack else []


def _dimension(pack: Pack, dimension: Dimension) -> DimensionRow:
    """A pack's dimension as a row; its id is the same every time, so that its widgets are."""
    return DimensionRow(id=f"{pack.key}.{dimension.key}", **dimension.model_dump())


def expertise_of(form: Form, packs: Mapping[str, Pack], role: Role) -> str:
    """An Optimizer's expertise, edited or the pack's own; empty for other roles."""
    pack = packs.get(form.pack)
    own = {Role.OPTIMIZER_A: pack.expertise_a, Role.OPTIMIZER_B: pack.expertise_b}.get(role, "") if pack else ""
    return form.expertise.get(f"{form.pack}.{role}", own)


def model_of(form: Form, settings: Settings, role: Role) -> str:
    """A seat's model as typed, else the panel's."""
    panel = settings.panels.get(form.panel) or settings.panels[default_panel(settings)]
    return form.models.get(role) or str(panel.of(role))


def from_config(config: DebateConfig, packs: Mapping[str, Pack]) -> Form:
    """A form that would build this config again, except for its seed and lineage."""
    pack = config.pack
    form = Form(
        question=config.question,
        priorities=config.priorities,
        constraints=[_row(c) for c in config.constraints],
        materials=[MaterialRow(name=m.name, text=m.text) for m in config.material],
        pack=pack.key if pack.key in packs else next(iter(packs), ""),
        panel=CUSTOM,
        models={s.role.value: str(s.model) for s in config.seats},
        gate=config.gate.value,
        rounds=config.rounds,
        web=any(s.web for s in config.seats),
        context=config.context,
        dollars=config.budget.dollars,
        minutes=config.budget.minutes,
        tokens=config.budget.tokens,
    )
    if form.pack == pack.key and packs[pack.key].dimensions != pack.dimensions:
        form.dimensions = {pack.key: [_dimension(pack, d) for d in pack.dimensions]}
    return form


def _row(constraint: Constraint) -> ConstraintRow:
    check = constraint.check
    if check is None:
        return ConstraintRow(text=constraint.text)
    joined = check.kind in (CheckKind.MUST_INCLUDE, CheckKind.MUST_NOT)
    args = ["; ".join(check.args)] if joined else list(check.args)
    return ConstraintRow(text=constraint.text, kind=check.kind.value, args=args)


def follow_up(run: Run, packs: Mapping[str, Pack]) -> Form:
    """A form seeded by an earlier debate: its frame, and what it decided and left open as material. No question yet."""
    form = from_config(run.config, packs)
    form.question = ""
    form.parent = run.id
    form.materials = [MaterialRow(name="Outcome of the earlier debate", text=outcome(run)), *form.materials]
    return form


def outcome(run: Run) -> str:
    """What a debate came to, as text for the next one: question, recommendation, decisions, minority, open points."""
    base = next((r for r in reversed(run.rounds) if r.synthesis), None)
    synthesis = base.synthesis if base else None
    lines = ["Question of the earlier debate:", run.config.question]
    if run.conclusion:
        lines += ["", "Recommendation:", run.conclusion.recommendation]
        lines += _listed("Unresolved:", (p.point for p in run.conclusion.unresolved_points))
    if synthesis:
        lines += _listed("Decisions:", (f"{d.statement} (confidence {d.confidence:.2f})" for d in synthesis.decisions))
    if base:
        lines += _listed("Minority report:", (_overruled(v) for v in minority.views(run.rounds, base.number)))
    return "\n".join(lines)


def _overruled(view: minority.View) -> str:
    """A view that did not prevail; one that its holders have given up since says so."""
    since = f" (held by {view.held})" if view.given_up else ""
    return f"{view.entry.position} — {view.entry.reason}{since}"


def _listed(title: str, items: Iterator[str]) -> list[str]:
    found = [f"- {item}" for item in items]
    return ["", title, *found] if found else []
