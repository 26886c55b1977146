"""A defence: the answers of one agent to the challenges against its own proposal."""

from vada.llm.rehearsal import sources
from vada.llm.rehearsal.book import Stance, place
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import first_sentences
from vada.llm.rehearsal.phrases import load
from vada.llm.rehearsal.reading import Tag
from vada.models.replies import DefenceItemReply, DefenceReply
from vada.models.vocabulary import Role
from vada.tokens import words


def defend(case: Case, role: Role) -> DefenceReply:
    """An answer to every challenge: a defence, or a concession that names the flaw."""
    points = case.wire.given("point")
    challenges = case.wire.given("challenge")
    room = case.wire.cap(150) // max(1, len(challenges))
    answers = [_answer(case, role, c, points, room) for c in challenges]
    return DefenceReply(answers=answers, sources=list(sources.of(case, role)[:1]))


def _answer(case: Case, role: Role, challenge: Tag, points: tuple[Tag, ...], room: int) -> DefenceItemReply:
    key = challenge.get("target")
    mine = next((p for p in points if p.get("key") == key), points[0] if points else None)
    label = mine.get("label") if mine else "P1"
    attacked = _attacked(case, key)
    held = case.book.find(key, mine.get("value")) if mine else None
    verdict, reason = _reason(case, role, key, label, attacked, held, challenge.get("label"))
    evidence = list(mine.labels("evidence")[:1]) if mine and verdict == "defend" else []
    if words(reason) > room:
        reason = first_sentences(reason, room)
    return DefenceItemReply(challenge=challenge.get("label"), verdict=verdict, reason=reason, evidence=evidence)


def _attacked(case: Case, key: str) -> Stance | None:
    """Which stance the objection of this round aims at."""
    planned = next((s for _, s in case.plot.attacked(case.wire.round) if s.key == key), None)
    return (case.known(key) or planned) if planned and case.wire.round > 1 else planned


def _reason(
    case: Case, role: Role, key: str, label: str, attacked: Stance | None, held: Stance | None, challenge: str
) -> tuple[str, str]:
    texts, turn = load("serving"), place(role)
    if attacked is None or held is None:
        if case.dice.chance(f"concedes {role} {key} {case.wire.round} {challenge}", 0.3):
            return "concede", case.say(texts["unknown_concession"][0], label=label)
        return "defend", case.say(texts["unknown_defence"][0], label=label)
    if held.value != attacked.value:
        line = texts["aside"][turn % 2]
        return "defend", case.say(
            line, attacked=attacked.value, label=label, value=held.value, ground=held.say("ground")
        )
    if case.wire.round == 1 and key == case.plot.keys["second"]:
        return "concede", held.say("concede")
    return "defend", held.say("defend", case.dice.below(f"defence {key}", 2))
