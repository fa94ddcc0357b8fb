"""The routes of models: the catalogue, in the form that the official clients read."""

from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.gateway.openai.api import Api
from wakeful.gateway.openai.errors import ApiError
from wakeful.model.api.request import DEFAULT_MODEL
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing


class Model(Outgoing):
    id: str
    object: Literal["model"] = "model"
    # Unix seconds.
    created: Annotated[int, Meta(ge=0)] = 0
    owned_by: str = "wakeful"


class ModelList(Outgoing):
    object: Literal["list"] = "list"
    data: list[Model]


class ApiModelRoutes:
    def __init__(self, api: Api) -> None:
        self._api = api

    def routes(self) -> list[Route]:
        return [
            Route("/v1/models", self.page, methods=["GET"]),
            Route("/v1/models/{model:path}", self.show, methods=["GET"]),
        ]

    async def page(self, request: Request) -> Response:
        return JsonAnswer(ModelList(data=self._all()))

    async def show(self, request: Request) -> Response:
        name = request.path_params["model"]
        for model in self._all():
            if model.id == name:
                return JsonAnswer(model)
        raise ApiError(404, "model_not_found", f"There is no model {name!r}.", param="model")

    def _all(self) -> list[Model]:
        listed = [Model(id=id_, created=created, owned_by=by) for id_, created, by in self._api.models()]
        return [Model(id=DEFAULT_MODEL), *listed]
