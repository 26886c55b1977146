"""A choice taken apart: the options of `A, B or C`, each as a noun phrase that stands by itself. Pure."""

import re

from vada.llm.rehearsal.grammar import LONGEST, bare, cut, disowned, gerund, to_you, without_aside, words


def options(phrase: str) -> tuple[str, ...]:
    """The options of `A, B or C`, each as a noun phrase; fewer than two where there is no choice."""
    phrase = re.sub(r"^(?:either|rather)\s+", "", _tail_cut(phrase), flags=re.I)
    phrase = re.sub(r",?\s+or (?:not|no|rather not|something else|neither|more|less|so)\b.*$", "", phrase, flags=re.I)
    if not re.search(r"\sor\s", phrase):
        return (phrase,)
    parts = [p.strip(" ,") for p in re.split(r",\s*(?:or\s+)?|\s+or\s+", phrase) if p.strip(" ,")]
    if not 2 <= len(parts) <= 4:
        return (phrase,)
    parts = [re.sub(r"^(?:should|do|does|shall|must) (?:i|we|you|they)\s+", "", p, flags=re.I) for p in parts]
    named = [option_of(p) for p in _completed(parts)]
    return tuple(named) if all(named) and len(set(named)) == len(named) else (phrase,)


def _tail_cut(phrase: str) -> str:
    return without_aside(disowned(to_you(phrase))).strip(" .,?!")


def _completed(parts: list[str]) -> list[str]:
    """Options that share words, each with its own: `use A or B` to A and B; `go to A, to B or stay` to three deeds."""
    first = parts[0].split()
    head = bare(first[0])
    deeds = [_is_deed(p) for p in parts]
    if not deeds[0]:
        return parts
    link = next((bare(p.split()[0]) for p in parts[1:] if bare(p.split()[0]) in words("before")), "")
    if any(deeds[1:]):
        return [p if _is_deed(p) else f"{head} {p}" for p in parts]
    if link and link in [bare(t) for t in first]:
        at = [bare(t) for t in first].index(link)
        return [re.sub(rf"^{link}\s+", "", p, flags=re.I) for p in (" ".join(first[at:]), *parts[1:])]
    objects = " ".join(first[1:])
    alike = [objects, *parts[1:]] if objects else parts
    return [*alike[:-1], re.sub(r"\s+(?:for|in|as|at|on)\s.*$", "", alike[-1])] if " for " not in alike[0] else alike


def _is_deed(part: str) -> bool:
    tokens = [bare(t) for t in part.split()]
    if not tokens or part[:1].isupper():
        return False
    if tokens[0] in words("verbs"):
        return True
    follows = tokens[1] if len(tokens) > 1 else ""
    return tokens[0] in words("nouns_too") and (
        not follows or follows in words("small") | words("before") | {"it", "them"} or len(tokens) == 2
    )


def option_of(part: str) -> str:
    """One option as a noun phrase of a few words."""
    short = cut(part.strip(" .,?!"), LONGEST) or " ".join(part.split()[:LONGEST])
    return gerund(short) if _is_deed(short) else short
