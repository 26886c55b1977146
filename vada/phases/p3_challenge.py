"""Phase 3, Challenge: the Challenger's objections become a numbered register, and those they aim at defend or concede.

At most one call for each defender, all its challenges together. It starts as soon as the Challenger and that defender
are in. An undefended challenge is not adopted by itself: the Coordinator still rules on it.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol

from rapidfuzz import fuzz

from vada import evidence as ev
from vada.errors import LLMError
from vada.llm.base import Ask
from vada.models.outputs import (
    Challenge,
    ChallengeRegister,
    Decision,
    Defence,
    Dossier,
    Evidence,
    Objection,
    Proposal,
    Proposals,
)
from vada.models.replies import DefenceReply
from vada.models.vocabulary import ChallengeStatus, DefenceVerdict, PhaseName, Role
from vada.phase import Fallback, Phase, Turn, shared
from vada.roles import cap_for
from vada.scoring import going_on_from, slug

PHASE = Phase(
    name=PhaseName.CHALLENGE,
    takes="the Challenger's objections; the challenged agents' own proposals",
    gives="the numbered challenge register: steel man, objection, evidence, confidence, target, and each defence",
    retries=1,
    fallbacks=(
        Fallback(
            "undefended",
            "{who} gave no defence; the challenge stands undefended and the Coordinator still rules on it.",
        ),
    ),
)

DEFENDERS: tuple[Role, ...] = (Role.OPTIMIZER_A, Role.OPTIMIZER_B, Role.SIMPLIFIER)
"""Who can be asked to defend; nobody defends against themselves."""

NEAR = 5.0
"""A second proposal this close to the first in similarity (points of 100) rests on the same claim. [default]"""


class Floor(Protocol):
    """The proposals while they are written (phase 2)."""

    async def of(self, role: Role) -> Proposal | None: ...

    def all(self) -> Awaitable[Proposals]: ...


async def challenge(turn: Turn, dossier: Dossier, floor: Floor) -> ChallengeRegister:
    """The register with its defences; empty when the Challenger is missing."""
    challenger = await floor.of(Role.CHALLENGER)
    if challenger is None or not challenger.objections:
        return ChallengeRegister(challenges=())
    decisions = _last_decisions(turn)
    proposals: Sequence[Proposal] = ()
    if not all(_key(o, decisions) for o in challenger.objections):
        proposals = (await floor.all()).proposals
    targets = [_target(o, decisions, proposals) for o in challenger.objections]
    called = assign([t.roles for t in targets], [o.confidence for o in challenger.objections], turn.defenders)
    entries = [
        Challenge(
            id=f"r{turn.round}.x{i}",
            number=i,
            target=o.target,
            target_point=t.point,
            target_key=t.key,
            steel_man=o.steel_man,
            objection=o.objection,
            evidence=o.evidence,
            confidence=o.confidence,
            defenders=roles,
            status=ChallengeStatus.UNDEFENDED,
        )
        for i, (o, t, roles) in enumerate(zip(challenger.objections, targets, called, strict=True), 1)
    ]
    roles = list(dict.fromkeys(r for c in entries for r in c.defenders))
    ended = await asyncio.gather(
        *(_defend(turn, dossier, floor, role, entries) for role in roles), return_exceptions=True
    )
    if failed := [e for e in ended if isinstance(e, BaseException)]:
        raise failed[0]
    answers = [e for e in ended if not isinstance(e, BaseException)]
    return _register(entries, dict(zip(roles, answers, strict=True)))


class _Target:
    """What an objection aims at and who rests on it, best first."""

    def __init__(self, roles: tuple[Role, ...], key: str | None = None, point: str | None = None) -> None:
        self.roles, self.key, self.point = roles, key, point


def _last_decisions(turn: Turn) -> tuple[Decision, ...]:
    base = going_on_from(turn.past)
    return base.synthesis.decisions if base and base.synthesis else ()


def _key(objection: Objection, decisions: Sequence[Decision]) -> Decision | None:
    """The decision that an objection names by key, if it has a holder who can defend it."""
    wanted = slug(objection.target)
    return next((d for d in decisions if d.key == wanted and set(d.holders) & set(DEFENDERS)), None)


def _target(objection: Objection, decisions: Sequence[Decision], proposals: Sequence[Proposal]) -> _Target:
    """By decision key, else by the key of a point, else by similarity."""
    if decision := _key(objection, decisions):
        return _Target(tuple(r for r in DEFENDERS if r in decision.holders), key=decision.key)
    wanted = slug(objection.target)
    by_key = [(p, x) for p in proposals if p.role in DEFENDERS for x in p.points if x.key == wanted]
    if by_key:
        ranked = sorted(by_key, key=lambda px: -px[1].confidence)
        return _Target(tuple(dict.fromkeys(p.role for p, _ in ranked))[:2], key=wanted, point=ranked[0][1].id)
    return _by_similarity(objection, proposals)


def _by_similarity(objection: Objection, proposals: Sequence[Proposal]) -> _Target:
    """The one or two proposals whose points come closest to what is attacked."""
    text = f"{objection.target} {objection.steel_man}"
    scored = [
        (float(fuzz.token_set_ratio(text, f"{x.key} {x.claim}")), p, x)
        for p in proposals
        if p.role in DEFENDERS
        for x in p.points
    ]
    if not scored:
        return _Target(())
    scored.sort(key=lambda s: -s[0])
    best = scored[0]
    second = next((s for s in scored if s[1].role is not best[1].role and best[0] - s[0] <= NEAR), None)
    roles = (best[1].role,) if second is None else (best[1].role, second[1].role)
    return _Target(roles, key=best[2].key, point=best[2].id)


def assign(wanted: Sequence[tuple[Role, ...]], confidence: Sequence[float], most: int) -> list[tuple[Role, ...]]:
    """Who defends each challenge, at most `most` agents in all; the most confident challenges choose first."""
    called: list[Role] = []
    result: list[tuple[Role, ...]] = [()] * len(wanted)
    for i in sorted(range(len(wanted)), key=lambda i: -confidence[i]):
        chosen = []
        for role in wanted[i]:
            if role not in called and len(called) < most:
                called.append(role)
            if role in called:
                chosen.append(role)
        result[i] = tuple(chosen)
    return result


async def _defend(
    turn: Turn, dossier: Dossier, floor: Floor, role: Role, entries: Sequence[Challenge]
) -> tuple[dict[str, Defence], tuple[Evidence, ...]]:
    """One agent's answers to all challenges against it, by challenge id; what is missing stays undefended."""
    own = await floor.of(role)
    mine = [c for c in entries if role in c.defenders]
    if own is None:
        return {}, ()
    ask = Ask(
        slot=f"r{turn.round}.defend.{role}",
        seat=turn.config.seat(role),
        phase=PHASE.name,
        round=turn.round,
        parts=turn.prompts.compose(
            turn.config.seat(role),
            turn.config,
            horizon="defend",
            round=turn.round,
            cap=cap_for(role, "defend", turn.config.caps),
            shared=shared(turn, dossier),
            inputs=turn.prompts.render("phases/p3_challenge/defend", proposal=own, challenges=mine),
            whispers=turn.whispers,
        ),
        reply=DefenceReply,
        retries=PHASE.retries,
        live=True,
        constraints_sha=dossier.constraints_sha,
        check=lambda reply: fault(reply, mine),
    )
    try:
        answer = await turn.llm.ask(ask)
    except LLMError as error:
        await turn.degrade(PHASE.degraded("undefended", turn.round, role=role, cause=str(error)))
        return {}, ()
    sources = ev.items(answer.value.sources, answer.hits, turn.config.material)
    by_label = {f"X{c.number}": c.id for c in mine}
    known = {e.id for e in own.evidence}
    defences = {
        by_label[a.challenge.strip().upper()]: Defence(
            role=role,
            verdict=DefenceVerdict(a.verdict),
            reason=a.reason,
            evidence=tuple(sources[r].id if r in sources else r for r in a.evidence if r in sources or r in known),
        )
        for a in answer.value.answers
        if a.challenge.strip().upper() in by_label
    }
    if len(defences) < len(mine):
        cause = answer.value.cannot or "its reply answered only part of the challenges"
        await turn.degrade(PHASE.degraded("undefended", turn.round, role=role, cause=cause))
    return defences, tuple({e.id: e for e in sources.values()}.values())


