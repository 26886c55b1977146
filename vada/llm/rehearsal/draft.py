"""An Optimizer's draft: the page for the person who must decide. Assembled from whole sentences; owns the order."""

from collections.abc import Mapping

from vada import constraints as cons
from vada.llm.rehearsal.book import ANSWER, TRIGGER, Stance, place
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import Page, length
from vada.llm.rehearsal.phrases import capital, load
from vada.llm.rehearsal.sources import of as sources_of
from vada.models.vocabulary import CheckKind, Role

_ORDER = (
    *("evidence", "alternative", "test", "aim", "reader", "candour", "scope", "length"),
    *("obstacle", "rhythm", "feedback", "money", "cost"),
    *("people_close", "use", "detail", "timing", "ownership", "next_check", "upkeep", "support"),
    *("partner", "sender"),
)
"""Issues in the order in which a page takes them up: what brings most and costs least comes first."""

MOST_STEPS = 5

ROOM = 0.88
"""How much of a constraint's length a draft fills, so that amendments find room."""


def write(case: Case, role: Role, held: Mapping[str, Stance], limit: int) -> str:
    """The draft of a role that holds these stances, by issue, in at most `limit` words."""
    texts, heads = load("serving"), load("serving")["heads"][role.value]
    answer = held[ANSWER]
    lines = [case.voice(answer, "answer", role), "", heads["why"], "", _why(case, role, answer)]
    lines += ["", heads["steps"], "", *_steps(case, role, held)]
    lines += ["", heads["change"], "", _change(case, role, held)]
    lines += ["", heads["open"], "", case.say(texts["open_text"][role.value][case.family])]
    if case.question.kind == "write":
        lines = [*_skeleton(case, role), "", "---", "", *lines]
    page = Page(lines)
    keep(case, page, limit, room=ROOM)
    return page.text()


def keep(case: Case, page: Page, limit: int, room: float = 1.0) -> None:
    """Make a page keep what the constraints say about pages, and the limit; `room` is the share of a length that a
    constraint sets which the page may fill."""
    wanted, most, least = [], limit, 0
    for text in case.wire.constraints.values():
        check = cons.derive(text)
        match check.kind if check else None:
            case CheckKind.MAX_WORDS if check:
                most = min(most, int(int(check.args[0]) * room))
            case CheckKind.MIN_WORDS if check:
                least = max(least, int(check.args[0]))
            case CheckKind.MUST_INCLUDE if check:
                wanted += list(check.args)
            case CheckKind.MUST_NOT if check:
                for words in check.args:
                    page.without(words)
            case _:
                pass
    _lengthen(case, page, min(least, most))
    _shorten(case, page, wanted, most)


def _shorten(case: Case, page: Page, wanted: list[str], most: int) -> None:
    """Fit the page and see to it that what must be named still is, in a sentence of its own."""

    def missing() -> list[str]:
        text = page.text().casefold()
        return [w for w in wanted if w.casefold() not in text]

    page.fit(most)
    for sentence in (load("serving")["must"], load("serving")["must_short"]):
        absent = missing()
        if not absent:
            return
        notes = " ".join(case.say(sentence, text=w) for w in absent)
        page.fit(max(1, most - length(notes)))
        page.lines[0] = f"{page.lines[0]} {notes}"


def _lengthen(case: Case, page: Page, least: int) -> None:
    """Add what can be said besides, until the page is long enough."""
    spare = [case.say(t) for t in load("serving")["spare"]]
    spare += [
        " ".join(s.say("refine", t) for s in issue.stances[:1] for t in range(3))
        for key, issue in case.book.issues.items()
        if key != ANSWER
    ]
    while spare and length(page.text()) < least:
        page.lines += ["", spare.pop(0)]


def _why(case: Case, role: Role, answer: Stance) -> str:
    """The reasons, then what of the person's own words bears on them."""
    texts, name = load("serving"), role.value
    parts = [case.voice(answer, "why", role)]
    facts = case.question.facts
    if facts:
        parts.append(case.say(texts["facts"][name], fact=facts[place(role) % len(facts)]))
    parts += [s for s in (people(case, role), _quoted(case, role), _holds_to(case, role)) if s]
    if case.wire.priorities and len(case.wire.priorities.split()) <= 14:
        parts.append(case.say(texts["priority"], text=case.wire.priorities.rstrip(". ")))
    return " ".join(parts)


