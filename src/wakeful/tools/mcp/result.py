"""Makes the result of a call out of what an MCP server has answered."""

from collections.abc import Mapping
from typing import Any

import orjson

from wakeful.tools.base import ToolResult

_NO_WORDS = "The tool failed, and its server does not say why."


def result_from(answer: Mapping[str, Any]) -> ToolResult:
    """`answer` is not checked: a server may have sent anything."""
    content = answer.get("content")
    blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []
    texts = [text for block in blocks if (text := _text_of(block))]
    if answer.get("isError") is True:
        return ToolResult.failed("tool_error", "\n".join(texts) or _NO_WORDS)
    structured = answer.get("structuredContent")
    if structured is not None and not any(block.get("type") == "text" for block in blocks):
        texts.append(orjson.dumps(structured).decode())
    return ToolResult("\n".join(texts) or "[The tool returned nothing.]")


def _text_of(block: Mapping[str, Any]) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            return f"[{kind.capitalize()}: {_type_of(block)}, {_size_of(data)} bytes]"
        case {"type": "resource", "resource": {"text": str(text)}}:
            return text
        case {"type": "resource", "resource": {"blob": str(data)} as resource}:
            return f"[Resource: {resource.get('uri', '')}, {_type_of(resource)}, {_size_of(data)} bytes]"
        case {"type": "resource_link", "uri": str(uri)}:
            return f"[Resource: {uri}]"
    return ""


def _type_of(block: Mapping[str, Any]) -> str:
    kind = block.get("mimeType")
    return kind if isinstance(kind, str) else "unknown type"


def _size_of(data: str) -> int:
    """Return how many bytes base64 stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")
