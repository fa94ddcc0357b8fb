"""The routes of responses in the OpenAPI document."""

from wakeful.gateway.openai.document import api_refusals
from wakeful.gateway.openai.items.input_items import InputItem
from wakeful.gateway.openai.items.objects import ItemPage, OutputItem, OutputPart, ShownItem
from wakeful.gateway.openai.items.page import PageQuery
from wakeful.gateway.openai.responses.events import ResponseEvent
from wakeful.gateway.openai.responses.request import ResponseBody
from wakeful.gateway.openai.responses.response import DeletedResponse, ResponseObject
from wakeful.gateway.openai.responses.routes import ResponseHeaders, ResponseQuery
from wakeful.gateway.openai.usage import ResponseUsage
from wakeful.wire.error_types import ApiProblem
from wakeful.wire.openapi import Family, either, json_answer, json_body, operation, path, stream_answer
from wakeful.wire.schema import Json, parameters

_ID = path("response_id", "`resp_…`")
_RESPONSE = json_answer("The response.", ResponseObject)
_EVENTS = stream_answer("Its events.", ResponseEvent, ends="[DONE]")

_CREATE = operation(
    "createResponse",
    "Ask the agent",
    {200: either("The response, or its events with `stream`.", _RESPONSE, _EVENTS), **api_refusals(400, 404, 409, 413)},
    words="A stored response is a turn that survives its client and the server that runs it. `stream`, `store` and "
    "`background` change how it is returned, not how it runs. A failed response is returned with 200 and its `status`.",
    parameters=parameters(ResponseHeaders, "header"),
    body=json_body(ResponseBody),
)
_SHOW = operation(
    "getResponse",
    "See a response, or follow it",
    {200: either("As it stands, or its events with `stream=true`.", _RESPONSE, _EVENTS), **api_refusals(400, 404)},
    parameters=[
        _ID,
        *parameters(ResponseQuery, "query"),
    ],
)

PATHS: dict[str, dict[str, Json]] = {
    "/v1/responses": {"post": _CREATE},
    "/v1/responses/{response_id}": {
        "get": _SHOW,
        "delete": operation(
            "deleteResponse",
            "Hide a response; one that runs is stopped",
            {200: json_answer("It is hidden.", DeletedResponse), **api_refusals(404)},
            parameters=[_ID],
        ),
    },
    "/v1/responses/{response_id}/cancel": {
        "post": operation(
            "cancelResponse",
            "Stop a response",
            {200: _RESPONSE, **api_refusals(404)},
            words="A response that has ended is returned as it is.",
            parameters=[_ID],
        ),
    },
    "/v1/responses/{response_id}/input_items": {
        "get": operation(
            "listInputItems",
            "List the input items",
            {200: json_answer("A page of items.", ItemPage), **api_refusals(400, 404)},
            parameters=[_ID, *parameters(PageQuery, "query")],
        ),
    },
}

FAMILY = Family(
    "Responses",
    "Durable, resumable, idempotent.",
    PATHS,
    {
        "Response": ResponseObject,
        "ResponseRequest": ResponseBody,
        "InputItem": InputItem,
        "Usage": ResponseUsage,
        "Error": ApiProblem,
        "OutputPart": OutputPart,
        "OutputItem": OutputItem,
        "Item": ShownItem,
        "ItemPage": ItemPage,
        "ResponseEvent": ResponseEvent,
    },
)
