"""What follows from the reports of checks: how calls are made, which models are gone, the panel of mixed families.

Pure. What vada.toml says always wins; a report of another address counts for nothing. Never asks an endpoint.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from rapidfuzz import fuzz, process

from vada.models.debate import REHEARSAL, ModelRef, Seat
from vada.models.reports import EndpointReport
from vada.models.vocabulary import Role
from vada.settings import FAMILIES, EndpointSettings, Panel, Settings, default_panel, family, is_small

MIXED = "mixed"
"""The name of the built-in panel of mixed families."""

Reports = Mapping[str, EndpointReport]
"""The last report of each endpoint, by the endpoint's name."""

_NEAREST = 3  # names suggested for one that is gone
_ALIKE = 60  # rapidfuzz ratio, 0-100, from which a name is worth suggesting
_VERSION = re.compile(r"(?:[-@:](?:\d{8}|\d{4}-\d\d-\d\d|latest))$")
_NO_DEBATER = re.compile(
    r"audio|bge|clip|dall|embed|guard|image|moderation|ocr|realtime|rerank|speech|transcri|tts|video|whisper", re.I
)


def standing(settings: Settings, reports: Reports) -> dict[str, EndpointReport]:
    """The reports of endpoints that are set up and still have the address that was checked."""
    return {n: r for n, r in reports.items() if (e := settings.endpoints.get(n)) and e.address == r.url}


def applied(settings: Settings, reports: Reports) -> Settings:
    """The settings with what the reports found where vada.toml is silent, and the mixed panel where there can be one.

    Give it the settings as they were loaded: once applied, a finding cannot be told from what the file says.
    """
    reports = standing(settings, reports)
    endpoints = {name: _as_found(e, reports.get(name)) for name, e in settings.endpoints.items()}
    found = settings.model_copy(update={"endpoints": endpoints})
    panel = None if MIXED in settings.panels else mixed(found, reports)
    return found.model_copy(update={"panels": _with(settings.panels, panel)}) if panel else found


def _as_found(endpoint: EndpointSettings, report: EndpointReport | None) -> EndpointSettings:
    """An endpoint does what every model that was asked there does."""
    if report is None:
        return endpoint
    searches = report.can("searches")
    found = {
        "structure": "prompt" if report.can("keeps_schema") is False else None,
        "stream": report.can("streams"),
        "search": searches and report.can("takes_tools") is not False,  # a searched reply is handed in by a tool
    }
    silent = found.keys() - endpoint.model_fields_set
    return endpoint.model_copy(update={k: found[k] for k in silent if found[k] is not None})


def _with(panels: Mapping[str, Panel], panel: Panel) -> dict[str, Panel]:
    """The panels with the mixed one after the other three built-in ones that ask models."""
    names = list(panels)
    place = names.index("best") + 1 if "best" in names else 0
    return {n: panels.get(n, panel) for n in (*names[:place], MIXED, *names[place:])}


# A model that is gone.


def nearest(model: ModelRef, reports: Reports) -> tuple[str, ...] | None:
    """The names most like that of a model which its endpoint does not list; None where it is listed or not known to be
    gone: the endpoint was not checked, its last check failed, it lists nothing, or the model has answered there."""
    report = reports.get(model.endpoint)
    if report is None or report.failed or not report.listed or _has(report, model.name):
        return None
    near = process.extract(model.name, report.listed, scorer=fuzz.ratio, limit=_NEAREST, score_cutoff=_ALIKE)
    return tuple(name for name, _, _ in near)


def gone(model: ModelRef, near: Iterable[str]) -> tuple[str, str]:
    """What is wrong with a model that its endpoint does not list, and what to do, in plain words."""
    names = " or ".join(near)
    other = f"Perhaps {names}; else choose" if names else "Choose"
    step = (
        f"{other} one it lists. If it takes this one all the same, name it in a panel and check that with a question."
    )
    return f"{model.endpoint} does not list the model {model.name}.", step


def troubles(seats: Iterable[Seat], settings: Settings, reports: Reports) -> list[str]:
    """What the last checks found wrong with a roster and is no reason to refuse it: an endpoint that could not be used,
    a model that did not answer, a fallback that is gone."""
    seats = list(seats)
    said: dict[str, None] = {}
    for model in dict.fromkeys(s.model for s in seats):
        report = reports.get(model.endpoint)
        if report is None or not settings.endpoints[model.endpoint].configured:
            continue
        asked = report.model(model.name)
        if report.failed:
            said[f"The last check of {model.endpoint} failed: {report.error}"] = None
        elif asked is not None and asked.answers is False:
            said[f"{model} did not answer when it was last checked: {asked.error}"] = None
    for model in dict.fromkeys(m for s in seats for m in s.fallbacks):
        if nearest(model, reports) is not None:
            said[f"The fallback {model} is not on its endpoint's list."] = None
    return list(said)


def _has(report: EndpointReport, name: str) -> bool:
    """Whether a model is there: listed, as a snapshot of a listed alias or the alias of one, or it answered."""
    asked = report.model(name)
    if asked is not None and asked.answers:
        return True
    return name in report.listed or _alias(name) in report.listed or name in _aliases(report.listed)


@lru_cache(maxsize=32)
def _aliases(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_alias, names))


def _alias(name: str) -> str:
    """A model's name without the date or `latest` at its end."""
    return _VERSION.sub("", name)


def offered(settings: Settings, reports: Reports) -> list[str]:
    """Every model that a panel names or an endpoint lists, as `name@endpoint`; those of panels come first."""
    named = [m for panel in settings.panels.values() for m in panel.models]
    listed = [ModelRef(name=n, endpoint=r.name) for r in standing(settings, reports).values() for n in r.listed]
    return [str(m) for m in dict.fromkeys((*named, *listed))]


# The panel of mixed families.


def mixed(settings: Settings, reports: Reports) -> Panel | None:
    """A panel whose Optimizers are of different families and whose Challenger, Verifier and Critic are of another than
    the Coordinator; None where fewer than two families are in reach."""
    one_each: dict[str, ModelRef] = {}
    for model in _in_reach(settings, reports):
        one_each.setdefault(family(model.name), model)
    if len(one_each) < 2:
        return None
    first, second, *more = one_each.values()
    third = more[0] if more else second
    return Panel(
        model=first,
        roles={Role.OPTIMIZER_B: second, Role.CHALLENGER: third, Role.VERIFIER: second, Role.CRITIC: third},
    )


def _in_reach(settings: Settings, reports: Reports) -> Iterator[ModelRef]:
    """Models that can be called and can debate: those that panels name, the default panel first, then listed ones."""
    panels = settings.panels
    named = [m for p in dict.fromkeys((default_panel(settings), *panels)) for m in panels[p].models]
    listed = [ModelRef(name=n, endpoint=r.name) for r in reports.values() for n in _answered_first(r)]
    for model in dict.fromkeys((*named, *listed)):
        report = reports.get(model.endpoint)
        callable_ = model.endpoint != REHEARSAL and settings.endpoints[model.endpoint].configured
        there = callable_ and not (report and report.failed) and nearest(model, reports) is None
        if there and not is_small(model.name):
            yield model


def debaters(listed: Iterable[str]) -> list[str]:
    """The listed models that can debate as far as names tell: those of families known by name that write text."""
    return [n for n in listed if family(n) in FAMILIES and not _NO_DEBATER.search(n)]


def _answered_first(report: EndpointReport) -> list[str]:
    answered = {m.name for m in report.models if m.answers}
    return sorted(debaters(report.listed), key=lambda name: name not in answered)
