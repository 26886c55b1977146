"""The Coordinator: rules on every challenge and veto, decides, writes the synthesis, names the amendments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vada.llm.rehearsal import concluding
from vada.llm.rehearsal.amendments import amendments
from vada.llm.rehearsal.book import ANSWER, Stance
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import clipped, first_sentences, sentences
from vada.llm.rehearsal.phrases import capital, load
from vada.llm.rehearsal.reading import Tag
from vada.llm.rehearsal.table import Seen, Standing, Table, laid, maintained, same
from vada.models.replies import (
    DecisionReply,
    MinorityReply,
    RenegotiationReply,
    RulingReply,
    SynthesisReply,
    VetoRulingReply,
)
from vada.tokens import words

_MOST_KEYS = 8
_PREFIX = re.compile(r"^(?:Upheld in part|In part|Upheld|Overruled)(?:: |, because )")


@dataclass(frozen=True)
class Ruled:
    """A ruling, and the value it strikes down."""

    reply: RulingReply
    key: str
    attacked: str


def synthesize(case: Case) -> SynthesisReply:
    """Everything the Coordinator answers."""
    table = laid(case, "last_decisions")
    rulings = [_ruling(case, table, c, i) for i, c in enumerate(table.challenges)]
    vetoes = [_veto(case, table, v) for v in table.vetoes]
    decisions = _decisions(case, table, rulings)
    base = _base(table, decisions)
    changes = amendments(case, table, base, [r.reply for r in rulings], vetoes, decisions)
    return SynthesisReply(
        rulings=[r.reply for r in rulings],
        veto_rulings=vetoes,
        decisions=decisions,
        synthesis=_text(case, table, rulings, decisions, vetoes),
        minority=_minority(case, table, rulings, vetoes, decisions),
        renegotiations=_renegotiations(case),
        removed=[v.one("remove") for v, r in zip(table.vetoes, vetoes, strict=True) if r.verdict == "stands"],
        base_draft=base,
        amendments=changes,
        conclusion=concluding.conclusion(case, table, decisions),
    )


def _ruling(case: Case, table: Table, challenge: Tag, index: int) -> Ruled:
    """One ruling. What was conceded is upheld; what was defended, as the course of the debate has it."""
    key, label = challenge.get("target"), challenge.get("label")
    planned = next((s for _, s in case.plot.attacked(case.wire.round) if s.key == key), None)
    stance = (case.known(key) or planned) if case.wire.round > 1 else planned
    verdict = _verdict(case, challenge, key, stance, index)
    cites = [p.label for p in (table.holding(key, stance.value) if stance else table.on(key))][:2]
    cites += list(challenge.labels("evidence")[:1])
    if verdict == "upheld":
        cites += [p.label for p in table.on(key) if not (stance and same(p.value, stance.value))][:1]
    cites = cites or [p.label for p in table.points[:1]] or list(case.wire.constraints)[:1]
    reply = RulingReply(
        target=label,
        verdict=verdict,
        reason=_reason(case, "conceded" if _conceded(challenge) and stance else verdict, stance),
        cites=cites,
    )
    return Ruled(reply, key, stance.value if stance else "")


def _conceded(challenge: Tag) -> bool:
    return any(d.get("verdict") == "concede" for d in challenge.all("defence"))


def _verdict(case: Case, challenge: Tag, key: str, stance: Stance | None, index: int) -> str:
    if _conceded(challenge):
        return "upheld"
    part = next((p for p, k in case.plot.keys.items() if k == key), None) if stance else None
    match part, case.wire.round:
        case "answer", 1:
            return "upheld" if case.plot.converges else "partial"
        case "third", 2:
            return "upheld"
        case "fourth", 2:
            return "overruled"
        case "fifth", _:
            return "partial" if case.plot.last_partial else "overruled"
        case _:
            choices = ("upheld", "partial") if challenge.get("status") == "undefended" else ("partial", "overruled")
            return case.dice.pick(f"verdict {case.wire.round} {index}", choices)


def _reason(case: Case, verdict: str, stance: Stance | None) -> str:
    texts = load("serving")
    if stance is None:
        return case.say(texts[f"open_{verdict}"])
    lines = texts[verdict]
    line = lines[case.dice.below(f"reason {case.wire.round} {stance.key}", len(lines))]
    return case.say(line, lost=stance.say("lost"), ground=stance.say("ground"), value=stance.value)


def _veto(case: Case, table: Table, veto: Tag) -> VetoRulingReply:
    """A veto stands, unless in round 2 a constraint or a source speaks for the part."""
    texts, label = load("serving"), veto.get("label")
    named = list(case.named_constraints) or [s.get("label") for s in table.sources]
    if case.wire.round == 2 and named:
        text = case.say(texts["veto_overruled"], ref=named[0])
        return VetoRulingReply(target=label, verdict="overruled", reason=text, cites=named[:1])
    lines = texts["veto_stands"]
    reason = case.say(lines[case.dice.below(f"veto reason {case.wire.round}", len(lines))])
    return VetoRulingReply(target=label, verdict="stands", reason=reason, cites=[])


def _decisions(case: Case, table: Table, rulings: Sequence[Ruled]) -> list[DecisionReply]:
    """A decision for every issue on the table, the answer first; the keys of the last round are kept."""
    keys = dict.fromkeys((ANSWER, *table.standing, *case.plot.keys.values(), *(p.key for p in table.points)))
    found = [d for key in keys if (d := _decision(case, table, rulings, key))]
    return found[:_MOST_KEYS] or [_anyway(case)]


def _anyway(case: Case) -> DecisionReply:
    """The decision where no proposal could be read: the answer itself."""
    stance = case.answer
    return DecisionReply(
        key=ANSWER, statement=stance.say("claim", 2), value=stance.value, status="decided", confidence=0.5
    )


def _decision(case: Case, table: Table, rulings: Sequence[Ruled], key: str) -> DecisionReply | None:
    points, last = table.on(key), table.standing.get(key)
    if (not points and not last) or _lost(case, key):
        return None
    struck = next((r for r in rulings if r.key == key and r.reply.verdict == "upheld"), None)
    chosen = _chosen(case, points, last, struck, key)
    value = chosen.value if chosen else last.value if last else ""
    holding = table.holding(key, value)
    moved = bool(last and not same(last.value, value))
    statement = last.statement if last and not moved else chosen.claim if chosen else ""
    return DecisionReply(
        key=key,
        statement=_untraced(statement),
        value=value,
        status=_status(case, key, struck, moved),
        confidence=_sure(last, holding, moved),
        holders=list(dict.fromkeys(p.letter for p in holding)),
        points=[p.label for p in holding],
        reasons=[struck.reply.target]
        if moved and struck
        else [e for p in holding for e in p.evidence][:1]
        if moved
        else [],
    )


def _lost(case: Case, key: str) -> bool:
    """Whether this is the point that the Coordinator loses sight of in round 1."""
    return case.plot.drops and case.wire.round == 1 and key == case.plot.keys["sixth"]


def _chosen(case: Case, points: Sequence[Seen], last: Standing | None, struck: Ruled | None, key: str) -> Seen | None:
    """The point that carries the decision; None where the last one simply stays."""
    locked_key, locked_value = case.wire.locked
    if key == locked_key:
        return next((p for p in points if same(p.value, locked_value)), None)
    left = [p for p in points if not (struck and same(p.value, struck.attacked))]
    if last and last.status == "decided" and not struck:
        return max((p for p in points if same(p.value, last.value)), key=lambda p: p.weight, default=None)
    wanted = case.plot.winner(key, case.wire.round)
    planned = [p for p in left if wanted and same(p.value, wanted.value)]
    return max(planned or left or ([] if last else list(points)), key=lambda p: p.weight, default=None)


def _status(case: Case, key: str, struck: Ruled | None, moved: bool) -> str:
    if case.wire.round >= case.wire.rounds:
        return "decided"
    return (
        "active"
        if case.plot.open_in(key, case.wire.round) or (struck and not moved and case.wire.round > 1)
        else "decided"
    )


def _sure(last: Standing | None, holding: Sequence[Seen], moved: bool) -> float:
    """The Coordinator's own confidence: that of the best holder, a little higher for what stood a round."""
    best = max((p.confidence for p in holding), default=last.confidence if last else 0.5)
    stood = 0.04 if last and last.status == "decided" and not moved else 0.0
    return round(min(0.9, max(best, last.confidence if last and not moved else 0.0) + stood), 2)


