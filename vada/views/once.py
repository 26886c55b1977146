"""One model asked once, as a person reads it: whose model it can be, what it costs before, what it took after."""

from vada import baseline
from vada.models.debate import REHEARSAL, Seat
from vada.models.run import Run, Usage
from vada.models.vocabulary import Role
from vada.views import words


def seats(run: Run) -> tuple[Seat, ...]:
    """One seat for each model that can be asked, the Coordinator's first."""
    found: dict[str, Seat] = {}
    for seat in sorted(run.config.seats, key=lambda s: s.role is not Role.COORDINATOR):
        found.setdefault(str(seat.model), seat)
    return tuple(found.values())


def price(run: Run, seat: Seat) -> str:
    """`1 call, about $0.03`, said before the model is asked."""
    dollars = baseline.dollars(run.config, seat)
    if dollars == 0:
        return "1 call, no cost (rehearsal)"
    return f"1 call, {'price unknown' if dollars is None else f'about {words.money(dollars)}'}"


def took(run: Run) -> str:
    """Words, cost and time of the answer: `371 words, $0.03, 12 s`."""
    once = run.baseline
    if once is None or once.state != "answered":
        return ""
    used = sum((c.usage for c in run.calls if c.beside), Usage())
    paid = words.spend(used, rehearsal=once.model.endpoint == REHEARSAL)
    return f"{words.plural(once.words, 'word')}, {paid}, {words.span(used.seconds)}"


def debated(run: Run) -> str:
    """The same of the debate, so that the two can be held against each other."""
    own = [c for c in run.calls if not c.beside and not c.reused]
    paid = words.spend(sum((c.usage for c in own), Usage()), rehearsal=run.config.rehearsal)
    length = f"{words.plural(run.deliverable.words, 'word')}, " if run.deliverable else ""
    return f"{length}{paid}, {words.plural(len(own), 'call')} in {words.plural(len(run.rounds), 'round')}"