def people(case: Case, role: Role) -> str:
    """What the number of people means, derived where it stands; empty where there is none."""
    n = case.question.quantities.people
    if not 4 <= n <= 60 or case.family != "decide":
        return ""
    return case.say(
        load("serving")["people"][role.value],
        n=str(n),
        two="2",
        rest=str(n - 2),
        percent=f"{200 / n:.0f}",
        more=f"{200 / (n - 2):.0f}",
    )


def _quoted(case: Case, role: Role) -> str:
    found = sources_of(case, role)
    if not found:
        return ""
    kind = "searched" if found[0].url else "quoted"
    return case.say(load("serving")[kind][role.value], name=found[0].title, quote=found[0].quote)


def _holds_to(case: Case, role: Role) -> str:
    """One constraint, named to the reader; each Optimizer names another where there are two."""
    texts = [t for t in case.named_constraints.values() if len(t.split()) <= 16]
    if not texts:
        return ""
    return case.say(load("serving")["holds_to"][role.value], text=texts[place(role) % len(texts)].rstrip(". "))


def _steps(case: Case, role: Role, held: Mapping[str, Stance]) -> list[str]:
    """The numbered steps: the answer's own first, then those of the issues."""
    turn = place(role)
    steps = [held[ANSWER].say("first", turn)]
    for key in _ORDER:
        stance = held.get(key)
        if stance and stance.has("step") and len(steps) < MOST_STEPS:
            steps.append(f"{stance.say('step', turn)} {detail(case, role, key)}".strip())
    return [f"{i}. {s}" for i, s in enumerate(steps, 1)]


def _change(case: Case, role: Role, held: Mapping[str, Stance]) -> str:
    stance = held.get(TRIGGER) or case.trigger
    parts = [stance.say("change", place(role)), detail(case, role, TRIGGER)]
    if case.question.quantities.deadline:
        parts.append(case.say(load("serving")["deadline"], deadline=case.question.quantities.deadline))
    return " ".join(p for p in parts if p)


def detail(case: Case, role: Role, key: str) -> str:
    """The sentence that the Simplifier of this round will want to go; only its holder writes it."""
    part = case.plot.vetoed(case.wire.round)
    holder = case.plot.other if part == "fourth" else case.plot.lead
    issue = case.issue(key)
    if issue is None or case.plot.keys[part] != key or role is not holder or not issue.vetoes:
        return ""
    return case.say(veto_of(case, key)["detail"])


def veto_of(case: Case, key: str) -> Mapping[str, str]:
    """Which of an issue's details is at stake in this debate."""
    vetoes = case.book.issues[key].vetoes
    return vetoes[case.dice.below(f"veto {key}", len(vetoes))]


def _skeleton(case: Case, role: Role) -> list[str]:
    """The beginning of the text itself, from what the question gives; the places left open are in brackets."""
    title = capital(case.slots["artifact"].removeprefix("the ").removeprefix("your "))
    lines, form = [f"**{title}**", ""], []
    for given in case.question.details:
        if line := _given(given):
            lines += [line, ""]
        else:
            form.append(given)
    if form:
        lines += [f"**Form.** {capital(', '.join(form))}.", ""]
    ending: list[str] = load("serving")["skeleton"][role.value][case.family]
    return [*lines, *(x for e in ending for x in (e, ""))][:-1]


def _given(given: str) -> str:
    """A line of the text from one of the question's details; empty for what is about its form."""
    low = given.casefold()
    if low.startswith("so that "):
        return f"**Purpose.** It is written {given[:1].lower() + given[1:]}."
    if low.startswith("that "):
        return f"**What happens.** {capital(given[5:])}."
    if low.startswith(("by which ", "which ", "in which ")):
        return f"**Purpose.** This is the text {given}."
    return f"**Rule.** {capital(given)}." if any(c.isdigit() for c in given) else ""
