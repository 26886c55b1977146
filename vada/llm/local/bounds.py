"""The schema a small model is held to: the reply's own, with an end to every list and text and only shown labels.

Pure. What it narrows is what our checks would refuse or a later phase would not find: a label nobody showed, a list
that never ends, an address made up. It fixes no verdict, score, stance or sentence.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from vada.llm.local.grammar import PAGE
from vada.llm.local.shown import HELD, Shown

Schema = dict[str, Any]

_TEXT = 300  # characters of a text that has no bound of its own
_LIST = 3  # items of a list that has no bound of its own
_CERTAINTY = [n / 20 for n in range(2, 20)]  # 0.1 to 0.95
_SCORES = [n / 2 for n in range(21)]  # 0 to 10
_DAY = "(0[1-9]|1[0-9]|2[0-8])"
_FIELDS = ("recommendation", "key_condition", "caveats", "conditional_branches", "unresolved_points", "review_by")

_LONGEST = {
    "ProposalReply.proposal": 700,
    "ProposalReply.draft": 2800,
    "ProposalReply.change_my_mind": 400,
    "PointReply.key": 30,
    "PointReply.value": 60,
    "ObjectionReply.target": 120,
    "ObjectionReply.steel_man": 450,
    "ObjectionReply.objection": 450,
    "VetoReply.target": 80,
    "VetoReply.remove": 200,
    "DefenceItemReply.reason": 500,
    "RulingReply.reason": 350,
    "DecisionReply.key": 30,
    "DecisionReply.value": 60,
    "SynthesisReply.synthesis": 1800,
    "AmendmentReply.text": 400,
    "AmendmentReply.where": 100,
    "ConclusionReply.recommendation": 900,
    "ScoreReply.reason": 200,
    "PointFateReply.note": 80,
    "ConstraintCheckReply.reason": 120,
    "IssueReply.claim": 200,
    "IssueReply.correction": 200,
    "DeliverableReply.text": 3800,
    "AuditReply.objection": 450,
}
"""Characters, by `Class.field`: the prompts' word limits with room to spare, so that a sentence can end."""


def bounded(schema: Schema, seen: Shown) -> Schema:
    """The schema without references, bounded, and narrowed to what the prompt shows."""
    flat: Schema = _flat(schema, schema.get("$defs", {}))
    _bound(flat, "")
    narrow = _NARROW.get(schema.get("title", "")) if seen.role else None
    return narrow(flat, seen) if narrow else flat


