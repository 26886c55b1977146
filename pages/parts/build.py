"""The config that is made of the New debate form, and what keeps it from being made, each fault at its field. Pure."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from pydantic import ValidationError

from pages.parts.constraint_kinds import check_of, worded
from pages.parts.form import CUSTOM, DimensionRow, Form, dimensions_of, expertise_of
from pages.parts.material import clean_name
from vada import probed
from vada.errors import InputError, VadaError
from vada.models.debate import Budget, Constraint, DebateConfig, Dimension, Lineage, Material, ModelRef, Pack, Seat
from vada.models.vocabulary import DEBATERS, OPTIMIZERS, GateMode, Role
from vada.settings import Settings, default_seats, with_methods

NO_REPORTS: probed.Reports = MappingProxyType({})


def faults(
    form: Form, settings: Settings, packs: Mapping[str, Pack], reports: probed.Reports = NO_REPORTS
) -> list[InputError]:
    """Everything that keeps the form from starting, each at its field; empty when it can start. `reports` tell which
    models are gone."""
    found: list[InputError] = []
    gone = partial(_gone, reports=reports)
    for step in (_question, _pack, _constraints, _material, _seats, _keys, gone, _budget, _frame):
        try:
            step(form, settings, packs)
        except _SeveralFaultsError as several:
            found += several.errors
        except InputError as error:
            found.append(error)
    return found


def build(
    form: Form, settings: Settings, packs: Mapping[str, Pack], seed: int = 0, reports: probed.Reports = NO_REPORTS
) -> DebateConfig:
    """The config of a form. Raises the first InputError of `faults`."""
    for fault in faults(form, settings, packs, reports):
        raise fault
    return _config(form, settings, packs, seed)


def sketch(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> DebateConfig | None:
    """The config as far as it can be made, for an estimate: a missing question or key is no obstacle to it."""
    asked = form if form.question.strip() else form.model_copy(update={"question": "?"})
    try:
        return _config(asked, settings, packs, 0)
    except (InputError, _SeveralFaultsError):
        return None


def _config(form: Form, settings: Settings, packs: Mapping[str, Pack], seed: int) -> DebateConfig:
    gate, lineage = _frame(form, settings, packs)
    return DebateConfig(
        question=form.question,
        constraints=_constraints(form, settings, packs),
        material=_material(form, settings, packs),
        priorities=form.priorities,
        pack=_pack(form, settings, packs),
        seats=_seats(form, settings, packs),
        rounds=form.rounds,
        gate=gate,
        context=form.context,
        budget=_budget(form, settings, packs),
        seed=seed,
        lineage=lineage,
    )


class _SeveralFaultsError(Exception):
    """The faults of a list's rows."""

    def __init__(self, errors: list[InputError]) -> None:
        super().__init__()
        self.errors = errors


