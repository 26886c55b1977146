"""A search provider for tests, behind the protocol: it returns what stands on it and remembers what it was asked."""

import asyncio
from dataclasses import dataclass, field

from vada.errors import SearchError
from vada.llm.base import SearchHit

SURVEY = SearchHit("https://survey.example/2026", "Survey of 400 teams", "June 2026", "Nine in ten would do it again.")
REPORT = SearchHit("https://report.example/field?id=7", "Field report", "", "Two of three went back.")


@dataclass
class Shelf:
    """Returns `hits`, or fails with the words of `fails`, after `wait` seconds."""

    hits: tuple[SearchHit, ...] = (SURVEY, REPORT)
    fails: str = ""
    wait: float = 0
    asked: list[str] = field(default_factory=list)

    async def find(self, query: str, *, most: int) -> tuple[SearchHit, ...]:
        self.asked.append(query)
        await asyncio.sleep(self.wait)
        if self.fails:
            raise SearchError(self.fails)
        return self.hits[:most]
