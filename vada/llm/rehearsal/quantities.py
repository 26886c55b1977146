"""The figures of a question that arithmetic can use: people, money, a date. Pure; knows no question."""

import re
from dataclasses import dataclass

from vada.llm.rehearsal.phrases import load


@dataclass(frozen=True)
class Quantities:
    """The figures of a question that arithmetic can use."""

    people: int = 0
    budget: tuple[str, float] = ("", 0.0)  # the sign and the amount
    savings: tuple[str, float] = ("", 0.0)
    deadline: str = ""


def quantities(text: str) -> Quantities:
    return Quantities(
        people=_people(text),
        budget=_money(text, r"budget|at most|no more than|up to|cap of|limit of|under|maximum|spend"),
        savings=_money(text, r"saved|savings|put aside"),
        deadline=_deadline(text),
    )


_MONEY = r"([$€£])\s?(\d[\d,]*(?:\.\d+)?)\s*(k|m|thousand|million)?\b"


def _money(text: str, near: str) -> tuple[str, float]:
    """An amount that stands near one of the words."""
    for found in re.finditer(_MONEY, text, re.I):
        around = text[max(0, found.start() - 30) : found.end() + 25]
        recurring = re.match(r"\s*(?:/|a |per )", text[found.end() :])
        if re.search(near, around, re.I) and not recurring:
            factor = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}.get((found.group(3) or "").casefold(), 1.0)
            return found.group(1), float(found.group(2).replace(",", "")) * factor
    return "", 0.0


def _people(text: str) -> int:
    """How many people do the work; 0 where nobody says."""
    numbers: dict[str, int] = load("words")["numbers"]
    number = rf"(\d{{1,3}}|{'|'.join(numbers)})"
    found = re.search(
        rf"\b{number}[- ](?:person|people|engineers?|developers?|employees?|members?|staff|reviewers?|of us)\b",
        text,
        re.I,
    )
    if not found:
        return 0
    said = found.group(1).casefold()
    return int(said) if said.isdigit() else numbers[said]


_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


def _deadline(text: str) -> str:
    found = re.search(
        rf"\b(?:by|before|until)\s+((?:the end of |mid-|early |late )?"
        rf"(?:(?:{_MONTHS})(?: \d{{1,2}})?(?:,? \d{{4}})?|Q[1-4](?: \d{{4}})?|"
        r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|the year|\d{4}-\d\d-\d\d|spring|summer|autumn|fall|winter|"
        r"next (?:week|month|quarter|year)))",
        text,
    )
    return found.group(1) if found else ""
