"""A proposal: what each of the four debaters writes, blind, in its own voice and within its word limit."""

import re
from collections.abc import Sequence

from vada.llm.rehearsal import draft, sources
from vada.llm.rehearsal.book import ANSWER, Stance, place
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import clipped, first_sentences, sentences
from vada.llm.rehearsal.phrases import capital, load, lower_first
from vada.llm.rehearsal.plot import Part, Position
from vada.models.replies import ObjectionReply, PointReply, ProposalReply, SourceReply, VetoReply
from vada.models.vocabulary import OPTIMIZERS, Role
from vada.tokens import words

_PARTS: tuple[Part, ...] = ("second", "third", "fourth", "fifth")
_CAPS = {Role.CHALLENGER: 350, Role.SIMPLIFIER: 200}


def propose(case: Case, role: Role) -> ProposalReply:
    """The proposal of a role in this round."""
    found = sources.of(case, role)
    positions = _now(case, role)
    points = tuple(_point(case, role, p, i, found) for i, p in enumerate(positions))
    reply = ProposalReply(
        weakness=_weakness(case, role),
        proposal=_proposal(case, role, positions),
        points=list(points),
        change_my_mind=case.say(_mind(case, role)),
        draft=_draft(case, role, positions),
        objections=_objections(case, found) if role is Role.CHALLENGER else [],
        vetoes=_vetoes(case) if role is Role.SIMPLIFIER else [],
        sources=list(found),
    )
    return _within(_specific(case, reply), case.wire.cap(_CAPS.get(role, 250)))


def _specific(case: Case, reply: ProposalReply) -> ProposalReply:
    """A proposal names something that can be counted; where it does not yet, by when it can be checked."""
    said = [reply.proposal, reply.draft, *(p.claim for p in reply.points), *(o.objection for o in reply.objections)]
    if any(c.isdigit() for c in "".join(said)):
        return reply
    return reply.model_copy(update={"proposal": f"{reply.proposal} It can be checked after {case.slots['span']}."})


def _mind(case: Case, role: Role) -> str:
    lines: list[str] = load("roles")["mind"][role.value][case.family]
    return lines[_turn(case) % len(lines)]


def _turn(case: Case) -> int:
    """Which of three wordings is this round's."""
    return min(case.wire.round, 3) - 1


def _now(case: Case, role: Role) -> tuple[Position, ...]:
    """What the role argues, brought into line with what the brief really says."""
    return tuple(_aligned(case, role, p) for p in case.plot.positions(role, case.wire.round))


def _aligned(case: Case, role: Role, position: Position) -> Position:
    key, planned = position.stance.key, position.stance
    locked_key, locked_value = case.wire.locked
    if locked_key == key and (held := case.book.find(key, locked_value)):
        return Position(position.part, held, "refine" if held is planned else "adopt")
    line = case.wire.decided.get(key)
    known = case.known(key)
    if line is None or known is None or known.value == planned.value:
        return position
    if position.mode in ("dissent", "claim", "adopt"):
        return position
    return Position(position.part, known, "adopt")


def _point(case: Case, role: Role, position: Position, index: int, found: Sequence[SourceReply]) -> PointReply:
    cited = [found[index % len(found)].ref] if found and (index == 0 or case.wire.round == index + 1) else []
    return PointReply(
        key=position.stance.key,
        claim=_claim(case, role, position),
        value=position.stance.value,
        confidence=_confidence(case, role, position, bool(cited)),
        evidence=cited,
    )


def _claim(case: Case, role: Role, position: Position) -> str:
    """One sentence, in the wording that belongs to the role and the round."""
    stance, turn, round_ = position.stance, place(role), case.wire.round
    said = stance.say("claim", turn)
    match position.mode:
        case "claim" if position.part == "fourth" and role is case.plot.other:
            return _unsupported(case, said)
        case "claim":
            return said
        case "dissent":
            added = load("roles")["stays"]
            return f"{said.rstrip('.')}, {added[(turn + round_) % len(added)].format(span=case.slots['span'])}."
        case _:
            return stance.say("refine", turn + round_ - 2)


def _unsupported(case: Case, claim: str) -> str:
    """The claim with a figure that nobody can trace: what the Verifier is there for."""
    m = case.dice.pick("of", (3, 4, 5))
    texts = load("roles")["unsupported"]
    added = texts[case.dice.below("unsupported", len(texts))].format(n=m - 1, m=m)
    return f"{claim.rstrip('.')}; {added}."


