"""Phase 2, Propose: agents respond blind, each naming a weakness before proposing. Four calls at once, one for each
debater; the Challenger is never skipped. Nothing of any other agent reaches a proposal prompt, and that is audited."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from vada import evidence as ev
from vada.errors import LLMError, PhaseFailedError
from vada.llm.base import Answer, Ask, Part
from vada.models.outputs import Dossier, Leak, Objection, Point, Proposal, Proposals, Veto
from vada.models.replies import PointReply, ProposalReply
from vada.models.vocabulary import DEBATERS, OPTIMIZERS, PhaseName, Role
from vada.phase import Fallback, Phase, Turn, shared
from vada.scoring import slug
from vada.tokens import words

PHASE = Phase(
    name=PhaseName.PROPOSE,
    takes="the dossier; nothing of any other agent",
    gives="a proposal each: one weakness first, then the proposal, claims with confidence and evidence",
    retries=2,
    fallbacks=(
        Fallback("agent_missing", "{who} did not answer; the round goes on without it."),
        Fallback("agent_benched", "{who} timed out in an earlier round and was not asked again."),
        Fallback(
            "challenger_missing",
            "The Challenger did not answer. No round goes on without it: retry it, or decide at the gate.",
        ),
        Fallback("search_failed", "The web search of {who} failed; its proposal stands without what it looked for."),
        Fallback("model_replaced", "{who} answered on its fallback model."),
    ),
)

LEAK = 8
"""Consecutive words of another agent's same-round text that make a leak (failure-modes 1.4, rule 1)."""

MINIMUM = 2
"""Proposals without which a round cannot go on."""

Replied = Callable[[Proposal], Awaitable[None]]


class Floor:
    """The four proposals of a round while they are written: a defence can start as soon as its two are in."""

    def __init__(self, turn: Turn, dossier: Dossier, replied: Replied) -> None:
        self._turn = turn
        self._dossier = dossier
        self._prompts: dict[Role, tuple[Part, ...]] = {}
        self._timed_out: list[Role] = []
        asked = [r for r in DEBATERS if r not in dossier.benched]
        self.tasks: dict[Role, asyncio.Task[Proposal | None]] = {
            role: asyncio.ensure_future(self._propose(role, replied)) for role in asked
        }

    async def of(self, role: Role) -> Proposal | None:
        """A role's proposal once it is in; None when it is missing or benched."""
        return await self.tasks[role] if role in self.tasks else None

    async def all(self) -> Proposals:
        """Every proposal. Raises PhaseFailedError with fewer than two."""
        for role in self._dossier.benched:
            await self._turn.degrade(PHASE.degraded("agent_benched", self._turn.round, role=role))
        ended = await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        if failed := [e for e in ended if isinstance(e, BaseException)]:
            raise failed[0]  # only now: what the others were paid for has come in
        results = dict(zip(self.tasks, [e for e in ended if not isinstance(e, BaseException)], strict=True))
        proposals = tuple(p for p in results.values() if p)
        missing = tuple(r for r in DEBATERS if not results.get(r))
        if len(proposals) < MINIMUM:
            raise PhaseFailedError(
                f"Only {len(proposals)} of {len(DEBATERS)} agents answered; a debate needs {MINIMUM}.",
                next_step="Check the models in Settings, then retry: what was answered is kept.",
                retry=True,
            )
        return Proposals(
            proposals=proposals,
            missing=missing,
            timed_out=tuple(self._timed_out),
            leaks=leaks(self._prompts, proposals, self._common()),
        )

    async def close(self) -> None:
        """Stop whatever is still being written, and wait until it has stopped and said so."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    async def _propose(self, role: Role, replied: Replied) -> Proposal | None:
        """One agent's blind proposal, or None with the degradation recorded."""
        turn, seat = self._turn, self._turn.config.seat(role)
        self._prompts[role] = parts = prompt(turn, self._dossier, role)
        ask = Ask(
            slot=f"r{turn.round}.propose.{role}",
            seat=seat,
            phase=PHASE.name,
            round=turn.round,
            parts=parts,
            reply=ProposalReply,
            retries=PHASE.retries,
            live=True,
            constraints_sha=self._dossier.constraints_sha,
            check=lambda reply: fault(role, reply),
        )
        try:
            answer = await turn.llm.ask(ask)
            if answer.value.cannot.strip() and not answer.value.points:
                raise LLMError(f"It could not answer: {answer.value.cannot.strip()}", kind="cannot")
        except LLMError as error:
            if error.kind == "timeout":
                self._timed_out.append(role)
            key = "challenger_missing" if role is Role.CHALLENGER else "agent_missing"
            await turn.degrade(PHASE.degraded(key, turn.round, role=role, cause=str(error)))
            return None
        for trouble in answer.degraded:
            await turn.degrade(PHASE.degraded("search_failed", turn.round, role=role, cause=trouble))
        if answer.fallback_model:
            await turn.degrade(PHASE.degraded("model_replaced", turn.round, role=role, cause=answer.fallback_model))
        proposal = proposal_from(turn, role, answer)
        await replied(proposal)
        return proposal

    def _common(self) -> str:
        """What every agent may say because it was given to all."""
        config = self._turn.config
        return " ".join(
            (
                config.question,
                self._dossier.constraints_block,
                self._dossier.context,
                config.priorities,
                *(m.text for m in config.material),
            )
        )


