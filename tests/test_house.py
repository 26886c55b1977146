"""The house stands: one stem everywhere, imports that go down only, a wheel that carries what it needs."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.hostile import CASES
from vada.failure_modes import MODES
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName, Role
from vada.phases import PHASES
from vada.prompts import PromptBook
from vada.roles import HORIZONS
from vada.rules import RULES
from vada.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CALLING = {PhaseName.CHALLENGE, PhaseName.SYNTHESIZE, PhaseName.VERIFY, PhaseName.COMPRESS, PhaseName.FORMAT}
"""The phases that lay something of the debate before a model; phase 2's agents are blind, 1 and 7 call none."""


def stems(folder: str, pattern: str) -> set[str]:
    """The names of a folder's entries that match, without extension."""
    return {p.stem for p in (ROOT / folder).glob(pattern)}


def tracked() -> list[Path]:
    """The files git knows, and those it would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if (ROOT / name).is_file()]


# One stem everywhere.


def test_every_phase_is_one_word_everywhere() -> None:
    values = {p.value for p in PhaseName}
    assert stems("vada/phases", "p*_*.py") == values
    assert {p.value for p in PHASES} == values
    assert all(phase.name is name for name, phase in PHASES.items())
    assert {s.removeprefix("test_") for s in stems("tests/phases", "test_p*.py")} <= values
    assert len(EIGHT_PHASES) == 8


def test_prompt_folders_are_named_after_their_phase() -> None:
    folders = {p.name for p in (ROOT / "prompts/phases").iterdir() if p.is_dir()}
    assert {p.value for p in CALLING} <= folders <= {p.value for p in PhaseName}


def test_every_failure_mode_is_one_word_everywhere() -> None:
    values = {m.value for m in FailureMode}
    assert values <= stems("vada/failure_modes", "*.py")
    assert set(MODES) == set(FailureMode)
    assert all(set(mode.defended_in) <= set(EIGHT_PHASES) for mode in MODES.values())
    assert len(values) == 11


def test_every_role_and_task_has_its_prompt() -> None:
    assert {r.value for r in Role} <= stems("prompts/roles", "*.md")
    assert set(HORIZONS) <= stems("prompts/horizons", "*.md")


def test_the_rules_are_numbered_one_to_eleven_in_file_and_code() -> None:
    files = sorted(stems("vada/rules", "r[0-9]*_*.py"))
    assert [int(f[1:3]) for f in files] == list(range(1, 12)) == [r.number for r in RULES]
    assert [f[4:] for f in files] == [r.key for r in RULES]


def test_packs_are_named_by_their_key() -> None:
    packs = PromptBook.load().packs
    assert set(packs) == stems("prompts/packs", "*.yaml") == {p.key for p in packs.values()}


def test_the_hostile_corpus_has_twenty_cases_of_different_names() -> None:
    assert len(CASES) == len({c.name for c in CASES}) == len({c.shows for c in CASES}) == 20


# Code.


def test_imports_go_down_only() -> None:
    found = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("file", sorted((ROOT / "vada").rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_says_what_it_owns_and_has_a_telling_name(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith('"""') or not text.strip()
    assert file.stem not in ("utils", "helpers", "manager", "common", "misc")


_BETRAYING = [
    r"/(?:work|root|tmp|opt/pypi)/",
    r"/home/\w",
    r"\bpypi" + r"\.org",
    r"pythonhosted" + r"\.org",
    r"registry\.npm" + r"js",
    r"deb\.debian" + r"\.org",
]


def test_no_file_names_a_machine_or_a_registry() -> None:
    pattern = re.compile("|".join(_BETRAYING))
    found = []
    for file in tracked():
        if file.suffix in (".woff2", ".png", ".gz", ".zip") or file == Path(__file__):
            continue
        text = file.read_text(encoding="utf-8")
        found += [f"{file.relative_to(ROOT)}: {m[0]}" for m in pattern.finditer(text)]
    assert found == []


# Dependencies.


def _bounded(requirement: str) -> bool:
    operators = {s.operator for s in Requirement(requirement).specifier}
    return {">=", "<"} <= operators or bool(operators & {"==", "~="})


