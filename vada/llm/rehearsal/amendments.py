"""What must change in the base draft: each change quotes the place it concerns and is worded for the reader."""

from collections.abc import Sequence
from typing import Literal

from vada.llm.rehearsal.book import ANSWER, TRIGGER, Stance
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import Page, sentences
from vada.llm.rehearsal.phrases import capital, load
from vada.llm.rehearsal.table import Table
from vada.models.replies import AmendmentReply, DecisionReply, RulingReply, VetoRulingReply

MOST = 8

_OPENING = ("evidence", "alternative", "test", "reader", "money", "ownership")
"""Issues whose step can stand before all others."""


def amendments(
    case: Case,
    table: Table,
    base: str,
    rulings: Sequence[RulingReply],
    vetoes: Sequence[VetoRulingReply],
    decisions: Sequence[DecisionReply],
) -> list[AmendmentReply]:
    """The amendments to the draft with that letter, the weightiest first; none where there is no draft."""
    draft = table.drafts.get(base, "")
    if not draft:
        return []
    page = Page.of(draft)
    found = [*_upheld(case, table, page, rulings, decisions), *_deletions(case, table, page, vetoes)]
    found += [
        *_trigger(case, page, decisions),
        *_first_step(case, page, decisions),
        *_caveats(case, page, table, rulings, decisions),
    ]
    return found[:MOST]


def _upheld(
    case: Case, table: Table, page: Page, rulings: Sequence[RulingReply], decisions: Sequence[DecisionReply]
) -> list[AmendmentReply]:
    """A step that rests on what was struck down is put right."""
    out = []
    targets = {c.get("label"): c.get("target") for c in table.challenges}
    decided = {d.key: d for d in decisions}
    for ruling in rulings:
        key = targets.get(ruling.target, "")
        d = decided.get(key)
        right = case.book.find(key, d.value) if d else None
        if ruling.verdict != "upheld" or right is None or not right.has("step"):
            continue
        others = (s for s in case.book.issues[key].stances if s.value != right.value)
        was = next((t for s in others if (t := _stands(page, s))), "")
        if was:
            out += _instead(was, right.say("step"), "correction", [ruling.target])
    return out


def _stands(page: Page, stance: Stance, what: str = "step") -> str:
    """The wording of a stance's text that stands on the page; empty when none does."""
    return next((t for t in stance.wordings(what) if t and page.find(sentences(t)[0]) >= 0), "")


def _deletions(case: Case, table: Table, page: Page, vetoes: Sequence[VetoRulingReply]) -> list[AmendmentReply]:
    """What a standing veto takes out of the draft."""
    standing = {v.target for v in vetoes if v.verdict == "stands"}
    out = []
    for veto in table.vetoes:
        issue = case.issue(veto.get("target"))
        if veto.get("label") not in standing or issue is None:
            continue
        for entry in issue.vetoes:
            words = case.say(entry["detail"])
            if case.say(entry["remove"]) == veto.one("remove") and page.find(words) >= 0:
                out.append(
                    AmendmentReply(kind="deletion", text=words, where=_start(words), tied_to=[veto.get("label")])
                )
    return out


def _trigger(case: Case, page: Page, decisions: Sequence[DecisionReply]) -> list[AmendmentReply]:
    """The sign that changes course, where the draft still has another than the one decided."""
    d = next((d for d in decisions if d.key == TRIGGER and d.status == "decided"), None)
    right = case.book.find(TRIGGER, d.value) if d else None
    if d is None or right is None:
        return []
    others = (s for s in case.book.issues[TRIGGER].stances if s.value != right.value)
    was = next((t for s in others if (t := _stands(page, s, "change"))), "")
    return _instead(was, right.say("change"), "trigger", d.points[:1]) if was else []


def _instead(was: str, now: str, kind: Literal["correction", "trigger"], tied: list[str]) -> list[AmendmentReply]:
    """One text in the place of another, sentence by sentence."""
    old, new = sentences(was), sentences(now)
    out = [AmendmentReply(kind=kind, text=b, where=_start(a), tied_to=tied) for a, b in zip(old, new, strict=False)]
    out += [AmendmentReply(kind="deletion", text=a, where=_start(a), tied_to=tied) for a in old[len(new) :]]
    if len(new) > len(old):
        rest = " ".join(new[len(old) :])
        out.append(AmendmentReply(kind="caveat", text=rest, where=_start(new[len(old) - 1]), tied_to=tied))
    return out


def _first_step(case: Case, page: Page, decisions: Sequence[DecisionReply]) -> list[AmendmentReply]:
    """A step before the first: a decided one that the draft lacks, else the answer's own other beginning."""
    steps = page.steps()
    if not steps:
        return []
    where = _start(sentences(page.lines[steps[0]].split(". ", 1)[-1])[0])
    for key in (case.plot.keys["sixth"], case.plot.keys["fourth"], case.plot.keys["second"]):
        d = next((d for d in decisions if d.key == key and d.status == "decided"), None)
        stance = case.book.find(key, d.value) if d else None
        if d and stance and stance.has("step") and key in _OPENING and not _stands(page, stance):
            return [AmendmentReply(kind="first_step", text=stance.say("step"), where=where, tied_to=d.points[:1])]
    answer = next((d for d in decisions if d.key == ANSWER), None)
    stance = case.book.find(ANSWER, answer.value) if answer else None
    if answer and stance and case.family != "decide" and case.wire.round >= case.wire.rounds:
        unused = next((t for t in stance.wordings("first") if page.find(sentences(t)[0]) < 0), "")
        if unused:
            return [AmendmentReply(kind="first_step", text=unused, where=where, tied_to=answer.points[:1])]
    return []


def _caveats(
    case: Case, page: Page, table: Table, rulings: Sequence[RulingReply], decisions: Sequence[DecisionReply]
) -> list[AmendmentReply]:
    """What a ruling in part leaves as a danger, in one plain sentence."""
    targets = {c.get("label"): c.get("target") for c in table.challenges}
    decided = {d.key: d for d in decisions}
    for ruling in rulings:
        key = targets.get(ruling.target, "")
        d = decided.get(key)
        stance = case.book.find(key, d.value) if d else None
        if ruling.verdict != "partial" or stance is None:
            continue
        rival = next((s for s in case.book.issues[key].stances if s.value != stance.value), None)
        text = _danger(case, key, stance.say("lost"), rival.say("ground") if rival else "")
        where = _place(case, page, key)
        if where:
            return [AmendmentReply(kind="caveat", text=text, where=where, tied_to=[ruling.target])]
    return []


def _danger(case: Case, key: str, lost: str, other: str) -> str:
    texts = load("serving")
    if key == ANSWER:
        return case.say(texts["caveat_dissent"][1], ground_other=other)
    return case.say(texts["caveat_partial"][0], lost=lost)


def _place(case: Case, page: Page, key: str) -> str:
    """The sentence after which a caveat belongs: in the text of its issue, else in the reasons."""
    issue = case.issue(key)
    for stance in issue.stances if issue else ():
        for what in ("step", "change"):
            if said := _stands(page, stance, what):
                return _start(sentences(said)[0])
    plain = [x for x in page.lines[1:] if x and not x.startswith(("#", "*", "1", "-", ">", "["))]
    return _start(plain[0]) if plain else ""


def _start(sentence: str) -> str:
    """The first words of a sentence, enough to find it."""
    return capital(" ".join(sentence.replace("**", "").split()[:9]))
