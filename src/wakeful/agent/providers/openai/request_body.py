"""Encodes a ModelRequest as a chat-completions body."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

import orjson

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings, Wire
from wakeful.agent.providers.mended_text import mended
from wakeful.agent.providers.openai.dialect import Dialect
from wakeful.agent.providers.request_json import encoded, json_object, with_options
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec

_PICTURES = "[The pictures of the results above, in their order.]"


def request_body(request: ModelRequest, dialect: Dialect, settings: EndpointSettings) -> bytes:
    # The options go in first, so that they cannot replace the model or the messages.
    body: dict[str, Any] = dict(request.options)
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    else:
        # Endpoints refuse these options in a request without tools.
        for name in ("tool_choice", "parallel_tool_calls"):
            body.pop(name, None)
    if dialect.asks_for_usage:
        body["stream_options"] = {"include_usage": True}
    body = with_options(body, settings.options_for(request.model))
    body |= {"model": request.model, "stream": True}
    # Last: then the next request of a session begins with the same bytes.
    body.pop("messages", None)
    body["messages"] = list(_messages(request, dialect, settings.name))
    return encoded(body)


def _messages(request: ModelRequest, dialect: Dialect, provider: str) -> Iterable[dict[str, Any]]:
    if request.instructions:
        yield {"role": "system", "content": request.instructions}
    running_from = _start_of_running_exchange(request.messages)
    for number, message in enumerate(request.messages):
        with_reasoning = dialect.returns_reasoning and number >= running_from
        yield _message(message, provider, with_reasoning=with_reasoning)
        following = request.messages[number + 1 : number + 2]
        if isinstance(message, ToolMessage) and not isinstance(next(iter(following), None), ToolMessage):
            yield from _pictures_of_results(request.messages[: number + 1])


def _start_of_running_exchange(messages: Sequence[Message]) -> int:
    """Return the index after the last user message. Endpoints that take reasoning back refuse any older one."""
    last = max((number for number, message in enumerate(messages) if isinstance(message, UserMessage)), default=-1)
    return last + 1


def _message(message: Message, provider: str, *, with_reasoning: bool) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": _with_images(message) if message.images else message.text}
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": message.text}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    return _assistant(message, provider, with_reasoning=with_reasoning)


def _pictures_of_results(messages: Sequence[Message]) -> Iterable[dict[str, Any]]:
    """Yield a user message with the pictures of the last results: a result itself can only hold text here."""
    results = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(messages)))
    images = tuple(image for result in reversed(results) if isinstance(result, ToolMessage) for image in result.images)
    if images:
        yield {"role": "user", "content": _with_images(UserMessage(_PICTURES, images))}


def _with_images(message: UserMessage) -> list[dict[str, Any]]:
    images = [{"type": "image_url", "image_url": {"url": image}} for image in message.images]
    return [{"type": "text", "text": message.text}, *images] if message.text else images


def _assistant(message: AssistantMessage, provider: str, *, with_reasoning: bool) -> dict[str, Any]:
    said: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.calls:
        said["tool_calls"] = [_call(call) for call in message.calls]
    for extra in message.native_of(provider, Wire.OPENAI):
        said["tool_calls"][extra["call"] - 1]["extra_content"] = extra["extra_content"]
    if with_reasoning and message.reasoning:
        said["reasoning_content"] = message.reasoning
    return said


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = call.arguments
    if json_object(arguments) is None:
        # Several endpoints parse the arguments of earlier calls and fail on malformed ones.
        arguments = orjson.dumps({"invalid_json": mended(arguments)}).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}
