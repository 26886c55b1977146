"""One call of a rehearsed debate, ready to be answered: the wire, the question, the words, the book, the course."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from vada import constraints as cons
from vada.llm.rehearsal.book import ANSWER, TRIGGER, Book, Family, Issue, Stance, open_book, place
from vada.llm.rehearsal.dice import Dice
from vada.llm.rehearsal.field import words_for
from vada.llm.rehearsal.phrases import fill
from vada.llm.rehearsal.plot import Plot, plot
from vada.llm.rehearsal.question import Kind, Question, analyse
from vada.llm.rehearsal.reading import Wire
from vada.models.vocabulary import CheckKind, Role

EDITION = 351
"""Which course goes with which question. Another number gives every debate another course; nothing else hangs on it."""

_MESSAGE = re.compile(
    r"\b(?:announcement|e-?mail|letter|message|note|speech|notice|post|story|poem|statement|ad|advert|essay|article)\b",
    re.I,
)
_RESULT = re.compile(r"\bA/B\b|\bp\s?[=<]|p-value|significant|\btest shows|\bexperiment shows|\btrial shows", re.I)
_LESS_OR_MORE = re.compile(
    r"(?:reduce|cut|lower|stop|avoid|fix|improve|increase|speed|prevent|decrease|raise|retain|shorten|minimi[sz]e|"
    r"eliminate|solve|save|debug|halve|limit|lose|handle|settle|resolve|overcome)\b",
    re.I,
)
_KEEPING = ("stay", "keep", "renting", "rent ", "wait", "deferring", "not ", "as it is", "existing", "current")


@dataclass(frozen=True)
class Case:
    """What every kind of reply works from."""

    wire: Wire
    question: Question
    slots: Mapping[str, str]
    book: Book
    dice: Dice
    plot: Plot

    @property
    def family(self) -> Family:
        """The kind of matter."""
        return self.book.family

    def say(self, template: str, turn: int = 0, **more: str) -> str:
        """A text of the serving roles, filled in."""
        return fill(template, {**self.slots, **more}, turn)

    def voice(self, stance: Stance, what: str, role: Role) -> str:
        """A text of a stance in the role's own wording; of four wordings, two are its own."""
        return stance.say(what, place(role) + 2 * self.dice.below(f"voice {what}", 2))

    def known(self, key: str) -> Stance | None:
        """What the brief has decided on an issue, where it is a stance of the book."""
        line = self.wire.decided.get(key)
        return self.book.find(key, line.value) if line else None

    @property
    def answer(self) -> Stance:
        """The answer that stands: the brief's, else the one that will prevail."""
        return self.known(ANSWER) or self.plot.first["answer"]

    @property
    def trigger(self) -> Stance:
        """What would reverse the answer, as it stands."""
        return self.known(TRIGGER) or self.plot.winner(TRIGGER, self.wire.round) or self.book.issues[TRIGGER].stances[0]

    def issue(self, key: str) -> Issue | None:
        """An issue of the book, or None."""
        return self.book.issues.get(key)

    @cached_property
    def named_constraints(self) -> dict[str, str]:
        """The constraints that are about the matter, not about the length or the words of the page."""
        return {i: text for i, text in self.wire.constraints.items() if not _about_page(text)}


def _about_page(text: str) -> bool:
    found = cons.derive(text)
    return found is not None and found.kind in (
        CheckKind.MAX_WORDS,
        CheckKind.MIN_WORDS,
        CheckKind.MUST_INCLUDE,
        CheckKind.MUST_NOT,
    )


def case(wire: Wire, seed: int) -> Case:
    """Make the case of a request. Only what all calls of a debate share decides its course."""
    given = "\n".join((*wire.constraints.values(), wire.priorities))
    beside = "\n".join((given, *(m.text[:2000] for m in wire.material)))
    question = analyse(wire.question, given)
    dice = Dice(f"{EDITION}|{seed}|{wire.question}|{given}|{'|'.join(m.get('name') for m in wire.material)}")
    words = words_for(question, beside)
    slots = {**question.slots, **words, **_means(question, words)}
    book = open_book(*_shelf(question, words), slots, _options(question, dice) if question.kind == "choice" else ())
    return Case(wire, question, slots, book, dice, plot(book, dice))


def _shelf(question: Question, words: Mapping[str, str]) -> tuple[Family, str]:
    """The book for a question and the set of answers in it."""
    kind: Kind = question.kind
    if kind == "write":
        return ("message", "") if _MESSAGE.search(question.slots["artifact"]) else ("write", "")
    if kind == "know":
        return "know", "result" if _RESULT.search(question.text) else ""
    own: Family = "life" if words["field"] == "personal" else "decide"
    match kind:
        case "should":
            return own, "commit" if words["whole"] or own == "life" else "should"
        case "choice" if own == "life":
            return own, "life_choice"
        case "choice":
            return own, "stay" if any(_keeps(o) for o in question.options) else "choice"
        case "how" if own == "life":
            return "practice", "build"
        case "how":
            return own, "how" if _LESS_OR_MORE.match(question.slots["goal"]) else "make"
        case _:
            return own, kind


def _means(question: Question, words: Mapping[str, str]) -> dict[str, str]:
    """What a first step may cost, with the arithmetic where there is a figure."""
    sign, amount = question.quantities.budget if question.quantities.budget[1] else question.quantities.savings
    if amount:
        return {
            "cap": f"a tenth of the {money(sign, amount)}",
            "capwhy": f"That is {money(sign, amount / 10)}.",
        }
    if words["field"] == "personal":
        return {"cap": "an evening a week", "capwhy": ""}
    return {"cap": "a tenth of the working week", "capwhy": "That is half a day of five for each person involved."}


def money(sign: str, amount: float) -> str:
    """An amount as people write it."""
    return f"{sign}{amount:,.0f}"


def _options(question: Question, dice: Dice) -> tuple[dict[str, str], ...]:
    """The words of each answer to a choice: its own option and its main rival. What keeps things as they are is the
    cautious answer."""
    order = sorted(question.options, key=lambda o: (not _keeps(o), dice.share(f"option {o}")))
    one, two = order[0], order[1]
    both = {"a": question.options[0], "b": question.options[1]}
    return (
        {**both, "x": one, "y": two, "x_value": _brief(one)},
        {**both, "x": two, "y": one, "x_value": _brief(two)},
        both,
    )


def _keeps(option: str) -> bool:
    return option.casefold().startswith(_KEEPING)


def _brief(option: str) -> str:
    return " ".join(option.split()[:6])