def _untraced(statement: str) -> str:
    """A claim without the figure that nobody can trace."""
    head, mark, tail = statement.partition("; ")
    return f"{head}." if mark and ("comparable attempts" in tail or "similar attempts" in tail) else statement


def _base(table: Table, decisions: Sequence[DecisionReply]) -> str:
    """The draft that already gives the decided answer; of several the surer."""
    value = next((d.value for d in decisions if d.key == ANSWER), "")
    ranked = sorted(
        (p for p in table.on(ANSWER) if p.letter in table.drafts),
        key=lambda p: (not same(p.value, value), -p.weight),
    )
    return ranked[0].letter if ranked else next(iter(table.drafts), "")


def _minority(
    case: Case,
    table: Table,
    rulings: Sequence[Ruled],
    vetoes: Sequence[VetoRulingReply],
    decisions: Sequence[DecisionReply],
) -> list[MinorityReply]:
    """What did not prevail, as its holder put it, with the reason in a few words."""
    out = []
    decided = {d.key: d for d in decisions if d.status == "decided"}
    for p in table.points:
        d = decided.get(p.key)
        if d and p.label not in d.points and not same(p.value, d.value):
            stance = case.book.find(p.key, p.value)
            reason = f"{capital(stance.say('lost'))}." if stance else f"Decided otherwise: {d.value}."
            out.append(MinorityReply(point=p.label, position=maintained(_untraced(p.claim)), reason=reason))
    objections = {c.get("label"): c.one("objection") for c in table.challenges}
    for r in rulings:
        if r.reply.verdict == "overruled":
            said = sentences(objections.get(r.reply.target, ""))
            out.append(
                MinorityReply(
                    point=r.reply.target, position=clipped(said[0], 24) if said else "", reason="The reply met it."
                )
            )
    removes = {v.get("label"): v.one("remove") for v in table.vetoes}
    out += [
        MinorityReply(point=v.target, position=f"Take out {removes[v.target]}.", reason=f"{v.cites[0]} needs it.")
        for v in vetoes
        if v.verdict == "overruled"
    ]
    return out


