"""Phase 5, Verify: score the synthesis, check it against the raw proposals, find what is wrong with it.

Totals, deltas and trajectory are computed by code, and so is the cross-check of silently dropped points. A skipped
verification is flagged, and the next round verifies twice.
"""

import asyncio
import hashlib
from collections.abc import Sequence

from rapidfuzz import fuzz

from vada.errors import LLMError
from vada.labels import Labels
from vada.llm.base import Answer, Ask
from vada.models.outputs import (
    ChallengeRegister,
    ConstraintCheck,
    Dossier,
    Issue,
    PointCheck,
    Proposals,
    Score,
    Sunset,
    Synthesis,
    Verification,
)
from vada.models.replies import IssueReply, ScoreReply, VerificationReply
from vada.models.vocabulary import ErrorKind, Holds, PhaseName, PointFate, Role
from vada.phase import Fallback, Phase, Turn, shared
from vada.roles import cap_for
from vada.scoring import HELD, delta, last_verification, slug, trajectory, weighted
from vada.tokens import words

PHASE = Phase(
    name=PhaseName.VERIFY,
    takes="raw proposals beside the synthesis, dimension scales, the previous round's scores",
    gives="a score per dimension, the fate of each firmly held point, constraint checks, faults, trajectory",
    retries=1,
    fallbacks=(
        Fallback(
            "verification_skipped",
            "Verification was skipped: this round has no scores, and the next round verifies twice.",
        ),
        Fallback(
            "second_pass_missing",
            "The second verification, owed for a skipped one, did not come; the first one stands alone.",
        ),
    ),
)

COVERED = 71.0
"""Below this likeness (rapidfuzz token_set_ratio, 0–100) a sentence does not carry a point [measured]."""


async def verify(
    turn: Turn, dossier: Dossier, proposals: Proposals, register: ChallengeRegister, synthesis: Synthesis
) -> Verification | None:
    """The verification; None when it was skipped, which is recorded."""
    labels = Labels(
        proposals.proposals, register, (c.id for c in turn.config.constraints), f"{turn.config.seed}.{turn.round}.5"
    )
    twice = bool(turn.past) and turn.past[-1].synthesis is not None and turn.past[-1].verification is None
    passes = await asyncio.gather(
        *(_ask(turn, dossier, labels, synthesis, slot) for slot in (["verify", "verify2"] if twice else ["verify"])),
        return_exceptions=True,
    )
    for result in passes:
        if isinstance(result, BaseException) and not isinstance(result, LLMError):
            raise result
    answers = [p for p in passes if not isinstance(p, BaseException)]
    cause = next((str(p) for p in passes if isinstance(p, BaseException)), "")
    if not answers:
        await turn.degrade(PHASE.degraded("verification_skipped", turn.round, role=Role.VERIFIER, cause=cause))
        return None
    if len(answers) < len(passes):
        await turn.degrade(PHASE.degraded("second_pass_missing", turn.round, role=Role.VERIFIER, cause=cause))
    return verification_from(turn, answers, labels, proposals, synthesis)


async def _ask(
    turn: Turn, dossier: Dossier, labels: Labels, synthesis: Synthesis, slot: str
) -> Answer[VerificationReply]:
    """One pass of the Verifier."""
    seat = turn.config.seat(Role.VERIFIER)
    last = last_verification(turn.past)
    answer = await turn.llm.ask(
        Ask(
            slot=f"r{turn.round}.{slot}",
            seat=seat,
            phase=PHASE.name,
            round=turn.round,
            parts=turn.prompts.compose(
                seat,
                turn.config,
                horizon="verify",
                round=turn.round,
                cap=cap_for(Role.VERIFIER, "verify", turn.config.caps),
                shared=shared(turn, dossier),
                inputs=turn.prompts.render(
                    "phases/p5_verify/verify",
                    labels=labels,
                    synthesis=synthesis,
                    draft_letter=labels.letter(synthesis.base_draft) if synthesis.base_draft else "",
                    dimensions=turn.config.pack.dimensions,
                    last=last,
                    last_round=turn.round - 1,
                ),
                whispers=turn.whispers,
            ),
            reply=VerificationReply,
            retries=PHASE.retries,
            constraints_sha=dossier.constraints_sha,
            check=lambda reply: fault(turn, reply),
        )
    )
    if missing := fault(turn, answer.value, scores_only=True):
        raise LLMError(f"The Verifier's scores cannot be used: {missing}", kind="bad_reply")
    return answer


def fault(turn: Turn, reply: VerificationReply, *, scores_only: bool = False) -> str:
    """What a valid reply left out, in the words of a re-ask; empty when nothing."""
    scored = {s.dimension.strip() for s in reply.scores}
    if missing := [d.key for d in turn.config.pack.dimensions if d.key not in scored]:
        return f"`scores` lacks {', '.join(missing)}: score every dimension by its key."
    if any(not 0 <= s.score <= 10 for s in reply.scores):
        return "`score` must lie between 0 and 10."
    if scores_only:
        return ""
    checked = {c.constraint.strip().upper() for c in reply.constraints}
    if missing := [c.id for c in turn.config.constraints if c.id not in checked]:
        return f"`constraints` lacks {', '.join(missing)}: check every constraint."
    return ""


