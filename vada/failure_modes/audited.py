"""What the blind audit says about a failure mode: the defence of phase 8."""

import re

from vada.failure_modes.draft import Draft
from vada.models.outputs import AuditPass
from vada.models.vocabulary import AuditVerdict, PhaseName

_ABOUT = {
    "drift": re.compile(r"constraint|\bC\d+\b|word limit|too long|off[- ]topic|question asked", re.I),
    "hedging": re.compile(r"decisi|hedg|non-?committal|depends|undecided|disagree|both options|vague", re.I),
}


def look(draft: Draft, about: str) -> None:
    """One more opportunity where there was an audit; a flag about this mode (`drift`, `hedging`, else `error`) is a
    catch. Whom a flag is about is read from its words, so it only ever counts as a defence, never against one."""
    audit = draft.reading.run.audit
    if audit is None:
        return
    draft.chance(1, PhaseName.FORMAT)
    for flag in (p for p in audit.passes if p.verdict is AuditVerdict.FLAG and _subject(p) == about):
        draft.caught(PhaseName.FORMAT, f"The Blind Critic flagged: {flag.objection}")


def _subject(flag: AuditPass) -> str:
    return next((name for name, pattern in _ABOUT.items() if pattern.search(flag.objection)), "error")
