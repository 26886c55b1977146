"""The annex: what code renders from the record so that the page need not carry it. Pure; no model lays anything out."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from vada import minority
from vada.exports.blocks import Block, Bullets, Change, Facts, Heading, Prose, Sources, Table, Tone, Words
from vada.exports.names import Names, dollars, moment, people, seconds
from vada.exports.record import HOLDS, base_round, renegotiations, wholly_offline
from vada.models.outputs import (
    AuditPass,
    Challenge,
    Conclusion,
    Decision,
    Defence,
    Ruling,
    Veto,
    VetoRuling,
)
from vada.models.run import CallTrace, Round, Run, Usage
from vada.models.vocabulary import AuditVerdict, DefenceVerdict, PhaseName, Role, Verdict, VetoVerdict
from vada.scoring import spoken

NONE = "None."

_RULED = {
    Verdict.UPHELD: Tone.BAD,
    Verdict.PARTIAL: Tone.ATTENTION,
    Verdict.OVERRULED: Tone.INFO,
    Verdict.UNDECIDED: Tone.ATTENTION,
}


def annex(run: Run, base: Round | None, names: Names) -> Iterator[Block]:
    """The sections of the annex, in order; what has not happened yet is left out."""
    synthesis = base.synthesis if base else None
    if run.conclusion:
        yield from _conclusion(run.conclusion)
    if synthesis:
        yield from _minority(minority.views(run.rounds, base.number) if base else (), names)
    yield from _register(run, names)
    if synthesis:
        yield from _decisions(run, synthesis.decisions, synthesis.why_not_obvious, names)
    yield from _scores(run, base, names)
    yield from _faults(run)
    if synthesis:
        yield from _open_questions(run)
        yield from _renegotiations(run)
    if run.deliverable:
        yield from _audit(run)
    yield from _baseline(run)
    yield from _gates(run)
    yield from _breaches(run)
    yield from _sources(names)
    yield from _models(run)
    yield from _cost(run)
    yield from _seal(run)


def _conclusion(conclusion: Conclusion) -> Iterator[Block]:
    """Every field of the conclusion."""
    yield Heading(3, "Conclusion")
    rows = [("Recommendation", conclusion.recommendation)]
    rows += [("Key condition", conclusion.key_condition)] if conclusion.key_condition else []
    rows += [("Review by", conclusion.review_by)] if conclusion.review_by else []
    yield Facts(tuple(rows))
    if conclusion.caveats:
        yield Heading(4, "Caveats")
        yield Bullets(conclusion.caveats)
    if conclusion.conditional_branches:
        yield Heading(4, "Conditional branches")
        branches = tuple((b.condition, b.path) for b in conclusion.conditional_branches)
        yield Table(("If", "Then"), branches, (50, 50))
    yield Heading(4, "Unresolved points")
    if conclusion.unresolved_points:
        points = tuple((u.point, u.position_a, u.position_b, people(u.agents)) for u in conclusion.unresolved_points)
        yield Table(("Point", "One position", "The other", "Between"), points, (25, 28, 28, 19))
    else:
        yield Words("None: nothing is disputed.")


def _minority(views: Sequence[minority.View], names: Names) -> Iterator[Block]:
    """The positions that did not prevail, those still held first."""
    yield Heading(3, "Minority report")
    if not views:
        yield Words("None: no position was overruled.")
        return
    rows = tuple(
        (v.entry.position, v.held, v.entry.reason, _share(v.entry.confidence), names.of(v.entry.point)) for v in views
    )
    yield Table(
        ("Position", "Held by", "Why it did not prevail", "Confidence", "From"), rows, (30, 14, 25, 15, 16), (3,)
    )


def _share(confidence: float) -> str:
    """A confidence as a share; 0 is none stated."""
    return f"{confidence:.0%}" if confidence else "–"


def _register(run: Run, names: Names) -> Iterator[Block]:
    """Every challenge and veto of every round with its ruling."""
    yield Heading(3, "Challenge register")
    empty = True
    for r in run.rounds:
        rulings = {x.challenge: x for x in r.synthesis.rulings} if r.synthesis else {}
        for c in r.challenges.challenges if r.challenges else ():
            empty = False
            yield from _challenge(r.number, c, rulings.get(c.id), names)
        vetoes = {x.veto: x for x in r.synthesis.veto_rulings} if r.synthesis else {}
        for v in _vetoes(r):
            empty = False
            yield from _veto(v, vetoes.get(v.id), names)
    if empty:
        yield Words("No challenge and no veto was raised.")


def _vetoes(r: Round) -> Iterator[Veto]:
    for proposal in r.proposals.proposals if r.proposals else r.replied:
        yield from proposal.vetoes


def _challenge(round_: int, c: Challenge, ruling: Ruling | None, names: Names) -> Iterator[Block]:
    """One challenge: the steel man first, then the objection, the defence, the ruling."""
    verdict = ruling.verdict.title if ruling else "No ruling yet"
    tone = _RULED[ruling.verdict] if ruling else Tone.INFO
    yield Heading(4, f"Challenge {c.number} of round {round_}: {spoken(c.target)}", verdict, tone)
    rows = [("Against", people(c.against))] if c.against else []
    rows += [("Steel man", c.steel_man), ("Objection", _cited(c.objection, c.evidence, names))]
    rows.append(("Confidence", f"{c.confidence:.0%}"))
    rows += [(f"{d.role.title}", _defence(d, names)) for d in c.defences]
    if not c.defences:
        rows.append(("Defence", f"None; the challenge stayed {c.status.value}."))
    if ruling:
        rows.append(("Ruling", _cited(ruling.reason, ruling.cites, names)))
    yield Facts(tuple(rows))


def _defence(d: Defence, names: Names) -> str:
    return f"{'Concedes' if d.verdict is DefenceVerdict.CONCEDE else 'Defends'}: {_cited(d.reason, d.evidence, names)}"


def _cited(text: str, ids: Iterable[str], names: Names) -> str:
    """A text with what it cites after it."""
    cites = names.all(ids)
    return f"{text} [{cites}]" if cites else text


def _veto(v: Veto, ruling: VetoRuling | None, names: Names) -> Iterator[Block]:
    """One veto of the Simplifier; without a ruling against it, it stands."""
    said = (ruling.verdict if ruling else VetoVerdict.STANDS).title
    label = names.of(v.id)
    yield Heading(4, f"{label[:1].upper()}{label[1:]}: {spoken(v.target)}", said, Tone.INFO)
    rows = [("Take out", v.remove), ("Because", v.reason)]
    if ruling:
        rows.append(("Ruling", _cited(ruling.reason, ruling.cites, names)))
    yield Facts(tuple(rows))


def _decisions(run: Run, decisions: Sequence[Decision], why: str, names: Names) -> Iterator[Block]:
    """What was decided, and how each stance moved over the rounds."""
    yield Heading(3, "Decisions")
    if why:
        yield Facts((("Why not the obvious answer", why),))
    if not decisions:
        yield Words(NONE)
        return
    rows = tuple(
        (spoken(d.key), _cited(d.statement, d.reasons, names), d.status.value, f"{d.confidence:.0%}", people(d.holders))
        for d in decisions
    )
    yield Table(("Key", "Decision", "Status", "Confidence", "Held by"), rows, (14, 41, 12, 13, 20), (3,))
    with_text = [r for r in run.rounds if r.synthesis]
    if len(with_text) > 1:
        yield Heading(4, "How each stance moved")
        yield _stances(with_text)


def _stances(rounds: Sequence[Round]) -> Table:
    """Each decision key's stance round by round."""
    by_round = [{d.key: d.value for d in r.synthesis.decisions} if r.synthesis else {} for r in rounds]
    keys = dict.fromkeys(k for values in by_round for k in values)
    rows = tuple((spoken(k), *(values.get(k, "–") for values in by_round)) for k in keys)
    width = 80 // len(rounds)
    return Table(("Key", *(f"Round {r.number}" for r in rounds)), rows, (20, *(width for _ in rounds)))


