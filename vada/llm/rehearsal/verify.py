"""The Verifier: scores on the dimensions it is shown, the fate of every confident point, constraints, faults.

The scores rise by the course of a debate and are no judgement; every page that shows them says rehearsal.
"""

import re

from vada import constraints as cons
from vada.llm.rehearsal.book import ANSWER
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import clipped, sentences
from vada.llm.rehearsal.phrases import load
from vada.llm.rehearsal.table import Seen, Table, laid, same
from vada.models.replies import ConstraintCheckReply, IssueReply, PointFateReply, ScoreReply, VerificationReply
from vada.tokens import words

HELD = 0.7
"""Points from this confidence on are followed up."""

_TRACELESS = re.compile(r"\b\d in \d (?:comparable|similar|such)\b|\bon average\b", re.I)


def verify(case: Case) -> VerificationReply:
    """The verification of this round."""
    table = laid(case, "decisions")
    reply = VerificationReply(
        scores=_scores(case),
        points=[_fate(case, table, p) for p in table.points if p.confidence >= HELD],
        diff=_diff(case, table),
        sunsets=[],
        constraints=[_check(case, i, text) for i, text in case.wire.constraints.items()],
        errors=[*_traceless(table), *_nobody(case, table)],
    )
    return _within(reply, case.wire.cap(350))


def _scores(case: Case) -> list[ScoreReply]:
    """A score for every dimension: near 6 at first, about 0.9 more in round 2, a little more after that."""
    dimensions = [d for d in case.wire.given("dimension") if d.get("key")]
    last = _last(case)
    start = case.dice.between("level", 5.8, 6.5)
    out = []
    for i, d in enumerate(dimensions):
        key = d.get("key")
        before = last.get(key)
        drift = case.dice.between(f"score {key}", -0.6, 0.6)
        score = _first(start + drift) if before is None else min(9.5, before + _gain(case, i, len(dimensions)))
        if before is None and case.wire.round > 1:
            score = min(9.5, score + 0.9 * (case.wire.round - 1))
        out.append(ScoreReply(dimension=key, score=round(score, 1), reason=_reason(case, key, i)))
    return out


def _last(case: Case) -> dict[str, float]:
    """The scores of the last verified round."""
    found: dict[str, float] = {}
    for tag in case.wire.given("score"):
        try:
            found[tag.get("dimension")] = float(tag.text)
        except ValueError:
            continue
    return found


def _first(score: float) -> float:
    return round(score * 2) / 2


def _gain(case: Case, index: int, n: int) -> float:
    """How much a score rises, in halves: in round 2 by 1 and once by a half, later by a half in every third."""
    if case.wire.round == 2:
        return 0.5 if n > 2 and index == case.dice.below("slow", n) else 1.0
    if case.wire.round == 3:
        return 0.5 if index % 3 == case.dice.below("late", 3) else 0.0
    return 0.0


def _reason(case: Case, key: str, index: int) -> str:
    texts = load("serving")["score"]
    line = (texts.get(key) or texts["other"])[min(case.wire.round, 3) - 1]
    return str(line if isinstance(line, str) else line[index % len(line)])


def _fate(case: Case, table: Table, point: Seen) -> PointFateReply:
    """What the synthesis did with a point."""
    texts, decision = load("serving")["fate"], table.standing.get(point.key)
    if decision is None:
        return PointFateReply(point=point.label, fate="dropped", note=texts["dropped"])
    issue = case.issue(point.key)
    name = issue.name if issue else point.key
    if not same(decision.value, point.value):
        open_ = decision.status != "decided"
        note = f"Named as open on {name}." if open_ else texts["overruled"]
        return PointFateReply(point=point.label, fate="merged" if open_ else "overruled", note=note)
    kept = decision.statement.rstrip(".") in point.claim
    return PointFateReply(
        point=point.label,
        fate="kept" if kept else "merged",
        note=case.say(texts["kept" if kept else "merged"], key=name),
    )


def _diff(case: Case, table: Table) -> str:
    if case.wire.round == 1:
        return ""
    texts = load("serving")["diff"]
    before = case.wire.decided
    changed = []
    for key, d in table.standing.items():
        issue = case.issue(key)
        name = issue.name if issue else key
        if key not in before:
            changed.append(f"{name} is new (“{d.value}”)")
        elif not same(before[key].value, d.value):
            changed.append(f"{name} went from “{before[key].value}” to “{d.value}”")
    return case.say(texts[0], list="; ".join(changed)) if changed else str(texts[1])


def _check(case: Case, id_: str, text: str) -> ConstraintCheckReply:
    texts = load("serving")
    short = clipped(text, 14).rstrip(".")
    if cons.derive(text):
        return ConstraintCheckReply(constraint=id_, holds="yes", reason=texts["holds_counted"])
    shared = _content(text) & _content(case.wire.inputs)
    if case.wire.round == 1 and not shared and case.dice.chance(f"unclear {id_}", 0.5):
        return ConstraintCheckReply(constraint=id_, holds="unclear", reason=case.say(texts["unclear"], text=short))
    return ConstraintCheckReply(constraint=id_, holds="yes", reason=case.say(texts["holds"], text=short))


def _content(text: str) -> set[str]:
    return {w.casefold() for w in re.findall(r"\w{5,}", text)}


def _traceless(table: Table) -> list[IssueReply]:
    """Figures in a point that neither a source nor a derivation supports."""
    out = []
    for point in table.points:
        hit = _TRACELESS.search(point.claim)
        if hit and not point.evidence:
            tail = point.claim.partition("; ")[2] or point.claim
            out.append(
                IssueReply(
                    kind="unsupported_number",
                    target=point.label,
                    claim=tail.strip(),
                    correction=load("serving")["issue"]["number"],
                )
            )
    return out[:3]


def _nobody(case: Case, table: Table) -> list[IssueReply]:
    """In round 2, the changed decision still lacks who does it; the next round has that."""
    if case.wire.round != 2:
        return []
    key = case.plot.keys["third"]
    decision = table.standing.get(key)
    if decision is None or key == ANSWER:
        return []
    words_ = sentences(decision.statement)[0].split("; ")[0].rstrip(".") if decision.statement else decision.value
    return [IssueReply(kind="not_actionable", target=key, claim=words_, correction=load("serving")["issue"]["action"])]


def _within(reply: VerificationReply, cap: int) -> VerificationReply:
    """The verification within its word limit: reasons become shorter, none is left out."""
    said = [reply.diff, *(s.reason for s in reply.scores), *(e.claim for e in reply.errors)]
    said += (
        [c.reason for c in reply.constraints] + [p.note for p in reply.points] + [e.correction for e in reply.errors]
    )
    if sum(words(t) for t in said) <= cap:
        return reply
    each = max(4, cap // max(1, len(said)))
    return reply.model_copy(
        update={
            "scores": [s.model_copy(update={"reason": clipped(s.reason, each)}) for s in reply.scores],
            "points": [p.model_copy(update={"note": ""}) for p in reply.points],
            "constraints": [c.model_copy(update={"reason": clipped(c.reason, each)}) for c in reply.constraints],
            "errors": [e.model_copy(update={"claim": clipped(e.claim, each), "correction": ""}) for e in reply.errors],
            "diff": clipped(reply.diff, each),
        }
    )
