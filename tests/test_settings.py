"""Settings: where they come from, what is refused in which words, who sits where by default."""

from pathlib import Path

import pytest

from vada.errors import SettingsError
from vada.models.debate import Dimension, ModelRef, Pack
from vada.models.vocabulary import DEBATERS, GateMode, Method, Role
from vada.places import shipped
from vada.settings import EndpointSettings, Settings, default_seats, family, load, notices

PACK = Pack(
    key="general",
    name="General",
    description="Anything",
    expertise_a="operations",
    expertise_b="finance",
    dimensions=(Dimension(key="fit", name="Fit", weight=1, scale_0="no", scale_5="so so", scale_10="yes"),),
)


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No key, no variable of ours, an empty working folder and an empty data folder."""
    import os

    for name in list(os.environ):
        if name.startswith(("VADA_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("VADA_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path


def write(folder: Path, text: str) -> Path:
    path = folder / "vada.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_file_everything_has_a_default(bare: Path) -> None:
    s = load()
    assert s.home == bare / "home"
    assert s.database_url == f"sqlite:///{bare / 'home' / 'vada.db'}"
    assert s.worker
    assert s.defenders == 2
    assert s.rehearsal_speed == 1.0
    assert set(s.endpoints) == {"anthropic", "rehearsal"}
    assert set(s.roles) == set(Role)
    assert all(r.max_tokens >= 4000 and r.timeout == 180 for r in s.roles.values())


def test_the_working_folders_file_wins_over_the_data_folders(bare: Path) -> None:
    write(bare / "home", "defenders = 1")
    assert load().defenders == 1
    write(bare / "cwd", "defenders = 3")
    assert load().defenders == 3


def test_the_environment_overrides_the_file_field_by_field(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        bare / "cwd",
        '[endpoints.local]\nurl = "http://localhost:1/v1"\nconcurrency = 1\n[roles.challenger]\ntimeout = 9',
    )
    monkeypatch.setenv("VADA_ENDPOINTS__LOCAL__CONCURRENCY", "2")
    monkeypatch.setenv("VADA_WORKER", "off")
    monkeypatch.setenv("VADA_REHEARSAL_SPEED", "100")
    s = load()
    assert s.endpoints["local"].url == "http://localhost:1"
    assert s.endpoints["local"].concurrency == 2
    assert s.role(Role.CHALLENGER).timeout == 9
    assert s.role(Role.CHALLENGER).max_tokens == 8000
    assert not s.worker
    assert s.rehearsal_speed == 100


def test_a_built_in_endpoint_keeps_what_the_file_does_not_name(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://gateway.example")
    write(bare / "cwd", "[endpoints.anthropic]\nconcurrency = 2")
    e = load().endpoints["anthropic"]
    assert (e.url, e.key_env, e.concurrency, e.search) == ("http://gateway.example", "ANTHROPIC_API_KEY", 2, True)


def test_made_directly_settings_read_no_environment(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_DEFENDERS", "1")
    assert Settings(home=bare).defenders == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("defenders = 9", ("vada.toml", "defenders", "less than or equal to 3")),
        ("defendres = 1", ("vada.toml", "defendres is not a setting")),
        ("[roles.challenger]\nmax_tokens = 10", ("vada.toml", "roles.challenger.max_tokens", "4000")),
        ("[roles.chalenger]\ntimeout = 10", ("vada.toml", "roles.chalenger")),
        ('[endpoints.local]\nurl = "localhost:11434"', ("vada.toml", "endpoints.local.url", "http://")),
        (
            '[endpoints.x]\nurl = "http://x"\nheaders = {Authorization = "Bearer s3cret"}',
            ("endpoints.x.headers", "secret"),
        ),
        ('[panels.mine]\nmodel = "qwen@nowhere"', ("panel mine", "nowhere", "not set up")),
        ('[defaults]\npanel = "gold"', ("defaults.panel", "gold")),
        ("defenders = 1\nworker = =", ("vada.toml", "line 2")),
    ],
)
def test_nonsense_in_the_file_is_refused_naming_file_and_field(bare: Path, text: str, words: tuple[str, ...]) -> None:
    write(bare / "cwd", text)
    with pytest.raises(SettingsError) as refused:
        load()
    for word in words:
        assert word in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_nonsense_in_the_environment_is_refused_naming_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_ROLES__VERIFIER__TIMEOUT", "soon")
    with pytest.raises(SettingsError, match="VADA_ROLES__VERIFIER__TIMEOUT"):
        load()


def test_no_key_is_ever_in_the_settings(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-1")
    monkeypatch.setenv("GATE_TOKEN", "sk-secret-2")
    monkeypatch.setenv("VADA_DATABASE_URL", "postgresql+psycopg://vada:sk-secret-3@db/vada")
    write(bare / "cwd", '[endpoints.gate]\nurl = "http://g"\nheaders = {Authorization = "Bearer ${GATE_TOKEN}"}')
    s = load()
    assert s.endpoints["anthropic"].key() == "sk-secret-1"
    assert s.endpoints["gate"].sent_headers() == {"Authorization": "Bearer sk-secret-2"}
    assert "sk-secret" not in repr(s) + str(s.shown())
    monkeypatch.delenv("GATE_TOKEN")
    with pytest.raises(SettingsError, match="GATE_TOKEN"):
        s.endpoints["gate"].sent_headers()


def test_without_a_key_and_without_a_wish_every_seat_is_rehearsal() -> None:
    seats = default_seats(Settings(), PACK)
    assert [s.role for s in seats] == list(Role)
    assert {str(s.model) for s in seats} == {"rehearsal@rehearsal"}
    assert notices(seats) == ["Rehearsal: no model is called; every reply is made offline by rules."]


def test_a_model_that_was_asked_for_is_never_replaced_by_rehearsal() -> None:
    assert all(s.model.endpoint == "anthropic" for s in default_seats(Settings(), PACK, panel="fast"))
    wished = Settings(defaults={"panel": "best"})
    assert all(s.model.endpoint == "anthropic" for s in default_seats(wished, PACK))
    with pytest.raises(SettingsError, match="no panel gold"):
        default_seats(Settings(), PACK, panel="gold")


def test_with_a_key_the_balanced_panel_sits_and_its_verifier_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    by_role = {s.role: s for s in default_seats(Settings(), PACK)}
    assert str(by_role[Role.COORDINATOR].model) == "claude-sonnet-5-5@anthropic"
    assert by_role[Role.VERIFIER].model.name == "claude-opus-5-5"
    assert by_role[Role.OPTIMIZER_A].expertise == "operations"
    assert by_role[Role.OPTIMIZER_B].expertise == "finance"
    assert {r for r, s in by_role.items() if s.web} == set(DEBATERS)
    assert not any(s.web for s in default_seats(Settings(), PACK, web=False))
    [said] = notices(by_role.values())
    assert "one family (claude)" in said


def test_debaters_search_through_a_provider_where_the_endpoint_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def searching(**given: object) -> set[Role]:
        settings = Settings(endpoints={"anthropic": {"search": False}}, **given)
        return {s.role for s in default_seats(settings, PACK, panel="mixed") if s.web}

    mixed = {"mixed": {"model": "claude-opus-5-5", "roles": {"challenger": "rehearsal@rehearsal"}}}
    assert searching(panels=mixed) == set()
    assert searching(panels=mixed, search_provider="ddgs") == set(DEBATERS) - {Role.CHALLENGER}
    assert searching(panels=mixed, search_provider="ddgs", defaults={"web": False}) == set()
    assert Settings().search_provider == ""


def test_who_searches_is_the_endpoint_itself_before_the_provider() -> None:
    given = Settings(search_provider="ddgs", endpoints={"local": EndpointSettings(url="http://l")})
    assert [given.searcher(n) for n in ("anthropic", "local", "rehearsal", "unknown")] == [
        "endpoint",
        "provider",
        "",
        "",
    ]
    assert Settings(endpoints=given.endpoints).searcher("local") == ""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('allowed_domains = ["https://a.example"]', "write it without https://"),
        ('blocked_domains = ["a.example/path"]', "without a path"),
        ('allowed_domains = ["a.example"]\nblocked_domains = ["b.example"]', "cannot both be set"),
        ('search_provider = "other"', "search_provider"),
    ],
)
def test_domains_and_providers_that_cannot_be_used_are_refused(bare: Path, given: str, words: str) -> None:
    write(bare / "cwd", given)
    with pytest.raises(SettingsError, match=words):
        load()


def test_methods_are_given_only_when_the_debaters_are_of_one_family() -> None:
    one = {s.role: s.method for s in default_seats(Settings(), PACK, panel="best")}
    assert one[Role.CHALLENGER] is Method.FAILURE_ANALYSIS
    assert one[Role.COORDINATOR] is None
    assert len({one[r] for r in DEBATERS}) == 4
    mixed = Settings(
        endpoints={"local": EndpointSettings(url="http://l")},
        panels={"mixed": {"model": "claude-opus-5-5", "roles": {"challenger": "qwen3:8b@local"}}},
    )
    seats = default_seats(mixed, PACK, panel="mixed")
    assert all(s.method is None for s in seats)
    assert seats[2].model == ModelRef(name="qwen3:8b", endpoint="local")
    assert not seats[2].web
    assert seats[0].web
    assert notices(seats) == [
        "Verifier and Coordinator are the same model (claude-opus-5-5@anthropic): it checks its own work."
    ]


@pytest.mark.parametrize(
    ("name", "is_of"),
    [
        ("claude-sonnet-5-5", "claude"),
        ("us.anthropic.claude-opus-5-5-v1:0", "claude"),
        ("qwen2.5-coder:1.5b", "qwen"),
        ("meta-llama/Llama-3.3-70B", "llama"),
        ("open-mixtral-8x22b", "mistral"),
        ("gpt-oss:20b", "gpt"),
        ("zephyr-7b", "zephyr"),
        ("7", "7"),
    ],
)
def test_family_is_read_from_the_name(name: str, is_of: str) -> None:
    assert family(name) == is_of


def test_an_endpoints_time_out_comes_before_the_roles() -> None:
    s = Settings(endpoints={"slow": {"url": "http://s", "timeout": 1800}}, roles={"critic": {"timeout": 60}})
    assert s.timeout(Role.CRITIC, "slow") == 1800
    assert s.timeout(Role.CRITIC, "anthropic") == 60


def test_the_default_pack_is_one_that_is_shipped() -> None:
    assert shipped("prompts").joinpath("packs", f"{Settings().defaults.pack}.yaml").is_file()


def test_the_provider_keeps_the_prompt_longer_where_a_person_may_be_waited_for() -> None:
    assert [Settings().ttl(gate) for gate in GateMode] == ["1h", "1h", "5m"]
    assert {Settings(cache_ttl="5m").ttl(gate) for gate in GateMode} == {"5m"}
    assert {Settings(cache_ttl="1h").ttl(gate) for gate in GateMode} == {"1h"}


def test_an_address_is_shown_without_the_password_in_it() -> None:
    assert EndpointSettings(url="http://ada:secret@desk:1/v1").address == "http://…@desk:1"
    assert EndpointSettings(url="http://desk/@x").address == "http://desk/@x"
