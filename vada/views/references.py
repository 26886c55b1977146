"""What an id of the record means: who said it, in which round, in which words.

Owns the way from an id, or a failure mode's link, to a name and a text; never judges what it finds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from vada.failure_modes.finding import Link, LinkKind
from vada.models.outputs import ChallengeRegister, Evidence, Proposal, Synthesis, Verification
from vada.models.run import Round, Run
from vada.scoring import spoken


@dataclass(frozen=True)
class Reference:
    """A thing of the record. `name` says what it is (`Optimizer A, point 2, round 1`), `text` its words."""

    id: str
    name: str
    text: str
    round: int


@dataclass(frozen=True)
class Source:
    """A source as it is shown: title, the site it stands on, and whether it was really seen."""

    id: str
    title: str
    site: str
    url: str
    quote: str
    verified: bool
    kind: str


@dataclass(frozen=True)
class Passage:
    """A text with the words a finding rests on marked by their place; `start` == `end` when they are not in it."""

    name: str
    text: str
    start: int
    end: int


def index(run: Run) -> dict[str, Reference]:
    """Every id of a run. A decision stands under `r{n}.{key}`, a round's synthesis under `r{n}.synthesis`."""
    found = {c.id: Reference(c.id, f"Constraint {c.id}", c.text, 0) for c in run.config.constraints}
    for r in run.rounds:
        found.update((ref.id, ref) for ref in _of_round(r))
    return found


def _of_round(r: Round) -> Iterator[Reference]:
    for proposal in r.proposals.proposals if r.proposals else r.replied:
        yield from _of_proposal(proposal)
    if r.challenges:
        yield from _of_register(r.challenges, r.number)
    if r.synthesis:
        yield from _of_synthesis(r.synthesis, r.number)
    if r.verification:
        yield from _of_verification(r.verification, r.number)


def _of_proposal(p: Proposal) -> Iterator[Reference]:
    who = p.role.title
    yield Reference(f"r{p.round}.{p.role.value}", f"{who}, round {p.round}", f"{p.weakness}\n\n{p.text}", p.round)
    for i, point in enumerate(p.points, 1):
        yield Reference(point.id, f"{who}, point {i}, round {p.round}", point.claim, p.round)
    for i, veto in enumerate(p.vetoes, 1):
        yield Reference(veto.id, f"Veto {i}, round {p.round}", f"Take out {veto.remove}. {veto.reason}", p.round)
    for e in p.evidence:
        yield _of_evidence(e, p.round)


def _of_evidence(e: Evidence, round_: int) -> Reference:
    return Reference(e.id, e.title, e.quote, round_)


def _of_register(register: ChallengeRegister, n: int) -> Iterator[Reference]:
    for c in register.challenges:
        yield Reference(c.id, f"Challenge {c.number}, round {n}", c.objection, n)
    for e in register.evidence:
        yield _of_evidence(e, n)


def _of_synthesis(s: Synthesis, n: int) -> Iterator[Reference]:
    yield Reference(f"r{n}.synthesis", f"Synthesis, round {n}", s.text, n)
    for d in s.decisions:
        yield Reference(f"r{n}.{d.key}", f"Decision on {spoken(d.key)}, round {n}", d.statement, n)
    for m in s.minority:
        yield Reference(m.id, f"Minority report, round {n}", m.position, n)
    for a in s.amendments:
        yield Reference(a.id, f"Amendment, round {n}", a.text, n)
    for g in s.renegotiations:
        yield Reference(g.id, f"Renegotiation of {g.constraint}, round {n}", g.request, n)


def _of_verification(v: Verification, n: int) -> Iterator[Reference]:
    for i in v.issues:
        yield Reference(i.id, f"Fault found, round {n}", i.claim, n)


def name_of(id_: str, found: dict[str, Reference]) -> str:
    """What an id is called; the id itself when the record does not hold it."""
    return found[id_].name if id_ in found else id_


def names_of(ids: Iterable[str], found: dict[str, Reference]) -> list[str]:
    """What several ids are called, each once."""
    return list(dict.fromkeys(name_of(i, found) for i in ids))


def source(evidence: Evidence) -> Source:
    """A source as it is shown; `site` is the host without `www.`, or where it comes from when it has no address."""
    host = (urlsplit(evidence.url).hostname or "") if evidence.url.startswith(("http://", "https://")) else ""
    where = {"material": "your material", "named": "named, no address"}.get(evidence.kind, "web")
    return Source(
        id=evidence.id,
        title=evidence.title or evidence.url or "Untitled source",
        site=host.removeprefix("www.") or where,
        url=evidence.url if host else "",
        quote=evidence.quote,
        verified=evidence.verified,
        kind=evidence.kind,
    )


def sources(run: Run) -> dict[str, Source]:
    """Every source of a run by its id; the same source has the same id in every round."""
    found: dict[str, Source] = {}
    for r in run.rounds:
        for proposal in r.proposals.proposals if r.proposals else r.replied:
            found.update((e.id, source(e)) for e in proposal.evidence)
        if r.challenges:
            found.update((e.id, source(e)) for e in r.challenges.evidence)
    return found


def passage(link: Link, found: dict[str, Reference]) -> Passage:
    """The words a finding's link points at, in the text they stand in."""
    ref = found.get(link.id) or found.get(f"r{link.round}.{link.id}")
    if ref is None:
        return Passage(link.id or link.kind.value, link.quote, 0, len(link.quote))
    if not link.quote or link.kind is not LinkKind.SENTENCE:
        return Passage(ref.name, ref.text, 0, len(ref.text))
    start = ref.text.casefold().find(link.quote.casefold())
    if start < 0:
        return Passage(ref.name, link.quote, 0, len(link.quote))
    return Passage(ref.name, ref.text, start, start + len(link.quote))
