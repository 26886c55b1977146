"""The command line makes the local model ready before a debate is begun."""

from pathlib import Path

import pytest

from vada.__main__ import main
from vada.settings import load
from vada.worker import Debates


def test_a_model_file_that_is_not_there_is_said_before_a_debate_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VADA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VADA_GGUF", str(tmp_path / "gone.gguf"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert main(["run", "Should we move?", "--rounds", "1", "--gate", "autopilot"]) == 1
    assert "gone.gguf, which is not a readable GGUF file" in capsys.readouterr().err
    assert Debates.open(load()).list() == []
