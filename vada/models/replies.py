"""What a model is asked to answer: small, flat schemas. Bounds are checked after, not on the wire.

References on the wire are the labels a prompt shows (`A1`, `X2`, `V1`, `C3`, a decision key, `S1` a source); the phases
turn them into stable ids. Field descriptions are read by the model. The class name is the schema's title.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_WORDS = {"high": 0.8, "medium": 0.6, "low": 0.4}


def _confidence(raw: object) -> object:
    """0–1, 0–100 or high/medium/low to 0–1; anything else is left for validation to refuse."""
    if isinstance(raw, str):
        raw = _WORDS.get(raw.strip().lower(), raw)
        if isinstance(raw, str):
            raw = raw.strip().rstrip("%")
            try:
                raw = float(raw)
            except ValueError:
                return raw
    if isinstance(raw, (int, float)) and not isinstance(raw, bool) and 1 < raw <= 100:
        return raw / 100
    return raw


Confidence = Annotated[float, BeforeValidator(_confidence), Field(description="0 to 1")]


class Reply(BaseModel):
    """A wire reply. Lists may be absent in a sloppy reply; the schema asks for every field."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def wire_schema(cls) -> dict[str, Any]:
        """The JSON schema for the wire: every property required, no defaults, nothing additional."""
        schema = cls.model_json_schema()
        for node in (schema, *schema.get("$defs", {}).values()):
            if node.get("type") == "object":
                node["required"] = list(node["properties"])
                node["additionalProperties"] = False
                node.pop("description", None)
                for prop in node["properties"].values():
                    prop.pop("default", None)
        return schema


class SourceReply(Reply):
    ref: str = Field(description="S1, S2, …; how the points cite it")
    title: str
    url: str = Field(default="", description="exact address as the search returned it, or empty")
    quote: str = Field(default="", description="the words it is cited for, or empty")


class PointReply(Reply):
    key: str = Field(
        description="short slug of the issue it answers, such as rollout or budget; reuse the brief's keys"
    )
    claim: str = Field(description="one whole sentence")
    value: str = Field(default="", description="your stance on the key in at most six words")
    confidence: Confidence
    evidence: list[str] = Field(default_factory=list, description="refs of your sources, empty if you have none")


class ObjectionReply(Reply):
    target: str = Field(description="the decision key or the claim you attack")
    steel_man: str = Field(
        description="the strongest case for what you attack, at least fifteen words, "
        "fair enough that its author would sign it"
    )
    objection: str = Field(description="the specific flaw and what would follow from it")
    evidence: list[str] = Field(default_factory=list, description="refs of your sources, empty if you have none")
    confidence: Confidence


class VetoReply(Reply):
    target: str = Field(description="the decision key or part that should go")
    remove: str = Field(description="what exactly is taken out")
    reason: str


class ProposalReply(Reply):
    weakness: str = Field(description="one weakness of the obvious or current answer, written before anything else")
    proposal: str = Field(description="your proposal in whole sentences")
    points: list[PointReply] = Field(description="the claims it rests on")
    change_my_mind: str = Field(default="", description="the one finding that would make you change your view")
    draft: str = Field(default="", description="Optimizers: the full draft for the reader; other roles: empty")
    objections: list[ObjectionReply] = Field(
        default_factory=list, description="Challenger: at least one; other roles: empty"
    )
    vetoes: list[VetoReply] = Field(default_factory=list, description="Simplifier: what must go; other roles: empty")
    sources: list[SourceReply] = Field(default_factory=list)
    cannot: str = Field(default="", description="why you cannot answer and what you would need; empty when you answer")


class DefenceItemReply(Reply):
    challenge: str = Field(description="label of the challenge, X1, X2, …")
    verdict: Literal["defend", "concede"]
    reason: str
    evidence: list[str] = Field(default_factory=list, description="refs of your sources, empty if you have none")


class DefenceReply(Reply):
    answers: list[DefenceItemReply]
    sources: list[SourceReply] = Field(default_factory=list)
    cannot: str = Field(default="", description="why you cannot answer; empty when you answer")


class RulingReply(Reply):
    target: str = Field(description="X1, X2, …")
    verdict: Literal["upheld", "partial", "overruled", "undecided"]
    reason: str
    cites: list[str] = Field(
        default_factory=list, description="labels the ruling rests on: points, sources, constraints"
    )


class VetoRulingReply(Reply):
    target: str = Field(description="V1, V2, …")
    verdict: Literal["stands", "overruled"]
    reason: str
    cites: list[str] = Field(
        default_factory=list, description="the constraint or evidence that overrules it; needed to overrule"
    )


