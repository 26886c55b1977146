"""English by rule: gerunds, articles, whose is whose, and where a clause may be cut. Knows words, not questions."""

import re
from functools import cache

from vada.llm.rehearsal.phrases import load

_VOWELS = "aeiou"
LONGEST = 7
"""Words of a phrase that several agents use; one more, and they could share a run of eight."""

_ASIDE = re.compile(
    r"(?:,|;)\s+(?:and|but|or)?\s*"
    r"(?:if|how|what|which|why|when|where|on what|under what|who|given|since|because|so)\b.*"
    r"|\s+(?:given that|given|because|since|while|although|even though|when|if|so that|in order to|considering)\s.*"
    r"|\s+(?:—|–|-)\s.*|;.*|:\s.*",
    re.I | re.S,
)
_SHIFT = {
    "i": "you",
    "we": "you",
    "us": "you",
    "me": "you",
    "our": "your",
    "my": "your",
    "ours": "yours",
    "mine": "yours",
    "ourselves": "yourselves",
    "myself": "yourself",
    "i'm": "you are",
    "we're": "you are",
    "i've": "you have",
    "we've": "you have",
    "am": "are",
}
_OWNERS = {"its", "their", "his", "her"}


@cache
def words(name: str) -> frozenset[str]:
    """A list of words by its name in words.yaml."""
    return frozenset(str(load("words")[name]).split())


def bare(token: str) -> str:
    """A token without the marks around it, in small letters."""
    return token.strip(".,;:!?\"'“”‘’()[]").casefold()


def ing(verb: str) -> str:
    """The gerund of a base form."""
    irregular: dict[str, str] = load("words")["irregular_ing"]
    low = verb.casefold()
    if low in irregular:
        return irregular[low]
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")):
        return low[:-1] + "ing"
    if len(low) <= 4 and sum(c in _VOWELS for c in low) == 1 and re.search(r"[^aeiou][aeiou][^aeiouwxy]$", low):
        return low + low[-1] + "ing"
    return low + "ing"


def third(verb: str) -> str:
    """The third person singular of a base form."""
    low = verb.casefold()
    if low in ("have", "be", "do", "go"):
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}[low]
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return low + "es"
    if low.endswith("y") and low[-2:-1] not in _VOWELS:
        return low[:-1] + "ies"
    return low + "s"


def gerund(phrase: str) -> str:
    """A verb phrase as a noun phrase: `move to X and sell Y` to `moving to X and selling Y`."""
    tokens = phrase.split()
    if not tokens:
        return phrase
    out = [ing(tokens[0]), *tokens[1:]]
    for i in range(1, len(out) - 1):
        if out[i].casefold() in ("and", "or") and out[i + 1].casefold() in words("verbs"):
            out[i + 1] = ing(out[i + 1])
    return " ".join(out)


def to_you(text: str) -> str:
    """What a person says of themselves, said to that person."""
    tokens = []
    for token in text.split():
        core = bare(token)
        tokens.append(re.sub(re.escape(core), _SHIFT[core], token, count=1, flags=re.I) if core in _SHIFT else token)
    return " ".join(tokens)


def disowned(text: str) -> str:
    """A phrase whose owner is not named beside it: `its`, `their` become `the`."""
    return " ".join("the" if t.casefold() in _OWNERS else t for t in text.split())


def definite(phrase: str) -> str:
    """A noun phrase at its second mention: `a startup` to `the startup`."""
    return re.sub(r"^(?:an?|this|some)\s+", "the ", phrase.strip(), flags=re.I)


def without_aside(text: str) -> str:
    """A clause without what is hung on to it: a condition, a reason, a second question."""
    return _ASIDE.sub("", text)


def cut(phrase: str, most: int) -> str:
    """The phrase, cut before a preposition to at most `most` words; empty where that leaves no phrase."""
    tokens = phrase.split()
    if len(tokens) <= most:
        return phrase
    before = words("before") | {"that", "which", "who", "and", "while", "because", "by", "so"}
    for i in range(min(most, len(tokens) - 1), 1, -1):
        if bare(tokens[i]) in before and bare(tokens[i - 1]) not in before | words("small"):
            return " ".join(tokens[:i]).rstrip(",;:")
    return ""


def verb_at(tokens: list[str]) -> int:
    """Where the verb of `subject verb object` stands; −1 where it is not clear."""
    return next((i for i in range(1, len(tokens)) if _is_verb(tokens, i)), -1)


def _is_verb(tokens: list[str], i: int) -> bool:
    strong, small, before = words("verbs"), words("small"), words("before")
    word, previous = bare(tokens[i]), bare(tokens[i - 1])
    following = bare(tokens[i + 1]) if i + 1 < len(tokens) else ""
    if previous in small | before | {"to"} or tokens[i][:1].isupper():
        return False
    if word in strong:
        return following not in strong
    plural = previous.endswith("s") and not previous.endswith("ss")
    named = tokens[i - 1][:1].isupper()
    supported = not following or plural or named or following in small | before or following[:1].isdigit()
    return word == "be" or (word in words("nouns_too") and supported)
