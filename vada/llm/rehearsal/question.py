"""What a question asks, by rule: its form, its subject, what would be done, its options, its figures.

Nothing is understood here. Where a rule does not fit, the words become general and stay grammatical.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from vada.llm.rehearsal.grammar import (
    LONGEST,
    bare,
    cut,
    definite,
    disowned,
    gerund,
    third,
    to_you,
    verb_at,
    without_aside,
    words,
)
from vada.llm.rehearsal.options import option_of, options
from vada.llm.rehearsal.phrases import load
from vada.llm.rehearsal.quantities import Quantities
from vada.llm.rehearsal.quantities import quantities as quantities_of

Kind = Literal["should", "choice", "how", "act", "pick", "know", "write"]

_AUX = r"should|shall|must|may|ought|do|does|did|can|could|will|would|is|are|was|were|has|have|might"
_PRONOUNS = ("i", "we", "you", "one", "they", "he", "she", "it", "everyone")
_ARTIFACTS = (
    "spec|specification|guideline|guidelines|guide|announcement|memo|email|e-mail|letter|policy|proposal|plan|report|"
    "readme|rfc|document|documentation|notice|text|essay|article|speech|checklist|template|ad|advert|description|"
    "statement|terms|contract|post|page|story|poem|summary|brief|manual|faq|script|message|note|notes|introduction|"
    "abstract|rules?|code of conduct|procedure|instructions?|agenda|charter|standard|review|section|chapter|thesis"
)
_WRITE = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+|help me (?:to )?|we need to\s+|i need to\s+)?"
    rf"(?:write|draft|compose|prepare|create|outline|formulate|word|specify|propose|design|develop)\s+(?:me\s+|us\s+)?((?:an?|the|our|my|your|some)\s+"
    rf"(?:[\w-]+\s+){{0,4}}?(?:{_ARTIFACTS})\b.*)",
    re.I | re.S,
)
_WRITE_HOW = re.compile(
    r"^how (?:should|do|can|could|would|to)\s*(?:i|we|you)?\s+(?:write|structure|word|phrase|draft)\s+(.+)", re.I
)
_WORTH = re.compile(
    r"^(?:is it (?:a good idea|wise|smart|worth(?:while)?|time|right|reasonable|sensible|better|ok|okay|ethical|fair|"
    r"acceptable|sane)(?: for ([\w' -]+?))? to|would it be \w+(?: for ([\w' -]+?))? to|does it make sense"
    r"(?: for ([\w' -]+?))? to|whether (?:or not )?to|(?:do|does) ([\w' -]+?) (?:need|have|want) to)\s+(.+)",
    re.I,
)
_WORTHING = re.compile(r"^(?:is it worth(?:while)?|is it \w+|what about|how about|worth)\s+(\w+ing\b.*)", re.I)
_WITHIN = re.compile(
    r"\s+(?:in|within|by|over) (?:the )?(?:next |under )?[\w-]+ (?:days?|weeks?|months?|years?)$", re.I
)
_DO = re.compile(r"^(?:so )?what (?:should|do|can|could|would|must|shall)\s+(.+?)\s+do\b(.*)", re.I)
_WAY = re.compile(
    r"^what(?:'s| is| are| would be) (?:the |some |your )?(?:[\w-]+\s+){0,3}?ways? (?:to|of)\s+(.+)", re.I
)
_HOW = re.compile(r"^how (?:best )?(to|should|do|does|can|could|would|might|shall|must|may)\s+(.+)", re.I)
_PICK = re.compile(
    r"^(?:in |for |on |to |at |under |by )?(which|what|who|whom|where|how (?:many|much|long|often|big))\b(.*)", re.I
)
_JUDGE = re.compile(
    r"\b(?:should|can|could|do|may) (?:i|we|one|you)\s+(?:really\s+)?(?:believe|trust|rely on)\b(.*)", re.I
)
_THAT = re.compile(
    r"^(?:is|are) (?:there|it)\b[^?]*?"
    r"\b(?:evidence|proof|true|likely|known|certain|case|reason to (?:think|believe)) that\s+(.+)",
    re.I,
)
_PREDICATE = re.compile(r"(?:ive|ful|ous|able|ible|less|ed|ing|er|ary|ent|ant)$")
_PLAIN_PREDICATES = frozenset(
    [
        "safe",
        "good",
        "bad",
        "worth",
        "real",
        "true",
        "false",
        "enough",
        "possible",
        "better",
        "worse",
        "more",
        "less",
        "healthy",
        "fair",
        "legal",
        "right",
        "wrong",
        "cheap",
        "dead",
        "overrated",
        "harmful",
    ]
)


@dataclass(frozen=True)
class Question:
    """A question taken apart. `slots` are the words that templates use; all are always there."""

    text: str
    kind: Kind
    slots: Mapping[str, str]
    options: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()  # the person's own statements, verbatim
    details: tuple[str, ...] = ()  # what a text must hold, verbatim
    quantities: Quantities = field(default_factory=Quantities)
    ask: str = ""  # the sentence that asks, as it stands


def analyse(text: str, beside: str = "") -> Question:
    """Take a question apart; `beside` is what else the person said (constraints, priorities)."""
    whole = " ".join(text.split())
    ask, background = _ask(whole)
    found = next((q for rule in _RULES if (q := rule(ask, background))), None) or _open(ask, "?" in whole)
    slots = {**_NEUTRAL, **found.slots}
    return replace(
        found,
        text=text,
        slots=slots,
        facts=_facts(background),
        ask=_verbatim(whole, ask),
        quantities=quantities_of(f"{whole} \n{beside}"),
    )


_NEUTRAL = {
    "who": "you",
    "actor": "you",
    "act": "go ahead",
    "acting": "going ahead",
    "goal": "settle this",
    "goaling": "settling this",
    "topic": "this question",
    "claim": "the claim in the question",
    "thesis": "the claim in the question",
    "artifact": "the text",
    "x": "the first option",
    "y": "the second option",
    "a": "the first option",
    "b": "the second option",
}


def _ask(whole: str) -> tuple[str, tuple[str, ...]]:
    """The sentence that asks, without its mark, and the sentences around it."""
    sentences = [
        s.strip()
        for s in re.split(r"(?<=[.!?。？！])(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[^a-z])|\n+", whole)
        if s.strip()
    ]
    asking = next((i for i, s in enumerate(sentences) if s.endswith(("?", "？"))), None)
    if asking is None:
        asking = next((i for i, s in enumerate(sentences) if _WRITE.match(s)), 0)
    if not sentences:
        return "", ()
    ask = sentences[asking].strip(" ?!.？")
    lead = re.match(
        rf"^(?:so|and|but|ok|okay|hi|hello|now|well|honestly)[,:]?\s+(?=(?:{_AUX}|what|how|which)\b)", ask, re.I
    )
    ask = ask[lead.end() :] if lead else ask
    before = re.match(rf"^(.{{6,200}}?)[,:;]\s+((?:{_AUX}|how|what|which)\s.+)$", ask, re.I)
    around = tuple(s for i, s in enumerate(sentences) if i != asking)
    if before and not re.match(rf"^(?:{_AUX}|how|what|which|who|why)\b", ask, re.I):
        return before.group(2), (before.group(1), *around)
    return ask, around


def _verbatim(whole: str, ask: str) -> str:
    """The sentence that asks with its own first letter and mark; empty when it is too long to be repeated."""
    at = whole.casefold().find(ask.casefold())
    if at < 0 or not ask or len(ask.split()) > 60:
        return ""
    end = at + len(ask)
    mark = whole[end : end + 1]
    said = whole[at:end]
    return f"{said[:1].upper()}{said[1:]}{mark if mark in '?!？' else ''}"


def _write(ask: str, background: tuple[str, ...]) -> Question | None:
    found = _WRITE.match(ask)
    how = _WRITE_HOW.match(ask)
    if not found and not how:
        return None
    whole = (found or how).group(1)  # type: ignore[union-attr]
    head, *rest = re.split(r",\s+|\s+(?=so that\b|in order to\b)", whole)
    artifact = definite(to_you(_short(_uncoil(head))) or "the text")
    details = tuple(x for x in (p.strip(" .") for p in (_coil(head), *rest)) if len(x.split()) > 1)
    return Question(ask, "write", {"artifact": artifact}, details=details)


def _uncoil(head: str) -> str:
    """A noun phrase before its relative clause."""
    return re.split(r"\s+(?:by which|that|which|who|where|in which|for when)\s", head, maxsplit=1)[0]


def _coil(head: str) -> str:
    """The relative clause of a noun phrase, empty when it has none."""
    parts = re.split(r"\s+(?=(?:by which|that|which|in which)\s)", head, maxsplit=1)
    return parts[1] if len(parts) > 1 else ""


def _judge(ask: str, background: tuple[str, ...]) -> Question | None:
    found = _JUDGE.search(ask)
    if not found:
        return None
    thing = re.sub(r"^\s*(?:in|that)\s+", "", found.group(1)).strip(" .,")
    name = "the result you describe" if bare(thing) in ("", "it", "this", "that", "them") else definite(to_you(thing))
    name = _short(name) or "the result you describe"
    return Question(ask, "know", {"claim": name, "thesis": name})


def _that(ask: str, background: tuple[str, ...]) -> Question | None:
    found = _THAT.match(ask)
    return _claim(ask, found.group(1)) if found else None


def _claim(ask: str, clause: str) -> Question:
    """A question about a clause."""
    clause = without_aside(re.split(r",\s+and\s", clause)[0]).strip(" .,")
    tokens = clause.split()
    at = next((i for i in range(1, len(tokens)) if _finite(tokens[i])), -1)
    about = _short(to_you(" ".join(tokens[:at]))) if at > 0 else ""
    return Question(ask, "know", _claim_slots(about, to_you(clause)))


def _claim_slots(about: str, clause: str) -> dict[str, str]:
    about = re.split(rf"\s+(?:{'|'.join(words('before'))})\s", about)[0] if len(about.split()) > 4 else about
    name = f"the claim about {about}" if about and len(about.split()) <= 5 else "the claim in the question"
    thesis = f"the claim that {clause}" if clause and len(clause.split()) <= 24 else name
    return {"claim": name, "thesis": thesis}


def _finite(token: str) -> bool:
    word = bare(token)
    bases = {word[:-1], word[:-2], word[:-3] + "y"} if word.endswith("s") else set()
    return word in ("is", "are", "was", "were", "has", "have", "can", "will", "does") or bool(
        bases & (words("verbs") | words("nouns_too")) or word in words("verbs")
    )


def _do(ask: str, background: tuple[str, ...]) -> Question | None:
    found = _DO.match(ask)
    if not found:
        return None
    who = _who(found.group(1))
    return Question(ask, "act", {"who": who, "actor": who})


def _how(ask: str, background: tuple[str, ...]) -> Question | None:
    way, found = _WAY.match(ask), _HOW.match(ask)
    can = re.match(r"^(?:can|could) ((?:i|we|you|one)\s.+)", ask, re.I)
    if way:
        return _how_to(ask, way.group(1), "you")
    if found and found.group(1).casefold() == "to":
        return _how_to(ask, found.group(2), "you")
    if found or can:
        split = _split((found.group(2) if found else can.group(1)) if (found or can) else "")  # type: ignore[union-attr]
        if split:
            return _how_to(ask, split[1], _who(split[0]))
        return Question(ask, "how", {})
    return None


def _how_to(ask: str, phrase: str, who: str) -> Question:
    goal = _WITHIN.sub("", _act(phrase))
    if not goal or bare(goal.split()[-1]) in ("this", "it", "do", "that"):
        goal = "settle this"
    return Question(
        ask,
        "how",
        {"goal": goal, "goaling": gerund(goal), "who": who, "actor": who, "act": goal, "acting": gerund(goal)},
    )


def _should(ask: str, background: tuple[str, ...]) -> Question | None:
    ask = re.sub(r"^when\s+(?=(?:should|shall|must|do|would)\b)", "", ask, flags=re.I)
    if worth := _WORTH.match(ask):
        who = next((g for g in worth.groups()[:4] if g), "we")
        return _deed(ask, who, worth.group(5), background)
    if worth := _WORTHING.match(ask):
        phrase = without_aside(to_you(worth.group(1)))
        phrase = _short(phrase) or "going ahead"
        return Question(ask, "should", {"act": f"start {phrase}", "acting": phrase})
    found = re.match(r"^(should|shall|must|may|ought|do|would)\s+(.+)", ask, re.I)
    if not found:
        return None
    asks_self = re.match(r"(?:i|we)\b", found.group(2), re.I)
    if found.group(1).casefold() in ("do", "would") and not asks_self:
        return None
    split = _split(found.group(2))
    return _deed(ask, *split, background) if split else Question(ask, "should", {})


def _deed(ask: str, who: str, phrase: str, background: tuple[str, ...]) -> Question:
    """A question whether something should be done."""
    chosen = options(phrase)
    subject = _who(who)
    if len(chosen) > 1:
        return Question(ask, "choice", {}, options=chosen)
    act = re.sub(r"^need (?!to\b)", "go for ", _resolved(_act(phrase), background))
    passive = bare(act.split()[0]) == "be" if act else False
    slots = {"who": subject, "actor": "those in charge" if passive else subject}
    if act:
        slots |= {"act": act, "acting": "the plan" if passive else gerund(act)}
    noun = load("words")["nouns"].get(bare(act.split()[0])) if act else None
    return Question(ask, "should", slots | ({"plan": noun} if noun else {}))


def _choice(ask: str, background: tuple[str, ...]) -> Question | None:
    """`A or B` outside a question with should: `Which is better, A or B`, `Is A better than B`, `A vs B`."""
    if re.match(r"^[A-Z][a-z]+ or [a-z]", ask):
        ask = ask[0].lower() + ask[1:]
    versus = re.match(r"^(.{2,60}?)\s+(?:vs\.?|versus)\s+(.{2,60})$", ask, re.I)
    better = re.match(r"^(?:which|what)\b[^,:]*[,:]\s*(.+\bor\b.+)$", ask, re.I)
    than = re.match(r"^(?:is|are) (.+?) (?:better|cheaper|safer|faster) than (.+)$", ask, re.I)
    bare_or = re.match(r"^((?:[\w.+#'-]+ ){0,4}[\w.+#'-]+ or (?:[\w.+#'-]+ ?){1,5})(?: for .*)?$", ask)
    if versus or than:
        pair = (versus or than).groups()  # type: ignore[union-attr]
        found = tuple(option_of(to_you(without_aside(p).strip(" .,"))) for p in pair)
    elif better or (bare_or and not re.match(rf"^(?:{_AUX}|who|why|how|what|which)\b", ask, re.I)):
        found = options((better or bare_or).group(1))  # type: ignore[union-attr]
    else:
        return None
    return Question(ask, "choice", {}, options=found) if len(found) > 1 and all(found) else None


def _pick(ask: str, background: tuple[str, ...]) -> Question | None:
    found = _PICK.match(ask)
    if not found:
        return None
    rest = found.group(2)
    decides = re.search(
        r"\b(?:should|best|right|better|ideal|must|shall|recommend|most suitable|to (?:use|choose|take|pick))\b",
        ask,
        re.I,
    )
    if not decides:
        about = re.match(rf"^\s*(?:{_AUX})\s+(.+)", rest)
        name = _short(definite(to_you(without_aside(about.group(1)).strip(" .,")))) if about else ""
        usual = f"the usual answer on {name}" if name and len(name.split()) <= 4 else "the usual answer"
        return Question(ask, "know", {"claim": usual, "thesis": usual})
    return Question(ask, "pick", {"topic": _topic(found.group(1), rest)})


def _topic(word: str, rest: str) -> str:
    """What is to be picked, as a noun phrase."""
    best = re.match(
        r"^(?:'s| is| are| would be)\s+(?:the |our |my )?(?:best|right|ideal|better|most suitable)\s+(.+)", rest, re.I
    )
    ours = re.match(r"^\s+should\s+((?:our|my|the|your)\s+.+?)\s+be\b", rest, re.I)
    noun = re.match(r"^\s+((?:[\w-]+\s+){1,4}?)(?:should|would|shall|must|is|are|do|can)\b", rest, re.I)
    phrase = (
        best.group(1)
        if best
        else ours.group(1)
        if ours
        else noun.group(1)
        if noun and word.casefold() in ("which", "what")
        else ""
    )
    phrase = _short(to_you(without_aside(phrase)).strip(" .,"))
    counted = re.match(r"^\s+([\w-]+(?: [\w-]+)?) (?:should|do|would|is|are)\b", rest, re.I)
    if counted and word.casefold() in ("how many", "how much"):
        return f"the {'number' if word.casefold() == 'how many' else 'amount'} of {to_you(counted.group(1))}"
    if not phrase:
        return {"who": "the choice of a person", "where": "the choice of a place"}.get(word.casefold(), "this question")
    return phrase if re.match(r"^(?:the|your)\b", phrase, re.I) else f"the {phrase}"


def _know(ask: str, background: tuple[str, ...]) -> Question | None:
    if re.match(r"^why\b", ask, re.I):
        return Question(ask, "know", {"claim": "the usual explanation", "thesis": "the usual explanation"})
    found = re.match(rf"^({_AUX})(?:n't)?\s+(.+)", ask, re.I)
    if not found:
        return None
    aux, rest = found.group(1).casefold(), re.split(r",\s+and\s", found.group(2))[0]
    rest = without_aside(rest).strip(" .,")
    if aux in ("is", "are", "was", "were"):
        return Question(ask, "know", _stated(aux, rest))
    tokens = rest.split()
    at = verb_at(tokens)
    if at < 0:
        return Question(ask, "know", _claim_slots("", ""))
    subject, verb, tail = " ".join(tokens[:at]), tokens[at], " ".join(tokens[at + 1 :])
    said = third(verb) if aux in ("does",) else verb if aux == "do" else f"{aux} {verb}"
    return Question(ask, "know", _claim_slots(_short(to_you(subject)), to_you(f"{subject} {said} {tail}".strip())))


def _stated(aux: str, rest: str) -> dict[str, str]:
    """`Is S P` as a claim; S ends before the first word that looks like a predicate."""
    tokens = rest.split()
    for i in range(1, len(tokens)):
        word = bare(tokens[i])
        if (
            word in _PLAIN_PREDICATES
            or word in ("a", "an", "the")
            or (_PREDICATE.search(word) and i == len(tokens) - 1)
            or (_PREDICATE.search(word) and bare(tokens[i + 1]) in words("before"))
        ):
            subject = " ".join(tokens[:i])
            return _claim_slots(_short(to_you(subject)), to_you(f"{subject} {aux} {' '.join(tokens[i:])}"))
    return _claim_slots("", "")


def _open(ask: str, asked: bool) -> Question:
    """Whatever fits nothing: a deed or a task if it begins with a verb, else a topic."""
    phrase = without_aside(ask).strip(" .,")
    tokens = phrase.split()
    begins = bare(tokens[0]) if len(tokens) > 1 and phrase.isascii() else ""
    if begins in words("verbs") or (begins in words("nouns_too") and bare(tokens[1]) in words("small")):
        return _deed(ask, "we", phrase, ()) if asked else _how_to(ask, phrase, "you")
    short = to_you(phrase)
    if short and re.fullmatch(r"[A-Za-z][\w' .+#-]*", short) and len(short.split()) <= 4 and len(short) < 40:
        return Question(
            ask, "pick", {"topic": short if any(c.isupper() for c in short[1:]) else short[:1].lower() + short[1:]}
        )
    return Question(ask, "pick", {})


_RULES: tuple[Callable[[str, tuple[str, ...]], Question | None], ...] = (
    _write,
    _judge,
    _that,
    _do,
    _choice,
    _should,
    _how,
    _pick,
    _know,
)


def _split(clause: str) -> tuple[str, str] | None:
    """Subject and verb phrase of a clause; None where the line between them is not clear."""
    tokens = clause.split()
    if not tokens:
        return None
    joined = re.match(r"^((?:my|our|the|his|her) [\w-]+ and (?:i|me|we))\s+(.+)", clause, re.I)
    if joined:
        return joined.group(1), joined.group(2)
    if bare(tokens[0]) in _PRONOUNS and len(tokens) > 1:
        return tokens[0], " ".join(tokens[1:])
    at = verb_at(tokens)
    if at < 1 or at > 9:
        return None
    return " ".join(tokens[:at]), " ".join(tokens[at:])


def _who(subject: str) -> str:
    """The subject at a later mention."""
    together = re.match(r"^(?:my|our) ([\w-]+) and (?:i|me|we)$", subject.strip(), re.I)
    if together:
        return f"you and your {together.group(1)}"
    said = definite(to_you(re.sub(r"\b(?:also|ever|really|now|still|even|just)\s*$", "", subject.strip())))
    if bare(said) in ("you", "one", "they", "he", "she", "it", "everyone"):
        return "you" if bare(said) in ("you", "one", "everyone") else bare(said)
    return _short(said) or "those concerned"


def _act(phrase: str) -> str:
    """A verb phrase, short enough to be said by several agents; empty where it cannot be had."""
    phrase = without_aside(
        re.sub(
            r"^(?:really|just|ever|still|now|even|not|also|already|rather|finally|actually)\s+",
            "",
            phrase.strip(),
            flags=re.I,
        ),
    )
    phrase = disowned(to_you(phrase)).strip(" .,?!")
    short = cut(phrase, LONGEST)
    return (short[:1].lower() + short[1:]) if short and not short.isupper() else short


def _short(phrase: str) -> str:
    return cut(phrase.strip(" .,?!"), LONGEST - 1)


def _resolved(act: str, background: tuple[str, ...]) -> str:
    """The act with `it` replaced by what it stands for, where the sentences before say so plainly."""
    text = " ".join(background)
    if re.fullmatch(r"do (?:it|this|that|so)", act, re.I):
        wants = re.search(
            r"\b(?:wants?|plans?|proposes?|considers?|hopes?|would like|intends?) to\s+(.+?)(?:[.;]|$)", text
        )
        return _act(wants.group(1)) if wants else "go ahead"
    if re.search(r"\bit\b", act) and (thing := _meant(text)):
        return re.sub(r"\bit\b", thing, act, count=1)
    return act


def _meant(text: str) -> str:
    """What `it` most likely stands for in the sentences before."""
    had = re.search(r"\b(?:have|has|got|wants?|needs?|received|found|offered)\s+(an?\s+.{3,60})", text)
    own = re.match(
        r"^((?:our|my|this|the)\s+(?:[\w/-]+\s+){0,2}?[\w/-]+)\s+(?:that|which|who|is|are|has|now|takes|shows|needs|costs|was|will)\b",
        text,
        re.I,
    )
    phrase = had.group(1) if had else own.group(1) if own else ""
    phrase = re.split(r"[.,;]", phrase)[0]
    tokens = phrase.split()
    end = next(
        (i for i in range(2, len(tokens)) if bare(tokens[i]) in words("before") | {"that", "which", "who", "and"}),
        len(tokens),
    )
    return definite(to_you(" ".join(tokens[:end]))) if 1 < end <= 4 else ""


def _facts(background: tuple[str, ...]) -> tuple[str, ...]:
    """The person's own statements with a figure in them, as they stand."""
    clauses = [c.strip(" .") for s in background for c in re.split(r";\s+|(?<=\w),\s+(?=(?:and|but)\s)", s)]
    numbers = load("words")["numbers"]
    return tuple(
        c
        for c in clauses
        if 4 <= len(c.split()) <= 22
        and (re.search(r"\d", c) or {bare(t) for t in c.split()} & (set(numbers) - {"one"}))
    )[:3]
