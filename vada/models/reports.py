"""What a check found out about an endpoint and its models. Values only; never hold a key."""

from typing import Literal, get_args

from pydantic import Field

from vada.models.base import Value

Ability = Literal["keeps_schema", "takes_tools", "streams", "counts_tokens", "searches"]
"""What a server may keep of the protocol, as the fields of `ModelReport` are named."""
ABILITIES: tuple[Ability, ...] = get_args(Ability)


class ModelReport(Value):
    """What was found out about one model; None means it was not tried, or what came does not tell."""

    name: str
    listed: bool | None = Field(default=None, description="whether the server lists it")
    answers: bool | None = Field(default=None, description="whether it answered a question")
    keeps_schema: bool | None = Field(default=None, description="whether a reply keeps a schema without being told it")
    takes_tools: bool | None = Field(default=None, description="whether it calls a strict `submit` tool")
    streams: bool | None = Field(default=None, description="whether its text comes in pieces")
    counts_tokens: bool | None = Field(default=None, description="whether it counts a prompt's tokens before a call")
    searches: bool | None = Field(default=None, description="whether it has the provider's web search")
    error: str = ""


class EndpointReport(Value):
    """What a check found out about an endpoint."""

    name: str
    url: str = Field(description="the address that was checked, without a password")
    at: str = Field(default="", description="when, ISO 8601 in UTC")
    key: Literal["present", "missing", "not needed"]
    reachable: bool
    seconds: float = 0.0
    listed: tuple[str, ...] = Field(default=(), description="the models it says it has; empty: it does not say")
    models: tuple[ModelReport, ...] = Field(default=(), description="the models that were asked about")
    error: str = ""
    next_step: str = ""

    @property
    def failed(self) -> bool:
        """Whether the endpoint itself could not be used."""
        return not self.reachable or bool(self.error)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong with it or with a model that was asked about."""
        return not self.failed and not any(m.error for m in self.models)

    def model(self, name: str) -> ModelReport | None:
        """What was found out about a model."""
        return next((m for m in self.models if m.name == name), None)

    def can(self, ability: Ability) -> bool | None:
        """Whether every model that was tried can; None where none was."""
        tried = [found for m in self.models if (found := getattr(m, ability)) is not None]
        return all(tried) if tried else None

    def after(self, earlier: "EndpointReport | None") -> "EndpointReport":
        """This report, with what an earlier one of the same address learned by asking and this one did not ask. A model
        that has left the list is forgotten; one that answered though it was never listed is not."""
        if earlier is None or earlier.url != self.url:
            return self
        there = {m.name: m for m in earlier.models if m.answers and self._may_have(m)}
        asked = {m.name: m for m in self.models if m.answers is not None or m.name not in there}
        learned = {
            n: m.model_copy(update={"listed": n in self.listed if self.listed else None}) for n, m in there.items()
        }
        return self.model_copy(update={"models": tuple({**learned, **asked}.values())})

    def _may_have(self, earlier: ModelReport) -> bool:
        return not self.listed or earlier.name in self.listed or earlier.listed is False
