"""The detectors' signals on public debate transcripts: real text, planted and unplanted.

Reads a folder of extracts that is no part of this project and is never copied into it; only figures are printed. The
thresholds are the shipped ones. Where a split is named, `test` are the three debate motions that no threshold saw.
"""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

from rapidfuzz import fuzz

from tests.planted.words import UNLISTED_HEDGES
from vada.failure_modes import CUTOFFS, DETECTORS, Cut, Reading, State, baseline, moves, signals
from vada.models.debate import DebateConfig, Dimension, ModelRef, Pack, Seat
from vada.models.outputs import (
    Conclusion,
    Decision,
    Issue,
    Point,
    Proposal,
    Proposals,
    Score,
    Synthesis,
    Verification,
)
from vada.models.run import Round, Run
from vada.models.vocabulary import DebateState, DecisionStatus, ErrorKind, FailureMode, Role, Trajectory
from vada.scoring import same_value, stance

Line = dict[str, Any]
SEED = 20_310_101
Z = 1.96


def report(folder: Path) -> Iterator[Line]:
    """Planted signals on real speeches, then the natural checks of the three sets."""
    speeches = _speeches(folder)
    yield from _planted(speeches)
    yield from _distributions(speeches)
    yield from _quotes(speeches)
    yield from _maths(folder)
    yield from _translations(folder)


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cut(name: Cut) -> float:
    """A shipped threshold."""
    return CUTOFFS[name].value


def line(check: str, expected: str, hits: int, n: int, **more: Any) -> Line:
    """A share with its interval beside what the design measured."""
    low, high = _interval(hits, n)
    share = round(hits / n, 3) if n else None
    return {"report": "natural", "check": check, "hits": hits, "n": n, "share": share,
            "interval": [round(low, 3), round(high, 3)], "expected": expected, **more}  # fmt: skip


def _interval(hits: int, n: int) -> tuple[float, float]:
    if not n:
        return 0.0, 1.0
    p = hits / n
    middle, spread = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return (middle - spread) / (1 + Z * Z / n), (middle + spread) / (1 + Z * Z / n)


# Speeches of policy debates.


@dataclass(frozen=True)
class Speech:
    """One speech of a policy debate; `test` when its motion belongs to the test split."""

    motion: str
    model: str
    side: str
    kind: str
    text: str
    debate: int
    test: bool


def _speeches(folder: Path) -> list[Speech]:
    rows = _rows(folder, "overconf_60debates.jsonl.gz")
    held = sorted({r["motion"] for r in rows})[3:]
    return [
        Speech(r["motion"], r["models"][side], side, kind, text, i, r["motion"] in held)
        for i, r in enumerate(rows)
        for side in r["models"]
        for kind, text in r["speeches"][side].items()
        if len(signals.words(text)) >= 100
    ]


def _planted(speeches: Sequence[Speech]) -> Iterator[Line]:
    """Section 3's plants on the test motions."""
    test = [s for s in speeches if s.test]
    rng = random.Random(SEED)
    yield from _dropped_points(test, rng)
    yield from _foreign(test, rng)
    yield from _masks(test, rng)
    yield from _same_models(test, rng)
    yield from _hedged(test, rng)


def _figures(check: str, expected: str, hits: int, n: int, alarms: int, negatives: int, **more: Any) -> Line:
    made = line(check, expected, hits, n, **more)
    fpr = alarms / negatives if negatives else 0.0
    recall = hits / n if n else 0.0
    precision = recall / (recall + fpr) if recall + fpr else None
    rare = recall * 0.05 / (recall * 0.05 + fpr * 0.95) if recall + fpr else None
    low, high = _interval(alarms, negatives)
    made |= {"recall": made.pop("share"), "recall_interval": made.pop("interval")}
    made |= {"precision": _r(precision), "fpr": _r(fpr), "fpr_interval": [_r(low), _r(high)], "negatives": negatives}
    return made | {"precision_at_5_percent": _r(rare)}


def _r(x: float | None) -> float | None:
    return None if x is None else round(x, 3)


