"""Where the files beside the code lie: in a checkout at its top level, in an installed wheel under `vada/bundle`."""

from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The path of a shipped top-level entry (`prompts`, `pages`, `sample`, `app.py`, `.streamlit`)."""
    bundled = _PACKAGE / "bundle" / name
    return bundled if bundled.exists() else _PACKAGE.parent / name


def default_home() -> Path:
    """The platform's user data folder for Vāda; nothing is created."""
    return Path(platformdirs.user_data_dir("vada", appauthor=False))
