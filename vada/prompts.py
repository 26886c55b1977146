"""Loads, checks, composes and hashes every word a model reads.

Owns the order of a prompt's parts (shared, posture, horizon, context, input, round, whisper, anchor) and the checks of
the files in `prompts/`. Never holds wording itself, never sends anything, and never treats a person's, a model's or a
web page's text as a template: such text enters only as a value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml  # type: ignore[import-untyped]
from jinja2 import DictLoader, StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import ValidationError

from vada.constraints import block, word_limit
from vada.errors import PromptError
from vada.llm.base import Part
from vada.models.debate import DebateConfig, Pack, Seat
from vada.models.outputs import Whisper
from vada.models.vocabulary import DEBATERS, OPTIMIZERS, Role
from vada.places import shipped
from vada.roles import HORIZONS

REQUIRED_DIMENSIONS = ("actionability", "readability")
"""Dimensions every pack scores: a deliverable nobody can act on or read is worth nothing."""

REQUIRED = (
    *(f"roles/{role}" for role in Role),
    *(f"horizons/{horizon}" for horizon in HORIZONS),
    *("rounds/1", "rounds/2", "rounds/3", "rounds/serve"),
    *("shared", "context", "whisper", "anchor", "audit", "baseline"),
)
"""The files `compose`, `shared`, `compose_audit` and `compose_baseline` need, without `.md`."""

_STATEMENTS = (nodes.Output, nodes.If, nodes.For, nodes.Include)
_TAG = re.compile(r"<(?=[/A-Za-z])")


def inert(text: object) -> str:
    """Text that can open or close no tag: each `<` before a letter or a slash becomes `&lt;`."""
    return _TAG.sub("&lt;", str(text))


def attr(text: object) -> str:
    """Text for a double-quoted attribute: `inert`, and each `"` becomes `&quot;`."""
    return inert(text).replace('"', "&quot;")


@dataclass(frozen=True)
class Shared:
    """What all agents of a round are given, byte for byte the same for each.

    `case` is the same in every round too: question, constraints, priorities, material. `context` is the round's own:
    where the debate stands.
    """

    case: str
    context: str


@dataclass(frozen=True)
class PromptBook:
    """The prompt files and domain packs of one folder, checked when loaded and unchanged after."""

    packs: Mapping[str, Pack]
    _env: ImmutableSandboxedEnvironment = field(repr=False, compare=False)

    @classmethod
    def load(cls, folder: Path | None = None) -> "PromptBook":
        """Read and check a folder, by default the shipped one. Raises PromptError naming the file and what is wrong."""
        folder = folder or shipped("prompts")
        texts = {
            path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob("*.md"))
            if path.name != "README.md"
        }
        missing = [f"{name}.md" for name in REQUIRED if f"{name}.md" not in texts]
        if missing:
            raise PromptError(f"The prompt folder {folder} lacks {', '.join(missing)}.", next_step="Restore the files.")
        env = _environment(texts)
        for name in texts:
            _check_template(env, name, texts)
        packs = (read_pack(path) for path in sorted((folder / "packs").glob("*.yaml")))
        return cls({pack.key: pack for pack in packs}, env)

    def render(self, name: str, **values: object) -> str:
        """The file `name` (without `.md`) with its variables filled in. Raises PromptError when one is missing."""
        try:
            return self._env.get_template(f"{name}.md").render(values).removesuffix("\n")
        except TemplateNotFound as error:
            raise PromptError(f"There is no prompt file {error.name}.", next_step="Restore the file.") from error
        except TemplateError as error:
            raise PromptError(
                f"prompts/{name}.md cannot be rendered: {error.message}.",
                next_step="Give it that variable or mend the file; prompts/README.md lists the variables.",
            ) from error

    def shared(
        self, config: DebateConfig, *, context: str, source: str, round: int, constraints_block: str | None = None
    ) -> Shared:
        """What all agents of a round are given: question and constraints verbatim, priorities, material; context.

        `constraints_block` is the dossier's, which names accepted renegotiations; without it the config's constraints
        stand alone. Nothing of any one seat enters, so that the text is the same for all of them byte for byte.
        """
        case = self.render(
            "shared",
            question=config.question,
            constraints=block(config.constraints) if constraints_block is None else constraints_block,
            priorities=config.priorities,
            material=config.material,
        )
        return Shared(case, self.render("context", context=context, source=source, round=round))

    def compose(
        self,
        seat: Seat,
        config: DebateConfig,
        *,
        horizon: str,
        round: int,
        cap: int,
        shared: Shared,
        inputs: str = "",
        instruction: str = "",
        whispers: Sequence[Whisper] = (),
        values: Mapping[str, object] | None = None,
    ) -> tuple[Part, ...]:
        """The parts of one call, in the order they are sent; the anchor is the last.

        What a role's next call of the same task will have too comes first, so that it can be read from the provider's
        prompt cache: the case, the posture and the horizon; what changes from round to round comes after.

        `cap` is in words; `whispers` may hold notes to other roles, which are left out; `values` fill further variables
        of the files. Raises PromptError for an unknown horizon or a variable that is not given.
        """
        if horizon not in HORIZONS:
            raise PromptError(f"There is no task horizon {horizon!r}; there are {', '.join(HORIZONS)}.")
        filled = {**_values(seat, config, horizon, round, cap, instruction), **(values or {})}
        notes = [w for w in whispers if w.to is None or w.to == seat.role]
        parts = (
            Part("shared", shared.case),
            Part("posture", self.render(f"roles/{seat.role}", **filled)),
            Part("horizon", self.render(f"horizons/{horizon}", **filled)),
            Part("context", shared.context),
            Part("input", inputs),
            Part("round", self.render(_round_file(seat.role, round), **filled)),
            Part("whisper", self.render("whisper", **filled, notes=notes) if notes else ""),
            Part("anchor", self.render("anchor", **filled)),
        )
        return tuple(part for part in parts if part.text)

    def compose_audit(self, question: str, conclusion_json: str) -> tuple[Part, ...]:
        """The Blind Critic's one part: its rules, the question and the conclusion, nothing of the debate, no anchor."""
        return (Part("posture", self.render("audit", question=question, conclusion=conclusion_json)),)

    def compose_baseline(self, seat: Seat, config: DebateConfig, *, cap: int, shared: Shared) -> tuple[Part, ...]:
        """The parts of the one call to one model, without a debate: shared, its task, the anchor."""
        filled = _values(seat, config, "baseline", 1, cap, "")
        return (
            Part("shared", shared.case),
            Part("posture", self.render("baseline", **filled)),
            Part("anchor", self.render("anchor", **filled)),
        )


