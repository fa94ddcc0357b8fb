"""The messages of a chat as a client sends them, and their conversion to inputs for the journal."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from wakeful.gateway.openai.items.input_items import PictureUrl, RefusalPart
from wakeful.gateway.openai.items.inputs import Input
from wakeful.wire.declared import Incoming, says


class ChatTextPart(Incoming):
    type: Literal["text"]
    text: str


class ImageUrl(Incoming):
    url: PictureUrl


class ChatImagePart(Incoming):
    type: Literal["image_url"]
    image_url: ImageUrl


ChatPart: TypeAlias = Annotated[
    ChatTextPart | RefusalPart | ChatImagePart, says("{} must be a text or an image_url.", covers_inside=True)
]
ChatContent: TypeAlias = Annotated[str | list[ChatPart], says("{} must be a text or a list of parts.")]


class ChatCallFunction(Incoming):
    name: str
    arguments: str


class ChatCall(Incoming):
    id: str
    type: Literal["function"] = "function"
    function: ChatCallFunction


class PlainMessage(Incoming):
    role: Literal["developer", "system", "user"]
    content: ChatContent


class ChatAssistantMessage(Incoming):
    role: Literal["assistant"]
    content: ChatContent | None = None
    tool_calls: Annotated[
        list[ChatCall] | None,
        says("{} must be calls with an id, and a function with name and arguments.", covers_inside=True),
    ] = None


class ChatToolMessage(Incoming):
    role: Literal["tool"]
    tool_call_id: str
    content: ChatContent


ChatMessage: TypeAlias = PlainMessage | ChatAssistantMessage | ChatToolMessage


def chat_inputs(messages: Sequence[ChatMessage]) -> list[Input]:
    return [given for message in messages for given in _inputs(message)]


def _inputs(message: ChatMessage) -> list[Input]:
    spoken = {"role": message.role, **_content(message.content or "")}
    if message.role == "tool":
        return [spoken | {"call_id": message.tool_call_id}]
    if message.role != "assistant" or not message.tool_calls:
        return [spoken]
    # Each call is a separate input; the fold joins them into one message for the model.
    calls = [{"role": message.role, "text": "", "calls": [_call(call)]} for call in message.tool_calls]
    return [spoken, *calls] if spoken["text"] else calls


def _call(call: ChatCall) -> dict[str, str]:
    return {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}


def _content(content: str | Sequence[ChatPart]) -> dict[str, Any]:
    if isinstance(content, str):
        return {"text": content}
    images = [part.image_url.url for part in content if part.type == "image_url"]
    texts = [part.refusal if part.type == "refusal" else part.text for part in content if part.type != "image_url"]
    return {"text": "".join(texts)} | ({"images": images} if images else {})
