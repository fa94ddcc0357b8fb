"""The catalogue of models, for those who choose one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


class ModelRoutes:
    def __init__(self, models: Callable[[], Sequence[Mapping[str, Any]]], default: str) -> None:
        """`models` tells what is known, at once."""
        self._models = models
        self._default = default

    def routes(self) -> list[Route]:
        return [Route("/api/models", self.page, methods=["GET"])]

    async def page(self, request: Request) -> Response:
        return JSONResponse({"models": list(self._models()), "default": self._default})