def read_pack(path: Path) -> Pack:
    """Read and check a domain pack. Raises PromptError naming the file and the field at fault."""
    try:
        pack = Pack.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PromptError(f"{path}: cannot be read: {error}", next_step="Mend the file.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the whole file"
        raise PromptError(f"{path}: {where}: {first['msg']}.", next_step="Mend the field.") from error
    if pack.key != path.stem:
        raise PromptError(f"{path}: key: is {pack.key!r}, not the file's name.", next_step="Make them the same.")
    check_pack(pack, source=str(path))
    return pack


def check_pack(pack: Pack, *, source: str) -> None:
    """Check what a pack's types do not. Raises PromptError naming `source` and the field at fault."""
    for where, fault in _faults(pack):
        raise PromptError(f"{source}: {where}: {fault}.", next_step="Mend the field.")


def _faults(pack: Pack) -> Iterable[tuple[str, str]]:
    """What is wrong with a pack: the field and the fault."""
    for name in ("name", "description", "expertise_a", "expertise_b"):
        if not getattr(pack, name).strip():
            yield name, "is empty"
    if pack.expertise_a == pack.expertise_b:
        yield "expertise_b", "is the same as expertise_a"
    if not 4 <= len(pack.dimensions) <= 6:
        yield "dimensions", f"has {len(pack.dimensions)} entries; a pack has 4 to 6"
    keys = [d.key for d in pack.dimensions]
    for key in REQUIRED_DIMENSIONS:
        if key not in keys:
            yield "dimensions", f"lacks {key}, which every pack scores"
    for i, dimension in enumerate(pack.dimensions):
        if keys.index(dimension.key) != i:
            yield f"dimensions.{i}.key", f"repeats {dimension.key}"
        for name in ("key", "name", "scale_0", "scale_5", "scale_10"):
            if not getattr(dimension, name).strip():
                yield f"dimensions.{i}.{name}", "is empty"


def _environment(texts: Mapping[str, str]) -> ImmutableSandboxedEnvironment:
    """The one way templates are read: no escaping, nothing undefined, block lines leave no trace."""
    env = ImmutableSandboxedEnvironment(
        loader=DictLoader(texts),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # an included file ends its own last line; `render` takes off the very last
    )
    env.filters.update(inert=inert, attr=attr)
    return env


def _check_template(env: ImmutableSandboxedEnvironment, name: str, texts: Mapping[str, str]) -> None:
    """Raise PromptError when a file does not parse, uses other statements, or includes what is not there."""
    try:
        tree = env.parse(texts[name])
    except TemplateSyntaxError as error:
        where = f"prompts/{name}, line {error.lineno}"
        raise PromptError(f"{where}: {error.message}", next_step="Mend the file.") from error
    for node in tree.find_all(nodes.Stmt):
        where = f"prompts/{name}, line {node.lineno}"
        if not isinstance(node, _STATEMENTS):
            raise PromptError(f"{where}: only if, for and include are allowed, not {type(node).__name__.lower()}.")
        if isinstance(node, nodes.Include) and not _included(node.template, texts):
            raise PromptError(f'{where}: an include names a prompt file that exists, for example "roles/debater.md".')


def _included(template: nodes.Expr, texts: Mapping[str, str]) -> bool:
    """Whether an include names one known file in so many words."""
    return isinstance(template, nodes.Const) and template.value in texts


def _values(
    seat: Seat, config: DebateConfig, horizon: str, round_: int, cap: int, instruction: str
) -> dict[str, object]:
    """The variables every file of a composed prompt may use; prompts/README.md lists them."""
    pack = config.pack
    own = {Role.OPTIMIZER_A: pack.expertise_a, Role.OPTIMIZER_B: pack.expertise_b}.get(seat.role, "")
    return {
        "question": config.question,
        "role": seat.role.value,
        "expertise": seat.expertise or own,
        "method": seat.method.value if seat.method else "",
        "web": seat.web,
        "pack": pack,
        "horizon": horizon,
        "round": round_,
        "rounds": max(config.rounds, round_),
        "cap": cap,
        "caps": config.caps,
        "draft_limit": min(config.caps.draft, word_limit(config.constraints, config.caps.draft)),
        "drafts": seat.role in OPTIMIZERS and horizon == "propose",
        "instruction": instruction,
        "locked": bool(config.lineage and config.lineage.locked_key),
        "today": "",
    }


def _round_file(role: Role, round_: int) -> str:
    """The Round Modifier: debaters have one a round, the serving roles one for all."""
    return f"rounds/{min(max(round_, 1), 3)}" if role in DEBATERS else "rounds/serve"
