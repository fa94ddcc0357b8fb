"""The route that lists the models to choose from."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

Tokens: TypeAlias = Annotated[int, Meta(ge=1)]
Price: TypeAlias = Annotated[float, Meta(ge=0)]


class ModelChoice(Outgoing):
    id: str
    provider: str
    name: str
    context_window: Annotated[Tokens | None, words("How many tokens a request may have; null if it is unknown.")] = None
    max_output: Tokens | None = None
    vision: bool | None = None
    input_price: Annotated[Price | None, words("In USD for a million tokens.")] = None
    output_price: Price | None = None
    facts: Annotated[
        Literal["config", "learnt", "endpoint", "built_in", "unknown"], words("The first source of these facts.")
    ] = "unknown"


class ModelChoices(Outgoing):
    models: list[ModelChoice]
    default: str


class ModelChoiceRoutes:
    def __init__(self, models: Callable[[], Sequence[ModelChoice]], default: str) -> None:
        """`models` returns the models known now, without asking the providers."""
        self._models = models
        self._default = default

    def routes(self) -> list[Route]:
        return [Route("/api/models", self.page, methods=["GET"])]

    async def page(self, request: Request) -> Response:
        return JsonAnswer(ModelChoices(models=list(self._models()), default=self._default))
