"""Whatever a small model writes within its grammar, a debate ends without a re-ask and without a lost phase."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.builders import a_config
from tests.llm.conftest import MemoryJournal
from tests.llm.fake_llama import FakeLlama
from vada import play
from vada.errors import LLMError
from vada.llm.endpoints import Endpoints
from vada.llm.local.model import shared
from vada.llm.local.server import installed
from vada.llm.messages import MessagesLLM
from vada.llm.probe import check
from vada.models.base import Value
from vada.models.debate import DebateConfig
from vada.models.outputs import Breach, Degraded, Proposal
from vada.models.run import Round
from vada.models.vocabulary import DebateState, GateMode, PhaseName
from vada.phase import Turn
from vada.prompts import PromptBook
from vada.settings import (
    LOCAL,
    LOCAL_MODEL,
    SMALL_NOTICE,
    Settings,
    default_panel,
    default_seats,
    is_small,
    load,
    notices,
)


class Quiet:
    """A recorder that keeps only what went wrong."""

    def __init__(self) -> None:
        self.lost: list[Degraded] = []

    async def started(self, phase: PhaseName, round: int) -> None: ...
    async def finished(self, phase: PhaseName, round: int, output: Value) -> None: ...
    async def replied(self, proposal: Proposal) -> None: ...
    async def breached(self, breach: Breach) -> None: ...
    async def degraded(self, degraded: Degraded) -> None:
        self.lost.append(degraded)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings whose model is a file in the test's folder."""
    return Settings(home=tmp_path, gguf=tmp_path / "Tiny-1B.gguf")


@pytest.fixture
async def endpoints(settings: Settings) -> AsyncIterator[Endpoints]:
    made = Endpoints(settings)
    yield made
    await made.aclose()


def local_config(settings: Settings, **changes: object) -> DebateConfig:
    config = a_config(gate=GateMode.AUTOPILOT, rounds=2, **changes)
    return config.model_copy(update={"seats": default_seats(settings, config.pack, LOCAL)})


@pytest.mark.parametrize("seed", range(6))
async def test_a_debate_of_arbitrary_replies_ends_with_one_attempt_a_call(
    settings: Settings, endpoints: Endpoints, seed: int
) -> None:
    model = shared(settings.gguf, lambda: FakeLlama(seed))
    config, journal, record = local_config(settings), MemoryJournal(), Quiet()
    turn = Turn(
        config=config,
        round=1,
        past=(),
        llm=MessagesLLM(endpoints, journal),
        prompts=PromptBook.load(),
        degrade=record.degraded,
        today="2026-11-30",
    )
    past: tuple[Round, ...] = ()
    for number in (1, 2):
        turn = dataclasses.replace(turn, round=number, past=past)
        past = (*past, await play.play_round(turn, record))
    page, audit, state = await play.play_ending(dataclasses.replace(turn, past=past), record, 2)
    model.close()
    assert set(journal.kinds) == {"ok"}
    assert [r.slot for r in journal.all if r.attempt > 1] == []
    assert record.lost == []
    assert page.text
    assert audit.passes
    assert state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)
    second = past[1]
    assert second.synthesis is not None
    assert second.challenges is not None
    assert {r.challenge for r in second.synthesis.rulings} == {c.id for c in second.challenges.challenges}
    assert {d.key for d in past[0].synthesis.decisions} <= {d.key for d in second.synthesis.decisions}  # type: ignore[union-attr]


async def test_a_prompt_too_long_for_the_model_is_no_server_fault(settings: Settings, endpoints: Endpoints) -> None:
    error = {"type": "exceed_context_size_error", "n_prompt_tokens": 20_000, "n_ctx": 12_288}
    model = shared(settings.gguf, lambda: FakeLlama(error=error))
    config, journal = local_config(settings), MemoryJournal()
    turn = Turn(
        config=config,
        round=1,
        past=(),
        llm=MessagesLLM(endpoints, journal),
        prompts=PromptBook.load(),
        degrade=Quiet().degraded,
    )
    with pytest.raises(play.PhaseFailedError, match="0 of 4 agents"):
        await play.play_round(turn, Quiet())
    model.close()
    assert set(journal.kinds) == {"too_large"}
    assert len(journal.all) == 4
    said = journal.all[0].error
    assert said is not None
    assert "20000 tokens" in said["message"]
    assert said["next_step"] == "Shorten the material."