_CLAIM = re.compile(r"core claim:?\**:?\s*(.+)", re.I)


def _dropped_points(test: Sequence[Speech], rng: random.Random) -> Iterator[Line]:
    """A core claim taken out of its own speech (dropped), or reworded in place (kept)."""
    openings = [s for s in test if s.kind == "opening"]
    points = [(s, m.strip(" *")) for s in openings for m in _CLAIM.findall(s.text) if len(m.split()) >= 8]
    dropped = [signals.cov(c, [t for t in signals.sentences(s.text) if c[:40] not in t]) for s, c in points]
    lost = sum(v < cut(Cut.CARRIED) for v in dropped)
    pool: dict[int, list[str]] = {}
    for s in test:
        pool.setdefault(s.debate, []).extend(s.text.split())
    for share, expected in ((0.0, "P 1.00 R .93 FPR 0"), (0.3, "P .98 R .95 FPR .02"), (0.5, "P .85 R .97 FPR .17")):
        kept = 0
        for s, claim in points:
            said = [
                _reworded(claim, share, pool[s.debate], rng),
                *(t for t in signals.sentences(s.text) if claim[:40] not in t),
            ]
            kept += signals.cov(claim, said) < cut(Cut.CARRIED)
        yield _figures(f"dropped point, kept ones reworded {share:.0%}", expected, lost, len(points), kept, len(points))


def _reworded(text: str, share: float, pool: Sequence[str], rng: random.Random) -> str:
    words = text.split()
    for i in rng.sample(range(len(words)), round(share * len(words))):
        words[i] = rng.choice(pool)
    return " ".join(words)


def _on_topic(motion: str, text: str) -> float:
    asked = signals.tok(motion)
    return len(asked & signals.tok(text)) / len(asked)


def _foreign(test: Sequence[Speech], rng: random.Random) -> Iterator[Line]:
    alarms = sum(_on_topic(s.motion, s.text) < cut(Cut.TOPIC) for s in test)
    for share, expected in ((1.0, "P .89 R 1.00 FPR .122"), (0.75, "P .83 R .58"), (0.5, "P .69 R .27")):
        hits = 0
        for s in test:
            other = rng.choice([o for o in test if o.motion != s.motion])
            mine, theirs = list(signals.sentences(s.text)), signals.sentences(other.text)
            for i in rng.sample(range(len(mine)), round(share * len(mine))):
                mine[i] = rng.choice(theirs)
            hits += _on_topic(s.motion, " ".join(mine)) < cut(Cut.TOPIC)
        yield _figures(f"question's words, {share:.0%} foreign sentences", expected, hits, len(test), alarms, len(test))


def _openings(test: Sequence[Speech]) -> dict[str, list[Speech]]:
    found: dict[str, list[Speech]] = {}
    for s in test:
        if s.kind == "opening":
            found.setdefault(s.motion, []).append(s)
    return found


def _alike(a: str, b: str) -> float:
    return signals.jaccard(signals.tok(a), signals.tok(b))


def _strangers(test: Sequence[Speech]) -> list[float]:
    """Overlaps of openings by different models on one motion."""
    pairs = (p for same in _openings(test).values() for p in combinations(same, 2))
    return [_alike(a.text, b.text) for a, b in pairs if a.model != b.model]


def _masks(test: Sequence[Speech], rng: random.Random) -> Iterator[Line]:
    negatives = _strangers(test)
    alarms = sum(v >= cut(Cut.PAIR_OVERLAP) for v in negatives)
    doses = ((0.1, 0.2, "R .99–1.00 P .79 FPR .090"), (0.3, 0.2, "R .99–1.00"), (0.5, 0.2, "R .99–1.00"),
             (0.6, 0.5, "R .70 P .72"))  # fmt: skip
    for changed, dropped, expected in doses:
        hits = n = 0
        for same in _openings(test).values():
            pool = [w for s in same for w in s.text.split()]
            for s in same:
                said = list(signals.sentences(s.text))
                rng.shuffle(said)
                copy = " ".join(said[: max(1, round(len(said) * (1 - dropped)))])
                hits += _alike(s.text, _reworded(copy, changed, pool, rng)) >= cut(Cut.PAIR_OVERLAP)
                n += 1
        name = f"pair overlap, copy {changed:.0%} changed {dropped:.0%} dropped"
        yield _figures(name, expected, hits, n, alarms, len(negatives))


