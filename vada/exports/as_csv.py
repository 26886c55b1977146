"""The challenge register as CSV for a spreadsheet. No cell can be a formula, however the file is opened."""

import csv
import io
import re
from collections.abc import Iterable, Iterator

from vada.exports.names import Names, dollars, people
from vada.exports.record import offline_seats, small_seats, standing
from vada.markdown import printable
from vada.models.outputs import Challenge, Ruling, Veto, VetoRuling
from vada.models.run import Round, Run
from vada.models.vocabulary import Role, VetoVerdict
from vada.settings import SMALL_NOTICE

COLUMNS = (
    "kind", "id", "round", "number", "target", "against", "raised_by", "steel_man", "objection", "evidence",
    "confidence", "status", "defences", "ruling", "reason", "cites", "debate", "state", "notices", "models", "cost",
    "record_hash",
)  # fmt: skip

_FORMULA = re.compile(r"^[\s'\"]*[=+\-@|%\t\r＝＋－＠]")
_FORMULA_AFTER_SEPARATOR = re.compile(r"([;\t\n])(\s*\"?\s*)(?=[=+\-@|＝＋－＠])")


def register_csv(run: Run) -> str:
    """The register of all rounds, a row a challenge or veto. Begins with a byte order mark, which spreadsheets need."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    shared = _shared(run)
    names = Names(run)
    for row in _rows(run, names):
        writer.writerow([harmless(str(cell)) for cell in (*row, *shared)])
    return "\ufeff" + out.getvalue()


def harmless(cell: str) -> str:
    """A cell no spreadsheet takes for a formula: an apostrophe stands before what would begin one, also after a
    character that a spreadsheet of another locale may split at."""
    text = printable(cell)
    if _FORMULA.match(text):
        text = f"'{text}"
    return _FORMULA_AFTER_SEPARATOR.sub(r"\1\2'", text)


def _shared(run: Run) -> tuple[str, ...]:
    """What every row carries, so that a row cut out still says what it is worth."""
    offline = offline_seats(run)
    notices = [f"Rehearsal: no model was called for {', '.join(offline)}."] if offline else []
    notices += [SMALL_NOTICE] if small_seats(run) else []
    notices += [f"Round {d.round}, {d.phase.title.lower()}: {d.message}" for d in run.degraded]
    models = "; ".join(f"{s.role.title}: {s.model}" for s in run.config.seats)
    cost = "no model called" if offline and len(offline) == len(run.config.seats) else dollars(run.usage.dollars)
    return run.id, standing(run)[1], " ".join(notices), models, cost, run.head


def _rows(run: Run, names: Names) -> Iterator[tuple[object, ...]]:
    for r in run.rounds:
        rulings = {x.challenge: x for x in r.synthesis.rulings} if r.synthesis else {}
        for c in r.challenges.challenges if r.challenges else ():
            yield _challenge(r, c, rulings.get(c.id), names)
        vetoes = {x.veto: x for x in r.synthesis.veto_rulings} if r.synthesis else {}
        for proposal in r.proposals.proposals if r.proposals else r.replied:
            for i, v in enumerate(proposal.vetoes, 1):
                yield _veto(r, i, v, vetoes.get(v.id), names)


def _challenge(r: Round, c: Challenge, ruling: Ruling | None, names: Names) -> tuple[object, ...]:
    defences = "\n".join(f"{d.role.title} ({d.verdict.value}): {d.reason}" for d in c.defences)
    raised = ("challenge", c.id, r.number, c.number, c.target, people(c.against), Role.CHALLENGER.title)
    said = (c.steel_man, c.objection, _sources(c.evidence, names), f"{c.confidence:.2f}", c.status.value, defences)
    return *raised, *said, *_ruled(ruling, names)


def _veto(r: Round, number: int, v: Veto, ruling: VetoRuling | None, names: Names) -> tuple[object, ...]:
    raised = ("veto", v.id, r.number, number, v.target, "", Role.SIMPLIFIER.title)
    status = ruling.verdict if ruling else VetoVerdict.STANDS
    said = ("", f"Take out: {v.remove}. {v.reason}", "", "", status.value, "")
    return *raised, *said, *_ruled(ruling, names)


def _ruled(ruling: Ruling | VetoRuling | None, names: Names) -> tuple[str, str, str]:
    return (ruling.verdict.title, ruling.reason, _sources(ruling.cites, names)) if ruling else ("", "", "")


def _sources(ids: Iterable[str], names: Names) -> str:
    """Evidence by title and address, since the numbers S1, S2 mean nothing here; other ids in words."""
    items = {item.id: item for _, item in names.sources}
    return "\n".join(f"{items[i].title} {items[i].url}".strip() if i in items else names.of(i) for i in ids)
