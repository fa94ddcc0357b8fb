"""Encodes a ModelRequest as a chat-completions body."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.mended_text import mended
from wakeful.agent.providers.openai.call_builder import is_json_object
from wakeful.agent.providers.openai.dialect import Dialect
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from wakeful.tools.base import ToolSpec


def request_body(request: ModelRequest, dialect: Dialect) -> bytes:
    # The client's options go in first, so that they cannot replace the model or the messages.
    body: dict[str, Any] = dict(request.options)
    body |= {"model": request.model, "stream": True, "messages": list(_messages(request, dialect))}
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    else:
        # Endpoints refuse these options in a request without tools.
        for name in ("tool_choice", "parallel_tool_calls"):
            body.pop(name, None)
    if dialect.asks_for_usage:
        body["stream_options"] = {"include_usage": True}
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:
        # Some text contains half a surrogate pair. That is rare, so texts are checked only after a failure.
        return orjson.dumps(_mended_deep(body))


def _messages(request: ModelRequest, dialect: Dialect) -> Iterable[dict[str, Any]]:
    if request.instructions:
        yield {"role": "system", "content": request.instructions}
    running_from = _start_of_running_exchange(request.messages)
    for number, message in enumerate(request.messages):
        yield _message(message, with_reasoning=dialect.returns_reasoning and number >= running_from)


def _start_of_running_exchange(messages: Sequence[Message]) -> int:
    """Return the index after the last user message. Endpoints that take reasoning back refuse any older one."""
    last = max((number for number, message in enumerate(messages) if isinstance(message, UserMessage)), default=-1)
    return last + 1


def _message(message: Message, *, with_reasoning: bool) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": _with_images(message) if message.images else message.text}
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": message.text}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    return _assistant(message, with_reasoning=with_reasoning)


def _with_images(message: UserMessage) -> list[dict[str, Any]]:
    images = [{"type": "image_url", "image_url": {"url": image}} for image in message.images]
    return [{"type": "text", "text": message.text}, *images] if message.text else images


def _assistant(message: AssistantMessage, *, with_reasoning: bool) -> dict[str, Any]:
    encoded: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.calls:
        encoded["tool_calls"] = [_call(call) for call in message.calls]
    if with_reasoning and message.reasoning:
        encoded["reasoning_content"] = message.reasoning
    return encoded


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = call.arguments
    if not is_json_object(arguments):
        # Several endpoints parse the arguments of earlier calls and fail on malformed ones.
        arguments = orjson.dumps({"invalid_json": mended(arguments)}).decode()
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}


def _mended_deep(value: Any) -> Any:
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, dict):
        return {mended(key): _mended_deep(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mended_deep(item) for item in value]
    return value
