"""Phase 4, Synthesize: the Coordinator rules on every challenge and veto and decides, in one call.

Code, not the model, builds what can be computed: ids, stances, the minority report. Nothing is invented: a challenge
the Coordinator did not rule on has no ruling; a veto it overruled without a constraint or evidence stands (rule 4).
"""

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from vada.conclusion import conclusion_from
from vada.errors import LLMError
from vada.labels import Labels
from vada.llm.base import Answer, Ask
from vada.models.outputs import (
    Amendment,
    ChallengeRegister,
    Decision,
    Dossier,
    MinorityEntry,
    Point,
    Proposals,
    Renegotiation,
    Ruling,
    Synthesis,
    VetoRuling,
)
from vada.models.replies import DecisionReply, SynthesisReply
from vada.models.vocabulary import (
    OPTIMIZERS,
    AmendmentKind,
    DecisionStatus,
    PhaseName,
    Role,
    Verdict,
    VetoVerdict,
)
from vada.phase import Fallback, Phase, Turn, shared
from vada.roles import cap_for
from vada.rules.r04_veto import UNGROUNDED
from vada.scoring import SAME, going_on_from, same_value, slug, stance
from vada.tokens import words

PHASE = Phase(
    name=PhaseName.SYNTHESIZE,
    takes="every raw proposal, the register, vetoes, dimension weights, a roster note",
    gives=(
        "a ruling for every challenge and veto, decisions, synthesis, minority report, renegotiations, "
        "base draft and amendments, conclusion"
    ),
    retries=3,
    fallbacks=(
        Fallback("synthesis_failed", "The Coordinator gave no synthesis; the raw replies are kept and shown instead."),
        Fallback("model_replaced", "The Coordinator's fallback model wrote the synthesis."),
    ),
)


async def synthesize(turn: Turn, dossier: Dossier, proposals: Proposals, register: ChallengeRegister) -> Synthesis:
    """The synthesis. Raises LLMError when it could not be had."""
    seat = turn.config.seat(Role.COORDINATOR)
    labels = Labels(
        proposals.proposals, register, (c.id for c in turn.config.constraints), f"{turn.config.seed}.{turn.round}.4"
    )
    last = _last(turn)
    ask = Ask(
        slot=f"r{turn.round}.synthesize",
        seat=seat,
        phase=PHASE.name,
        round=turn.round,
        parts=turn.prompts.compose(
            seat,
            turn.config,
            horizon="synthesize",
            round=turn.round,
            cap=cap_for(Role.COORDINATOR, "synthesize", turn.config.caps),
            shared=shared(turn, dossier),
            inputs=turn.prompts.render(
                "phases/p4_synthesize/synthesize",
                labels=labels,
                dimensions=turn.config.pack.dimensions,
                last_decisions=last.decisions if last else (),
                roster=roster(turn, proposals),
            ),
            whispers=turn.whispers,
            values={"today": turn.today},
        ),
        reply=SynthesisReply,
        retries=PHASE.retries,
        live=True,
        constraints_sha=dossier.constraints_sha,
        check=lambda reply: fault(reply, labels),
    )
    answer = await turn.llm.ask(ask)
    if not answer.value.decisions or not answer.value.conclusion.recommendation.strip():
        raise LLMError("The Coordinator decided nothing or recommended nothing.", kind="bad_reply")
    if answer.fallback_model:
        await turn.degrade(
            PHASE.degraded("model_replaced", turn.round, role=Role.COORDINATOR, cause=answer.fallback_model)
        )
    return synthesis_from(turn, answer, labels, proposals, register)


def _last(turn: Turn) -> Synthesis | None:
    base = going_on_from(turn.past)
    return base.synthesis if base else None


def roster(turn: Turn, proposals: Proposals) -> str:
    """Who answered and who is missing, and whether one model wrote them all; no names beside letters."""
    models = {p.model for p in proposals.proposals}
    kind = "all on the same model" if len(models) == 1 else f"on {len(models)} different models"
    missing = ", ".join(r.title for r in proposals.missing) or "nobody"
    return f"{len(proposals.proposals)} proposals, {kind}. Missing: {missing}."


