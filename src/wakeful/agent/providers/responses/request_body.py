"""Encodes a ModelRequest as a body of the Responses API."""

from collections.abc import Mapping
from typing import Any

from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.request_json import encoded, with_options
from wakeful.agent.providers.responses.conversation import conversation_items
from wakeful.agent.providers.responses.dialect import ReasoningDialect
from wakeful.tools.base import ToolSpec

# Options of chat completions that have the same name and form here. The others have another name, or do not exist.
_SAME = ("temperature", "top_p", "parallel_tool_calls")


def responses_body(request: ModelRequest, dialect: ReasoningDialect, settings: EndpointSettings) -> bytes:
    body = _options(request.options, dialect)
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    else:
        # The API refuses these options in a request without tools.
        for name in ("tool_choice", "parallel_tool_calls"):
            body.pop(name, None)
    body |= {"include": ["reasoning.encrypted_content"]} if dialect.includes_reasoning else {}
    body |= {"prompt_cache_key": request.session} if request.session else {}
    body = with_options(body, settings.options_for(request.model))
    body |= {"model": request.model, "stream": True, "store": False}
    body |= {"instructions": request.instructions} if request.instructions else {}
    # Last: then the next request of a session begins with the same bytes.
    body.pop("input", None)
    return encoded(body | {"input": list(conversation_items(request.messages, settings.name))})


def _options(options: Mapping[str, Any], dialect: ReasoningDialect) -> dict[str, Any]:
    fields = {name: options[name] for name in _SAME if name in options}
    reasoning = {
        "effort": options.get("reasoning_effort"),
        "summary": "auto" if dialect.asks_for_summary else None,
    }
    fields |= {
        "max_output_tokens": options.get("max_completion_tokens") or options.get("max_tokens"),
        "tool_choice": _tool_choice(options.get("tool_choice")),
        "reasoning": {name: value for name, value in reasoning.items() if value is not None},
        "text": _text(options.get("response_format")),
    }
    return {name: value for name, value in fields.items() if value not in (None, {})}


def _tool_choice(choice: Any) -> Any:
    match choice:
        case {"function": {"name": name}}:
            return {"type": "function", "name": name}
    return choice


def _text(answer_format: Any) -> dict[str, Any] | None:
    match answer_format:
        case {"json_schema": {**schema}}:
            return {"format": {"type": "json_schema", **schema}}
        case {"type": "json_object"}:
            return {"format": {"type": "json_object"}}
    return None


def _tool(spec: ToolSpec) -> dict[str, Any]:
    tool = {"type": "function", "name": spec.name, "description": spec.description}
    # Not strict: strict schemas may have no optional parameters.
    return {**tool, "parameters": dict(spec.parameters), "strict": False}