def fault(reply: DefenceReply, mine: Sequence[Challenge]) -> str:
    """Which challenges a reply leaves unanswered, in the words of a re-ask; empty when none."""
    if reply.cannot.strip():
        return ""
    answered = {a.challenge.strip().upper() for a in reply.answers}
    missing = [f"X{c.number}" for c in mine if f"X{c.number}" not in answered]
    return f"`answers` lacks {', '.join(missing)}: defend or concede each challenge." if missing else ""


def _register(
    entries: Sequence[Challenge], answers: Mapping[Role, tuple[dict[str, Defence], tuple[Evidence, ...]]]
) -> ChallengeRegister:
    """The entries with their defences and what became of them."""
    done = []
    for entry in entries:
        defences = tuple(given[entry.id] for given, _ in answers.values() if entry.id in given)
        done.append(entry.model_copy(update={"defences": defences, "status": status(defences)}))
    evidence = {e.id: e for _, items in answers.values() for e in items}
    return ChallengeRegister(challenges=tuple(done), evidence=tuple(evidence.values()))


def status(defences: Sequence[Defence]) -> ChallengeStatus:
    """Conceded when all who answered concede, defended when one defends, else undefended."""
    if not defences:
        return ChallengeStatus.UNDEFENDED
    if all(d.verdict is DefenceVerdict.CONCEDE for d in defences):
        return ChallengeStatus.CONCEDED
    return ChallengeStatus.DEFENDED
