"""Role bleed: roles melt into one voice."""

from vada.failure_modes import links, signals
from vada.failure_modes.cutoffs import Calibration, Cut
from vada.failure_modes.draft import Draft, finding
from vada.failure_modes.finding import Finding, Kind, Level, Link, LinkKind, Mode
from vada.failure_modes.reading import Reading
from vada.models.outputs import Challenge, Proposal
from vada.models.run import Run
from vada.models.vocabulary import OPTIMIZERS, FailureMode, PhaseName, Role
from vada.tokens import words

MODE = Mode(
    mode=FailureMode.ROLE_BLEED,
    line="Roles melt into one voice.",
    about=(
        "In 200 public translation debates the side meant to disagree conceded in 21 % of its first turns and 62 "
        "% by the fourth. Agents that leave their role are a known failure of multi-agent systems (MAST, FM-1.2)."
    ),
    means=("An agent did something other than its part, so one of the checks in this debate was weaker than planned."),
    advice=(
        "Read that agent's card. Remind it of its part in a note to it alone, or give the role another model "
        "in the next debate."
    ),
    measured_by=(
        "Role checks on every turn: the Challenger objects and steel-mans in its target's own terms, a weakness "
        "comes before the proposal, the Simplifier takes out at least as much as it adds, the Coordinator says "
        "nothing no proposal said, the Verifier scores every dimension and invents no point."
    ),
    blind_spots=(
        "15 words, 30 %, 10 % and the similarity of 50 are choices. A role played badly but formally right passes."
    ),
    sources=(
        "Cemri et al. 2025, Why Do Multi-Agent LLM Systems Fail? (MAST), arXiv:2503.13657, failure FM-1.2",
        "Skytliang, Multi-Agents-Debate: 200 public CommonMT debates (21 to 62 %; computed from them)",
    ),
    defended_in={
        PhaseName.PREPARE: "P role instruction, horizon, anchor",
        PhaseName.PROPOSE: "D role checks, retry",
        PhaseName.CHALLENGE: "D steel man present",
        PhaseName.SYNTHESIZE: "D no orphan claims",
        PhaseName.VERIFY: "D the Verifier adds nothing",
    },
)


def detect(run: Run | Reading, round: int | None = None, calibration: Calibration | None = None) -> Finding:
    """What the record shows of it in a round, or in the whole debate (None)."""
    return finding(MODE, run, round, _read, calibration=calibration)


ROLE_FAULTS = frozenset({"bad_reply", "refusal"})
"""Statuses of a call whose reply broke its form or its role; the next attempt repairs it."""

FEW = 5
"""Sentences a synthesis needs before a share of them says anything. [default]"""


def _read(draft: Draft, n: int) -> None:
    draft.nothing = "Nobody has spoken yet."
    for p in draft.reading.proposals(n):
        _turn(draft, n, p)
    for c in draft.reading.challenges(n):
        _steel_man(draft, n, c)
    _coordinator(draft, n)
    _verifier(draft, n)
    _retries(draft, n)
    if draft.tally.get("turns"):
        draft.number("turns with a failed role check", draft.tally.get("failed", 0))
        draft.number("their share", draft.tally.get("failed", 0) / draft.tally["turns"])


def _failed(
    draft: Draft, kind: Kind, level: Level, phase: PhaseName, name: str, sentence: str, at: list[Link] | None = None
) -> None:
    draft.count("failed", 1)
    draft.signal(name, kind, level, phase, sentence, at or (), missed=(phase,))


def _turn(draft: Draft, n: int, p: Proposal) -> None:
    """What every proposal, and what each role's, must and must not hold."""
    draft.chance(1, PhaseName.PREPARE, PhaseName.PROPOSE)
    draft.count("turns", 1)
    who, at = p.role.title, [links.sentence(f"r{n}.{p.role}", n, p.weakness)]
    if not p.weakness.strip() or not p.weakness_first:
        _soft(draft, "weakness after the proposal", f"{who} did not name a weakness before proposing.", at)
    if p.cannot.strip() and not p.points:
        _soft(draft, "no answer", f"{who} gave no answer: {p.cannot}", at)
    if p.role in OPTIMIZERS and not p.draft.strip():
        _soft(draft, "no draft", f"{who} wrote no draft, which is an Optimizer's task.", at)
    _foreign(draft, p, at)
    if p.role is Role.CHALLENGER:
        _challenger(draft, n, p)
    if p.role is Role.SIMPLIFIER:
        _simplifier(draft, n, p)
    _refusal(draft, n, p)


def _soft(draft: Draft, name: str, sentence: str, at: list[Link]) -> None:
    _failed(draft, Kind.ID, Level.AMBER, PhaseName.PROPOSE, name, sentence, at)


