"""Encodes a conversation as the input items of the Responses API."""

from collections.abc import Iterator, Sequence
from typing import Any

from wakeful.agent.providers.endpoint_settings import Wire
from wakeful.agent.providers.native_layout import NativeBlock, TextPiece, laid_out
from wakeful.model.journal.message import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage

Item = dict[str, Any]


def conversation_items(messages: Sequence[Message], provider: str) -> Iterator[Item]:
    for message in messages:
        match message:
            case UserMessage(text=text, images=images):
                yield {"role": "user", "content": _with_images(text, images) if images else text}
            case SystemMessage(text=text):
                yield {"role": "system", "content": text}
            case ToolMessage(call_id=call_id, text=text, images=images):
                output = _with_images(text, images) if images else text
                yield {"type": "function_call_output", "call_id": call_id, "output": output}
            case AssistantMessage():
                yield from _answer_items(message, provider)


def _with_images(text: str, images: Sequence[str]) -> list[Item]:
    pictures = [{"type": "input_image", "image_url": image, "detail": "auto"} for image in images]
    return [{"type": "input_text", "text": text}, *pictures] if text else pictures


def _answer_items(message: AssistantMessage, provider: str) -> Iterator[Item]:
    for piece in laid_out(message, provider, Wire.RESPONSES):
        match piece:
            case TextPiece(text=text, extra=extra):
                if text:
                    content = [{"type": "output_text", "text": text}]
                    yield {"type": "message", "role": "assistant", "content": content, **extra}
            case ToolCall(id=call_id, name=name, arguments=arguments):
                yield {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
            case NativeBlock(block=block):
                yield dict(block)
