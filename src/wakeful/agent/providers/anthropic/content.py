"""Encodes a conversation as the content blocks of the Messages API."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.native_layout import NativeBlock, TextPiece, laid_out
from wakeful.agent.providers.request_json import json_object
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage

Block = dict[str, Any]

_MARK = {"type": "ephemeral"}
# How many user messages, counted from the end, carry a mark: the cache is read at the older and written at the newer.
_MARKED_MESSAGES = 2
# Other providers make ids that this API refuses.
_UNFIT_IN_ID = re.compile("[^a-zA-Z0-9_-]")
_LATE_INSTRUCTIONS = "Instructions of the application:\n\n"
_NO_BEGINNING = "(The conversation began earlier.)"


def system_blocks(instructions: str, messages: Sequence[Message]) -> list[Block]:
    """Return the instructions and the client's system messages at the beginning, the last one marked."""
    texts = [instructions, *(message.text for message in _opening(messages))]
    blocks = [_text(text) for text in texts if text.strip()]
    return _marked(blocks)


def message_list(messages: Sequence[Message], provider: str) -> list[Block]:
    """Return the messages, user and assistant in turn. The last two of the user carry marks."""
    turns: list[Block] = []
    for message in messages[len(_opening(messages)) :]:
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        blocks = list(_blocks(message, provider))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    if turns and turns[0]["role"] == "assistant":
        turns.insert(0, {"role": "user", "content": [_text(_NO_BEGINNING)]})
    for turn in [turn for turn in turns if turn["role"] == "user"][-_MARKED_MESSAGES:]:
        _marked(turn["content"])
    return turns


def tool_list(tools: Iterable[Block]) -> list[Block]:
    return _marked(list(tools))


def _opening(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the system messages with which the conversation begins."""
    others = (number for number, message in enumerate(messages) if not isinstance(message, SystemMessage))
    return messages[: next(others, len(messages))]


def _marked(blocks: list[Block]) -> list[Block]:
    if blocks:
        blocks[-1] = {**blocks[-1], "cache_control": _MARK}
    return blocks


def _blocks(message: Message, provider: str) -> Iterator[Block]:
    """Yield the blocks of a message. The API refuses blank texts."""
    match message:
        case UserMessage(text=text, images=images):
            if text.strip():
                yield _text(text)
            yield from map(_image, images)
        case SystemMessage(text=text):
            # Most models refuse the role inside a conversation.
            yield _text(_LATE_INSTRUCTIONS + text)
        case ToolMessage(call_id=call_id, text=text, is_error=is_error, images=images):
            words = [_text(text)] if text.strip() else []
            content = [*words, *map(_image, images)] if images else text
            result = {"type": "tool_result", "tool_use_id": _id(call_id), "content": content}
            yield result | {"is_error": True} if is_error else result
        case AssistantMessage():
            yield from _answer_blocks(message, provider)


def _answer_blocks(message: AssistantMessage, provider: str) -> Iterator[Block]:
    for piece in laid_out(message, provider, Wire.ANTHROPIC):
        match piece:
            case TextPiece(text=text):
                if text.strip():
                    yield _text(text)
            case ToolCall():
                yield _call(piece)
            case NativeBlock(block=block):
                yield dict(block)


def _call(call: ToolCall) -> Block:
    arguments = json_object(call.arguments)
    if arguments is None:
        arguments = {"invalid_json": call.arguments}
    return {"type": "tool_use", "id": _id(call.id), "name": call.name, "input": arguments}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _image(url: str) -> Block:
    """Return the block of a picture: a data: URL goes inline, any other is fetched by the provider."""
    scheme, _, rest = url.partition(":")
    if scheme.lower() != "data":
        return {"type": "image", "source": {"type": "url", "url": url}}
    head, _, data = rest.partition(",")
    media_type, *parameters = head.split(";")
    if "base64" not in parameters:
        data = b64encode(unquote_to_bytes(data)).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _id(call_id: str) -> str:
    return _UNFIT_IN_ID.sub("_", call_id)
