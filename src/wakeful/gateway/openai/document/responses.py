"""The routes of responses."""

from wakeful.gateway.openai.document import common, items, response_events
from wakeful.gateway.openai.document.refusals import SCHEMAS as refusal_schemas
from wakeful.gateway.openai.document.refusals import refusals
from wakeful.wire.openapi import (
    FLAG,
    NULL,
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
    told,
    whole,
)

_ID = path("response_id", "`resp_…`")
_RESPONSE = json_answer("The response.", ref("Response"))
_EVENTS = stream_answer("Its events.", ref("ResponseEvent"), ends="[DONE]")

_TOOL = record({"type": only("function"), **common.FUNCTION_NAMED}, common.FUNCTION_MORE)
_CHOSEN_TOOL = record({"type": only("function"), **common.FUNCTION_NAMED})
_ALLOWED_TOOLS = record(
    {
        "type": only("allowed_tools"),
        "mode": choice("auto", "required"),
        "tools": list_of(_CHOSEN_TOOL, minItems=1),
    }
)
_FORMAT = any_of(
    record({"type": choice("text", "json_object")}),
    record({"type": only("json_schema"), **common.SCHEMA_NAMED}, common.SCHEMA_MORE),
)
_NAME = text(minLength=1, maxLength=256, pattern="^[^\\u0000]*$")

_REQUEST = record(
    {"input": any_of(text(minLength=1), list_of(ref("InputItem"), minItems=1))},
    {
        "model": common.MODEL,
        "instructions": or_null(common.LONG_TEXT),
        "stream": or_null(FLAG),
        "store": told("true where nothing is said: it survives its client and the server.", or_null(FLAG)),
        "background": told("Answered at once; needs `store`.", or_null(FLAG)),
        "conversation": told(
            "An id `conv_…`, or a name of your own, which makes one on first use. Not with `previous_response_id`.",
            or_null(any_of(_NAME, record({"id": _NAME}))),
        ),
        "previous_response_id": told("A completed response to go on from.", or_null(text(maxLength=256))),
        "tools": told("Functions that the client runs; each has a name of its own.", or_null(list_of(_TOOL))),
        "tool_choice": told(
            "With `none` no tool is called, not even the server's. The name of a tool that does not exist is 400.",
            or_null(any_of(choice("auto", "none", "required"), _CHOSEN_TOOL, _ALLOWED_TOOLS)),
        ),
        "parallel_tool_calls": or_null(FLAG),
        "text": or_null(
            record({}, {"format": or_null(_FORMAT), "verbosity": or_null(choice("low", "medium", "high"))}),
        ),
        "reasoning": or_null(
            record(
                {},
                {
                    "effort": common.REASONING_EFFORT,
                    "summary": told("Taken; there are no summaries.", or_null(choice("auto", "concise", "detailed"))),
                },
            )
        ),
        "temperature": or_null(number(0, 2)),
        "top_p": or_null(number(0, 1)),
        "top_logprobs": told("Log probabilities are not told.", or_null(whole(0, 0))),
        "max_output_tokens": or_null(whole(1, common.MANY)),
        "max_tool_calls": told(
            "How many calls of the server's tools are run; with 0 the model is told of none of them.",
            or_null(whole(0, common.MANY)),
        ),
        "truncation": or_null(choice("auto", "disabled")),
        "include": told("Taken; what is not there is not added.", or_null(list_of(TEXT))),
        "prompt": told("There are no prompt templates.", NULL),
        "stream_options": or_null(record({}, {"include_obfuscation": or_null(FLAG)})),
        "metadata": common.METADATA,
        "user": or_null(common.LONG_TEXT),
        "prompt_cache_key": or_null(common.LONG_TEXT),
        "safety_identifier": or_null(common.LONG_TEXT),
        "service_tier": common.SERVICE_TIER,
    },
)

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
    body=json_body(ref("ResponseRequest")),
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
        "ResponseRequest": _REQUEST,
        "Usage": common.USAGE,
        **items.SCHEMAS,
        **response_events.SCHEMAS,
        **refusal_schemas,
    },
)
