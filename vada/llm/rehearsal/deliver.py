"""The Formatter's page and the Coordinator's shortening: what was decided elsewhere, put into its last form."""

import re

from vada.llm.rehearsal import draft
from vada.llm.rehearsal.case import Case
from vada.llm.rehearsal.page import Page, clipped, sentences
from vada.llm.rehearsal.reading import Tag
from vada.models.replies import CompressedReply, CompressionReply, DeliverableReply
from vada.tokens import count

_TAILS = re.compile(r"(?:;|, (?:because|since|so that|which|where|as|and)\b|\s\(|: | because | since )")


def deliver(case: Case) -> DeliverableReply:
    """The base draft with every amendment at its place, the structure kept, within the limits."""
    page = Page.of(_base(case))
    applied = [
        a.get("label") for a in case.wire.given("amendment") if page.amend(a.get("kind"), a.text, a.get("where"))
    ]
    left = [said for issue in case.wire.given("issue") if (said := _settle(page, issue))]
    draft.keep(case, page, case.wire.cap(700))
    return DeliverableReply(text=page.text(), applied=applied, left_open=left)


def _base(case: Case) -> str:
    found = next((t.text for t in case.wire.given("base_draft") if t.text), "")
    return found or next((t.text for t in case.wire.given("synthesis") if t.text), "") or case.answer.say("answer")


def _settle(page: Page, issue: Tag) -> str:
    """Correct a fault where it stands in the page; its words when it stands and cannot be corrected."""
    claim, _, rest = issue.text.partition(" (correction: ")
    correction = rest.removesuffix(")").strip()
    if not claim or page.find(claim) < 0:
        return ""
    if issue.get("kind") == "unsupported_number":
        page.without(claim)
        return ""
    return (
        clipped(claim, 16)
        if not correction or correction.startswith(("Name who", "State where"))
        else _corrected(page, claim, correction)
    )


def _corrected(page: Page, claim: str, correction: str) -> str:
    return "" if page.amend("correction", correction, claim) else clipped(claim, 16)


def compress(case: Case) -> CompressionReply:
    """Every item in fewer words, the most important first, until they fit."""
    items = case.wire.given("item")
    block = next(iter(case.wire.given("items")), None)
    budget = int(block.number("budget", 400)) if block else 400
    texts = {i.get("label"): i.text for i in items}
    for attempt in range(4):
        if sum(count(t) + 4 for t in texts.values()) <= budget:
            break
        texts = {label: _shorter(text, attempt) for label, text in texts.items()}
    order = sorted(texts, key=lambda label: "DAN".find(label[:1]))
    return CompressionReply(items=[CompressedReply(label=label, text=texts[label]) for label in order])


def _shorter(text: str, attempt: int) -> str:
    """A sentence without its reason, then without its second half; what stands in brackets before it stays."""
    head = re.match(r"^(\[[^\]]+\]\s*)?(.*?)(\s\([^()]*confidence [\d.]+\))?$", text, re.S)
    before, body, after = (head.group(1) or "", head.group(2), head.group(3) or "") if head else ("", text, "")
    if attempt == 0:
        body = re.sub(r"\s\([^()]*\)\.?$", "", body)
        body = sentences(body)[0] if body else body
    elif cut := _TAILS.search(body, 20):
        body = body[: cut.start()].rstrip(" ,;:") + "."
    elif attempt > 1:
        body = clipped(body, 12)
    return f"{before}{body}{after}"