def _foreign(draft: Draft, p: Proposal, at: list[Link]) -> None:
    """Output that only another role gives."""
    given = {
        "objections for the register": bool(p.objections) and p.role is not Role.CHALLENGER,
        "vetoes": bool(p.vetoes) and p.role is not Role.SIMPLIFIER,
        "a draft": bool(p.draft.strip()) and p.role not in OPTIMIZERS,
    }
    for what in (k for k, v in given.items() if v):
        _soft(draft, "another role's output", f"{p.role.title} gave {what}, which is not its task.", at)


def _challenger(draft: Draft, n: int, p: Proposal) -> None:
    at = [links.sentence(f"r{n}.{p.role}", n, p.text)]
    if not p.objections:
        _failed(draft, Kind.ID, Level.RED, PhaseName.PROPOSE, "no objection", "The Challenger raised no objection.", at)
    said = signals.sentences(p.text)
    language = signals.english(p.text)
    if language is False:
        draft.notes.append("Phrases of proposing and refusing are looked for in English texts only.")
    if not language:
        return
    own = [s for s in said if signals.hits(("proposing",), s)]
    draft.number("share of the Challenger's sentences that propose", len(own) / len(said), Cut.OWN_PROPOSAL)
    if len(own) / len(said) > draft.reading.cut(Cut.OWN_PROPOSAL).value:
        quotes = [links.sentence(f"r{n}.{p.role}", n, s) for s in own[:3]]
        text = "The Challenger proposes more than it objects."
        _failed(draft, Kind.LEXICAL, Level.AMBER, PhaseName.PROPOSE, "proposing Challenger", text, quotes)


def _simplifier(draft: Draft, n: int, p: Proposal) -> None:
    """Issues that only the Simplifier raises against what it takes out."""
    r = draft.reading
    known = {x.key for who, x in r.points(n) if who is not Role.SIMPLIFIER} | set(r.decisions(n - 1))
    added = [x for x in p.points if x.key not in known]
    draft.number("issues the Simplifier adds, less those it takes out", len(added) - len(p.vetoes))
    if len(added) > len(p.vetoes):
        text = f"The Simplifier adds {len(added)} issues of its own and takes out {len(p.vetoes)}."
        at = [links.point(x, n) for x in added]
        _failed(draft, Kind.ID, Level.RED, PhaseName.PROPOSE, "adding Simplifier", text, at)


def _refusal(draft: Draft, n: int, p: Proposal) -> None:
    """A turn that debates the question instead of answering it."""
    text = " ".join((p.text, p.cannot))
    if p.points or signals.english(text) is False:
        return
    if found := [s for s in signals.sentences(text) if signals.hits(("refusals",), s)]:
        at = [links.sentence(f"r{n}.{p.role}", n, s) for s in found[:3]]
        what = f"{p.role.title} debates the question instead of answering it."
        _failed(draft, Kind.LEXICAL, Level.AMBER, PhaseName.PROPOSE, "meta-debate", what, at)


def target_of(r: Reading, n: int, c: Challenge) -> str:
    """The words a challenge aims at: its target point's claim, else the last decision on its key, else nothing."""
    if aimed := r.point_of.get(c.target_point or ""):
        return aimed.claim
    last = r.decisions(n - 1).get(c.target_key or "")
    return last.statement if last else ""


def fidelity(steel_man: str, target: str) -> float:
    """How like its target a steel man is: `cov` of the target by the steel man, 0 to 100."""
    return signals.cov(target, (*signals.sentences(steel_man), steel_man))


def _steel_man(draft: Draft, n: int, c: Challenge) -> None:
    r = draft.reading
    draft.chance(1, PhaseName.CHALLENGE)
    draft.count("turns", 1)
    at = [links.challenge(c, n)]
    if words(c.steel_man) < r.cut(Cut.STEEL_MAN_WORDS).value or c.steel_man.strip() == c.objection.strip():
        text = f"Challenge {c.number} has no steel man of {r.cut(Cut.STEEL_MAN_WORDS).value:.0f} words."
        _failed(draft, Kind.ID, Level.AMBER, PhaseName.CHALLENGE, "no steel man", text, at)
    _quotes(draft, n, c)
    target = target_of(r, n, c)
    if not target:
        return
    like = fidelity(c.steel_man, target)
    draft.number("likeness of the steel man to its target, lowest", like, Cut.STEEL_MAN_LIKENESS, "<")
    if like < r.cut(Cut.STEEL_MAN_LIKENESS).value:
        text = f"The steel man of challenge {c.number} is unlike what it attacks."
        quote = links.sentence(c.id, n, c.steel_man)
        _failed(draft, Kind.LEXICAL, Level.AMBER, PhaseName.CHALLENGE, "straw man", text, [*at, quote])