def fault(reply: SynthesisReply, labels: Labels) -> str:
    """What a valid reply left out, in the words of a re-ask; empty when nothing."""
    ruled = {r.target.strip().upper() for r in reply.rulings}
    if missing := [c.label for c in labels.challenges if c.label not in ruled]:
        return f"`rulings` lacks {', '.join(missing)}: rule on every challenge."
    ruled_vetoes = {v.target.strip().upper() for v in reply.veto_rulings}
    if missing := [v for v in labels.vetoes if v not in ruled_vetoes]:
        return f"`veto_rulings` lacks {', '.join(missing)}: rule on every veto."
    if not reply.decisions:
        return "`decisions` is empty: decide."
    if not reply.conclusion.recommendation.strip():
        return "`conclusion.recommendation` is empty: recommend."
    drafts = [p.letter for p in labels.proposals if p.proposal.draft]
    if drafts and not set(labels.roles([reply.base_draft])) & set(OPTIMIZERS):
        return f"`base_draft` must be the letter of a proposal with a draft: {' or '.join(drafts)}."
    return ""


def synthesis_from(
    turn: Turn, answer: Answer[SynthesisReply], labels: Labels, proposals: Proposals, register: ChallengeRegister
) -> Synthesis:
    """The reply as a value with stable ids."""
    reply = answer.value
    decisions = _decisions(reply.decisions, labels)
    rulings = _rulings(reply, labels)
    vetoes = _veto_rulings(reply, labels)
    base = labels.roles([reply.base_draft])
    return Synthesis(
        text=reply.synthesis,
        rulings=rulings,
        veto_rulings=vetoes,
        decisions=decisions,
        minority=minority(turn, reply, labels, decisions, rulings, vetoes, proposals, register),
        renegotiations=tuple(
            Renegotiation(
                id=f"r{turn.round}.n{i}", constraint=n.constraint.strip().upper(), request=n.request, reason=n.reason
            )
            for i, n in enumerate(
                (
                    n
                    for n in reply.renegotiations
                    if n.constraint.strip().upper() in {c.id for c in turn.config.constraints}
                ),
                1,
            )
        ),
        removed=tuple(reply.removed),
        base_draft=base[0] if base and base[0] in OPTIMIZERS else _any_draft(proposals),
        why_not_obvious=reply.why_not_obvious,
        amendments=tuple(
            Amendment(
                id=f"r{turn.round}.m{i}",
                kind=AmendmentKind(a.kind),
                text=a.text,
                where=a.where,
                tied_to=labels.ids(a.tied_to),
            )
            for i, a in enumerate(reply.amendments, 1)
        ),
        conclusion=conclusion_from(
            reply.conclusion, turn.config, lambda letters: tuple(r.value for r in labels.roles(letters))
        ),
        words=words(reply.synthesis),
        letters=dict(labels.letters),
        call_id=answer.call_id,
    )


def _any_draft(proposals: Proposals) -> Role | None:
    """The only draft there is, when the Coordinator named none; None when the choice is not forced."""
    drafts = [p.role for p in proposals.proposals if p.draft]
    return drafts[0] if len(drafts) == 1 else None


def _decisions(replies: Sequence[DecisionReply], labels: Labels) -> tuple[Decision, ...]:
    """The decisions, one for each key; of several the last."""
    found: dict[str, Decision] = {}
    for d in replies:
        key = slug(d.key)
        found[key] = Decision(
            key=key,
            statement=d.statement,
            value=d.value,
            status=DecisionStatus(d.status),
            confidence=min(1.0, max(0.0, d.confidence)),
            holders=labels.roles(d.holders),
            source_points=labels.ids(d.points),
            reasons=labels.ids(d.reasons),
            stance=stance(key, d.value),
        )
    return tuple(found.values())


def _rulings(reply: SynthesisReply, labels: Labels) -> tuple[Ruling, ...]:
    found = {
        id_: Ruling(challenge=id_, verdict=Verdict(r.verdict), reason=r.reason, cites=labels.ids(r.cites))
        for r in reply.rulings
        if (id_ := labels.id(r.target)) and ".x" in id_
    }
    return tuple(found.values())


