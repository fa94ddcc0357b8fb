"""The route that lists the models to choose from."""

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing


class ModelChoice(Outgoing):
    id: str
    provider: str
    name: str


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