def _scores(run: Run, base: Round | None, names: Names) -> Iterator[Block]:
    """Scores per dimension and round, the weighted total and its change, and the Verifier's reasons."""
    if not any(r.verification for r in run.rounds):
        return
    yield Heading(3, "Scores")
    by_round = [
        {s.dimension: f"{s.score:.1f}" for s in r.verification.scores} if r.verification else {} for r in run.rounds
    ]
    whole = sum(d.weight for d in run.config.pack.dimensions)
    rows = [
        (d.name, f"{d.weight / whole:.0%}", *(scores.get(d.key, "skipped") for scores in by_round))
        for d in run.config.pack.dimensions
    ]
    rows.append(("Weighted total", "", *(_total(r) for r in run.rounds)))
    head = ("Dimension", "Weight", *(f"Round {r.number}" for r in run.rounds))
    width = 45 // len(run.rounds)
    numeric = tuple(range(1, len(head)))
    yield Table(head, tuple(rows), (40, 15, *(width for _ in run.rounds)), numeric, total=True)
    if base and base.verification:
        yield Heading(4, f"Reasons, round {base.number}")
        yield Facts(tuple((names.dimension(s.dimension), s.reason) for s in base.verification.scores))


def _total(r: Round) -> str:
    if not r.verification:
        return "skipped"
    change = "" if r.verification.delta is None else f" ({r.verification.delta:+.1f})"
    return f"{r.verification.total:.1f}{change}"