async def test_a_check_of_the_endpoint_finds_its_model_and_that_it_keeps_a_schema(settings: Settings) -> None:
    model = shared(settings.gguf, FakeLlama)
    found = await check(settings, LOCAL, call=True)
    model.close()
    assert found.ok
    assert found.listed == ("tiny-1b",)
    [report] = found.models
    assert (report.listed, report.answers, report.keeps_schema) == (True, True, True)


def test_a_model_file_makes_the_endpoint_and_the_default_panel(settings: Settings, tmp_path: Path) -> None:
    assert settings.local_model == "tiny-1b"
    assert default_panel(settings) == LOCAL
    seats = default_seats(settings, a_config().pack)
    assert {str(s.model) for s in seats} == {"tiny-1b@local"}
    assert not any(s.web for s in seats)
    assert SMALL_NOTICE in notices(seats)
    endpoint = settings.endpoints[LOCAL]
    assert (endpoint.concurrency, endpoint.timeout, endpoint.search) == (1, 1800, False)


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("qwen2.5-coder-1.5b", True),
        ("smollm2-135m-instruct-q4_1", True),
        ("llama3.2:3b", True),
        ("qwen3:8b", False),
        ("qwen3-30b-a3b", False),
        ("mixtral-8x22b", False),
        ("claude-haiku-5-5", False),
    ],
)
def test_a_name_tells_a_very_small_model(name: str, small: bool) -> None:
    assert is_small(name) is small


def test_a_key_makes_the_balanced_panel_the_default_again(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert default_panel(settings) == "balanced"


def test_a_local_endpoint_with_an_address_is_the_persons_own(tmp_path: Path) -> None:
    own = Settings(home=tmp_path, gguf=tmp_path / "x.gguf", endpoints={LOCAL: {"url": "http://localhost:1"}})  # type: ignore[dict-item]
    assert own.local_model is None
    assert LOCAL not in own.panels
    assert own.endpoints[LOCAL].concurrency == 4
    assert default_panel(own) == "rehearsal"


def test_the_built_in_local_endpoint_keeps_what_the_file_does_not_name(tmp_path: Path) -> None:
    longer = Settings(home=tmp_path, gguf=tmp_path / "x.gguf", endpoints={LOCAL: {"timeout": 60}})  # type: ignore[dict-item]
    assert (longer.endpoints[LOCAL].timeout, longer.endpoints[LOCAL].concurrency) == (60, 1)
    assert longer.local_model == "x"


def test_settings_made_directly_have_no_model_here(tmp_path: Path) -> None:
    bare = Settings(home=tmp_path)
    assert LOCAL not in bare.endpoints
    assert LOCAL not in bare.panels
    assert default_panel(bare) == "rehearsal"


def test_an_endpoint_named_without_an_address_is_the_extras_model(tmp_path: Path) -> None:
    named = Settings(home=tmp_path, endpoints={LOCAL: {"timeout": 60}})  # type: ignore[dict-item]
    assert named.local_model == LOCAL_MODEL
    assert default_panel(named) == LOCAL


if installed():

    def test_with_the_extra_the_local_model_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        assert default_panel(load(tmp_path)) == LOCAL

else:

    async def test_without_the_runtime_a_call_names_the_extra(endpoints: Endpoints) -> None:
        with pytest.raises(LLMError, match=r"xllamacpp, which is not installed\. .*--extra local") as raised:
            endpoints.line(LOCAL)
        assert raised.value.kind == "not_configured"
