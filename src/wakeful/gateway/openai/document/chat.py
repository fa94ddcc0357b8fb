"""The route of chat completions."""

from wakeful.gateway.openai.document import common
from wakeful.gateway.openai.document.refusals import refusals
from wakeful.wire.openapi import (
    FLAG,
    NULL,
    TEXT,
    Family,
    Json,
    any_of,
    choice,
    either,
    json_answer,
    json_body,
    list_of,
    number,
    only,
    operation,
    or_null,
    record,
    ref,
    stream_answer,
    told,
    whole,
    with_headers,
)

_SEED = 2**63 - 1
_TEXT_PART = record({"type": only("text"), "text": TEXT})
_REFUSAL_PART = record({"type": only("refusal"), "refusal": TEXT})
_IMAGE_PART = record({"type": only("image_url"), "image_url": record({"url": TEXT})})
_CONTENT = any_of(TEXT, list_of(any_of(_TEXT_PART, _REFUSAL_PART, _IMAGE_PART)))
_FUNCTION_CALL = record({"name": TEXT, "arguments": TEXT})
_CALL = record({"id": TEXT, "function": _FUNCTION_CALL}, {"type": only("function")})

_MESSAGE = any_of(
    record({"role": choice("developer", "system", "user"), "content": _CONTENT}),
    record({"role": only("assistant")}, {"content": or_null(_CONTENT), "tool_calls": or_null(list_of(_CALL))}),
    record({"role": only("tool"), "tool_call_id": TEXT, "content": _CONTENT}),
)
_TOOL = record({"type": only("function"), "function": record(common.FUNCTION_NAMED, common.FUNCTION_MORE)})
_CHOSEN_TOOL = record({"type": only("function"), "function": record(common.FUNCTION_NAMED)})
_ALLOWED_TOOLS = record(
    {
        "type": only("allowed_tools"),
        "allowed_tools": record({"mode": choice("auto", "required"), "tools": list_of(_CHOSEN_TOOL, minItems=1)}),
    }
)
_FORMAT = any_of(
    record({"type": choice("text", "json_object")}, {"json_schema": or_null({"type": "object"})}),
    record({"type": only("json_schema"), "json_schema": record(common.SCHEMA_NAMED, common.SCHEMA_MORE)}),
)

_REQUEST = record(
    {"messages": list_of(_MESSAGE, minItems=1)},
    {
        "model": common.MODEL,
        "stream": or_null(FLAG),
        "stream_options": or_null(record({}, {"include_usage": or_null(FLAG)})),
        "tools": told("Functions that the client runs; each has a name of its own.", or_null(list_of(_TOOL))),
        "tool_choice": told(
            "With `none` no tool is called, not even the server's. The name of a tool that does not exist is 400.",
            or_null(any_of(choice("auto", "none", "required"), _CHOSEN_TOOL, _ALLOWED_TOOLS)),
        ),
        "parallel_tool_calls": or_null(FLAG),
        "response_format": or_null(_FORMAT),
        "temperature": or_null(number(0, 2)),
        "top_p": or_null(number(0, 1)),
        "presence_penalty": or_null(number(-2, 2)),
        "frequency_penalty": or_null(number(-2, 2)),
        "max_tokens": or_null(whole(1, common.MANY)),
        "max_completion_tokens": or_null(whole(1, common.MANY)),
        "seed": or_null(whole(-_SEED, _SEED)),
        "stop": or_null(any_of(TEXT, list_of(TEXT, maxItems=64))),
        "logit_bias": or_null({"type": "object", "additionalProperties": or_null(number(-100, 100))}),
        "reasoning_effort": common.REASONING_EFFORT,
        "n": told("A turn has one answer.", or_null(whole(1, 1))),
        "logprobs": told("Log probabilities are not told.", or_null({"type": "boolean", "enum": [False]})),
        "top_logprobs": told("Log probabilities are not told.", or_null(whole(0, 0))),
        "modalities": told("Nothing is spoken here.", or_null(list_of(only("text")))),
        "functions": told("Use `tools`.", NULL),
        "function_call": told("Use `tool_choice`.", NULL),
        "store": told("Taken; chat completions are not kept.", or_null(FLAG)),
        "metadata": common.METADATA,
        "user": or_null(common.LONG_TEXT),
        "prompt_cache_key": or_null(common.LONG_TEXT),
        "safety_identifier": or_null(common.LONG_TEXT),
        "service_tier": common.SERVICE_TIER,
    },
)

_USAGE = record(
    {
        "prompt_tokens": whole(0),
        "completion_tokens": whole(0),
        "total_tokens": whole(0),
        "prompt_tokens_details": record({"cached_tokens": whole(0)}),
        "completion_tokens_details": record({"reasoning_tokens": whole(0)}),
    }
)
_REASON = choice("stop", "length", "tool_calls")
_CALLED = record({"id": TEXT, "type": only("function"), "function": _FUNCTION_CALL})
_ANSWER = record(
    {"role": only("assistant"), "content": or_null(TEXT), "refusal": NULL, "annotations": list_of({})},
    {"tool_calls": list_of(_CALLED)},
)
_HEAD = {"id": TEXT, "created": whole(0), "model": TEXT, "service_tier": only("default"), "system_fingerprint": NULL}
_CHOICE = record({"index": whole(0, 0), "message": _ANSWER, "logprobs": NULL, "finish_reason": _REASON})
_COMPLETION = record(
    {**_HEAD, "object": only("chat.completion"), "choices": list_of(_CHOICE), "usage": ref("ChatUsage")}
)
_DELTA = record(
    {},
    {
        "role": only("assistant"),
        "content": TEXT,
        "refusal": NULL,
        "tool_calls": list_of(
            record({"index": whole(0), "id": TEXT, "type": only("function"), "function": _FUNCTION_CALL})
        ),
    },
)
_CHUNK = record(
    {
        **_HEAD,
        "object": only("chat.completion.chunk"),
        "choices": list_of(
            record({"index": whole(0, 0), "delta": _DELTA, "logprobs": NULL, "finish_reason": or_null(_REASON)})
        ),
    },
    {"usage": or_null(ref("ChatUsage"))},
)

_TOLD = either(
    "The completion, or its chunks with `stream`.",
    json_answer("The completion.", ref("ChatCompletion")),
    stream_answer("Its chunks.", ref("ChatEvent"), ends="[DONE]"),
)

PATHS: dict[str, dict[str, Json]] = {
    "/v1/chat/completions": {
        "post": operation(
            "createChatCompletion",
            "Ask the agent, with the whole conversation in the request",
            {
                200: with_headers(_TOLD, common.SESSION_HEADER),
                502: with_headers(json_answer("The model could not answer.", ref("Error")), common.SESSION_HEADER),
                **refusals(400, 404, 409, 413),
            },
            words="Hanging up stops the model. The server's own tools run on the server and are not told. With a "
            "session, only the messages after the assistant's last one are new. A conversation that is longer than the "
            "model can read is 400 `context_length_exceeded`, or the error that ends a stream.",
            parameters=common.SESSION_PARAMETERS,
            body=json_body(ref("ChatRequest")),
        ),
    },
}

FAMILY = Family(
    "Chat completions",
    "For clients that keep the conversation themselves.",
    PATHS,
    {
        "ChatRequest": _REQUEST,
        "ChatCompletion": _COMPLETION,
        "ChatUsage": _USAGE,
        "ChatEvent": told("A chunk, or the error that ends the stream.", any_of(_CHUNK, ref("Error"))),
    },
)
