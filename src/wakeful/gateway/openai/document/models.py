"""The routes of models."""

from wakeful.gateway.openai.document.refusals import refusals
from wakeful.wire.openapi import TEXT, Family, Json, json_answer, list_of, only, operation, path, record, ref, whole

_MODEL = record({"id": TEXT, "object": only("model"), "created": whole(0), "owned_by": TEXT})
_LIST = record({"object": only("list"), "data": list_of(ref("Model"))})

PATHS: dict[str, dict[str, Json]] = {
    "/v1/models": {
        "get": operation("listModels", "The catalogue", {200: json_answer("All models.", _LIST), **refusals()}),
    },
    "/v1/models/{model}": {
        "get": operation(
            "getModel",
            "One model",
            {200: json_answer("The model.", ref("Model")), **refusals(404)},
            parameters=[path("model", "Its name; slashes in it stay as they are.")],
        ),
    },
}

FAMILY = Family("Models", "`wakeful` is whatever is configured.", PATHS, {"Model": _MODEL})