def _faults(run: Run) -> Iterator[Block]:
    """The faults the Verifier found, each once, with the rounds it was there."""
    rounds: dict[str, list[int]] = {}
    found = {}
    for r in run.rounds:
        for i in r.verification.issues if r.verification else ():
            rounds.setdefault(i.id, []).append(r.number)
            found[i.id] = i
    if not found:
        return
    yield Heading(3, "Faults the Verifier found")
    rows = tuple(
        (i.kind.value.replace("_", " "), i.claim, i.correction or "–", ", ".join(str(n) for n in rounds[i.id]))
        for i in found.values()
    )
    yield Table(("Kind", "Claim", "Correction", "Rounds"), rows, (18, 38, 34, 10))


def _open_questions(run: Run) -> Iterator[Block]:
    """What the deliverable leaves open and what was still active in the last brief."""
    brief = next((r.brief for r in reversed(run.rounds) if r.brief), None)
    left = run.deliverable.left_open if run.deliverable else ()
    items = tuple(dict.fromkeys((*left, *(a.text for a in (brief.active if brief else ())))))
    yield Heading(3, "Open questions")
    yield Bullets(items) if items else Words(NONE)


def _renegotiations(run: Run) -> Iterator[Block]:
    """Requests to change a constraint, with the answer."""
    answers = {True: "accepted", False: "rejected", None: "pending; the constraint holds"}
    rows = tuple((n.constraint, n.request, n.reason, answers[n.accepted]) for n in renegotiations(run))
    yield Heading(3, "Renegotiated constraints")
    if rows:
        yield Table(("", "Request", "Because", "Answer"), rows, (7, 38, 35, 20))
    else:
        yield Words("None was asked for.")


def _audit(run: Run) -> Iterator[Block]:
    """The looks of the Blind Critic and the one-field fix."""
    yield Heading(3, "Blind audit")
    if not run.audit:
        yield Words("It has not taken place.")
        return
    for look in run.audit.passes:
        yield from _look(look)
        if look.attempt == 1 and (fix := run.audit.revision):
            yield Heading(4, f"The fix: {_spoken(fix.field.value)} only")
            yield Change(fix.before, fix.after)
            if fix.touched_others:
                yield Words("The reply changed other fields too; those changes were not taken.")


def _look(look: AuditPass) -> Iterator[Block]:
    flagged = look.verdict is AuditVerdict.FLAG
    yield Heading(4, f"Look {look.attempt}", look.verdict.value, Tone.ATTENTION if flagged else Tone.GOOD)
    if flagged:
        field = _spoken(look.field.value) if look.field else "not named"
        yield Facts((("Field", field), ("Objection", look.objection or "Unclear answer, counted as a flag.")))


def _spoken(field: str) -> str:
    return field.replace("_", " ")


def _baseline(run: Run) -> Iterator[Block]:
    """What one model answered that was asked once."""
    once = run.baseline
    if once is None or once.state != "answered":
        return
    yield Heading(3, "One answer, no debate")
    kept = "".join(f" · {c.constraint}: {HOLDS[c.holds]}" for c in once.checks)
    yield Words(f"{once.model} was asked the same question once · {once.words} words{kept}", quiet=True)
    yield Prose(once.text)


def _gates(run: Run) -> Iterator[Block]:
    """Each Decision Gate: what it recommended and why, and what was decided by whom."""
    gates = [r for r in run.rounds if r.verdict]
    if gates:
        yield Heading(3, "Decision gates")
    for r in gates:
        yield from _gate(r)


def _gate(r: Round) -> Iterator[Block]:
    if not r.verdict:
        return
    rows = [("Recommended", r.verdict.recommendation.value)]
    rows += [(_spoken(c.name).capitalize(), c.reason) for c in r.verdict.checks]
    decision = r.decision
    if not decision:
        rows.append(("Decided", "not yet"))
    else:
        overridden = "" if decision.action == decision.recommended else f", instead of {decision.recommended.value}"
        rows.append(("Decided", f"{decision.action.value}{overridden}, by {decision.by}, {moment(decision.at)}"))
        rows += [("Note", decision.note)] if decision.note else []
        rows += [(f"Whisper to {w.to.title if w.to else 'all'}", w.text) for w in decision.whispers]
        if decision.active is not None:
            rows.append(("Active items edited", "\n".join(a.text for a in decision.active) or "all removed"))
    yield Heading(4, f"Gate of round {r.number}")
    yield Facts(tuple(rows))