def _same_models(test: Sequence[Speech], rng: random.Random) -> Iterator[Line]:
    by_motion = _openings(test)
    same = [_alike(a.text, b.text) for m in by_motion.values() for a, b in combinations(m, 2) if a.model == b.model]
    strangers = _strangers(test)
    limit = cut(Cut.PAIR_OVERLAP)
    yield _figures("pair overlap, two openings of one model", "P .89 R .76 FPR .090", sum(v >= limit for v in same),
                   len(same), sum(v >= limit for v in strangers), len(strangers))  # fmt: skip
    mixed, masks = [], []
    for openings in by_motion.values():
        for _ in range(200):
            four = rng.sample(openings, 4)
            if len({s.model for s in four}) == 4:
                mixed.append(signals.overlap([s.text for s in four]))
        for model in sorted({s.model for s in openings}):
            mine = [s.text for s in openings if s.model == model]
            masks += [signals.overlap(list(c)) for c in list(combinations(mine, 4))[:5]]
    yield _figures("panel overlap, four of one model", "P .86 R .93 FPR .150", sum(map(_loud, masks)), len(masks),
                   sum(map(_loud, mixed)), len(mixed), note="few such panels in the extract")  # fmt: skip


def _loud(found: tuple[float, float] | None) -> bool:
    return found is not None and (found[0] >= cut(Cut.OVERLAP) or found[1] >= cut(Cut.CLOSEST_PAIR))


def _hedging(text: str) -> bool:
    if signals.density(("core_hedges",), text) >= cut(Cut.HEDGES):
        return True
    return (
        signals.density(("noncommittal",), text) >= cut(Cut.NONCOMMITTAL)
        and len(signals.hits(("noncommittal",), text)) > 1
    )


def _hedged(test: Sequence[Speech], rng: random.Random) -> Iterator[Line]:
    alarms = sum(_hedging(s.text) for s in test)
    held_out = tuple(sorted(signals.listed("core_hedges")))[1::2]
    expected = {50: "P .92 R 1.00 FPR .091", 100: "P .90 R .79", 150: "P .85 R .50", 250: "P .75 R .27"}
    for name, words in (("held-out half", held_out), ("not in the list", UNLISTED_HEDGES)):
        for every, figure in expected.items():
            hits = sum(_hedging(_spoilt(s.text, every, words, rng)) for s in test)
            given = figure if words is held_out else "not measured there"
            yield _figures(f"hedge every {every} words, {name}", given, hits, len(test), alarms, len(test))


def _spoilt(text: str, every: int, words: Sequence[str], rng: random.Random) -> str:
    out: list[str] = []
    for word in text.split():
        if rng.random() < 1 / every:
            out.append(rng.choice(words))
        out.append(word)
    return " ".join(out)


