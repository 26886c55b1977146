"""One model asked the debate's question once, without a debate: what it would have said, to set beside the deliverable.

Owns what is asked and what comes back; the engine keeps it. Never looks at what the debate came to.
"""

from vada import constraints as cons
from vada.errors import LLMError
from vada.llm import pricing
from vada.llm.base import LLM, Ask
from vada.models.debate import REHEARSAL, DebateConfig, Seat
from vada.models.outputs import Baseline
from vada.models.replies import BaselineReply
from vada.models.run import BASELINE
from vada.models.vocabulary import PhaseName
from vada.prompts import PromptBook, Shared
from vada.tokens import estimate, words

RETRIES = 1
_PER_WORD = 1.3 * 1.4  # tokens for a word of Markdown in a JSON field
_THINKING = 1.5  # tokens thought and written for each token of the page
_PROMPT = 700  # tokens of the task, the anchor and the tags


async def ask_once(config: DebateConfig, asked: Baseline, llm: LLM, prompts: PromptBook) -> Baseline:
    """Ask the model of the seat; what comes back is answered, or failed with the provider's words.

    Raises CancelledError.
    """
    seat = seat_of(config, asked)
    ask = Ask(
        slot=BASELINE,
        seat=seat,
        phase=PhaseName.FORMAT,
        round=0,
        parts=prompts.compose_baseline(seat, config, cap=cap(config), shared=_shared(config, prompts)),
        reply=BaselineReply,
        retries=RETRIES,
        live=True,
        check=lambda reply: "" if reply.text.strip() else "`text` is empty: write the page.",
    )
    try:
        answer = await llm.ask(ask)
        if not answer.value.text.strip():
            raise LLMError("The answer is empty.", kind="bad_reply")
    except LLMError as error:
        return asked.model_copy(update={"state": "failed", "problem": str(error)})
    text = answer.value.text
    return asked.model_copy(
        update={
            "state": "answered",
            "text": text,
            "words": words(text),
            "checks": tuple(c for x in config.constraints if (c := cons.check(x, text))),
            "call_id": answer.call_id,
        }
    )


def seat_of(config: DebateConfig, asked: Baseline) -> Seat:
    """The seat as it is asked: its model alone, without expertise, fallbacks or search."""
    return Seat(role=asked.seat, model=asked.model)


def cap(config: DebateConfig) -> int:
    """The word cap (words): the Formatter's, which the deliverable had too."""
    return cons.word_limit(config.constraints, config.caps.deliverable)


def dollars(config: DebateConfig, seat: Seat) -> float | None:
    """About what the call costs, by the list price; 0 for a rehearsal, None where the price is unknown."""
    if seat.model.endpoint == REHEARSAL:
        return 0.0
    rates = pricing.rates(seat.model.name)
    if rates is None:
        return None
    texts = (config.question, config.priorities, *(c.text for c in config.constraints))
    read = _PROMPT + sum(estimate(t) for t in (*texts, *(m.text for m in config.material)))
    return (read * rates.input + cap(config) * _PER_WORD * _THINKING * rates.output) / 1_000_000


def _shared(config: DebateConfig, prompts: PromptBook) -> Shared:
    """What every agent of the first round was given."""
    return prompts.shared(config, context="", source="original", round=1)
