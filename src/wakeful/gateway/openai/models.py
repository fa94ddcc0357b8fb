"""The routes of models: the catalogue, as the official clients read it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.errors import ApiError

# Whatever the operator has configured.
DEFAULT_NAME = "wakeful"


class ModelRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api

    def routes(self) -> list[Route]:
        return [
            Route("/v1/models", self.page, methods=["GET"]),
            Route("/v1/models/{model:path}", self.show, methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": self._all()})

    async def show(self, request: Request) -> Response:
        name = request.path_params["model"]
        for model in self._all():
            if model["id"] == name:
                return JSONResponse(model)
        raise ApiError(404, "model_not_found", f"There is no model {name!r}.", param="model")

    def _all(self) -> list[dict[str, object]]:
        listed = self._api.models()
        return [
            {"id": DEFAULT_NAME, "object": "model", "created": 0, "owned_by": "wakeful"},
            *({"id": id_, "object": "model", "created": created, "owned_by": by} for id_, created, by in listed),
        ]
