"""Makes the result of a call out of what an MCP server has answered."""

import base64
from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.model.files.attachment import PICTURE_BYTES
from wakeful.model.files.file_type import picture_in
from wakeful.tools.base import ToolPicture, ToolResult

_NO_WORDS = "The tool failed, and its server does not say why."


def result_from(answer: Mapping[str, Any]) -> ToolResult:
    """`answer` is not checked: a server may have sent anything."""
    content = answer.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    shown = [_shown(block, number) for number, block in enumerate(blocks, 1)]
    texts = [text for text, _ in shown if text]
    if answer.get("isError") is True:
        return ToolResult.failed("tool_error", "\n".join(texts) or _NO_WORDS)
    structured = answer.get("structuredContent")
    if structured is not None and not any(block.get("type") == "text" for block in blocks):
        texts.append(orjson.dumps(structured).decode())
    pictures = tuple(picture for _, picture in shown if picture is not None)
    return ToolResult("\n".join(texts) or "[The tool returned nothing.]", pictures=pictures)


def _shown(block: Mapping[str, Any], number: int) -> tuple[str, ToolPicture | None]:
    """Return what the model reads about a block, and the picture that it is, if models take it."""
    content = _image_in(block)
    # Its bytes say what it is, not the server.
    picture = picture_in(content)
    if picture is None or not picture.fits:
        return _text_of(block), None
    name = f"picture-{number}.{picture.type.removeprefix('image/')}"
    return picture.line(name, len(content)), ToolPicture(name, picture.type, content)


def _image_in(block: Mapping[str, Any]) -> bytes:
    """Return the bytes of an image; none if it is something else, damaged or too large."""
    match block:
        case {"type": "image", "data": str(data)} if _size_of(data) <= PICTURE_BYTES:
            try:
                return base64.b64decode(data, validate=True)
            except ValueError:
                return b""
    return b""


def _text_of(block: Mapping[str, Any]) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image", "data": str(data)}:
            return f"[Image: {_type_of(block)}, {_size_of(data)} bytes. It is too large or damaged, and not shown.]"
        case {"type": "audio", "data": str(data)}:
            return f"[Audio: {_type_of(block)}, {_size_of(data)} bytes]"
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource", "resource": {"blob": str(data)} as resource}:
            return f"[Resource: {resource.get('uri', '')}, {_type_of(resource)}, {_size_of(data)} bytes]"
        case {"type": "resource_link", "uri": str(uri)}:
            name = block.get("name")
            return f"[Resource: {uri}, {name}]" if isinstance(name, str) and name else f"[Resource: {uri}]"
    return ""


def _type_of(block: Mapping[str, Any]) -> str:
    kind = block.get("mimeType")
    return kind if isinstance(kind, str) else "unknown type"


def _size_of(data: str) -> int:
    """Return how many bytes base64 stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")