def _renegotiations(case: Case) -> list[RenegotiationReply]:
    """In half of the debates, a formal request to change the constraint that binds most."""
    named = case.named_constraints
    if not (case.plot.renegotiates and case.wire.round == 2 and named):
        return []
    ranked = sorted(named, key=lambda i: (not any(ch.isdigit() for ch in named[i]), i))
    texts, text = load("serving")["renegotiate"], named[ranked[0]]
    kind = "money" if any(s in text for s in "$€£") else "date" if _dated(text) else "other"
    return [
        RenegotiationReply(
            constraint=ranked[0],
            request=case.say(texts[kind], text=text.rstrip(". ")),
            reason=case.say(texts["reason"]),
        )
    ]


def _dated(text: str) -> bool:
    low = text.casefold()
    return any(w in low for w in ("week", "month", "deadline", "20", "january", "march", "june", "september")) and any(
        w in low for w in ("by ", "before ", "within ", "until ", "deadline")
    )


def _text(
    case: Case,
    table: Table,
    rulings: Sequence[Ruled],
    decisions: Sequence[DecisionReply],
    vetoes: Sequence[VetoRulingReply],
) -> str:
    """The synthesis: the answer and why, what is settled, what the challenges changed, what is open."""
    texts = load("serving")
    paragraphs = [
        _answer_text(case, table, decisions),
        _settled(case, table, decisions),
        _ruled(case, table, rulings, decisions),
        _open(case, table, decisions),
    ]
    gone = [v.one("remove") for v, r in zip(table.vetoes, vetoes, strict=True) if r.verdict == "stands"]
    if gone:
        paragraphs[-1] = f"{paragraphs[-1]} {case.say(texts['gone'], list='; '.join(gone))}".strip()
    text = "\n\n".join(p for p in paragraphs if p)
    cap = case.wire.cap(600)
    while words(text) > cap and len(paragraphs) > 1:
        paragraphs.pop()
        text = "\n\n".join(p for p in paragraphs if p)
    return text if words(text) <= cap else first_sentences(text.replace("\n\n", " "), cap)


