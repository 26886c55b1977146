"""The structured conclusion: written by the Coordinator, mended after a flag, judged by the Blind Critic.

In about half of the debates it carries a real fault, so that the audit has something to find; the fault is in the
words, and the Critic finds it by rule, in any conclusion.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from vada import constraints as cons
from vada.llm.rehearsal.book import ANSWER, TRIGGER, Stance
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import first_sentences, length
from vada.llm.rehearsal.phrases import capital, load
from vada.llm.rehearsal.table import Table, maintained, same
from vada.models.replies import (
    AuditReply,
    BranchReply,
    ConclusionReply,
    DecisionReply,
    RevisionReply,
    UnresolvedReply,
)
from vada.models.vocabulary import CheckKind

_HEDGE = re.compile(
    r"\bit (?:all )?depends\b|could be considered|something to be said for|both have (?:their )?merits|"
    r"(?:reasons|arguments|points) on (?:several|both) sides",
    re.I,
)
_VAGUE = re.compile(
    r"reasonably well|as long as things|going well|in due course|when the time (?:is right|comes)|"
    r"if appropriate|where appropriate",
    re.I,
)
_SHARE = re.compile(r"\b(\d+(?:\.\d+)?)\s?(?:%|percent\b|per cent\b)")
_DERIVED = re.compile(r"\d+ of \d+|\d+ out of \d+|divided|according to|that is|from \w+ (?:report|count|stud)", re.I)


def conclusion(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> ConclusionReply:
    """The conclusion so far."""
    answer = _stance(case, decisions, ANSWER) or case.answer
    trigger = _stance(case, decisions, TRIGGER) or case.trigger
    found = ConclusionReply(
        recommendation=recommendation(case, answer),
        key_condition=trigger.say("condition"),
        caveats=_caveats(case, table, decisions),
        conditional_branches=_branches(case, trigger),
        unresolved_points=_unresolved(case, table, decisions),
        review_by=_review(case),
    )
    return _planted(case, found)


def _stance(case: Case, decisions: Sequence[DecisionReply], key: str) -> Stance | None:
    value = next((d.value for d in decisions if d.key == key), "")
    return case.book.find(key, value)


def recommendation(case: Case, answer: Stance) -> str:
    """What to do, decisively, within every limit on its length."""
    limits = [case.wire.cap_beside(120) if len(case.wire.caps) > 1 else case.wire.cap(120)]
    for text in (case.question.text, *case.wire.constraints.values()):
        check = cons.derive(text)
        if check and check.kind is CheckKind.MAX_WORDS:
            limits.append(int(check.args[0]))
    said = answer.say("recommend") if answer.has("recommend") else f"{answer.say('claim', 2)} {answer.say('refine', 0)}"
    return first_sentences(said, max(8, min(limits)))


def _caveats(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> list[str]:
    """What could change the action: the weak spot of the answer and the cost that is easily left out."""
    texts = load("serving")
    answer = _stance(case, decisions, ANSWER) or case.answer
    found = [case.say(texts["caveat_dissent"][0], lost=answer.say("lost"))]
    other = next(
        (s for d in decisions if d.key not in (ANSWER, TRIGGER) and (s := case.book.find(d.key, d.value))), None
    )
    if other:
        found.append(case.say(texts["caveat_partial"][0], lost=other.say("lost")))
    return found


def _branches(case: Case, trigger: Stance) -> list[BranchReply]:
    condition, path = trigger.branch()
    return [BranchReply(condition=condition, path=path)] if condition else []


def _unresolved(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> list[UnresolvedReply]:
    """The disagreement on the answer, while two drafts still give different ones."""
    value = next((d.value for d in decisions if d.key == ANSWER), "")
    firm = [p for p in table.on(ANSWER) if p.letter in table.drafts]
    ours = next((p for p in firm if same(p.value, value)), None)
    theirs = next((p for p in firm if not same(p.value, value)), None)
    if not ours or not theirs:
        return []
    return [
        UnresolvedReply(
            point=f"Whether the answer is “{ours.value}” or “{theirs.value}”.",
            position_a=next((d.statement for d in decisions if d.key == ANSWER), ours.claim),
            position_b=maintained(theirs.claim),
            agents=[ours.letter, theirs.letter],
        )
    ]


def _review(case: Case) -> str:
    """The day after the first review, where the prompt says what day it is."""
    try:
        today = date.fromisoformat(case.wire.today)
    except ValueError:
        return ""
    return (today + timedelta(weeks=int(case.slots["weeks"]) + 2)).isoformat()


def _planted(case: Case, found: ConclusionReply) -> ConclusionReply:
    """The conclusion with the faults of this debate."""
    texts, changes = load("serving"), dict[str, Any]()
    for fault in case.plot.faults:
        match fault:
            case "hedge":
                changes["recommendation"] = texts["hedged"]
            case "vague":
                changes["key_condition"] = texts["vague_condition"]
            case "number":
                changes["caveats"] = [*found.caveats, texts["number_caveat"]]
            case "straw":
                changes["unresolved_points"] = [*found.unresolved_points, UnresolvedReply(**texts["straw"])]
    return found.model_copy(update=changes)


def revise(case: Case) -> RevisionReply:
    """The conclusion with the flagged field mended and every other as it was."""
    was = case.wire.conclusion()
    flag = next(iter(case.wire.given("flag")), None)
    kept = ConclusionReply.model_validate({"recommendation": "", **was})
    field = flag.get("field") if flag else "recommendation"
    return RevisionReply(conclusion=kept.model_copy(update=_mended(case, field, kept)))


def _mended(case: Case, field: str, kept: ConclusionReply) -> dict[str, Any]:
    texts = load("serving")
    match field:
        case "key_condition":
            return {
                field: case.trigger.say("condition")
                or f"{capital(case.slots['measure'])} must not worsen within {case.slots['span']}."
            }
        case "caveats":
            said = [texts["mended_caveat"] if c == texts["number_caveat"] else c for c in kept.caveats]
            return {field: [c for c in said if not _loose_share(c, case.question.text)]}
        case "unresolved_points":
            return {field: [u for u in kept.unresolved_points if not same(u.position_a, u.position_b)]}
        case "conditional_branches":
            return {field: _branches(case, case.trigger)}
        case "review_by":
            return {field: _review(case)}
        case _:
            return {"recommendation": recommendation(case, case.answer)}


def audit(question: str, found: Mapping[str, Any]) -> AuditReply:
    """The Blind Critic's look: it knows the question and the conclusion, nothing else."""
    for rule in (_no_decision, _too_long, _no_condition, _no_source, _no_conflict):
        if flag := rule(question, found):
            return AuditReply(verdict="flag", field=flag[0], objection=flag[1])
    return AuditReply(verdict="pass")