def _flat(node: Any, defs: Schema) -> Any:
    """A copy with every `$ref` replaced by what it names."""
    if isinstance(node, list):
        return [_flat(n, defs) for n in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        named = _flat(defs[node["$ref"].removeprefix("#/$defs/")], defs)
        return {**named, **{k: v for k, v in node.items() if k != "$ref"}}
    return {k: _flat(v, defs) for k, v in node.items() if k != "$defs"}


def _bound(node: Schema, name: str) -> None:
    """Give every text and list an end, and a probability its range."""
    match node.get("type"):
        case "object":
            for key, prop in node.get("properties", {}).items():
                _bound(prop, f"{node.get('title', '')}.{key}")
        case "array":
            node.setdefault("maxItems", _LIST)
            _bound(node["items"], name)
            if "maxLength" in node["items"]:
                _filled(node["items"], 1)  # a list of nothing is an empty list
        case "string" if not node.keys() & {"enum", "const", "format", "pattern"}:
            node.setdefault("maxLength", _LONGEST.get(name, _TEXT))
        case "number" if name.endswith(".confidence"):
            node["enum"] = _CERTAINTY


# The replies, each narrowed.


def _proposal(schema: Schema, seen: Shown) -> Schema:
    fields = schema["properties"]
    writes, objects = seen.role.startswith("Optimizer"), seen.role == "Challenger"
    _filled(fields["weakness"], 30)
    _filled(fields["proposal"], 60)
    _some(fields["points"], 2, 3)  # more of them only say the same again
    _filled(fields["change_my_mind"], 30)
    _begin(fields["points"], "key", ["answer"])
    _withhold(fields, "cannot")  # it fills the field because it is there
    _withhold(fields, *({"draft", "objections", "vetoes"} - _OWN.get(seen.role, set())))
    if writes:
        _filled(fields["draft"], 600)
        fields["draft"][PAGE] = True
        early = ("weakness", "proposal", "draft")  # after the points it would only list them again
        schema["properties"] = fields = {n: fields[n] for n in dict.fromkeys((*early, *fields))}
    if objects:
        _some(fields["objections"], 1, 2)
        _filled(fields["objections"]["items"]["properties"]["steel_man"], 100)
        _filled(fields["objections"]["items"]["properties"]["objection"], 60)
        if seen.context_keys:
            _only(fields["objections"]["items"]["properties"]["target"], seen.context_keys)
    _sources(fields, seen, cites=("points", "objections"))
    return schema


_OWN = {
    "Optimizer A": {"draft"},
    "Optimizer B": {"draft"},
    "Challenger": {"objections"},
    "Simplifier": {"vetoes"},
}
"""What a debater writes beside its proposal."""


def _defence(schema: Schema, seen: Shown) -> Schema:
    fields = schema["properties"]
    _each(fields["answers"], "challenge", seen.challenges)
    _withhold(fields, "cannot")
    _sources(fields, seen, cites=("answers",))
    return schema


def _sources(fields: Schema, seen: Shown, cites: Sequence[str]) -> None:
    """It has looked nothing up: what it can cite is the person's material and the sources a prompt shows."""
    new = ["S1", "S2"] if seen.material else []
    for name in cites:
        for item in _items(fields[name]):
            _only_each(item["properties"]["evidence"], [*seen.sources, *new])
    _some(fields["sources"], 0, len(new))
    source = fields["sources"]["items"]["properties"]
    _only(source["ref"], new or ["S1"])
    _withhold(source, "url")


def _synthesis(schema: Schema, seen: Shown) -> Schema:
    fields = schema["properties"]
    _each(fields["rulings"], "target", seen.challenges)
    _each(fields["veto_rulings"], "target", seen.vetoes)
    for name in ("rulings", "veto_rulings"):
        for item in _items(fields[name]):
            _only_each(item["properties"]["cites"], seen.labels)
    _decisions(fields["decisions"], seen)
    _filled(fields["synthesis"], 200)
    overruled = [*seen.challenges, *seen.vetoes, *(p.label for p in seen.points if p.confidence >= 0.6)]
    _only(fields["minority"]["items"]["properties"]["point"], overruled, of=fields["minority"])
    _constrained(fields["renegotiations"], seen, most=1)
    _some(fields["removed"], 0, 3 if seen.last_decisions or seen.vetoes else 0)
    if drafts := seen.drafts or seen.letters:
        _only(fields["base_draft"], drafts)
    _some(fields["amendments"], 1 if seen.drafts else 0, 3)
    amendment = fields["amendments"]["items"]["properties"]
    _filled(amendment["text"], 30)
    _only_each(amendment["tied_to"], seen.labels)
    _conclusion(fields["conclusion"], seen)
    return schema


def _decisions(decisions: Schema, seen: Shown) -> None:
    """The answer first, then every decision of the last round under its key, then what the points bring."""
    item = decisions["items"]["properties"]
    _filled(item["statement"], 30)
    _only_each(item["holders"], seen.letters)
    _only_each(item["points"], [p.label for p in seen.points])
    _only_each(item["reasons"], [*seen.sources, *seen.challenges] if seen.last_decisions else [])
    again = [k for k in seen.last_decisions if k != "answer"]
    _some(decisions, 1 + len(again), max(3, len(again) + 2))
    new = list(dict.fromkeys(p.key for p in seen.points if p.key not in ("answer", *again)))
    if new:
        _only(item["key"], new)
    _begin(decisions, "key", ["answer", *again])


def _conclusion(conclusion: Schema, seen: Shown) -> None:
    fields = conclusion["properties"]
    _filled(fields["recommendation"], 60)
    _some(fields["conditional_branches"], 0, 2)
    _some(fields["unresolved_points"], 0, 2)
    _only_each(fields["unresolved_points"]["items"]["properties"]["agents"], seen.letters)
    fields["review_by"].pop("maxLength", None)
    fields["review_by"]["pattern"] = f"^({_date_after(seen.today)})?$"


def _date_after(today: str) -> str:
    """A pattern for a day in a later month of this year or in the next; for any day when today is not told."""
    if not today:
        return rf"20[2-9][0-9]-(0[1-9]|1[0-2])-{_DAY}"
    year, month = int(today[:4]), int(today[5:7])
    later = "|".join(f"{m:02}" for m in range(month + 1, 13))
    this_year = f"{year}-({later})|" if later else ""
    return f"({this_year}{year + 1}-(0[1-9]|1[0-2]))-{_DAY}"


def _verification(schema: Schema, seen: Shown) -> Schema:
    fields = schema["properties"]
    fields["scores"]["items"]["properties"]["score"]["enum"] = _SCORES
    _each(fields["scores"], "dimension", seen.dimensions)
    _each(fields["points"], "point", [p.label for p in seen.points if p.confidence >= HELD])
    if not seen.last_scores:
        _withhold(fields, "diff")
    _only(fields["sunsets"]["items"]["properties"]["key"], seen.decisions, of=fields["sunsets"])
    _some(fields["sunsets"], 0, min(1, fields["sunsets"]["maxItems"]))
    _each(fields["constraints"], "constraint", seen.constraints)
    error = fields["errors"]["items"]["properties"]
    _only(error["target"], [*(p.label for p in seen.points), *seen.decisions, "synthesis"])
    return schema


def _compression(schema: Schema, seen: Shown) -> Schema:
    items = schema["properties"]["items"]
    if seen.items:
        room = int(3.5 * seen.budget / len(seen.items))  # about four characters a token
        items["items"]["properties"]["text"]["maxLength"] = max(80, room)
        _each(items, "label", seen.items)
    return schema


def _deliverable(schema: Schema, seen: Shown) -> Schema:
    fields = schema["properties"]
    _filled(fields["text"], 300)
    fields["text"][PAGE] = True
    _only_each(fields["applied"], seen.amendments)
    fields["applied"]["maxItems"] = len(seen.amendments)
    return schema


def _audit(schema: Schema, seen: Shown) -> Schema:
    """Either a pass with nothing beside it, or a flag with its field and objection."""
    passed, flagged = copy.deepcopy(schema), schema
    _only(passed["properties"]["verdict"], ["pass"])
    _withhold(passed["properties"], "field", "objection")
    _only(flagged["properties"]["verdict"], ["flag"])
    _only(flagged["properties"]["field"], _FIELDS)
    _filled(flagged["properties"]["objection"], 30)
    return {"title": schema["title"], "anyOf": [passed, flagged]}


def _revision(schema: Schema, seen: Shown) -> Schema:
    """Only the flagged field is written; the others are copied as they stand."""
    _conclusion(schema["properties"]["conclusion"], seen)
    fields = schema["properties"]["conclusion"]["properties"]
    for name in fields.keys() & seen.conclusion.keys() - {seen.flagged}:
        fields[name] = {"const": seen.conclusion[name]}
    return schema


_NARROW: dict[str, Callable[[Schema, Shown], Schema]] = {
    "ProposalReply": _proposal,
    "DefenceReply": _defence,
    "SynthesisReply": _synthesis,
    "VerificationReply": _verification,
    "CompressionReply": _compression,
    "DeliverableReply": _deliverable,
    "AuditReply": _audit,
    "RevisionReply": _revision,
}


# What a narrowing is made of.


def _filled(text: Schema, least: int) -> None:
    """A text of at least so many characters."""
    text["minLength"] = least


def _some(array: Schema, least: int, most: int) -> None:
    array["minItems"], array["maxItems"] = least, most


def _only(value: Schema, allowed: Iterable[str], of: Schema | None = None) -> None:
    """A text that is one of those; the list `of` is empty where there are none."""
    allowed = list(allowed)
    if allowed:
        for bound in ("minLength", "maxLength"):
            value.pop(bound, None)
        value["enum"] = allowed
    elif of is not None:
        _some(of, 0, 0)


def _only_each(array: Schema, allowed: Iterable[str]) -> None:
    """A list of some of those."""
    allowed = list(allowed)
    _only(array["items"], allowed, of=array)
    if allowed:
        _some(array, 0, min(_LIST, len(allowed)))


def _each(array: Schema, field: str, labels: Sequence[str]) -> None:
    """One item for each label, in their order, and no more."""
    _begin(array, field, labels)
    _some(array, len(labels), len(labels))


def _begin(array: Schema, field: str, values: Iterable[str]) -> None:
    """The first items have these values in one field."""
    first = []
    for value in values:
        item = copy.deepcopy(array["items"])
        _only(item["properties"][field], [value])
        first.append(item)
    array["prefixItems"] = first


def _items(array: Schema) -> list[Schema]:
    """The schemas of a list's items, those of its first ones too."""
    return [*array.get("prefixItems", ()), array["items"]]


def _constrained(array: Schema, seen: Shown, most: int) -> None:
    _only(array["items"]["properties"]["constraint"], seen.constraints, of=array)
    if seen.constraints:
        _some(array, 0, most)


def _withhold(fields: Schema, *names: str) -> None:
    """Leave fields empty."""
    for name in names:
        if fields[name]["type"] == "array":
            _some(fields[name], 0, 0)
        else:
            fields[name] = {"type": "string", "const": ""}
