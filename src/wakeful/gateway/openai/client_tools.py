"""The functions that a client brings along."""

import re
from typing import Any

from wakeful.gateway.openai import body as fields
from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.errors import invalid
from wakeful.model.request import ClientTool

# What endpoints take as the name of a function.
NAME = re.compile(r"[a-zA-Z0-9_.-]{1,128}", re.ASCII)


def client_tools(body: Body, *, nested: str = "") -> tuple[ClientTool, ...]:
    """`nested` is the field in which a tool's function stands, where it is not the tool itself. Raises ApiError."""
    tools: dict[str, ClientTool] = {}
    for number, given in enumerate(fields.entries(body, "tools") or []):
        where = f"tools[{number}]"
        if not isinstance(given, dict) or given.get("type") != "function":
            raise invalid(where, f"{where} must be a function: the server brings other tools of its own.")
        place = f"{where}.{nested}" if nested else where
        tool = _function(given.get(nested) if nested else given, place)
        if tool.name in tools:
            message = f"{place}.name is the name of another tool too: {tool.name}."
            raise invalid(f"{place}.name", message, "duplicate_tool_name")
        tools[tool.name] = tool
    return tuple(tools.values())


def _function(given: Any, where: str) -> ClientTool:
    if not isinstance(given, dict):
        raise invalid(where, f"{where} must be an object with the function's name.")
    if not is_name(given.get("name")):
        raise invalid(f"{where}.name", f"{where}.name must be 1 to 128 letters, digits and _ . -")
    description = fields.text(given, "description", inside=where) or ""
    fields.flag(given, "strict", False, inside=where)
    return ClientTool(given["name"], description, fields.mapping(given, "parameters", inside=where) or {})


def is_name(given: Any) -> bool:
    return isinstance(given, str) and NAME.fullmatch(given) is not None