_Flag = tuple[str, str] | None


def _flagged(field: str, kind: str, **words: str) -> _Flag:
    return field, str(load("serving")["flag"][kind]).format(**words)


def _words(found: Mapping[str, Any], field: str) -> str:
    return str(found.get(field) or "").strip()


def _no_decision(question: str, found: Mapping[str, Any]) -> _Flag:
    said = _words(found, "recommendation")
    if not said:
        return _flagged("recommendation", "empty")
    hit = _HEDGE.search(said)
    return _flagged("recommendation", "hedge", words=_around(said, hit)) if hit else None


def _too_long(question: str, found: Mapping[str, Any]) -> _Flag:
    check, n = cons.derive(question), length(_words(found, "recommendation"))
    if check and check.kind is CheckKind.MAX_WORDS and n > int(check.args[0]):
        return _flagged("recommendation", "long", limit=check.args[0], n=str(n))
    return None


def _no_condition(question: str, found: Mapping[str, Any]) -> _Flag:
    said = _words(found, "key_condition")
    vague = said and _VAGUE.search(said) and not re.search(r"\d", said)
    return _flagged("key_condition", "vague", words=said) if vague else None


def _no_source(question: str, found: Mapping[str, Any]) -> _Flag:
    caveats = found.get("caveats")
    for field, said in (
        ("recommendation", _words(found, "recommendation")),
        *(("caveats", str(c)) for c in (caveats if isinstance(caveats, list) else [])),
    ):
        if _loose_share(said, question):
            return _flagged(field, "number", words=said if len(said) < 160 else said[:160] + "…")
    return None


def _loose_share(said: str, question: str) -> bool:
    """Whether a percentage stands there that neither the question gives nor the words derive."""
    return any(m.group(1) not in question for m in _SHARE.finditer(said)) and not _DERIVED.search(said)


def _no_conflict(question: str, found: Mapping[str, Any]) -> _Flag:
    points = found.get("unresolved_points")
    for u in points if isinstance(points, list) else []:
        if isinstance(u, dict) and u.get("position_a") and same(str(u["position_a"]), str(u.get("position_b", ""))):
            return _flagged("unresolved_points", "straw", words=str(u.get("point", "")))
    return None


def _around(said: str, hit: re.Match[str]) -> str:
    """The sentence in which the words stand."""
    start = said.rfind(". ", 0, hit.start()) + 2 if ". " in said[: hit.start()] else 0
    end = said.find(".", hit.end())
    return said[start : end + 1 if end >= 0 else len(said)]