class DecisionReply(Reply):
    key: str = Field(description="slug of the issue; keep the key of an earlier round for the same issue")
    statement: str
    value: str = Field(description="the decided stance in at most six words")
    status: Literal["decided", "active"]
    confidence: Confidence
    holders: list[str] = Field(default_factory=list, description="letters of the proposals that hold it")
    points: list[str] = Field(default_factory=list, description="labels of the points it comes from, such as A1")
    reasons: list[str] = Field(
        default_factory=list,
        description="if it changed since the last round: the evidence or upheld challenges that changed it",
    )


class MinorityReply(Reply):
    point: str = Field(description="label of the overruled point, challenge or veto")
    position: str
    reason: str = Field(default="", description="why it did not prevail")


class RenegotiationReply(Reply):
    constraint: str = Field(description="C1, C2, …")
    request: str
    reason: str


class AmendmentReply(Reply):
    kind: Literal["correction", "caveat", "first_step", "trigger", "deletion"]
    text: str
    where: str = Field(description="the sentence or step of the base draft it changes")
    tied_to: list[str] = Field(
        default_factory=list, description="label of the ruling, veto, point or constraint behind it"
    )


class BranchReply(Reply):
    condition: str
    path: str


class UnresolvedReply(Reply):
    point: str
    position_a: str
    position_b: str
    agents: list[str] = Field(default_factory=list, description="letters")


class ConclusionReply(Reply):
    recommendation: str
    key_condition: str = ""
    caveats: list[str] = Field(default_factory=list)
    conditional_branches: list[BranchReply] = Field(default_factory=list)
    unresolved_points: list[UnresolvedReply] = Field(default_factory=list)
    review_by: str = Field(default="", description="ISO date, or empty")


class SynthesisReply(Reply):
    rulings: list[RulingReply] = Field(default_factory=list, description="one for every challenge")
    veto_rulings: list[VetoRulingReply] = Field(default_factory=list, description="one for every veto")
    decisions: list[DecisionReply]
    synthesis: str
    minority: list[MinorityReply] = Field(default_factory=list)
    renegotiations: list[RenegotiationReply] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list, description="what was taken out since the last round")
    base_draft: str = Field(description="letter of the draft the deliverable is built on")
    why_not_obvious: str = Field(default="", description="if you leave the obvious answer: the evidence that beats it")
    amendments: list[AmendmentReply] = Field(default_factory=list)
    conclusion: ConclusionReply


class ScoreReply(Reply):
    dimension: str = Field(description="the dimension's key")
    score: float = Field(description="0 to 10 on the dimension's scale")
    reason: str


class PointFateReply(Reply):
    point: str = Field(description="label, such as A1")
    fate: Literal["kept", "merged", "overruled", "dropped"]
    note: str = ""


class SunsetReply(Reply):
    key: str
    reason: str


class ConstraintCheckReply(Reply):
    constraint: str = Field(description="C1, C2, …")
    holds: Literal["yes", "no", "unclear"]
    reason: str


class IssueReply(Reply):
    kind: Literal["wrong", "unsupported_number", "contradiction", "not_actionable", "unclear"]
    target: str = Field(description="a point's label, a decision key, or synthesis")
    claim: str = Field(description="the faulty words")
    correction: str = ""


class VerificationReply(Reply):
    scores: list[ScoreReply] = Field(description="one for every dimension")
    points: list[PointFateReply] = Field(description="one for every point with confidence of 0.7 or more")
    diff: str = Field(default="", description="what changed since the last round")
    sunsets: list[SunsetReply] = Field(default_factory=list)
    constraints: list[ConstraintCheckReply] = Field(default_factory=list, description="one for every constraint")
    errors: list[IssueReply] = Field(default_factory=list)


class CompressedReply(Reply):
    label: str = Field(description="the item's label as shown")
    text: str


class CompressionReply(Reply):
    items: list[CompressedReply] = Field(description="the shown items, shortened, most important first")


class DeliverableReply(Reply):
    text: str = Field(description="the page, in Markdown")
    applied: list[str] = Field(default_factory=list, description="labels of the amendments applied, M1, M2, …")
    left_open: list[str] = Field(default_factory=list, description="faults that stand in the page as open")


class AuditReply(Reply):
    verdict: Literal["pass", "flag"]
    field: str = Field(default="", description="the one field at fault; empty on pass")
    objection: str = Field(default="", description="the exact objection; empty on pass")


class RevisionReply(Reply):
    conclusion: ConclusionReply


class BaselineReply(Reply):
    text: str = Field(description="the page, in Markdown")


REPLIES: dict[str, type[Reply]] = {
    r.__name__: r
    for r in (
        ProposalReply,
        DefenceReply,
        SynthesisReply,
        VerificationReply,
        CompressionReply,
        DeliverableReply,
        AuditReply,
        RevisionReply,
        BaselineReply,
    )
}
"""Every reply a prompt can ask for, by its schema title."""
