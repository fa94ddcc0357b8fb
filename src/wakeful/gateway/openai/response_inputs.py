"""The `input` of a response as words for the journal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from wakeful.gateway.openai.errors import invalid
from wakeful.model.failure import failure_text

# No sets: what a client sends may be a list or an object, and cannot be looked up in one.
_ROLES = ("assistant", "developer", "system", "user")
_TEXT_PARTS = ("input_text", "output_text", "text")

Input = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reference:
    """An item that stands somewhere else: see references.py."""

    id: str
    # Its place in the input, for complaints.
    where: str
    # What the client has given beside its id: what counts where there is no such item.
    otherwise: Input | None = None


def read_inputs(given: Any, name: str = "input") -> list[Input | Reference]:
    """`name` is the field that they stand in."""
    if isinstance(given, str):
        if not given:
            raise invalid(name, f"{name} must not be empty.")
        return [{"role": "user", "text": given}]
    if not isinstance(given, list) or not given:
        raise invalid(name, f"{name} must be a text or a list of items.")
    return [_item(item, f"{name}[{number}]") for number, item in enumerate(given)]


def _item(item: Any, where: str) -> Input | Reference:
    if not isinstance(item, dict):
        raise invalid(where, f"{where} must be an object.")
    match _untyped(item) if item.get("type") is None else item["type"]:
        case "message":
            return _message(item, where)
        case "function_call":
            call = {"id": _text(item, "call_id", where), "name": _text(item, "name", where)}
            return {"role": "assistant", "text": "", "calls": [call | {"arguments": _text(item, "arguments", where)}]}
        case "function_call_output":
            return {"role": "tool", "call_id": _text(item, "call_id", where), "text": _output(item, where)}
        case "mcp_call":
            return _server_call(item, where)
        case "item_reference":
            return Reference(_text(item, "id", where), where)
        case "reasoning":
            return {"role": "assistant", "text": ""}
        case kind:
            raise invalid(where, f"{where} is of the type {kind!r}, which is not supported.")


def _server_call(item: Mapping[str, Any], where: str) -> Input | Reference:
    """A call that the server has run. What the client says of its result counts; a client that leaves the result out
    relies on what the server knows of it, and so does one that knows a failure by its sentence only.
    """
    item_id = _text(item, "id", where)
    call = {"id": item_id, "name": _text(item, "name", where), "arguments": _text(item, "arguments", where)}
    label = _text(item, "server_label", where)
    made: Input = {"role": "assistant", "text": "", "calls": [call], "server_label": label}
    if (error := item.get("error")) is not None:
        made["result"] = {"text": failure_text("failed", _sentence(error, where)), "is_error": True}
    if item.get("output") is not None:
        return made | {"result": {"text": _text(item, "output", where), "is_error": False}}
    return Reference(item_id, where, made)


def _sentence(error: Any, where: str) -> str:
    """As we wrote it, or as others would; of what looks different, all."""
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        raise invalid(f"{where}.error", f"{where}.error must be a text or an object.")
    content = error.get("content")
    parts = content if isinstance(content, list) else [{"text": error.get("message", content)}]
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    return "\n".join(map(str, texts)) if texts and None not in texts else orjson.dumps(error).decode()


def _untyped(item: Mapping[str, Any]) -> str:
    """Two kinds may come without their name."""
    return "item_reference" if "id" in item and "role" not in item else "message"


def _message(item: Mapping[str, Any], where: str) -> Input:
    role = item.get("role")
    if role not in _ROLES:
        raise invalid(f"{where}.role", f"{where}.role must be one of {', '.join(_ROLES)}.")
    content = item.get("content")
    if isinstance(content, str):
        return {"role": role, "text": content}
    if not isinstance(content, list):
        raise invalid(f"{where}.content", f"{where}.content must be a text or a list of parts.")
    texts: list[str] = []
    images: list[str] = []
    for number, part in enumerate(content):
        _read_part(part, f"{where}.content[{number}]", texts, images)
    said: Input = {"role": role, "text": "".join(texts)}
    return said | {"images": images} if images else said


def _read_part(part: Any, where: str, texts: list[str], images: list[str]) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in _TEXT_PARTS:
        texts.append(_text(part, "text", where))
    elif kind == "refusal":
        texts.append(_text(part, "refusal", where))
    elif kind == "input_image" and isinstance(part.get("image_url"), str):
        images.append(part["image_url"])
    else:
        raise invalid(where, f"{where} must be input_text, or input_image with an image_url.")


def _output(item: Mapping[str, Any], where: str) -> str:
    output = item.get("output")
    if isinstance(output, list):
        texts: list[str] = []
        for number, part in enumerate(output):
            _read_part(part, f"{where}.output[{number}]", texts, [])
        return "".join(texts)
    return _text(item, "output", where)


def _text(item: Mapping[str, Any], name: str, where: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise invalid(f"{where}.{name}", f"{where}.{name} must be a text.")
    return value
