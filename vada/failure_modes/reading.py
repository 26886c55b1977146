"""A run as the detectors read it: who said what on which key, which evidence was new when, what was ruled how.

Works on any prefix of a run: what a phase has not given yet is empty. Owns no judgement.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from vada.failure_modes import signals
from vada.failure_modes.cutoffs import CUTOFFS, Calibration, Cut, Cutoff, cutoffs
from vada.models.outputs import Challenge, Decision, Evidence, Point, Proposal, Ruling
from vada.models.run import Round, Run
from vada.models.vocabulary import DecisionStatus, PhaseName, Role, Verdict
from vada.scoring import same_value

_FIELDS = {
    PhaseName.PREPARE: "dossier",
    PhaseName.PROPOSE: "proposals",
    PhaseName.CHALLENGE: "challenges",
    PhaseName.SYNTHESIZE: "synthesis",
    PhaseName.VERIFY: "verification",
    PhaseName.COMPRESS: "brief",
    PhaseName.DECIDE: "verdict",
}


@dataclass(frozen=True)
class Reading:
    """A run with what several detectors derive from it, computed once."""

    run: Run
    cuts: dict[Cut, Cutoff] = field(default_factory=lambda: CUTOFFS)

    @classmethod
    def of(cls, run: "Run | Reading", calibration: Calibration | None = None) -> "Reading":
        """The reading of a run; a reading is its own."""
        return run if isinstance(run, Reading) else cls(run, cutoffs(calibration))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The rounds there are, oldest first."""
        return tuple(r.number for r in self.run.rounds)

    @cached_property
    def _by_number(self) -> dict[int, Round]:
        return {r.number: r for r in self.run.rounds}

    def round(self, n: int) -> Round:
        """Round `n`; an empty one when there is none (a fork may begin later)."""
        return self._by_number.get(n) or Round(number=n)

    def ran(self, n: int) -> frozenset[PhaseName]:
        """The phases that have given something in round `n`."""
        return frozenset(p for p, f in _FIELDS.items() if getattr(self.round(n), f) is not None)

    def proposals(self, n: int) -> tuple[Proposal, ...]:
        """The proposals of round `n`, complete ones only while they are being written."""
        r = self.round(n)
        return r.proposals.proposals if r.proposals else r.replied

    @cached_property
    def _cells(self) -> dict[tuple[int, str], dict[Role, Point]]:
        found: dict[tuple[int, str], dict[Role, Point]] = {}
        for n in self.numbers:
            for p in self.proposals(n):
                for x in p.points:
                    said = found.setdefault((n, x.key), {})
                    if x.value.strip() and (p.role not in said or x.confidence > said[p.role].confidence):
                        said[p.role] = x
        return {k: v for k, v in found.items() if v}

    def answers(self, n: int, key: str) -> dict[Role, Point]:
        """Each role's position on a key in round `n`: its most confident point that states a value."""
        return self._cells.get((n, key), {})

    def keys(self, n: int) -> tuple[str, ...]:
        """The keys that somebody answers in round `n`."""
        return tuple(k for m, k in self._cells if m == n)

    def points(self, n: int) -> tuple[tuple[Role, Point], ...]:
        """Every point of round `n` with its role."""
        return tuple((p.role, x) for p in self.proposals(n) for x in p.points)

    @cached_property
    def point_of(self) -> dict[str, Point]:
        """Every point of the run by its id."""
        return {x.id: x for n in self.numbers for _, x in self.points(n)}

    def decisions(self, n: int) -> dict[str, Decision]:
        """Round `n`'s decisions by key."""
        s = self.round(n).synthesis
        return {d.key: d for d in s.decisions} if s else {}

    def locked(self, n: int) -> dict[str, Decision]:
        """Round `n`'s decisions that are decided, not active."""
        return {k: d for k, d in self.decisions(n).items() if d.status is DecisionStatus.DECIDED}

    def challenges(self, n: int) -> tuple[Challenge, ...]:
        """Round `n`'s register."""
        c = self.round(n).challenges
        return c.challenges if c else ()

    def ruling(self, n: int, challenge: str) -> Ruling | None:
        """The ruling on a challenge of round `n`."""
        s = self.round(n).synthesis
        return next((r for r in s.rulings if r.challenge == challenge), None) if s else None

    def key_of(self, challenge: Challenge) -> str | None:
        """The key that a challenge aims at."""
        aimed = self.point_of.get(challenge.target_point or "")
        return challenge.target_key or (aimed.key if aimed else None)

    def upheld_against(self, n: int, key: str, value: str) -> Challenge | None:
        """A challenge of round `n` that was upheld, even partly, against that stance on that key."""
        for c in self.challenges(n):
            ruling = self.ruling(n, c.id)
            if not ruling or ruling.verdict not in (Verdict.UPHELD, Verdict.PARTIAL) or self.key_of(c) != key:
                continue
            attacked = self._attacked(n, c)
            if attacked is None or same_value(attacked, value):
                return c
        return None

    def _attacked(self, n: int, challenge: Challenge) -> str | None:
        """The stance that a challenge aims at: its target point's, else that of the last decision on its key."""
        aimed = self.point_of.get(challenge.target_point or "")
        if aimed:
            return aimed.value
        last = self.decisions(n - 1).get(challenge.target_key or "")
        return last.value if last else None

    @cached_property
    def evidence(self) -> dict[str, Evidence]:
        """Every evidence item of the run by its id."""
        found: dict[str, Evidence] = {}
        for n in self.numbers:
            for p in self.proposals(n):
                found.update((i.id, i) for i in p.evidence)
            register = self.round(n).challenges
            found.update((i.id, i) for i in (register.evidence if register else ()))
        return found

    def cited(self, n: int) -> frozenset[str]:
        """The evidence ids that round `n`'s points, objections, challenges and defences cite."""
        ids = {i for _, x in self.points(n) for i in x.evidence}
        ids |= {i for p in self.proposals(n) for o in p.objections for i in o.evidence}
        ids |= {i for c in self.challenges(n) for i in c.evidence}
        return frozenset(ids | {i for c in self.challenges(n) for d in c.defences for i in d.evidence})

    def seen(self, n: int) -> frozenset[str]:
        """The evidence ids cited before round `n`."""
        return frozenset().union(*(self.cited(m) for m in self.numbers if m < n))

    def cited_by(self, role: Role, before: int) -> frozenset[str]:
        """The evidence ids that a role's points cited before round `before`."""
        return frozenset(
            i for m in self.numbers if m < before for r, x in self.points(m) if r is role for i in x.evidence
        )

    def said(self, n: int) -> tuple[str, ...]:
        """Each proposal of round `n` as one text: weakness, proposal, claims."""
        return tuple(" ".join((p.weakness, p.text, *(x.claim for x in p.points))) for p in self.proposals(n))

    def written(self, n: int) -> tuple[str, ...]:
        """The sentences of round `n`'s synthesis: text, decisions, minority report."""
        s = self.round(n).synthesis
        if s is None:
            return ()
        return (*signals.sentences(s.text), *(d.statement for d in s.decisions), *(m.position for m in s.minority))

    def grounded(self, ids: Iterable[str]) -> bool:
        """Whether ids name evidence or a constraint."""
        known = {c.id for c in self.run.config.constraints}
        return any(i in self.evidence or i.startswith("e-") or i in known for i in ids)

    def cut(self, name: Cut) -> Cutoff:
        """A threshold in force."""
        return self.cuts[name]

    def asked(self, n: int) -> bool:
        """Whether a person was asked at the gate of round `n`."""
        verdict = self.round(n).verdict
        return bool(verdict and verdict.wait)
