"""Colours and styles, once. An agent's colour and a state's colour are the same on every screen.

Indigo is for action, orange only for "needs you" and selection, state colours for states. Never colour alone: a word
or an icon stands beside it. `.streamlit/config.toml` holds the theme; here is what it cannot say.
"""

from pathlib import Path
from typing import Literal, NamedTuple

import streamlit as st

from vada.models.vocabulary import DebateState, Role


class Pair(NamedTuple):
    """A colour on a light and on a dark ground."""

    light: str
    dark: str

    @property
    def css(self) -> str:
        """The colour as CSS that follows the mode by itself."""
        return f"light-dark({self.light}, {self.dark})"


class Sign(NamedTuple):
    """How a state is shown: word, badge colour of Streamlit, Material icon, colour in charts."""

    word: str
    badge: str
    icon: str
    colour: Pair


ACTION = Pair("#3448C5", "#8E9BFF")
NEEDS_YOU = Pair("#E8590C", "#FB923C")
TEXT = Pair("#1B1F2A", "#E6E9F0")
MUTED = Pair("#5B6273", "#9AA3B5")
BORDER = Pair("#DDE1EA", "#2C3240")
PANEL = Pair("#F4F5F8", "#191D27")
GOOD = Pair("#0F766E", "#2DD4BF")
BAD = Pair("#B42318", "#F97066")
UNTESTED = "rgba(127,127,127,.13)"

AGENTS: dict[Role, Pair] = {
    Role.OPTIMIZER_A: Pair("#0369A1", "#38BDF8"),
    Role.OPTIMIZER_B: Pair("#0F766E", "#2DD4BF"),
    Role.CHALLENGER: Pair("#BE185D", "#F472B6"),
    Role.SIMPLIFIER: Pair("#9333EA", "#D08BFF"),
    Role.COORDINATOR: Pair("#3448C5", "#8E9BFF"),
    Role.VERIFIER: Pair("#4D7C0F", "#A3E635"),
    Role.FORMATTER: Pair("#475569", "#94A3B8"),
    Role.CRITIC: Pair("#9A6700", "#FACC15"),
}

PARTS: dict[str, Pair] = {
    "shared": Pair("#64748B", "#94A3B8"),
    "posture": Pair("#9333EA", "#D08BFF"),
    "horizon": Pair("#0F766E", "#2DD4BF"),
    "context": Pair("#57534E", "#A8A29E"),
    "input": Pair("#0369A1", "#38BDF8"),
    "round": Pair("#3448C5", "#8E9BFF"),
    "whisper": Pair("#BE185D", "#F472B6"),
    "schema": Pair("#4D7C0F", "#A3E635"),
    "fault": Pair("#B42318", "#F97066"),
    "anchor": Pair("#9A6700", "#FACC15"),
}
"""The parts of a prompt."""

STATES: dict[DebateState, Sign] = {
    DebateState.QUEUED: Sign("Queued", "gray", ":material/hourglass_empty:", MUTED),
    DebateState.RUNNING: Sign("Running", "blue", ":material/play_circle:", ACTION),
    DebateState.WAITING: Sign("Needs you", "orange", ":material/pause_circle:", NEEDS_YOU),
    DebateState.CLEAN: Sign("Clean", "green", ":material/check_circle:", GOOD),
    DebateState.REVISED: Sign("Revised", "green", ":material/published_with_changes:", GOOD),
    DebateState.UNCONVERGED: Sign("Unconverged", "yellow", ":material/warning:", Pair("#9A6700", "#FACC15")),
    DebateState.STOPPED: Sign("Stopped", "gray", ":material/stop_circle:", MUTED),
    DebateState.FAILED: Sign("Failed", "red", ":material/error:", BAD),
}


def dark() -> bool:
    """Whether this viewer's page is dark; the first run of a session may not know and says no."""
    return bool(st.context.theme.type == "dark")


def pick(pair: Pair) -> str:
    """The colour of a pair for this viewer; for charts, which need one colour."""
    return pair.dark if dark() else pair.light


def agent(role: Role) -> str:
    """An agent's colour for this viewer; for charts."""
    return pick(AGENTS[role])


def state_badge(state: DebateState) -> None:
    """The badge of a debate's state."""
    sign = STATES[state]
    st.badge(sign.word, icon=sign.icon, color=sign.badge)  # type: ignore[arg-type]


Tone = Literal["calm", "good", "bad", "caution", "action", "you"]
_TONES: dict[str, Tone] = {
    "gray": "calm",
    "blue": "action",
    "orange": "you",
    "green": "good",
    "yellow": "caution",
    "red": "bad",
}


def tone(state: DebateState) -> Tone:
    """The tone of a state in a chip of our own HTML; it goes with the badge's colour."""
    return _TONES[STATES[state].badge]


def agent_dot(role: Role) -> str:
    """An agent's name with its colour before it, as our own HTML for `st.html`."""
    return f'<span class="vada-agent" style="--c:{AGENTS[role].css}">{role.title}</span>'


_VARIABLES = {
    "action": ACTION,
    "needs-you": NEEDS_YOU,
    "text": TEXT,
    "muted": MUTED,
    "border": BORDER,
    "panel": PANEL,
    "good": GOOD,
    "bad": BAD,
}
CSS = (
    "<style>:root{"
    + "".join(f"--v-{name}:{pair.css};" for name, pair in _VARIABLES.items())
    + "}"
    + Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    + "</style>"
)


_scheme = st.components.v2.component("theme", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"))


def css() -> None:
    """Put the styles into the page; the router does it once for every screen."""
    st.html(CSS)
    _scheme(key="theme", height="content")
