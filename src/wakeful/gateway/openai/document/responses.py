"""The routes of responses."""

from wakeful.gateway.openai.document import common, items, response_events
from wakeful.gateway.openai.document.refusals import SCHEMAS as refusal_schemas
from wakeful.gateway.openai.document.refusals import refusals
from wakeful.gateway.openai.input_items import InputItem
from wakeful.gateway.openai.response_request import ResponseBody
from wakeful.wire.openapi import (
    FLAG,
    OBJECT,
    TEXT,
    Family,
    Json,
    any_of,
    choice,
    either,
    header,
    json_answer,
    json_body,
    list_of,
    number,
    only,
    operation,
    or_null,
    path,
    query,
    record,
    ref,
    stream_answer,
    text,
    whole,
)

_ID = path("response_id", "`resp_…`")
_RESPONSE = json_answer("The response.", ref("Response"))
_EVENTS = stream_answer("Its events.", ref("ResponseEvent"), ends="[DONE]")

_OBJECT = record(
    {
        "id": TEXT,
        "object": only("response"),
        "created_at": whole(0),
        "status": choice("queued", "in_progress", "completed", "failed", "cancelled", "incomplete"),
        "background": FLAG,
        "completed_at": or_null(whole(0)),
        "error": or_null(record({"code": TEXT, "message": TEXT})),
        "incomplete_details": or_null(record({"reason": TEXT})),
        "instructions": or_null(TEXT),
        "max_output_tokens": or_null(whole(1)),
        "max_tool_calls": or_null(whole(0)),
        "metadata": {"type": "object", "additionalProperties": TEXT},
        "model": TEXT,
        "output": list_of(ref("OutputItem")),
        "parallel_tool_calls": FLAG,
        "previous_response_id": or_null(TEXT),
        "conversation": or_null(record({"id": TEXT})),
        "prompt_cache_key": or_null(TEXT),
        "reasoning": record({"effort": or_null(TEXT), "summary": or_null(TEXT)}),
        "safety_identifier": or_null(TEXT),
        "service_tier": TEXT,
        "store": FLAG,
        "temperature": number(0, 2),
        "text": record({"format": OBJECT}),
        "tool_choice": any_of(TEXT, OBJECT),
        "tools": list_of(OBJECT),
        "top_logprobs": whole(0),
        "top_p": number(0, 1),
        "truncation": TEXT,
        "usage": or_null(ref("Usage")),
        "user": or_null(TEXT),
    }
)

_CREATE = operation(
    "createResponse",
    "Ask the agent",
    {200: either("The response, or its events with `stream`.", _RESPONSE, _EVENTS), **refusals(400, 404, 409, 413)},
    words="A stored response is a turn that survives its client and the server that runs it. `stream`, `store` and "
    "`background` say how it is told, not how it is run. A response that failed is told with 200 and its `status`.",
    parameters=[
        header(
            "Idempotency-Key",
            text(maxLength=255),
            "The same key and body are one response, however often they are sent. Another body is 409; with "
            "`store: false` it is 400.",
        ),
    ],
    body=json_body(ResponseBody),
)
_SHOW = operation(
    "getResponse",
    "See a response, or follow it",
    {200: either("As it stands, or its events with `stream=true`.", _RESPONSE, _EVENTS), **refusals(400, 404)},
    parameters=[
        _ID,
        query("stream", FLAG, "Its events from the first, live to the end."),
        query("starting_after", whole(0, 10**15 - 1), "Only the events after the one with this number."),
    ],
)
_DELETED = record({"id": TEXT, "object": only("response"), "deleted": FLAG})

PATHS: dict[str, dict[str, Json]] = {
    "/v1/responses": {"post": _CREATE},
    "/v1/responses/{response_id}": {
        "get": _SHOW,
        "delete": operation(
            "deleteResponse",
            "Hide a response; one that runs is stopped",
            {200: json_answer("It is hidden.", _DELETED), **refusals(404)},
            parameters=[_ID],
        ),
    },
    "/v1/responses/{response_id}/cancel": {
        "post": operation(
            "cancelResponse",
            "Stop a response",
            {200: _RESPONSE, **refusals(404)},
            words="One that has ended is told as it is.",
            parameters=[_ID],
        ),
    },
    "/v1/responses/{response_id}/input_items": {
        "get": operation(
            "listInputItems",
            "What was asked",
            {200: json_answer("A page of items.", ref("ItemPage")), **refusals(400, 404)},
            parameters=[_ID, *common.PAGE_PARAMETERS],
        ),
    },
}

FAMILY = Family(
    "Responses",
    "Durable, resumable, idempotent.",
    PATHS,
    {
        "Response": _OBJECT,
        "ResponseRequest": ResponseBody,
        "InputItem": InputItem,
        "Usage": common.USAGE,
        **items.SCHEMAS,
        **response_events.SCHEMAS,
        **refusal_schemas,
    },
)