def _confidence(case: Case, role: Role, position: Position, supported: bool) -> float:
    """How sure the role is: more with a source, and at most 0.74 without one."""
    base = _BASE.get((position.part, position.mode), 0.64)
    if position.part == "answer" and position.mode == "claim" and role is case.plot.other:
        base += 0.03
    if position.part == "answer" and position.stance is case.plot.third_view:
        base = 0.46
    if role is Role.SIMPLIFIER:
        base = 0.6
    if role is Role.CHALLENGER and position.part == "fourth":
        base = 0.72 if case.plot.forks else 0.62
    if role is Role.CHALLENGER and position.part == "sixth":
        base = 0.72
    drift = case.dice.between(f"confidence {role} {position.stance.key}", -0.01, 0.01)
    rise = 0.02 * (case.wire.round - 1) if position.mode != "dissent" else -0.02 * (case.wire.round - 1)
    return round(min(0.9, base + drift + rise + 0.08) if supported else min(0.74, base + drift + rise), 2)


_BASE = {
    ("answer", "claim"): 0.68,
    ("answer", "refine"): 0.7,
    ("answer", "dissent"): 0.66,
    ("answer", "adopt"): 0.66,
    ("third", "claim"): 0.71,
    ("fifth", "claim"): 0.68,
    ("fourth", "claim"): 0.72,
    ("fourth", "refine"): 0.7,
}


def _weakness(case: Case, role: Role) -> str:
    count = len(case.wire.decided) + len(case.wire.active) + len(case.wire.minority)
    texts = load("roles")["weakness"][role.value][case.family]
    return case.say(texts[_turn(case)], count=str(max(count, 4)))


def _proposal(case: Case, role: Role, positions: Sequence[Position]) -> str:
    parts = [_opening(case, role, positions), _whisper(case), *_moves(case, role, positions)]
    if case.wire.round == 1 and role in OPTIMIZERS:
        parts.append(_expertise(case, role))
    return " ".join(p for p in parts if p)


def _opening(case: Case, role: Role, positions: Sequence[Position]) -> str:
    texts = load("roles")
    if case.wire.round > 1:
        line: str = texts["opening"][role.value][min(case.wire.round, 3) - 2]
        return case.say(line, open=_open(case))
    answer = next((p.stance for p in positions if p.stance.key == ANSWER), case.answer)
    if role in OPTIMIZERS:
        method = texts.get(f"method_{case.family}", {})
        said = case.say(method[case.wire.method]) if case.wire.method in method else ""
        return f"{said} {answer.say('case', place(role))}".strip()
    if role is Role.SIMPLIFIER:
        return case.say(texts["smallest"][case.family], answer=lower_first(answer.say("claim", 2)))
    names = [case.book.issues[s.key].name for _, s in case.plot.attacked(1)]
    return case.say(texts["instead"][case.family], first=names[0], second=names[-1])


def _open(case: Case) -> str:
    """The issues still open, by name."""
    names = [i.name for line in case.wire.active if (i := case.issue(line.key))]
    return " and ".join(dict.fromkeys(names[:2])) or "the reasons behind it"


def _moves(case: Case, role: Role, positions: Sequence[Position]) -> list[str]:
    """Why a view was changed, or kept against the brief: one sentence for the first that calls for it."""
    texts, said = load("roles"), []
    for p in positions:
        issue = case.book.issues[p.stance.key]
        name = issue.name
        if p.mode == "adopt" and role in OPTIMIZERS and (old := _before(case, role, p)):
            line = texts["changed"][place(role) % 2]
            said.append(case.say(line, key=name, old=old.value, new=p.stance.value, lost=old.say("lost")))
        elif p.mode == "dissent" and role in OPTIMIZERS:
            line = texts["kept_against"][place(role) % 2]
            said.append(case.say(line, key=name, value=p.stance.value, ground=p.stance.say("ground")))
    return said[:2]


def _before(case: Case, role: Role, position: Position) -> Stance | None:
    """What the role held on the issue the last time it spoke on it."""
    for round_ in range(case.wire.round - 1, 0, -1):
        for p in case.plot.positions(role, round_):
            if p.stance.key == position.stance.key and p.stance is not position.stance:
                return p.stance
    return None


def _expertise(case: Case, role: Role) -> str:
    """What the role's expertise makes it look at, where the prompt lists it after a colon."""
    head, colon, rest = case.wire.expertise.partition(":")
    listed = [x.strip(" .") for x in rest.split(",")]
    items = [x for x in listed if 0 < len(x.split()) <= 4 and not x.startswith(("what ", "how ", "and "))][:2]
    if not colon or not items or len(head.split()) > 9:
        return ""
    return case.say(load("roles")["expertise"][place(role) % 2], head=head.strip(), items=" and ".join(items))


def _whisper(case: Case) -> str:
    """A sentence that takes a note up by its theme; the note's own words never appear."""
    if not case.wire.whispers:
        return ""
    note = " ".join(case.wire.whispers)
    themes = load("roles")["whisper"]
    theme = next((t for t in themes.values() if t["signs"] and re.search(t["signs"], note, re.I)), themes["other"])
    return case.say(theme["say"])


