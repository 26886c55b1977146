"""Colours and styles, once. An agent's colour and a state's colour are the same on every screen.

Indigo is for action, orange only for "needs you" and selection, state colours for states. Never colour alone: a word
or an icon stands beside it. `.streamlit/config.toml` holds the theme; here is what it cannot say.
"""

from typing import NamedTuple

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

CHART = Pair("plotly_white", "plotly_dark")


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


def agent_dot(role: Role) -> str:
    """An agent's name with its colour before it, as our own HTML for `st.html`."""
    return f'<span class="vada-agent" style="--c:{AGENTS[role].css}">{role.title}</span>'


CSS = f"""<style>
.vada-md p{{margin:.35rem 0}} .vada-md ul,.vada-md ol{{margin:.35rem 0;padding-left:1.4rem}} .vada-md li{{margin:.15rem 0}}
.vada-md h1{{font-size:1.375rem}} .vada-md h2{{font-size:1.125rem}} .vada-md h3{{font-size:1rem}} .vada-md h4,.vada-md h5,.vada-md h6{{font-size:.9375rem}}
.vada-md h1,.vada-md h2,.vada-md h3,.vada-md h4,.vada-md h5,.vada-md h6{{font-weight:600;margin:.9rem 0 .3rem;padding:0;line-height:1.3}}
.vada-md table{{border-collapse:collapse;display:block;overflow-x:auto}} .vada-md td,.vada-md th{{border:1px solid {BORDER.css};padding:.35rem .6rem;text-align:left}}
.vada-md pre{{background:{PANEL.css};padding:.6rem;border-radius:.5rem;overflow:auto}} .vada-md code{{font-size:.9em}}
.vada-md blockquote{{border-left:3px solid {BORDER.css};margin:.4rem 0;padding:.1rem 0 .1rem .8rem;color:{MUTED.css}}}
.vada-md>:first-child{{margin-top:0}} .vada-md>:last-child{{margin-bottom:0}} .vada-md,.vada-plain{{overflow-wrap:anywhere}}
.vada-md ins{{text-decoration:none;background:light-dark(#D7F2EC,#0F3B36);border-radius:.2rem}} .vada-md del{{color:{MUTED.css};background:light-dark(#FBE4E2,#3F1D1B);border-radius:.2rem}}
.vada-measure{{max-width:760px}} .vada-plain{{white-space:pre-wrap}}
.vada-plain.quiet,.vada-quiet{{color:{MUTED.css};font-size:.875rem}} .vada-plain.question{{font-size:1.375rem;font-weight:650;line-height:1.35}}
.vada-plain.small{{font-size:.875rem}} .vada-plain.clamp{{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}}
.vada-problem{{border:1px solid {BAD.css};border-left-width:4px;border-radius:.5rem;padding:.7rem .9rem;display:grid;gap:.25rem;overflow-wrap:anywhere}}
.vada-field-problem{{color:{BAD.css};font-size:.875rem;margin-top:-.5rem}}
.vada-agent{{display:inline-flex;align-items:center;gap:.4rem;font-weight:600}} .vada-agent::before{{content:"";width:.6rem;height:.6rem;border-radius:50%;background:var(--c);flex:none}}
.vada-num{{font-variant-numeric:tabular-nums}}
</style>"""


def css() -> None:
    """Put the styles into the page; the router does it once for every screen."""
    st.html(CSS)