def _distributions(speeches: Sequence[Speech]) -> Iterator[Line]:
    """What the cut-offs say of ordinary speeches."""
    checks: tuple[tuple[str, str, Callable[[Speech], bool]], ...] = (
        ("speeches over a hedging cut-off", "9.1 %", lambda s: _hedging(s.text)),
        ("speeches over the assertive cut-off", "10 % (p90 22.0)",
         lambda s: signals.density(("boosters", "intensifiers"), s.text) >= cut(Cut.ASSERTIVE)),
        ("speeches under the topic cut-off", "12.2 %", lambda s: _on_topic(s.motion, s.text) < cut(Cut.TOPIC)),
    )  # fmt: skip
    for name, expected, check in checks:
        yield line(name, expected, sum(map(check, speeches)), len(speeches))
    both = [
        s for s in speeches
        if signals.density(("core_hedges",), s.text) >= cut(Cut.HEDGES)
        and signals.density(("noncommittal",), s.text) >= cut(Cut.NONCOMMITTAL)
    ]  # fmt: skip
    yield line("speeches over both hedging cut-offs (red)", "not measured there", len(both), len(speeches))
    of = {(s.debate, s.side, s.kind): s.text for s in speeches}
    fresh, growth = [], []
    for (i, side, kind), text in of.items():
        before = [t for (j, _, k), t in of.items() if j == i and k in _before(kind)]
        new = signals.novelty([text], before) if before else None
        fresh += [(kind, new)] if new is not None else []
        opening = of.get((i, side, "opening"))
        if kind == "rebuttal" and opening:
            growth.append(len(signals.words(text)) / len(signals.words(opening)))
    for kind, expected in (("rebuttal", "median .853"), ("closing", "median .748, 5 % quantile .574")):
        values = [v for k, v in fresh if k == kind]
        low = sum(v < cut(Cut.NOVELTY) for v in values)
        yield line(f"{kind}s under the novelty cut-off", expected, low, len(values), median=_r(median(values)))
    grown = sum(g >= cut(Cut.GROWTH) for g in growth)
    yield line("rebuttals that grew by 1.25 or more", "median 1.48", grown, len(growth), median=_r(median(growth)))


def _before(kind: str) -> tuple[str, ...]:
    return {"rebuttal": ("opening",), "closing": ("opening", "rebuttal")}.get(kind, ())


_QUOTED = re.compile(r"original claim:?\**:?\s*[\"“](.+?)[\"”]", re.I)


def _quotes(speeches: Sequence[Speech]) -> Iterator[Line]:
    """Quoted claims against the opponent's own words: near-verbatim, and straw men."""
    of = {(s.debate, s.side, s.kind): s.text for s in speeches}
    scores = []
    for (i, side, kind), text in of.items():
        other = "opposition" if side == "proposition" else "proposition"
        theirs = " ".join(t for (j, who, _), t in of.items() if j == i and who == other)
        if kind == "rebuttal" and theirs:
            scores += [fuzz.partial_ratio(q.casefold(), theirs.casefold()) for q in _QUOTED.findall(text)]
    yield line("quoted claims that match the opponent (>= 90)", "84.8 %", sum(x >= 90 for x in scores), len(scores))
    yield line("quoted claims unlike anything said (< 70)", "7 %", sum(x < 70 for x in scores), len(scores))


# Maths discussions: six agents, three rounds, one answer.

_SIX = (Role.OPTIMIZER_A, Role.OPTIMIZER_B, Role.CHALLENGER, Role.SIMPLIFIER, Role.COORDINATOR, Role.VERIFIER)


def _run(row: dict[str, Any]) -> Run:
    """A discussion as a run: a position an agent and round, the plurality of a round as its decision, nothing else."""
    model = ModelRef(name="public", endpoint="transcript")
    dimension = Dimension(key="score", name="Score", weight=1, scale_0="", scale_5="", scale_10="")
    pack = Pack(key="maths", name="Maths", description="", expertise_a="", expertise_b="", dimensions=(dimension,))
    config = DebateConfig(question=row["question"], pack=pack, seats=tuple(Seat(role=r, model=model) for r in _SIX))
    agents = list(row["answers"])
    rounds = tuple(_round(row, n, agents, model) for n in (1, 2, 3))
    return Run(id=f"maths-{row['id']}", config=config, state=DebateState.CLEAN, created_at="", updated_at="", version=1,
               head="", rounds=rounds)  # fmt: skip