def prompt(turn: Turn, dossier: Dossier, role: Role) -> tuple[Part, ...]:
    """The proposal prompt of a role."""
    return turn.prompts.compose(
        turn.config.seat(role),
        turn.config,
        horizon="propose",
        round=turn.round,
        cap=dossier.caps[role],
        shared=shared(turn, dossier),
        instruction=dossier.instructions[role],
        whispers=turn.whispers,
    )


def fault(role: Role, reply: ProposalReply) -> str:
    """What is wrong with a valid reply for this role, in the words of a re-ask; empty when nothing is."""
    if not reply.weakness.strip():
        return "`weakness` is empty: name one weakness first."
    if reply.cannot.strip():
        return ""
    if not reply.points:
        return "`points` is empty: give the claims your proposal rests on."
    if role is Role.CHALLENGER and not reply.objections:
        return "`objections` is empty: the Challenger raises at least one objection, steel man first."
    if role in OPTIMIZERS and not reply.draft.strip():
        return "`draft` is empty: an Optimizer writes the full draft for the reader."
    if any(not 0 <= p.confidence <= 1 for p in reply.points):
        return "`confidence` must lie between 0 and 1."
    return ""


def proposal_from(turn: Turn, role: Role, answer: Answer[ProposalReply]) -> Proposal:
    """The reply as a value with stable ids; refs become evidence ids, confidences are clamped to 0–1."""
    reply, stem = answer.value, f"r{turn.round}.{role}"
    sources = ev.items(reply.sources, answer.hits, turn.config.material)

    def cited(refs: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sources[r.strip()].id for r in refs if r.strip() in sources))

    points = tuple(_point(f"{stem}.p{i}", p, cited(p.evidence)) for i, p in enumerate(reply.points, 1))
    objections = tuple(
        Objection(
            target=o.target,
            steel_man=o.steel_man,
            objection=o.objection,
            evidence=cited(o.evidence),
            confidence=_unit(o.confidence),
        )
        for o in reply.objections
    )
    vetoes = tuple(
        Veto(id=f"r{turn.round}.v{i}", target=v.target, remove=v.remove, reason=v.reason)
        for i, v in enumerate(reply.vetoes if role is Role.SIMPLIFIER else (), 1)
    )
    said = (
        reply.weakness,
        reply.proposal,
        *(p.claim for p in reply.points),
        *(f"{o.steel_man} {o.objection}" for o in reply.objections),
        *(f"{v.remove} {v.reason}" for v in reply.vetoes),
    )
    return Proposal(
        role=role,
        model=turn.config.seat(role).model,
        round=turn.round,
        weakness=reply.weakness.strip(),
        weakness_first=weakness_first(answer.text),
        text=reply.proposal,
        points=points,
        change_my_mind=reply.change_my_mind,
        draft=reply.draft if role in OPTIMIZERS else "",
        objections=objections if role is Role.CHALLENGER else (),
        vetoes=vetoes,
        evidence=tuple({e.id: e for e in sources.values()}.values()),
        cannot=reply.cannot,
        words=sum(words(t) for t in said),
        draft_words=words(reply.draft),
        call_id=answer.call_id,
    )


def _point(id_: str, reply: PointReply, evidence: tuple[str, ...]) -> Point:
    return Point(
        id=id_,
        key=slug(reply.key),
        claim=reply.claim,
        value=reply.value.strip(),
        confidence=_unit(reply.confidence),
        evidence=evidence,
    )


def _unit(confidence: float) -> float:
    return min(1.0, max(0.0, confidence))


def weakness_first(raw: str) -> bool:
    """Whether the weakness stands before the proposal in the reply's own text."""
    weakness, proposal = raw.find('"weakness"'), raw.find('"proposal"')
    return 0 <= weakness < proposal or proposal < 0


def leaks(prompts: Mapping[Role, Sequence[Part]], proposals: Sequence[Proposal], common: str) -> tuple[Leak, ...]:
    """Every run of eight words of another agent's same-round text found in a proposal prompt, given texts excluded."""
    read = {role: _runs(" ".join(p.text for p in parts)) for role, parts in prompts.items()}
    allowed = _runs(common) | (set.intersection(*read.values()) if len(read) > 1 else set())
    found = []
    for role, runs in read.items():
        seen = runs - allowed
        for other in proposals:
            if other.role is not role and (shared := seen & _runs(_text(other))):
                found.append(Leak(slot=f"r{other.round}.propose.{role}", source=other.role, words=min(shared)))
    return tuple(found)


def _text(p: Proposal) -> str:
    return " ".join((p.weakness, p.text, p.draft, *(x.claim for x in p.points), *(o.objection for o in p.objections)))


def _runs(text: str) -> set[str]:
    """All runs of eight words, folded."""
    tokens = text.casefold().split()
    return {" ".join(tokens[i : i + LEAK]) for i in range(len(tokens) - LEAK + 1)}
