"""A page of Markdown as lines: counting, shortening and amending it. Knows no debate."""

import re
from dataclasses import dataclass, field

from vada.tokens import words

_STEP = re.compile(r"^(\d+)\. ")


def length(text: str) -> int:
    """Words of a page, by the stricter of the two ways they are counted."""
    return max(words(text), len(text.split()))


def sentences(text: str) -> list[str]:
    """The sentences of a line, in order."""
    marked = re.sub(r"([.!?][”*]*)\s+(?=[“\"*A-ZÀ-Þ0-9])", "\\1\n", text)
    return [s for s in marked.split("\n") if s.strip()]


def first_sentences(text: str, most: int) -> str:
    """As many sentences from the beginning as fit into `most` words; at least a shortened first."""
    kept: list[str] = []
    for sentence in sentences(text):
        if length(" ".join((*kept, sentence))) > most:
            break
        kept.append(sentence)
    return " ".join(kept) if kept else clipped(text, most)


def clipped(text: str, most: int) -> str:
    """The first `most` words, closed with a full stop."""
    tokens = text.split()
    return text if len(tokens) <= most else " ".join(tokens[:most]).rstrip(",;:") + "."


@dataclass
class Page:
    """A page while it is worked on. Every line is a heading, a step, a paragraph, or empty."""

    lines: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)  # sentences that are not cut, because they were asked for

    @classmethod
    def of(cls, text: str) -> "Page":
        """The page of a text."""
        return cls(text.strip().split("\n"))

    def text(self) -> str:
        """The page as text, its steps numbered from 1, never two empty lines together."""
        number, out = 0, []
        for line in self.lines:
            if line.startswith("#"):
                number = 0
            if _STEP.match(line):
                number += 1
                line = _STEP.sub(f"{number}. ", line)
            out.append(line)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip()

    def find(self, where: str) -> int:
        """The line that holds the words, −1 when none does; markup and case do not count. A sentence that begins with
        them comes before one that only contains them, and five words of a quotation are enough."""
        wanted = _folded(where)
        few = " ".join(wanted.split()[:5])
        if not wanted:
            return -1
        begins = [(i, _folded(s)) for i, line in enumerate(self.lines) for s in sentences(_STEP.sub("", line))]
        for found in (
            (i for i, s in begins if s.startswith(wanted)),
            (i for i, line in enumerate(self.lines) if wanted in _folded(line)),
            (i for i, s in begins if s.startswith(few)),
        ):
            if (at := next(found, -1)) >= 0:
                return at
        return -1

    def steps(self) -> list[int]:
        """The lines that are steps."""
        return [i for i, line in enumerate(self.lines) if _STEP.match(line)]

    def amend(self, kind: str, text: str, where: str) -> bool:
        """Apply one amendment; False when its place cannot be found."""
        self.kept.update(sentences(text))
        match kind:
            case "deletion":
                return self._delete(text) or self._delete(where)
            case "first_step":
                return self._first_step(text, where)
            case "correction" | "trigger":
                return self._replace(text, where)
            case _:
                return self._add(text, where)

    def _delete(self, text: str) -> bool:
        at = self.find(text)
        if at < 0:
            return False
        kept = [s for s in sentences(self.lines[at]) if _folded(s) != _folded(text) and not _same_start(s, text)]
        self.lines[at] = " ".join(kept)
        return True

    def _replace(self, text: str, where: str) -> bool:
        at = self.find(where)
        if at < 0:
            return False
        start = _folded(where)
        parts = sentences(self.lines[at])
        hit = next((i for i, s in enumerate(parts) if _folded(s).startswith(start) or start in _folded(s)), 0)
        parts[hit] = text
        self.lines[at] = " ".join(parts)
        return True

    def _first_step(self, text: str, where: str) -> bool:
        steps = self.steps()
        at = self.find(where)
        at = at if at in steps else steps[0] if steps else -1
        if at < 0:
            return self._add(text, where)
        self.lines.insert(at, f"1. {text}")
        return True

    def _add(self, text: str, where: str) -> bool:
        at = self.find(where)
        if at < 0 or self.lines[at].startswith("#"):
            return False
        self.lines[at] = f"{self.lines[at]} {text}"
        return True

    def without(self, words_: str) -> None:
        """Take out every sentence that holds the words."""
        unwanted = words_.casefold()
        for i, line in enumerate(self.lines):
            if unwanted in line.casefold():
                kept = [s for s in sentences(line) if unwanted not in s.casefold()]
                self.lines[i] = " ".join(kept)
        self.lines = [x for x in self.lines if not re.fullmatch(r"\d+\.\s*", x)]

    def fit(self, most: int) -> None:
        """Shorten to at most `most` words: first what a reader would miss least, the answer last."""
        while length(self.text()) > most:
            if not (
                self._drop_last_section()
                or self._drop_aside()
                or self._drop_step(4)
                or self._thin_step()
                or self._drop_step()
            ):
                break
        if length(self.text()) > most:
            self._to_sentences(most)

    def _sections(self) -> list[int]:
        return [i for i, line in enumerate(self.lines) if line.startswith("#")]

    def _drop_last_section(self) -> bool:
        """The last of four sections or more: what remains uncertain."""
        heads = self._sections()
        if len(heads) < 4:
            return False
        del self.lines[heads[-1] :]
        return True

    def _drop_aside(self) -> bool:
        """The last sentence of a paragraph that has more than two."""
        plain = [i for i, x in enumerate(self.lines) if x and not x.startswith("#") and not _STEP.match(x)]
        return any(self._shorten_line(i) for i in reversed(plain))

    def _thin_step(self) -> bool:
        """The last sentence of the last step that has more than two."""
        return any(self._shorten_line(i) for i in reversed(self.steps()))

    def _shorten_line(self, i: int) -> bool:
        """Take the last sentence out that may go, while two remain."""
        step = _STEP.match(self.lines[i])
        parts = sentences(self.lines[i][step.end() :] if step else self.lines[i])
        loose = [n for n, s in enumerate(parts) if n > 0 and s not in self.kept]
        if len(parts) < 3 or not loose:
            return False
        del parts[loose[-1]]
        self.lines[i] = f"{step.group(0) if step else ''}{' '.join(parts)}"
        return True

    def _drop_step(self, least: int = 2) -> bool:
        steps = self.steps()
        if len(steps) <= least:
            return False
        del self.lines[steps[-1]]
        return True

    def _to_sentences(self, most: int) -> None:
        """Whole sentences from the beginning, without headings and numbers."""
        flat = [_STEP.sub("", x) for x in self.lines if x and not x.startswith("#")]
        self.lines = [first_sentences(" ".join(flat), most)]


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[*_`#“”\"]", "", _STEP.sub("", text.strip())).casefold().split()).rstrip(" .…")


def _same_start(sentence: str, words_: str) -> bool:
    """Whether a sentence begins with the quoted words, at least four of them."""
    start = _folded(words_)
    return len(start.split()) >= 4 and _folded(sentence).startswith(start)