def _round(row: dict[str, Any], n: int, agents: Sequence[str], model: ModelRef) -> Round:
    proposals = tuple(
        Proposal(
            role=role,
            model=model,
            round=n,
            weakness="-",
            weakness_first=True,
            text=_at(row["texts"][agent], n),
            points=(
                Point(id=f"r{n}.{role}.p1", key="answer", claim=f"The answer is {value}.", value=value, confidence=0.7),
            )
            if (value := _at(row["answers"][agent], n))
            else (),
            words=1,
        )
        for role, agent in zip(_SIX, agents, strict=False)
    )
    lead = _lead([x.value for p in proposals for x in p.points])
    holders = [x.id for p in proposals for x in p.points if lead and same_value(x.value, lead)]
    decisions = (
        Decision(key="answer", statement=f"The answer is {lead}.", value=lead, status=DecisionStatus.DECIDED,
                 confidence=0.7, source_points=tuple(holders), stance=stance("answer", lead)),
    ) if lead else ()  # fmt: skip
    text = f"The answer is {lead}."
    wrong = bool(lead) and not same_value(lead, row["gold"])
    claim = f"the answer is {lead} and that is wrong"
    issue = Issue(id=f"i-{stance('answer', lead)[:8]}", kind=ErrorKind.WRONG, target="answer", claim=claim)
    verification = Verification(
        scores=(Score(dimension="score", score=5, reason=""),),
        total=5,
        trajectory=Trajectory.FIRST,
        issues=(issue,) if wrong else (),
    )
    synthesis = Synthesis(text=text, decisions=decisions, conclusion=Conclusion(recommendation=text), words=4)
    return Round(number=n, proposals=Proposals(proposals=proposals), synthesis=synthesis, verification=verification)


def _at(said: Sequence[Any], n: int) -> str:
    """What was said in round `n`; empty when the transcript stops before."""
    return str(said[n - 1] or "").strip() if len(said) >= n else ""


def _lead(values: Sequence[str]) -> str:
    """The value most hold; of several leaders the first."""
    return max(values, key=lambda v: sum(same_value(v, o) for o in values), default="")


def _maths(folder: Path) -> Iterator[Line]:
    rows = _rows(folder, "hkust_gsm8k_100debates.jsonl.gz")
    runs = [_run(r) for r in rows]
    yield from _conformity(rows, runs)
    yield from _lost_minorities(rows, runs)
    yield from _persistence(rows, runs)
    yield from _returns(rows, runs)
    changed = [b for run in runs for b in baseline(run) if b.changed is not None]
    yield line(
        "debates that changed the blind plurality",
        "not measured there",
        sum(bool(b.changed) for b in changed),
        len(changed),
    )


def _conformity(rows: Sequence[dict[str, Any]], runs: Sequence[Run]) -> Iterator[Line]:
    """Every change of an answer: to the plurality or not, right or wrong, and whether no. 1 names it."""
    made = [(row, m) for row, run in zip(rows, runs, strict=True) for n in (2, 3) for m in moves(run, n)]
    to_many = [(row, m) for row, m in made if m.to_plurality]
    wrong = sum(not same_value(m.new.value, row["gold"]) for row, m in to_many)
    yield line("moves to the others' plurality that end wrong", "31 % (17/55)", wrong, len(to_many))
    rest = [(row, m) for row, m in made if not m.to_plurality]
    wrong = sum(not same_value(m.new.value, row["gold"]) for row, m in rest)
    yield line("other moves that end wrong", "70 % (46/66)", wrong, len(rest))
    fallen = [(row, m) for row, m in made if m.to_plurality or m.to_synthesis]
    harm = sum(same_value(m.old.value, row["gold"]) and not same_value(m.new.value, row["gold"]) for row, m in fallen)
    yield line("conforming moves named by no. 1 that do harm", "20/121 of all moves to a peer", harm, len(fallen))
    loud = [DETECTORS[FailureMode.SYCOPHANCY](run) for run in runs]
    found = sum(f.state is State.OCCURRED for f in loud)
    yield line("discussions in which no. 1 occurs", "collapse in 25/45 divided ones", found, len(loud))
    divided = [r for r in map(Reading.of, runs) if _values(r, 1) > 1]
    gone = sum(_values(r, 3) == 1 for r in divided)
    yield line("divided discussions that end in one answer", "25/45", gone, len(divided))


def _values(r: Reading, n: int) -> int:
    kept: list[str] = []
    for x in r.answers(n, "answer").values():
        kept += [] if any(same_value(x.value, k) for k in kept) else [x.value]
    return len(kept)


