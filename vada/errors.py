"""How the program goes wrong. Each error says what happened, what to do next, and whether trying again can help.

How a *debate* goes wrong is a failure mode (`vada.failure_modes`), which is data and never an exception.
"""


class VadaError(Exception):
    """The root. `str()` is for the person: what happened and what to do next, in plain words, never a key."""

    def __init__(self, message: str, *, next_step: str = "", retry: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.retry = retry

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class InputError(VadaError):
    """What a person entered cannot be used; `field` names where it was entered."""

    def __init__(self, field: str, message: str, *, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.field = field


class SettingsError(VadaError):
    """`vada.toml` or the environment holds something unusable."""


class PromptError(VadaError):
    """A prompt or pack file is missing, malformed, or names a variable it is not given."""


class NotFoundError(VadaError):
    """No debate, round or call of that id."""


class AlreadyDecidedError(VadaError):
    """The gate was decided before: by whom, when and how."""

    def __init__(self, *, decided_by: str, decided_at: str, action: str) -> None:
        super().__init__(f"This gate was already decided: {action}, by {decided_by} at {decided_at}.")
        self.decided_by = decided_by
        self.decided_at = decided_at
        self.action = action


class CancelledError(VadaError):
    """The person stopped the debate while a call was running."""


class LLMError(VadaError):
    """A model call failed. Carries what a person needs to act: status, request id, the provider's own words."""

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        next_step: str = "",
        retry: bool = False,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, next_step=next_step, retry=retry)
        self.kind = kind
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class SearchError(VadaError):
    """A web search did not work: why, with the provider's own words. Costs a debate the search, never the call."""


class BadReplyError(LLMError):
    """The model answered, was paid, and the answer cannot be used; `fault` is what a re-ask tells it."""

    def __init__(self, message: str, *, fault: str, kind: str = "bad_reply", retry: bool = True) -> None:
        super().__init__(message, kind=kind, retry=retry)
        self.fault = fault


class PhaseFailedError(VadaError):
    """A phase could not be had, its fallback included; the debate ends `failed` or waits for the person."""
