"""The route of chat completions."""

from wakeful.gateway.openai.chat_request import ChatBody
from wakeful.gateway.openai.document import common
from wakeful.gateway.openai.document.refusals import refusals
from wakeful.wire.openapi import (
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

_FUNCTION_CALL = record({"name": TEXT, "arguments": TEXT})

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
            body=json_body(ChatBody),
        ),
    },
}

FAMILY = Family(
    "Chat completions",
    "For clients that keep the conversation themselves.",
    PATHS,
    {
        "ChatRequest": ChatBody,
        "ChatCompletion": _COMPLETION,
        "ChatUsage": _USAGE,
        "ChatEvent": told("A chunk, or the error that ends the stream.", any_of(_CHUNK, ref("Error"))),
    },
)