def _answer_text(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> str:
    texts = load("serving")
    answer = next((d for d in decisions if d.key == ANSWER), decisions[0])
    stance = case.book.find(ANSWER, answer.value)
    asked = [case.question.ask, *case.question.facts]
    parts = [case.say(texts["asked"], ask=asked[0], facts="".join(f" “{f}.”" for f in asked[1:]))] if asked[0] else []
    parts += [case.say(texts["answer_is"], value=answer.value), answer.statement]
    rivals = sorted((p for p in table.on(ANSWER) if not same(p.value, answer.value)), key=lambda p: -p.weight)
    rival = next((s for p in rivals if (s := case.book.find(ANSWER, p.value))), None)
    if stance and rival:
        parts.append(case.say(texts["prevails"], ground=stance.say("ground"), against=rival.say("ground")))
    elif not rivals:
        parts.append(texts["agreed"])
    if rivals:
        parts.append(case.say(texts["dissent"], claim=maintained(_untraced(rivals[0].claim))))
    return " ".join(parts)


def _settled(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> str:
    """What is decided beside the answer, issue by issue: the statement, and what this round added to it."""
    lines = []
    for d in decisions:
        if d.status != "decided":
            continue
        newest = max(table.holding(d.key, d.value), key=lambda p: p.weight, default=None)
        added = maintained(_untraced(newest.claim)) if newest else ""
        said = [] if d.key == ANSWER else [d.statement]
        said += [added] if added and added != d.statement else []
        if said:
            lines.append(f"- {capital(_name(case, d.key))}: {' '.join(said)}")
    return "\n".join((load("serving")["settled"], "", *lines)) if lines else ""


def _ruled(case: Case, table: Table, rulings: Sequence[Ruled], decisions: Sequence[DecisionReply]) -> str:
    if not rulings:
        return ""
    texts, said = (
        load("serving"),
        {
            "upheld": "is upheld",
            "partial": "is upheld in part",
            "overruled": "is overruled",
            "undecided": "stays undecided",
        },
    )
    listed = [f"that on {_name(case, r.key)} {said[r.reply.verdict]}" for r in rulings]
    if len(listed) == 2 and rulings[0].reply.verdict == rulings[1].reply.verdict:
        verb = said[rulings[0].reply.verdict].replace("is ", "are ").replace("stays", "stay")
        parts = [f"Both challenges, on {_name(case, rulings[0].key)} and on {_name(case, rulings[1].key)}, {verb}."]
    elif len(listed) == 1:
        parts = [f"The challenge on {_name(case, rulings[0].key)} {said[rulings[0].reply.verdict]}."]
    else:
        parts = [case.say(texts["ruled"], n=str(len(listed)), list=f"{', '.join(listed[:-1])} and {listed[-1]}")]
    parts += [capital(_PREFIX.sub("", r.reply.reason)) for r in rulings]
    for d in decisions:
        last = table.standing.get(d.key)
        if last and not same(last.value, d.value):
            parts.append(case.say(texts["changed_to"], key=_name(case, d.key), value=d.value, old=last.value))
    return " ".join(parts)


def _open(case: Case, table: Table, decisions: Sequence[DecisionReply]) -> str:
    texts, parts = load("serving"), []
    for d in decisions:
        if d.status != "active":
            continue
        against = next((p.value for p in table.on(d.key) if not same(p.value, d.value)), "")
        line = texts["still_open"] if against else texts["still_open_one"]
        parts.append(case.say(line, key=_name(case, d.key), a=d.value, b=against))
    return " ".join(parts) or texts["nothing_open"]


def _name(case: Case, key: str) -> str:
    """An issue as people would call it."""
    issue = case.issue(key)
    return issue.name if issue else key.replace("_", " ")
