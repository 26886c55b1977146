"""What went wrong with a call, in plain words. Owns the kinds of LLMError and the scrubbing of keys; sends nothing.

Kinds: auth, billing, permission, not_found, bad_request, too_large, rate_limited, overloaded, server, connection,
timeout, cancelled, interrupted (the process ended while the call ran), truncated (the stream was cut), malformed (what
came is not the protocol), bad_reply, empty, max_tokens, refused, context, paused, not_configured, unexpected.
"""

import email.utils
import time
from collections.abc import Iterable, Mapping
from typing import Any

import anthropic
import httpx2

from vada.errors import LLMError

_BY_TYPE = {
    "invalid_request_error": "bad_request",
    "authentication_error": "auth",
    "billing_error": "billing",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "request_too_large": "too_large",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "overloaded",
    "timeout_error": "server",
    "api_error": "server",
    "conflict_error": "server",
}
_BY_STATUS = {
    401: "auth",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "server",
    409: "server",
    413: "too_large",
    429: "rate_limited",
    529: "overloaded",
}
_TRANSIENT = frozenset({"rate_limited", "overloaded", "server", "connection", "truncated", "malformed"})
_HELPED = _TRANSIENT | {"timeout", "cancelled", "interrupted", "bad_reply", "empty", "max_tokens", "paused"}

_WHAT = {
    "auth": "{who} did not accept the key.",
    "billing": "{who} wants a payment before it answers.",
    "permission": "This key may not do that at {who}.",
    "not_found": "{who} does not know this model or address.",
    "bad_request": "{who} did not accept the request.",
    "too_large": "The request is too large for {who}.",
    "rate_limited": "{who} takes no more calls for now (rate limit).",
    "overloaded": "{who} is overloaded.",
    "server": "{who} had an error of its own.",
    "connection": "{who} could not be reached.",
    "timeout": "{who} did not finish in {seconds:.0f} seconds.",
    "cancelled": "The call was stopped.",
    "interrupted": "The program ended while the call ran.",
    "truncated": "The answer of {who} broke off before its end.",
    "malformed": "What {who} sent is not the Messages protocol.",
    "empty": "{who} answered with nothing.",
    "max_tokens": "The reply did not fit into the {room} tokens it may take.",
    "refused": "{who} refused to answer.",
    "context": "The prompt and the reply do not fit into this model's window.",
    "paused": "{who} paused again and again without an answer.",
    "unexpected": "The call to {who} ended in an unexpected error.",
}
_NEXT = {
    "auth": "Check the variable that holds its key, then retry the failed calls.",
    "billing": "Settle the provider's account, then retry the failed calls.",
    "permission": "Ask for access to this model, or choose another one.",
    "not_found": "Check the model's name and the endpoint's address in the settings.",
    "bad_request": "Read the provider's words; if it does not know `effort` or the schema, change that in vada.toml.",
    "too_large": "Shorten the material.",
    "rate_limited": "Wait a little, or lower the endpoint's `concurrency`, then retry the failed calls.",
    "overloaded": "Wait a little, then retry the failed calls.",
    "server": "Retry the failed calls; if it persists, look at the provider's status page.",
    "connection": "Check the network and the endpoint's address, then retry the failed calls.",
    "timeout": "Retry the failed calls, or raise the role's `timeout` in vada.toml.",
    "interrupted": "Resume the debate.",
    "truncated": "Retry the failed calls.",
    "malformed": "Check the endpoint's address, and set `stream = false` if it cannot stream.",
    "bad_reply": "Retry the failed calls, or choose a stronger model.",
    "empty": "Retry the failed calls.",
    "max_tokens": "Raise the role's `max_tokens` in vada.toml, or lower its effort.",
    "refused": "Reword the question or the material, or choose another model.",
    "context": "Shorten the material, or choose a model with a larger window.",
    "paused": "Retry the failed calls, or switch web search off.",
    "unexpected": "Retry the failed calls; if it persists, report it.",
}


def waits(error: LLMError) -> bool:
    """Whether the same call may go through a little later: a wait comes before it is sent again."""
    return error.retry and error.kind in _TRANSIENT


def scrub(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret taken out."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key removed]")
    return text


def fault(
    kind: str,
    who: str,
    *,
    said: str = "",
    seconds: float = 0,
    room: int = 0,
    status: int | None = None,
    request_id: str | None = None,
    retry_after: float | None = None,
    retry: bool | None = None,
) -> LLMError:
    """An LLMError in plain words; `who` is the model as `name@endpoint`, `said` the provider's own words."""
    what = _WHAT.get(kind, "{who}: " + (said or kind)).format(who=who, seconds=seconds, room=room)
    origin = ", ".join(
        filter(None, [f"status {status}" if status else "", f"request {request_id}" if request_id else ""])
    )
    told = f" It said: {said}" if said and kind in _WHAT else ""
    return LLMError(
        what + told + (f" ({origin})" if origin else ""),
        kind=kind,
        next_step=next_step(kind),
        retry=kind in _HELPED if retry is None else retry,
        status=status,
        request_id=request_id,
        retry_after=retry_after,
    )


def fault_of(error: Exception, who: str, secrets: Iterable[str]) -> LLMError:
    """The LLMError for what the SDK, or the HTTP client under it, raised. Anything else is `unexpected`."""
    secrets = tuple(secrets)
    if isinstance(error, anthropic.APIStatusError):
        return _status_fault(error, who, secrets)
    said = scrub(_innermost(error), secrets)
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.ReadTimeout):
        return fault("truncated", who, said=said)
    if isinstance(error, anthropic.APIConnectionError | httpx2.HTTPError):
        return fault("connection", who, said=said)
    if isinstance(error, anthropic.APIError | ValueError | AssertionError):
        # The SDK raises ValueError for data that is not JSON, AssertionError for a stream without a message.
        return fault("malformed", who, said=said)
    return fault("unexpected", who, said=scrub(f"{type(error).__name__}: {error}", secrets))


def _status_fault(error: anthropic.APIStatusError, who: str, secrets: tuple[str, ...]) -> LLMError:
    headers = error.response.headers
    kind = _BY_TYPE.get(error.type or "") or _BY_STATUS.get(error.status_code)
    if kind is None:
        kind = "server" if error.status_code >= 500 else "bad_request"
    if kind == "bad_request" and "credit balance" in (error.api_message or ""):
        kind = "billing"
    asked = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    return fault(
        kind,
        who,
        said=scrub(error.api_message or _shown_body(error.body), secrets),
        status=error.status_code,
        request_id=error.request_id,
        retry_after=retry_after(headers),
        retry=asked,
    )


def _shown_body(body: object) -> str:
    return str(body)[:300] if body else ""


def _innermost(error: BaseException) -> str:
    """The words at the root of a chain: `Connection error.` alone helps nobody."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait (`retry-after-ms`, else `retry-after` as seconds or date); else None."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())


def next_step(kind: str) -> str:
    """What the person can do about it."""
    return _NEXT.get(kind, "")


def as_data(error: LLMError) -> dict[str, Any]:
    """The error as a call record keeps it."""
    return {
        "kind": error.kind,
        "message": error.message,
        "next_step": error.next_step,
        "status": error.status,
        "request_id": error.request_id,
        "retry": error.retry,
        "retry_after": error.retry_after,
    }


def from_data(data: Mapping[str, Any]) -> LLMError:
    """The error that `as_data` kept."""
    return LLMError(
        data["message"],
        kind=data["kind"],
        next_step=data.get("next_step") or "",
        retry=bool(data.get("retry")),
        status=data.get("status"),
        request_id=data.get("request_id"),
        retry_after=data.get("retry_after"),
    )
