"""What a client asks for with POST /v1/chat/completions, checked before anything happens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.response_inputs import Input
from wakeful.model.request import ClientTool, TurnRequest

_NAME_LIMIT = 256
_MANY = 10_000_000
_ROLES = frozenset({"user", "system", "developer", "assistant", "tool"})
# Passed on to the model's endpoint as they are.
_PLAIN = ("stop", "seed", "response_format", "tool_choice", "reasoning_effort", "logit_bias")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    inputs: list[Input]
    model: str
    is_streamed: bool
    includes_usage: bool
    turn: TurnRequest


def read_chat_request(body: Body) -> ChatRequest:
    """Raises ApiError."""
    if fields.whole_number(body, "n", 1, 128) not in (None, 1):
        raise invalid("n", "n must be 1: a turn has one answer.")
    stream_options = fields.mapping(body, "stream_options") or {}
    return ChatRequest(
        inputs=_inputs(body.get("messages")),
        model=fields.text(body, "model", limit=_NAME_LIMIT) or "",
        is_streamed=fields.flag(body, "stream", False),
        includes_usage=fields.flag(stream_options, "include_usage", False),
        turn=TurnRequest(
            kind="chat",
            tools=_tools(body.get("tools")),
            options=_options(body),
            echo={name: body[name] for name in ("model", "metadata", "user") if name in body},
        ),
    )


def _inputs(given: Any) -> list[Input]:
    if not isinstance(given, list) or not given:
        raise invalid("messages", "messages must be a list with at least one message.")
    return [_message(message, f"messages[{number}]") for number, message in enumerate(given)]


def _message(message: Any, where: str) -> Input:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        raise invalid(f"{where}.role", f"{where}.role must be one of {', '.join(sorted(_ROLES))}.")
    said = _content(message.get("content"), where, may_be_missing=role == "assistant")
    if role == "tool":
        call_id = message.get("tool_call_id")
        if not isinstance(call_id, str):
            raise invalid(f"{where}.tool_call_id", f"{where}.tool_call_id must be a text.")
        return {"role": role, "call_id": call_id, **said}
    if role == "assistant" and message.get("tool_calls"):
        return {"role": role, **said, "calls": _calls(message["tool_calls"], f"{where}.tool_calls")}
    return {"role": role, **said}


def _content(content: Any, where: str, *, may_be_missing: bool) -> dict[str, Any]:
    if isinstance(content, str):
        return {"text": content}
    if content is None and may_be_missing:
        return {"text": ""}
    if not isinstance(content, list):
        raise invalid(f"{where}.content", f"{where}.content must be a text or a list of parts.")
    texts: list[str] = []
    images: list[str] = []
    for number, part in enumerate(content):
        _read_part(part, f"{where}.content[{number}]", texts, images)
    return {"text": "".join(texts)} | ({"images": images} if images else {})


def _read_part(part: Any, where: str, texts: list[str], images: list[str]) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        texts.append(part["text"])
    elif kind == "image_url" and isinstance(url := _url_of(part.get("image_url")), str):
        images.append(url)
    else:
        raise invalid(where, f"{where} must be a text or an image_url.")


def _url_of(image: Any) -> Any:
    return image.get("url") if isinstance(image, dict) else None


def _calls(given: Any, where: str) -> list[dict[str, str]]:
    calls = [_call(call) for call in given] if isinstance(given, list) else [None]
    if None in calls:
        raise invalid(where, f"{where} must be calls with an id, and a function with name and arguments.")
    return [call for call in calls if call is not None]


def _call(call: Any) -> dict[str, str] | None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return None
    named = {"id": call.get("id"), "name": function.get("name"), "arguments": function.get("arguments")}
    return named if all(isinstance(text, str) for text in named.values()) else None


def _tools(given: Any) -> tuple[ClientTool, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise invalid("tools", "tools must be a list.")
    return tuple(_tool(tool, f"tools[{number}]") for number, tool in enumerate(given))


def _tool(tool: Any, where: str) -> ClientTool:
    function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
        raise invalid(where, f"{where} must be a function with a name.")
    parameters = function.get("parameters") or {}
    if not isinstance(parameters, Mapping):
        raise invalid(where, f"{where}.function.parameters must be a JSON schema.")
    return ClientTool(function["name"], str(function.get("description") or ""), parameters)


def _options(body: Body) -> dict[str, Any]:
    options: dict[str, Any] = {
        "temperature": fields.number(body, "temperature", 0, 2),
        "top_p": fields.number(body, "top_p", 0, 1),
        "presence_penalty": fields.number(body, "presence_penalty", -2, 2),
        "frequency_penalty": fields.number(body, "frequency_penalty", -2, 2),
        "max_tokens": fields.whole_number(body, "max_tokens", 1, _MANY),
        "max_completion_tokens": fields.whole_number(body, "max_completion_tokens", 1, _MANY),
    }
    options |= {name: body[name] for name in _PLAIN if body.get(name) is not None}
    if not fields.flag(body, "parallel_tool_calls", True):
        options["parallel_tool_calls"] = False
    return {name: value for name, value in options.items() if value is not None}