def _quotes(draft: Draft, n: int, c: Challenge) -> None:
    """Words a steel man puts into somebody's mouth."""
    r = draft.reading
    said = [t for m in r.numbers if m <= n for t in r.said(m)]
    said += [d.statement for m in r.numbers if m < n for d in r.decisions(m).values()] + [r.run.config.question]
    for quote in signals.quotes(c.steel_man):
        like = signals.verbatim(quote, said)
        draft.number("closeness of a quotation to what was said, lowest", like, Cut.QUOTE, "<")
        if like < r.cut(Cut.QUOTE).value:
            text = f"The steel man of challenge {c.number} quotes words that nobody said."
            at = [links.challenge(c, n), links.sentence(c.id, n, quote)]
            _failed(draft, Kind.LEXICAL, Level.AMBER, PhaseName.CHALLENGE, "misquotation", text, at)


def _coordinator(draft: Draft, n: int) -> None:
    """Sentences of the synthesis that nobody's words carry."""
    r = draft.reading
    s = r.round(n).synthesis
    said = [t for t in signals.sentences(s.text) if len(signals.words(t)) >= 5] if s else []
    if len(said) < FEW:
        return
    draft.chance(1, PhaseName.SYNTHESIZE)
    draft.count("turns", 1)
    sources = _given(r, n)
    orphans = [t for t in said if signals.cov(t, sources) < r.cut(Cut.STEEL_MAN_LIKENESS).value]
    share = len(orphans) / len(said)
    draft.number("share of the synthesis' sentences that nobody said", share, Cut.ORPHAN_SENTENCES)
    if share > r.cut(Cut.ORPHAN_SENTENCES).value:
        at = [links.sentence(f"r{n}.synthesis", n, t) for t in orphans[:5]]
        text = f"{len(orphans)} of {len(said)} sentences of the synthesis are like nothing that was proposed."
        _failed(draft, Kind.LEXICAL, Level.AMBER, PhaseName.SYNTHESIZE, "orphan claims", text, at)


def _given(r: Reading, n: int) -> tuple[str, ...]:
    """Every sentence the Coordinator was given."""
    texts: list[str] = [r.run.config.question, *(c.text for c in r.run.config.constraints)]
    dossier = r.round(n).dossier
    texts += [dossier.context] if dossier else []
    for p in r.proposals(n):
        texts += [p.weakness, p.text, p.draft, p.change_my_mind, *(x.claim for x in p.points)]
        texts += [f"{v.remove} {v.reason}" for v in p.vetoes]
    for c in r.challenges(n):
        texts += [c.steel_man, c.objection, *(d.reason for d in c.defences)]
    return tuple(t for text in texts for t in signals.sentences(text))


def _verifier(draft: Draft, n: int) -> None:
    """The Verifier scores everything and invents nothing."""
    r = draft.reading
    v = r.round(n).verification
    if v is None:
        return
    draft.chance(1, PhaseName.VERIFY)
    draft.count("turns", 1)
    missing = [d.key for d in r.run.config.pack.dimensions if d.key not in {s.dimension for s in v.scores}]
    if missing:
        text = f"The Verifier left {', '.join(missing)} without a score."
        _failed(draft, Kind.ID, Level.AMBER, PhaseName.VERIFY, "dimension not scored", text)
    spoken = [c.point for c in v.raw_vs_synthesis] + [i.target for i in v.issues]
    invented = sorted({i for i in spoken if _is_point(i) and i not in r.point_of})
    if invented:
        text = f"The Verifier speaks of points that nobody made: {', '.join(invented)}."
        at = [Link(kind=LinkKind.POINT, id=i, round=n) for i in invented]
        _failed(draft, Kind.ID, Level.RED, PhaseName.VERIFY, "inventing Verifier", text, at)


def _is_point(id_: str) -> bool:
    """Whether an id has the form of a point's, `r1.optimizer_a.p2`."""
    parts = id_.split(".")
    return len(parts) == 3 and parts[0].startswith("r") and parts[2].startswith("p")


def _retries(draft: Draft, n: int) -> None:
    """Replies that broke their form or role and were repaired by asking again."""
    calls = [c for c in draft.reading.run.calls if c.round == n and c.phase in (PhaseName.PROPOSE, PhaseName.CHALLENGE)]
    repaired = {c.slot for c in calls if c.status == "ok"}
    for bad in (c for c in calls if c.status in ROLE_FAULTS and c.slot in repaired):
        text = f"{bad.role.title}'s reply broke its form or role and was asked for again."
        draft.caught(bad.phase, text, [links.call(bad)])
