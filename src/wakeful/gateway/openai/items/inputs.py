"""Converts the items that a client sends to inputs for the journal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.gateway.openai.items.input_items import (
    InputCall,
    InputCallOutput,
    InputItem,
    InputMessage,
    InputPart,
    InputReference,
    InputServerCall,
)
from wakeful.model.tools.failure import failure_text

Input = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reference:
    """An input that names a stored item: see references.py."""

    id: str
    # Its path in the request, for error messages.
    where: str
    # What the client sent besides the id: it is used if there is no such item.
    otherwise: Input | None = None


def inputs_of(given: str | Sequence[InputItem], name: str = "input") -> list[Input | Reference]:
    """`name` is the field of the request that has the items, for error messages."""
    if isinstance(given, str):
        return [{"role": "user", "text": given}]
    return [_input(item, f"{name}[{number}]") for number, item in enumerate(given)]


def _input(item: InputItem, where: str) -> Input | Reference:
    match item:
        case InputMessage(role=role, content=content):
            return {"role": role, **_content(content)}
        case InputCall(call_id=call_id, name=name, arguments=arguments):
            call = {"id": call_id, "name": name, "arguments": arguments}
            return {"role": "assistant", "text": "", "calls": [call]}
        case InputCallOutput(call_id=call_id, output=output):
            return {"role": "tool", "call_id": call_id, **_content(output)}
        case InputServerCall():
            return _server_call(item, where)
        case InputReference(id=item_id):
            return Reference(item_id, where)
        case _:
            return {"role": "assistant", "text": ""}


def _server_call(item: InputServerCall, where: str) -> Input | Reference:
    """Convert a call that the server has run. An output from the client counts. Otherwise the server's record does, if
    it has one: an error from the client is only the sentence of it.
    """
    call = {"id": item.id, "name": item.name, "arguments": item.arguments}
    made: Input = {"role": "assistant", "text": "", "calls": [call], "server_label": item.server_label}
    if item.error is not None:
        made["result"] = {"text": failure_text("failed", _sentence(item.error)), "is_error": True}
    if item.output is not None:
        return made | {"result": {"text": item.output, "is_error": False}}
    return Reference(item.id, where, made)


def _sentence(error: str | dict[str, Any]) -> str:
    """Return the text of an error in our form or a common one; of any other the whole object as JSON."""
    if isinstance(error, str):
        return error
    content = error.get("content")
    parts = content if isinstance(content, list) else [{"text": error.get("message", content)}]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    return "\n".join(map(str, texts)) if texts and None not in texts else orjson.dumps(error).decode()


def _content(content: str | Sequence[InputPart]) -> dict[str, Any]:
    if isinstance(content, str):
        return {"text": content}
    images = [part.image_url for part in content if part.type == "input_image"]
    texts = [part.refusal if part.type == "refusal" else part.text for part in content if part.type != "input_image"]
    return {"text": "".join(texts)} | ({"images": images} if images else {})
