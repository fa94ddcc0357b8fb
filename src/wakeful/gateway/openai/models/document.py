"""The routes of models."""

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
            parameters=[path("model", "Its name; slashes in it stay as they are.")],
        ),
    },
}

FAMILY = Family("Models", "`wakeful` is whatever is configured.", PATHS, {"Model": Model})