def _breaches(run: Run) -> Iterator[Block]:
    """Rules that an output broke; a breach never aborts a debate."""
    yield Heading(3, "Breaches of the rules")
    if not run.breaches:
        yield Words(NONE)
        return
    rows = tuple((str(b.rule), f"{b.round}, {b.phase.title.lower()}", b.message) for b in run.breaches)
    yield Table(("Rule", "Round, phase", "What happened"), rows, (8, 22, 70))


def _sources(names: Names) -> Iterator[Block]:
    """The evidence cited, as S1, S2, …"""
    yield Heading(3, "Sources")
    yield Sources(names.sources) if names.sources else Words("No source was named.")


def _models(run: Run) -> Iterator[Block]:
    """Who sat where; a fallback that answered is named."""
    yield Heading(3, "Models")
    answered: dict[Role, list[str]] = {}
    for call in run.calls:
        if call.status == "ok" and not call.beside and str(call.model) not in answered.setdefault(call.role, []):
            answered[call.role].append(str(call.model))
    rows = tuple(
        (s.role.title, str(s.model), ", ".join(answered.get(s.role, ())) or "–", "yes" if s.web else "no")
        for s in run.config.seats
    )
    yield Table(("Role", "Seat", "Answered", "Web search"), rows, (20, 32, 32, 16))


def _cost(run: Run) -> Iterator[Block]:
    """Calls, tokens, time and money per phase, and the calls that failed."""
    yield Heading(3, "Calls and cost")
    if not run.calls:
        yield Words("No call was made.")
        return
    cost = _price(run)
    paid = [c for c in run.calls if not c.reused]
    phases = [(p.title, [c for c in paid if c.phase is p and not c.beside]) for p in PhaseName]
    phases.append(("One answer", [c for c in paid if c.beside]))
    rows = [_spent(name, calls, cost) for name, calls in phases if calls]
    rows.append(_spent("All", paid, cost))
    head = ("Phase", "Calls", "Input tokens", "From cache", "Output tokens", "Searches", "Time", "Cost")
    yield Table(head, tuple(rows), (15, 9, 14, 13, 14, 12, 13, 10), tuple(range(1, 8)), total=True)
    if reused := len(run.calls) - len(paid):
        yield Words(f"{reused} further calls were taken over from the parent debate and not paid again.", quiet=True)
    failed = tuple((c.slot, str(c.attempt), str(c.model), f"{c.status}: {c.message}") for c in paid if c.status != "ok")
    if failed:
        yield Heading(4, "Calls that failed")
        yield Table(("Call", "Try", "Model", "What the provider said"), failed, (26, 10, 26, 38), (1,))


def _price(run: Run) -> Callable[[float | None], str]:
    """How the money column reads: nothing for a rehearsal, else as many digits as the whole run needs."""
    if wholly_offline(run):
        return lambda _: "–"
    digits = 2 if (run.usage.dollars or 0) >= 0.1 else 4
    return lambda amount: dollars(amount, digits)


def _spent(name: str, calls: Sequence[CallTrace], cost: Callable[[float | None], str]) -> tuple[str, ...]:
    """A row of the cost table; time is the calls' own, so parallel calls add up."""
    used = sum((c.usage for c in calls), Usage())
    read = used.input_tokens + used.cache_write_tokens
    counts = (len(calls), read, used.cache_read_tokens, used.output_tokens, used.searches)
    return (name, *(f"{n:,}" for n in counts), seconds(used.seconds), cost(used.dollars))


def _seal(run: Run) -> Iterator[Block]:
    """What identifies the record."""
    config = run.config
    base = base_round(run)
    rows = [
        ("Debate", run.id),
        ("Begun", moment(run.created_at)),
        ("Last event", moment(run.updated_at)),
        (
            "Settings",
            f"{config.rounds} rounds at most, gate {config.gate.value}, context {config.context}, seed {config.seed}",
        ),
        ("Deliverable from", f"round {base.number}" if base else "–"),
        ("Events", str(run.version)),
        ("Record hash", run.head or "–"),
    ]
    rows += [("Forked into", ", ".join(run.children))] if run.children else []
    yield Heading(3, "Record")
    yield Facts(tuple(rows))
    yield Words(
        "The record is a chain of events; its hash covers every one of them, so a changed event changes the hash.",
        quiet=True,
    )