def verification_from(
    turn: Turn, answers: Sequence[Answer[VerificationReply]], labels: Labels, proposals: Proposals, synthesis: Synthesis
) -> Verification:
    """The reply as a value; of two passes each score is the mean, and what either found stands."""
    passes = [_scores(turn, a.value.scores) for a in answers]
    first = answers[0].value
    keys = [d.key for d in turn.config.pack.dimensions if any(d.key in p for p in passes)]
    scores = tuple(_mean(k, [p[k] for p in passes if k in p]) for k in keys)
    total = weighted(scores, turn.config.pack.dimensions)
    change = delta(total, turn.past)
    return Verification(
        scores=scores,
        total=total,
        delta=change,
        trajectory=trajectory(change),
        raw_vs_synthesis=_fates([a.value for a in answers], labels, proposals, synthesis),
        diff=first.diff,
        sunsets=tuple(
            {slug(s.key): Sunset(key=slug(s.key), reason=s.reason) for a in answers for s in a.value.sunsets}.values()
        ),
        constraint_checks=_constraints(turn, [a.value for a in answers]),
        issues=_issues([e for a in answers for e in a.value.errors], labels),
        second=tuple(passes[1].values()) if len(passes) > 1 else (),
        words=words(" ".join((first.diff, *(s.reason for s in first.scores), *(e.claim for e in first.errors)))),
        call_id=answers[0].call_id,
    )


def _scores(turn: Turn, replies: Sequence[ScoreReply]) -> dict[str, Score]:
    known = {d.key for d in turn.config.pack.dimensions}
    return {
        s.dimension.strip(): Score(dimension=s.dimension.strip(), score=min(10.0, max(0.0, s.score)), reason=s.reason)
        for s in replies
        if s.dimension.strip() in known
    }


def _mean(key: str, scores: Sequence[Score]) -> Score:
    return Score(
        dimension=key, score=sum(s.score for s in scores) / len(scores), reason=" / ".join(s.reason for s in scores)
    )


def _issues(errors: Sequence[IssueReply], labels: Labels) -> tuple[Issue, ...]:
    """The faults, each once; the same kind, key and folded claim has the same fingerprint in every round."""
    keys = {x.point.id: x.point.key for p in labels.proposals for x in p.points}
    found = {}
    for error in errors:
        target = labels.id(error.target) or slug(error.target)
        folded = " ".join(error.claim.casefold().split())
        mark = hashlib.sha256(f"{error.kind}|{keys.get(target, target)}|{folded}".encode()).hexdigest()[:8]
        found[mark] = Issue(
            id=f"i-{mark}", kind=ErrorKind(error.kind), target=target, claim=error.claim, correction=error.correction
        )
    return tuple(found.values())


def _constraints(turn: Turn, replies: Sequence[VerificationReply]) -> tuple[ConstraintCheck, ...]:
    """The checks of known constraints, of two passes the stricter; code checks what it can on the page (phase 8)."""
    known = {c.id for c in turn.config.constraints}
    found: dict[str, ConstraintCheck] = {}
    for c in (c for reply in replies for c in reply.constraints):
        id_ = c.constraint.strip().upper()
        if id_ in known and (id_ not in found or _STRICT.index(Holds(c.holds)) > _STRICT.index(found[id_].holds)):
            found[id_] = ConstraintCheck(constraint=id_, holds=Holds(c.holds), reason=c.reason)
    return tuple(found.values())


_STRICT = (Holds.YES, Holds.UNCLEAR, Holds.NO)


def _fates(
    replies: Sequence[VerificationReply], labels: Labels, proposals: Proposals, synthesis: Synthesis
) -> tuple[PointCheck, ...]:
    """What became of the points by the Verifier (dropped if either pass says so), and what code finds nowhere."""
    said: dict[str, PointCheck] = {}
    for p in (p for reply in replies for p in reply.points):
        id_ = labels.id(p.point)
        if id_ and ".p" in id_ and (id_ not in said or p.fate == "dropped"):
            said[id_] = PointCheck(point=id_, fate=PointFate(p.fate), note=p.note)
    note = "Found by code in no decision, no minority entry and no sentence."
    for id_ in dropped(proposals, synthesis):
        # What the Verifier read as kept or merged stays so: a rewording is its call, not a ratio's.
        said.setdefault(id_, PointCheck(point=id_, fate=PointFate.DROPPED, note=note, by_code=True))
    return tuple(said.values())


def dropped(proposals: Proposals, synthesis: Synthesis) -> tuple[str, ...]:
    """Points held with confidence of 0.7 or more that are no decision's source, in no minority entry, and carried by no
    sentence of the synthesis."""
    cited = {s for d in synthesis.decisions for s in d.source_points} | {m.point for m in synthesis.minority}
    sentences = [s for s in synthesis.text.replace("\n", ". ").split(". ") if s.strip()]
    sentences += [d.statement for d in synthesis.decisions]
    return tuple(
        x.id
        for p in proposals.proposals
        for x in p.points
        if x.confidence >= HELD
        and x.id not in cited
        and max((fuzz.token_set_ratio(x.claim, s) for s in sentences), default=0.0) < COVERED
    )