def _question(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> None:
    if not form.question.strip():
        raise InputError("question", "There is no question yet.", next_step="Write what must be decided.")


def _constraints(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> tuple[Constraint, ...]:
    """The constraints, numbered, their text byte for byte; a row without text is worded by its check."""
    made: list[Constraint] = []
    wrong: list[InputError] = []
    for i, row in enumerate(form.constraints):
        try:
            check = check_of(row.kind, row.args)
        except ValueError as error:
            wrong.append(InputError(f"constraints.{i}", str(error)))
            continue
        text = row.text if row.text.strip() else worded(row.kind, row.args)
        if text:
            made.append(Constraint(id=f"C{len(made) + 1}", text=text, check=check))
    if wrong:
        raise _SeveralFaultsError(wrong)
    return tuple(made)


def _material(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> tuple[Material, ...]:
    """The texts that are not blank, each under a name of its own."""
    made: dict[str, Material] = {}
    for row in form.materials:
        if row.text.strip():
            name = _unused(clean_name(row.name), made)
            made[name] = Material(name=name, text=row.text)
    return tuple(made.values())


def _unused(name: str, taken: Mapping[str, Material]) -> str:
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name} ({number})", number + 1
    return unique


def _pack(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> Pack:
    """The pack with the dimensions and expertise as edited."""
    if form.pack not in packs:
        raise InputError("pack", f"There is no pack {form.pack!r}.", next_step="Choose one of the packs.")
    rows = [row for row in dimensions_of(form, packs) if row.weight > 0]
    if not rows:
        raise InputError("dimensions", "Nothing is scored.", next_step="Give at least one dimension a weight above 0.")
    unnamed = next((row for row in rows if not row.name.strip()), None)
    if unnamed:
        raise InputError("dimensions", "A dimension has no name.", next_step="Name it, or set its weight to 0.")
    changes = {
        "dimensions": _dimensions(rows),
        "expertise_a": expertise_of(form, packs, Role.OPTIMIZER_A),
        "expertise_b": expertise_of(form, packs, Role.OPTIMIZER_B),
    }
    return packs[form.pack].model_copy(update=changes)


def _dimensions(rows: list[DimensionRow]) -> tuple[Dimension, ...]:
    """The rows as dimensions; a row of the person's own gets a key from its name, unlike every other."""
    made: dict[str, Dimension] = {}
    for row in rows:
        key = row.key or slug(row.name)
        while key in made:
            key += "_2"
        made[key] = Dimension(
            key=key,
            name=row.name.strip(),
            weight=row.weight,
            scale_0=row.scale_0.strip() or f"Fails on {row.name.strip().lower()}.",
            scale_5=row.scale_5.strip() or f"Partly meets {row.name.strip().lower()}.",
            scale_10=row.scale_10.strip() or f"Fully meets {row.name.strip().lower()}.",
        )
    return tuple(made.values())


def slug(name: str) -> str:
    """A key made of a name: lower-case letters and digits joined by `_`."""
    words = "".join(c if c.isalnum() else " " for c in name.lower()).split()
    return "_".join(words) or "dimension"


def _seats(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> tuple[Seat, ...]:
    """All eight seats: the panel's, except where a model or an expertise was typed."""
    pack = packs.get(form.pack) or next(iter(packs.values()))
    try:
        seats = default_seats(settings, pack, None if form.panel == CUSTOM else form.panel or None, web=form.web)
    except VadaError as error:
        raise InputError("panel", error.message, next_step=error.next_step) from error
    made, wrong = [], []
    for seat in seats:
        try:
            made.append(_seated(seat, form, settings, packs))
        except InputError as error:
            wrong.append(error)
    if wrong:
        raise _SeveralFaultsError(wrong)
    return tuple(with_methods(made))


def _seated(seat: Seat, form: Form, settings: Settings, packs: Mapping[str, Pack]) -> Seat:
    """A seat with what was typed for it."""
    field = f"models.{seat.role}"
    typed = form.models.get(seat.role, "")
    try:
        model = ModelRef.parse(typed) if typed.strip() else seat.model
    except ValueError:
        raise InputError(field, f"{typed!r} is no model.", next_step="Write it as name@endpoint.") from None
    endpoint = settings.endpoints.get(model.endpoint)
    if endpoint is None:
        known = ", ".join(settings.endpoints)
        raise InputError(field, f"There is no endpoint {model.endpoint}.", next_step=f"There are {known}.")
    return seat.model_copy(
        update={
            "model": model,
            "fallbacks": tuple(m for m in seat.fallbacks if m != model),
            "expertise": expertise_of(form, packs, seat.role) if seat.role in OPTIMIZERS else seat.expertise,
            "web": form.web and seat.role in DEBATERS and bool(settings.searcher(model.endpoint)),
        }
    )


def _keys(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> None:
    """An endpoint without its key: at the model where one was typed, at the panel (once) where it comes from there."""
    try:
        seats = _seats(form, settings, packs)
    except (InputError, _SeveralFaultsError):
        return  # said by `_seats` itself
    wrong: dict[str, InputError] = {}
    for seat in seats:
        endpoint = settings.endpoints[seat.model.endpoint]
        if not endpoint.configured:
            step = f"Set {endpoint.key_env} in the environment of the server, or choose the rehearsal panel."
            field = f"models.{seat.role}" if form.models.get(seat.role, "").strip() else "panel"
            wrong[field] = InputError(field, f"The endpoint {seat.model.endpoint} has no key.", next_step=step)
    if wrong:
        raise _SeveralFaultsError(list(wrong.values()))


def _gone(form: Form, settings: Settings, packs: Mapping[str, Pack], reports: probed.Reports) -> None:
    """A model that its endpoint does not list: at the model where it was typed, else once at the panel."""
    try:
        seats = _seats(form, settings, packs)
    except (InputError, _SeveralFaultsError):
        return  # said by `_seats` itself
    wrong: dict[tuple[str, ModelRef], InputError] = {}
    for seat in seats:
        near = probed.nearest(seat.model, reports)
        if near is not None:
            field = f"models.{seat.role}" if form.models.get(seat.role, "").strip() else "panel"
            said, step = probed.gone(seat.model, near)
            wrong[field, seat.model] = InputError(field, said, next_step=step)
    if wrong:
        raise _SeveralFaultsError(list(wrong.values()))


def _budget(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> Budget:
    try:
        return Budget(dollars=form.dollars, minutes=form.minutes, tokens=form.tokens)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        raise InputError(f"budget.{field}", "A limit is above 0.", next_step="Leave it empty for no limit.") from None


def _frame(form: Form, settings: Settings, packs: Mapping[str, Pack]) -> tuple[GateMode, Lineage | None]:
    """Rounds, gate mode, context and lineage."""
    if not 1 <= form.rounds <= 3:
        raise InputError("rounds", "A debate has one to three rounds.")
    if form.gate not in set(GateMode):
        raise InputError("gate", "Choose when the gate asks you.")
    if form.context not in ("brief", "transcript"):
        raise InputError("context", "Choose what later rounds start from.")
    lineage = Lineage(parent=form.parent, round=0, reason="follow-up") if form.parent else None
    return GateMode(form.gate), lineage
