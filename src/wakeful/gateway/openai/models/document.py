"""The routes of models in the OpenAPI document."""

from wakeful.gateway.openai.document import api_refusals
from wakeful.gateway.openai.models.routes import Model, ModelList
from wakeful.wire.openapi import Family, json_answer, operation, path
from wakeful.wire.schema import Json

PATHS: dict[str, dict[str, Json]] = {
    "/v1/models": {
        "get": operation("listModels", "The catalogue", {200: json_answer("All models.", ModelList), **api_refusals()}),
    },
    "/v1/models/{model}": {
        "get": operation(
            "getModel",
            "One model",
            {200: json_answer("The model.", Model), **api_refusals(404)},
            parameters=[path("model", "Its name, with any slashes unencoded.")],
        ),
    },
}

FAMILY = Family("Models", "`wakeful` stands for the configured model.", PATHS, {"Model": Model})