def test_every_dependency_is_bounded_on_both_sides() -> None:
    named = (PROJECT["dependency-groups"], PROJECT["project"].get("optional-dependencies", {}))
    grouped = [r for groups in named for group in groups.values() for r in group]
    every = [*PROJECT["project"]["dependencies"], *grouped, *PROJECT["build-system"]["requires"]]
    assert [r for r in every if not _bounded(r)] == []


def test_the_lock_pins_what_the_project_asks_for_with_hashes_and_without_addresses() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert "://" not in body
    entries = re.findall(r"^(\S+)==(\S+)[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", body, re.M)
    pinned = {(name, version) for name, version, _ in entries}
    assert len(entries) == len([line for line in body.splitlines() if line and not line.startswith(" ")])
    for wanted in map(Requirement, PROJECT["project"]["dependencies"]):
        versions = [v for name, v in pinned if name == wanted.name]
        assert versions, f"{wanted.name} is not pinned"
        assert all(wanted.specifier.contains(Version(v)) for v in versions)


# What is shipped.


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The project's wheel, built once and without the network."""
    out = tmp_path_factory.mktemp("wheel")
    source = out / "source"
    keep = [p for p in tracked() if "tests" not in p.relative_to(ROOT).parts[0]]
    for file in keep:
        copy = source / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    assert importlib.util.find_spec("hatchling"), "hatchling is in the dev group"
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], cwd=source, check=True)
    return zipfile.ZipFile(next(out.glob("*.whl")))


def test_the_wheel_carries_prompts_pages_app_and_theme(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    for top in ("prompts", "pages", "sample", ".streamlit", "app.py"):
        ours = [p.relative_to(ROOT) for p in tracked() if p.relative_to(ROOT).parts[0] == top]
        assert ours
        missing = {f"vada/bundle/{p.as_posix()}" for p in ours} - names
        assert missing == set()


def test_the_wheel_carries_every_file_of_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    ours = {p.relative_to(ROOT).as_posix() for p in tracked() if p.relative_to(ROOT).parts[0] == "vada"}
    assert ours <= set(wheel.namelist())
    tops = {n.split("/")[0] for n in wheel.namelist()}
    assert tops == {"vada", f"vada-{PROJECT['project']['version']}.dist-info"}
    assert not [n for n in wheel.namelist() if "__pycache__" in n or n.endswith((".db", "secrets.toml", "vada.toml"))]


def test_the_image_gets_what_the_wheel_is_built_of() -> None:
    bundled = set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])
    let_in = {
        line[1:].split("/")[0] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    assert bundled | {"vada", "pyproject.toml", "requirements.lock", "README.md", "LICENSE"} <= let_in


def test_the_wheel_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    info = f"vada-{PROJECT['project']['version']}.dist-info"
    assert "vada = vada.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()
    assert f"{info}/licenses/LICENSE" in wheel.namelist()


# The README.

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_path_the_readme_names_exists() -> None:
    spans = re.findall(r"`([^`\n]+)`", README)
    tops = {p.name for p in ROOT.iterdir()}
    paths = [s for s in spans if re.fullmatch(r"[\w./*\[\]-]+", s) and s.split("/")[0] in tops]
    assert len(paths) > 40
    assert [p for p in paths if not list(ROOT.glob(p.rstrip("/")))] == []


@pytest.mark.parametrize(
    "wanted",
    [
        *(f"vada/phases/{p.value}.py" for p in PhaseName),
        *(f"vada/failure_modes/{m.value}.py" for m in FailureMode),
        *(f"vada/rules/{stem}.py" for stem in sorted(stems("vada/rules", "r[0-9]*_*.py"))),
        *(f"prompts/roles/{r.value}.md" for r in Role),
        *(f"pages/{stem}.py" for stem in sorted(stems("pages", "*.py"))),
        *(f"prompts/packs/{stem}.yaml" for stem in sorted(stems("prompts/packs", "*.yaml"))),
        *Settings.model_fields,
    ],
)
def test_the_readme_says_where_it_is(wanted: str) -> None:
    assert f"`{wanted}`" in README


def test_the_readme_names_every_command() -> None:
    helped = subprocess.run(
        [sys.executable, "-m", "vada", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r"^    (\w+)  ", helped, re.M)
    assert len(commands) > 10
    assert [c for c in commands if f"`vada {c}" not in README] == []


def test_the_readme_gives_each_rule_in_its_own_words() -> None:
    assert [r.statement for r in RULES if r.statement not in README] == []


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{PROJECT['project']['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