def _lost_minorities(rows: Sequence[dict[str, Any]], runs: Sequence[Run]) -> Iterator[Line]:
    """Wrong first pluralities, a right minority against them, and whether no. 2 names it when nobody reports it."""
    wrong = right = named = lost = 0
    for row, run in zip(rows, runs, strict=True):
        r = Reading.of(run)
        decided = r.decisions(1)
        if not decided or same_value(decided["answer"].value, row["gold"]):
            continue
        wrong += 1
        holders = [x for x in r.answers(1, "answer").values() if same_value(x.value, row["gold"])]
        if not holders:
            continue
        right += 1
        final = r.decisions(3)
        lost += bool(final) and not same_value(final["answer"].value, row["gold"])
        found = DETECTORS[FailureMode.MAJORITY_TYRANNY](run, 1)
        named += any(k.id == x.id for s in found.signals for k in s.links for x in holders)
    yield line("wrong first pluralities with a right minority", "10/26", right, wrong)
    yield line("right minorities that are lost in the end", "4", lost, right)
    yield line("right minorities named by no. 2 (no report was kept)", "all by construction", named, right)


def _persistence(rows: Sequence[dict[str, Any]], runs: Sequence[Run]) -> Iterator[Line]:
    """A wrong plurality, flagged by the gold answer, that stands a round later; and whether no. 4 says so."""
    wrong = stands = named = still = 0
    for row, run in zip(rows, runs, strict=True):
        r = Reading.of(run)
        first, second = r.decisions(1).get("answer"), r.decisions(2).get("answer")
        if not first or same_value(first.value, row["gold"]):
            continue
        wrong += 1
        kept = second is not None and same_value(first.value, second.value)
        still += second is not None and not same_value(second.value, row["gold"])
        stands += kept
        found = DETECTORS[FailureMode.ERROR_CASCADE](run, 2)
        named += kept and any(s.name == "flagged fault stands" for s in found.signals)
    yield line("wrong pluralities followed by a wrong one", "88 % (23/26)", still, wrong)
    yield line("of them, by the same one", "54 % (36 to 71)", stands, wrong)
    yield line("of those that stand, named by no. 4", "not measured there", named, stands)


def _returns(rows: Sequence[dict[str, Any]], runs: Sequence[Run]) -> Iterator[Line]:
    agents = back = 0
    for run in runs:
        r = Reading.of(run)
        for role in r.answers(1, "answer"):
            line_ = [r.answers(n, "answer").get(role) for n in (1, 2, 3)]
            if all(line_):
                a, b, c = (x.value for x in line_ if x)
                agents += 1
                back += same_value(a, c) and not same_value(a, b)
    yield line("agents that go back to an earlier answer", "1.2 % (7/577)", back, agents)
    found = [DETECTORS[FailureMode.DECISION_OSCILLATION](run, 3) for run in runs]
    groups = sum(any(s.name == "returned decision" for s in f.signals) for f in found)
    yield line("groups named by no. 10", "0/100", groups, len(runs))


# Translation debates: an affirmative and a negative side.

_CONCEDES = re.compile(
    r"\b(?:i (?:also |fully |do |can |would |completely )?agree (?:with you|that (?:your|the affirmative))|"
    r"yes, i agree|"
    r"you are (?:right|correct)|i concede|i stand corrected|your translation is (?:more accurate|correct|better))",
    re.I,
)


def _translations(folder: Path) -> Iterator[Line]:
    rows = _rows(folder, "mad_commonmt_200debates.jsonl.gz")
    for turn, expected in enumerate(("21 %", "rising", "rising", "62 %")):
        said = [r["turns"]["Negative side"][turn] for r in rows if len(r["turns"]["Negative side"]) > turn]
        conceding = sum(bool(_CONCEDES.search(t)) for t in said)
        yield line(f"devil's side concedes in turn {turn + 1}", expected, conceding, len(said))
    first = [(r, r["turns"]["Affirmative side"][0]) for r in rows if r["turns"]["Affirmative side"]]
    kept = sum(fuzz.ratio(r["debate"].casefold(), t.casefold()) >= 95 for r, t in first)
    yield line("debates that end in their first translation", "65/200", kept, len(first))
