"""Encodes a ModelRequest as a body of the Messages API."""

from typing import Any

from wakeful.agent.providers.anthropic.content import message_list, system_blocks, tool_list
from wakeful.agent.providers.anthropic.options import body_options
from wakeful.agent.providers.base import ModelRequest
from wakeful.agent.providers.endpoint_settings import EndpointSettings
from wakeful.agent.providers.request_json import encoded, with_options
from wakeful.tools.base import ToolSpec


def messages_body(request: ModelRequest, settings: EndpointSettings, output_limit: int) -> bytes:
    fields = body_options(request.options, has_tools=bool(request.tools), output_limit=output_limit)
    if request.tools:
        fields["tools"] = [_tool(spec) for spec in request.tools]
    body = with_options(fields, settings.options_for(request.model))
    # The cache reads tools, instructions and messages in this order, so they come last, and only the marks move.
    tools = tool_list(body.pop("tools", ()))
    system = system_blocks(request.instructions, request.messages)
    body |= {"model": request.model, "stream": True}
    body |= {"tools": tools} if tools else {}
    body |= {"system": system} if system else {}
    body.pop("messages", None)
    return encoded(body | {"messages": message_list(request.messages, settings.name)})


def _tool(spec: ToolSpec) -> dict[str, Any]:
    # The API demands the type, which clients may leave out.
    schema = {"type": "object", **spec.parameters}
    return {"name": spec.name, "description": spec.description, "input_schema": schema}
