"""The route of chat completions in the OpenAPI document."""

from wakeful.gateway.openai.chat.completion import ChatCompletion, ChatEvent
from wakeful.gateway.openai.chat.request import ChatBody
from wakeful.gateway.openai.document import SESSION_HEADER, SESSION_PARAMETERS, api_refusals
from wakeful.gateway.openai.usage import ChatUsage
from wakeful.wire.error_types import ApiProblem
from wakeful.wire.openapi import Family, either, json_answer, json_body, operation, stream_answer, with_headers
from wakeful.wire.schema import Json

_ANSWER = either(
    "The completion, or its chunks with `stream`.",
    json_answer("The completion.", ChatCompletion),
    stream_answer("Its chunks.", ChatEvent, ends="[DONE]"),
)

PATHS: dict[str, dict[str, Json]] = {
    "/v1/chat/completions": {
        "post": operation(
            "createChatCompletion",
            "Ask the agent, with the whole conversation in the request",
            {
                200: with_headers(_ANSWER, SESSION_HEADER),
                502: with_headers(json_answer("The model could not answer.", ApiProblem), SESSION_HEADER),
                **api_refusals(400, 404, 409, 413),
            },
            words="Hanging up stops the model. The server's own tools run on the server and are not shown. With a "
            "session, only the messages after the assistant's last one are new. A conversation that is longer than the "
            "model can read is 400 `context_length_exceeded`, or the error that ends a stream.",
            parameters=SESSION_PARAMETERS,
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
        "ChatCompletion": ChatCompletion,
        "ChatUsage": ChatUsage,
        "ChatEvent": ChatEvent,
    },
)
