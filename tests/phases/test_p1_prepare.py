"""What a round starts from: the person's decisions at the last gate are in it."""

from tests.builders import a_brief, a_dossier, a_gate_decision, a_round, a_synthesis, a_verdict, a_verification
from tests.phases.table import Table, config
from vada import constraints
from vada.models.outputs import ActiveItem, ForkOption, Renegotiation, RenegotiationAnswer
from vada.models.vocabulary import GateAction
from vada.phase import standing
from vada.phases.p1_prepare import prepare


async def context(*past, **changes):
    return (await prepare(Table(config(**changes)).seat_at(tuple(past), len(past) + 1))).context


def fallen():
    """A second round that scored a whole point less, with the person's edit at its gate."""
    mine = (ActiveItem(id="r2.person.1", text="what the person wants done next"),)
    return (
        a_round(1, verification=a_verification(1, total=7.0, delta=None), decision=a_gate_decision(1, active=None)),
        a_round(2, verification=a_verification(2, total=6.0, delta=-1.0), decision=a_gate_decision(2, active=mine)),
    )


async def test_after_a_fall_the_best_brief_is_used_and_the_latest_edits_are_kept():
    first, second = fallen()
    text = await context(first, second)
    assert "what the person wants done next" in text
    assert first.brief.decided[0] in text


async def test_edits_reach_the_next_round_of_a_transcript_too():
    text = await context(*fallen(), context="transcript")
    assert "what the person wants done next" in text


async def test_on_autopilot_a_recommended_fork_goes_on_with_its_surer_side():
    fork = ForkOption(key="split", value_a="keep it", value_b="split it", confidence_a=0.9, confidence_b=0.8)
    verdict = a_verdict(1, recommendation=GateAction.FORK, fork=fork, wait=False)
    by_itself = a_gate_decision(1, by="autopilot", action=GateAction.CONTINUE, recommended=GateAction.FORK, active=None)
    text = await context(a_round(1, verdict=verdict, decision=by_itself))
    assert "LOCKED IN THIS BRANCH\n- [split] keep it" in text
    by_a_person = by_itself.model_copy(update={"by": "Ada"})
    assert "LOCKED" not in await context(a_round(1, verdict=verdict, decision=by_a_person))


async def test_an_accepted_renegotiation_reaches_the_ending_and_its_checks():
    asked = Renegotiation(id="r1.n1", constraint="C2", request="at most 900 words", reason="too tight")
    yes = a_gate_decision(1, renegotiations=(RenegotiationAnswer(id="r1.n1", accepted=True),), action=GateAction.STOP)
    now = a_round(
        1, synthesis=a_synthesis(1, renegotiations=(asked,)), decision=yes, brief=a_brief(1), dossier=a_dossier(1)
    )
    turn = Table(config()).seat_at((now,), 1)
    assert "at most 900 words" in standing(turn, now.dossier).constraints_block
    left = constraints.unchanged(turn.config.constraints, constraints.accepted(turn.past))
    assert [c.id for c in left] == ["C1"]