def _draft(case: Case, role: Role, positions: Sequence[Position]) -> str:
    if role not in OPTIMIZERS:
        return ""
    held = {k: s for k in case.wire.decided if (s := case.known(k))}
    held |= {p.stance.key: p.stance for p in positions}
    for part in _PARTS:
        held.setdefault(case.plot.keys[part], case.plot.first[part])
    if role is case.plot.lead or case.wire.round == 1:
        held.pop(case.plot.keys["sixth"], None)
    return draft.write(case, role, held, case.wire.cap_beside(600))


def _objections(case: Case, found: Sequence[SourceReply]) -> list[ObjectionReply]:
    """The objections of this round, each with its strongest counter-case first."""
    out = []
    for i, (_, stance) in enumerate(case.plot.attacked(case.wire.round)):
        target, aimed = stance.key, _really(case, stance)
        out.append(
            ObjectionReply(
                target=target,
                steel_man=f"{_position(case, aimed)} {aimed.say('steel')}",
                objection=aimed.say("objection", case.dice.below(f"objection {target}", 2)),
                evidence=[found[0].ref] if found and i == 0 else [],
                confidence=round(
                    0.72 - 0.05 * i + case.dice.between(f"objection {case.wire.round} {i}", -0.02, 0.02), 2
                ),
            )
        )
    return out


def _position(case: Case, stance: Stance) -> str:
    """What is attacked, as its holder put it: in the brief's own words where there is one."""
    if case.wire.round > 1:
        if line := case.wire.decided.get(stance.key):
            return line.text
        if line := next((x for x in case.wire.active if x.key == stance.key), None):
            return line.text.removesuffix(f" ({stance.value})")
    return stance.say("claim", 2)


def _really(case: Case, planned: Stance) -> Stance:
    """The stance to attack: what the brief has decided on the issue, where that is known."""
    return (case.known(planned.key) or planned) if case.wire.round > 1 else planned


def _vetoes(case: Case) -> list[VetoReply]:
    key = case.plot.keys[case.plot.vetoed(case.wire.round)]
    chosen = draft.veto_of(case, key)
    return [VetoReply(target=key, remove=case.say(chosen["remove"]), reason=case.say(chosen["reason"]))]


def _within(reply: ProposalReply, cap: int) -> ProposalReply:
    """The reply within its word limit: first shorter prose, then fewer points, then the bare answer."""
    while _length(reply) > cap and len(prose := sentences(reply.proposal)) > 2:
        reply = reply.model_copy(update={"proposal": " ".join(prose[:-1])})
    while _length(reply) > cap and len(reply.points) > 2:
        reply = reply.model_copy(update={"points": reply.points[:-1]})
    while _length(reply) > cap and len(reply.objections) > 1:
        reply = reply.model_copy(update={"objections": reply.objections[:-1]})
    if (over := _length(reply) - cap) > 0 and words(reply.proposal) - over >= 12:
        room = words(reply.proposal) - over
        reply = reply.model_copy(update={"proposal": first_sentences(reply.proposal, room)})
    return reply if _length(reply) <= cap else _bare(reply, cap)


def _bare(reply: ProposalReply, cap: int) -> ProposalReply:
    """The answer, one claim and the least that the role must say."""
    points = reply.points[:1]
    changes = {
        "points": points,
        "proposal": f"{capital(points[0].value)}." if points else "",
        "change_my_mind": "",
        "objections": [_shortened(o) for o in reply.objections[:1]],
        "vetoes": [v.model_copy(update={"reason": f"{v.reason.split('; ')[0].rstrip('.')}."}) for v in reply.vetoes],
    }
    reply = reply.model_copy(update=changes)
    over = _length(reply) - cap
    room = max(6, words(reply.weakness) - over)
    return reply if over <= 0 else reply.model_copy(update={"weakness": clipped(reply.weakness, room)})


def _shortened(objection: ObjectionReply) -> ObjectionReply:
    """An objection in one sentence, after a steel man of the least length that counts."""
    parts = sentences(objection.steel_man)
    steel = parts[-1] if words(parts[-1]) >= 15 else objection.steel_man
    return objection.model_copy(update={"steel_man": steel, "objection": sentences(objection.objection)[0]})


def _length(reply: ProposalReply) -> int:
    said = [reply.weakness, reply.proposal, reply.change_my_mind, *(p.claim for p in reply.points)]
    said += [f"{o.steel_man} {o.objection}" for o in reply.objections]
    said += [f"{v.remove} {v.reason}" for v in reply.vetoes]
    return sum(words(t) for t in said)