def _veto_rulings(reply: SynthesisReply, labels: Labels) -> tuple[VetoRuling, ...]:
    """Vetoes ruled on; an overruling that names neither constraint nor evidence does not count."""
    found = {}
    for v in reply.veto_rulings:
        id_ = labels.id(v.target)
        if not id_ or ".v" not in id_:
            continue
        cites = labels.ids(v.cites)
        grounded = any(c.startswith(("C", "e-")) for c in cites)
        if v.verdict == "overruled" and not grounded:
            reason = f"{v.reason} {UNGROUNDED}"
            found[id_] = VetoRuling(veto=id_, verdict=VetoVerdict.STANDS, reason=reason, cites=cites)
        else:
            found[id_] = VetoRuling(veto=id_, verdict=VetoVerdict(v.verdict), reason=v.reason, cites=cites)
    return tuple(found.values())


def minority(
    turn: Turn,
    reply: SynthesisReply,
    labels: Labels,
    decisions: Sequence[Decision],
    rulings: Sequence[Ruling],
    vetoes: Sequence[VetoRuling],
    proposals: Proposals,
    register: ChallengeRegister,
) -> tuple[MinorityEntry, ...]:
    """The minority report: overruled challenges, overruled vetoes, points against a decision, from the record; what the
    Coordinator worded keeps its wording; earlier entries stay unless their position has won since."""
    worded = {id_: m for m in reply.minority if (id_ := labels.id(m.point))}
    entries: dict[str, MinorityEntry] = {}

    def add(point: str, position: str, holders: tuple[Role, ...], reason: str, confidence: float) -> None:
        said = worded.get(point)
        entries.setdefault(
            point,
            MinorityEntry(
                id=f"m.{point}",
                point=point,
                position=said.position if said and said.position.strip() else position,
                holders=holders,
                reason=said.reason if said and said.reason.strip() else reason,
                confidence=confidence,
            ),
        )

    challenges = {c.id: c for c in register.challenges}
    for r in rulings:
        if r.verdict is Verdict.OVERRULED and (c := challenges.get(r.challenge)):
            add(c.id, c.objection, (Role.CHALLENGER,), r.reason, c.confidence)
    by_id = {v.id: v for v in labels.vetoes.values()}
    for ruled in vetoes:
        if ruled.verdict is VetoVerdict.OVERRULED and (veto := by_id.get(ruled.veto)):
            add(veto.id, f"Take out: {veto.remove}", (Role.SIMPLIFIER,), ruled.reason, 0.0)
    for role, point, decision in _against(proposals, decisions):
        add(point.id, point.claim, (role,), f"Decided otherwise: {decision.value}.", point.confidence)
    for id_, m in worded.items():
        holders = tuple(p.role for p in proposals.proposals if any(x.id == id_ for x in p.points))
        add(id_, m.position, holders, m.reason, 0.0)
    for old in _kept(turn, decisions, entries.values()):
        entries.setdefault(old.point, old)
    return tuple(entries.values())


def _against(proposals: Proposals, decisions: Sequence[Decision]) -> list[tuple[Role, Point, Decision]]:
    """Points that answer a decided key otherwise and are not themselves a source of the decision."""
    decided = {d.key: d for d in decisions if d.status is DecisionStatus.DECIDED}
    return [
        (p.role, x, decided[x.key])
        for p in proposals.proposals
        for x in p.points
        if x.key in decided
        and x.value
        and x.id not in decided[x.key].source_points
        and p.role not in decided[x.key].holders
        and not same_value(x.value, decided[x.key].value)
    ]


def _kept(turn: Turn, decisions: Sequence[Decision], new: Iterable[MinorityEntry]) -> list[MinorityEntry]:
    """Earlier entries that still stand: their point is no decision's source now and nobody said the same again."""
    last = _last(turn)
    now = {s for d in decisions for s in d.source_points}
    said = [m.position for m in new]
    return [
        m
        for m in (last.minority if last else ())
        if m.point not in now and not any(fuzz.token_set_ratio(m.position, s) >= SAME for s in said)
    ]
