"""The labels a service role sees instead of names: authors as letters in a shuffled order (rule 7), points, sources,
challenges and vetoes as short labels. The map to stable ids stays here, outside the prompt."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vada.models.outputs import Challenge, ChallengeRegister, Evidence, Point, Proposal, Veto
from vada.models.vocabulary import Role

LETTERS = "ABDEFGHJ"
"""Authors' letters; C, S, V and X begin the labels of constraints, sources, vetoes and challenges."""


@dataclass(frozen=True)
class LabelledPoint:
    """A point as the prompt shows it."""

    label: str
    point: Point
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class LabelledProposal:
    """A proposal as the prompt shows it; the template never prints its role."""

    letter: str
    proposal: Proposal
    points: tuple[LabelledPoint, ...]


@dataclass(frozen=True)
class LabelledChallenge:
    """A challenge as the prompt shows it."""

    label: str
    challenge: Challenge
    evidence: tuple[str, ...]
    defences: tuple[tuple[str, str, str], ...]  # letter, verdict, reason


class Labels:
    """All labels of one prompt, and the way back."""

    def __init__(
        self, proposals: Sequence[Proposal], register: ChallengeRegister | None, constraints: Iterable[str], salt: str
    ) -> None:
        order = sorted(proposals, key=lambda p: p.role)
        random.Random(salt).shuffle(order)
        self.letters: dict[str, Role] = {LETTERS[i]: p.role for i, p in enumerate(order)}
        self._letter_of = {role: letter for letter, role in self.letters.items()}
        self.sources: dict[str, Evidence] = {}
        self._source_label: dict[str, str] = {}
        for item in (e for p in order for e in p.evidence):
            self._source(item)
        for item in register.evidence if register else ():
            self._source(item)
        self._ids: dict[str, str] = {c: c for c in constraints} | {label: e.id for label, e in self.sources.items()}
        self.proposals = tuple(self._proposal(p) for p in order)
        self.vetoes: dict[str, Veto] = {f"V{i}": v for i, v in enumerate((v for p in order for v in p.vetoes), 1)}
        self.challenges = tuple(self._challenge(c) for c in (register.challenges if register else ()))
        self._ids |= {label: v.id for label, v in self.vetoes.items()}
        self._ids |= {c.label: c.challenge.id for c in self.challenges}

    def letter(self, role: Role) -> str:
        """The letter of a role; empty when it is missing."""
        return self._letter_of.get(role, "")

    def id(self, label: str) -> str | None:
        """The stable id behind a label such as `A1`, `[X2]` or `C3`; None for a label that was never shown."""
        return self._ids.get(label.strip().strip("[]().,").upper())

    def ids(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The known ids behind labels, in order, each once."""
        return tuple(dict.fromkeys(i for label in labels if (i := self.id(label))))

    def roles(self, letters: Iterable[str]) -> tuple[Role, ...]:
        """The roles behind letters such as `A` or `Proposal B`; unknown ones are left out."""
        found = (self.letters.get(x.strip().split()[-1].upper()) for x in letters if x.strip())
        return tuple(dict.fromkeys(r for r in found if r))

    def _source(self, item: Evidence) -> str:
        if item.id not in self._source_label:
            label = f"S{len(self.sources) + 1}"
            self.sources[label] = item
            self._source_label[item.id] = label
        return self._source_label[item.id]

    def _cited(self, ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._source_label[i] for i in ids if i in self._source_label)

    def _proposal(self, proposal: Proposal) -> LabelledProposal:
        letter = self._letter_of[proposal.role]
        points = tuple(
            LabelledPoint(f"{letter}{i}", p, self._cited(p.evidence)) for i, p in enumerate(proposal.points, 1)
        )
        self._ids |= {p.label: p.point.id for p in points}
        return LabelledProposal(letter, proposal, points)

    def _challenge(self, challenge: Challenge) -> LabelledChallenge:
        defences = tuple((self.letter(d.role), d.verdict.value, d.reason) for d in challenge.defences)
        return LabelledChallenge(f"X{challenge.number}", challenge, self._cited(challenge.evidence), defences)
