"""How positions and scores moved over the rounds: who held what, who moved and why, and the trajectories.

What a reason is, `vada.failure_modes` says, so that this and the matrix agree; a move without a named reason is shown
as such, never as a mistake.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vada import failure_modes
from vada.failure_modes.positions import Why
from vada.models.run import Round, Run
from vada.models.vocabulary import GateAction, PhaseName, Role, VetoVerdict
from vada.scoring import same_value
from vada.views import words
from vada.views.references import index, name_of, sources

AUTOPILOT = "autopilot"
ANSWER = "answer"
"""The key of the question itself, where agents give it one."""


@dataclass(frozen=True)
class Held:
    """What an agent, or the synthesis (`role` None), held on an issue in a round."""

    key: str
    role: Role | None
    round: int
    value: str
    confidence: float


@dataclass(frozen=True)
class Move:
    """A change of position between two rounds. `why` names the reason; `reasoned` says whether there was one."""

    key: str
    role: Role | None
    round: int
    before: str
    after: str
    why: str
    reasoned: bool


def held(run: Run) -> tuple[Held, ...]:
    """Every position taken, by issue, then agent, then round; the synthesis last. Issues stand as they came up."""
    agents = [Held(p.key, p.role, p.round, p.value, p.confidence) for p in failure_modes.positions(run)]
    rows = [*agents, *_by_syntheses(run)]
    first = {key: i for i, key in enumerate(_keys(run))}
    return tuple(sorted(rows, key=lambda h: (first.get(h.key, 99), _order(h.role), h.round)))


@dataclass(frozen=True)
class Standing:
    """Who holds a synthesis's answer to an issue in its round, and who holds another, the surest first."""

    key: str
    answer: str
    holders: tuple[Role, ...]
    against: tuple[Held, ...]


def standings(run: Run, r: Round) -> tuple[Standing, ...]:
    """The issues that a round's synthesis answers, the question itself first, then by how many spoke to them."""
    if not r.synthesis:
        return ()
    said = [h for h in held(run) if h.role is not None and h.round == r.number]
    rows = [_standing(d.key, d.value, [h for h in said if h.key == d.key]) for d in r.synthesis.decisions]
    return tuple(sorted(rows, key=lambda s: (s.key != ANSWER, -len(s.holders) - len(s.against))))


def _standing(key: str, answer: str, said: list[Held]) -> Standing:
    against = sorted((h for h in said if not same_value(h.value, answer)), key=lambda h: -h.confidence)
    return Standing(key, answer, tuple(h.role for h in said if h.role and h not in against), tuple(against))


def who_disagrees(run: Run, r: Round) -> str:
    """Who holds the answer and who is against, in a sentence or two; empty before the round has a synthesis."""
    found = standings(run, r)
    if not found:
        return ""
    first, *others = found
    disputed = [s for s in others if s.against]
    if disputed and not first.against:
        next_, *disputed = disputed
        also = f" On {next_.key}, {_against_words(next_, 'against is')}"
    else:
        also = ""
    if disputed:
        also += f" Also disputed: {words.listed([s.key for s in disputed])}."
    return f"{_answer_words(first)} {_against_words(first)}{also}"


def _answer_words(s: Standing) -> str:
    name = "Answer" if s.key == ANSWER else f"Answer on {s.key}"
    who = ", ".join(h.title for h in s.holders)
    return f"{name}: {words.clipped(s.answer, 60)} ({who or 'held by no agent this round'})."


def _against_words(s: Standing, lead: str = "Against:") -> str:
    if not s.against:
        return "Nobody is against." if s.holders else "Nobody spoke to it this round."
    return f"{lead} {'; '.join(map(stance_words, s.against))}."


def stance_words(h: Held) -> str:
    """`Optimizer A, “yes, in stages” 71 %`."""
    who = h.role.title if h.role else "the synthesis"
    return f"{who}, “{words.clipped(h.value, 48)}” {per_cent(h.confidence)}"


def per_cent(confidence: float) -> str:
    """A confidence of 0–1 in a sentence, such as `71 %`, which never breaks over two lines."""
    return f"{round(confidence * 100)}\u00a0%"


def _keys(run: Run) -> list[str]:
    """The issues in the order in which they came up."""
    spoken = [x.key for r in run.rounds for p in r.replied for x in p.points]
    decided = [d.key for r in run.rounds if r.synthesis for d in r.synthesis.decisions]
    return list(dict.fromkeys([*spoken, *decided]))


def _order(role: Role | None) -> int:
    return len(Role) if role is None else tuple(Role).index(role)


def _by_syntheses(run: Run) -> Iterator[Held]:
    for r in run.rounds:
        for d in r.synthesis.decisions if r.synthesis else ():
            yield Held(d.key, None, r.number, d.value, d.confidence)


def moves(run: Run) -> tuple[Move, ...]:
    """Who moved, from one round to the next, and why; by round, agents first, then the synthesis."""
    agents = [_agent_moved(run, m) for r in run.rounds[1:] for m in failure_modes.moves(run, r.number)]
    pairs = zip(run.rounds, run.rounds[1:], strict=False)
    decisions = [m for old, new in pairs for m in _decisions_moved(run, old, new)]
    return tuple(sorted([*agents, *decisions], key=lambda m: (m.round, _order(m.role))))


_NO_REASON = "no new evidence and no upheld challenge is named"


def _agent_moved(run: Run, m: failure_modes.Move) -> Move:
    why = words.listed([_named(run, i) for i in m.ids])
    said = f"{m.why.value}: {why}" if why else _NO_REASON if m.why is Why.NONE else m.why.value
    where = "; towards the majority" if m.to_plurality else "; towards the last synthesis" if m.to_synthesis else ""
    return Move(m.key, m.role, m.round, m.old.value, m.new.value, said + where, m.why is not Why.NONE)


def _named(run: Run, id_: str) -> str:
    """What gave the reason: a source's title, or a challenge's number."""
    return words.clipped(name_of(id_, index(run)), 70)


@dataclass(frozen=True)
class Changed:
    """What the debate did to an issue: the blind first answers against what was decided last. `changed` None: open,
    or nobody led at first."""

    key: str
    blind: str
    decided: str
    changed: bool | None


def against_no_debate(run: Run) -> tuple[Changed, ...]:
    """For each issue answered blind in round 1, whether the debate changed the answer."""
    return tuple(Changed(b.key, _blind(b), b.decided or words.DASH, b.changed) for b in failure_modes.baseline(run))


def _blind(b: failure_modes.Baseline) -> str:
    return f"{b.plurality} ({b.holders} of {b.of})" if b.plurality else "divided, nobody led"


def _decisions_moved(run: Run, old: Round, new: Round) -> Iterator[Move]:
    if not old.synthesis or not new.synthesis:
        return
    known, before = sources(run), {d.key: d for d in old.synthesis.decisions}
    numbers = {c.id: c.number for r in run.rounds if r.challenges for c in r.challenges.challenges}
    for d in new.synthesis.decisions:
        was = before.get(d.key)
        if was and not same_value(was.value, d.value):
            named = [f"evidence: {known[i].title}" for i in d.reasons if i in known]
            named += [f"challenge {numbers[i]} was upheld" for i in d.reasons if i in numbers]
            yield Move(d.key, None, new.number, was.value, d.value, "; ".join(named) or _NO_REASON, bool(named))


@dataclass(frozen=True)
class Mark:
    """An event on the trajectories."""

    round: int
    kind: Literal["veto", "override", "skipped"]
    text: str


@dataclass(frozen=True)
class Trajectories:
    """Scores per round, None where a round has none: `weighted`, and each dimension by its name."""

    rounds: tuple[int, ...]
    weighted: tuple[float | None, ...]
    dimensions: dict[str, tuple[float | None, ...]]
    marks: tuple[Mark, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing was scored yet."""
        return all(v is None for v in self.weighted)


def trajectories(run: Run) -> Trajectories:
    """The score trajectories of a run, with the events that explain them."""
    verified = [r.verification for r in run.rounds]
    given = [{s.dimension: s.score for s in v.scores} if v else {} for v in verified]
    return Trajectories(
        rounds=tuple(r.number for r in run.rounds),
        weighted=tuple(v.total if v else None for v in verified),
        dimensions={d.name: tuple(g.get(d.key) for g in given) for d in run.config.pack.dimensions},
        marks=tuple(m for r in run.rounds for m in _marks(run, r)),
    )


def _marks(run: Run, r: Round) -> Iterator[Mark]:
    for x in r.synthesis.veto_rulings if r.synthesis else ():
        word = "stands" if x.verdict is VetoVerdict.STANDS else "was overruled"
        yield Mark(r.number, "veto", f"A veto {word}: {words.clipped(x.reason, 80)}")
    if any(d.round == r.number and d.phase is PhaseName.VERIFY for d in run.degraded):
        yield Mark(r.number, "skipped", "Verification was skipped; the next round is verified twice.")
    if overridden(r):
        assert r.decision
        yield Mark(
            r.number,
            "override",
            f"{r.decision.by} chose to {r.decision.action}; {r.decision.recommended} was recommended.",
        )


def overridden(r: Round) -> bool:
    """Whether a person decided otherwise than the gate recommended."""
    d = r.decision
    return (
        d is not None and d.by != AUTOPILOT and d.action is not d.recommended and d.recommended is not GateAction.WAIT
    )
