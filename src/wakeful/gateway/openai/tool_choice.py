"""Which tools a client lets the model call, and whether it must call one."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from wakeful.gateway.openai.body import Body
from wakeful.gateway.openai.client_tools import is_name
from wakeful.gateway.openai.errors import ApiError, invalid
from wakeful.model.request import TurnRequest

_MODES = ("auto", "required")
_WORDS = "tool_choice must be auto, none, required, a function with a name, or allowed_tools with a mode and functions."


@dataclass(frozen=True, slots=True)
class ToolChoice:
    # In the words of a chat-completions endpoint; None: the model may do as it likes.
    force: Any = None
    # The only tools that may be called; None: all of them.
    allowed: tuple[str, ...] | None = None

    @property
    def option(self) -> dict[str, Any]:
        """What of it the model's endpoint is told."""
        return {} if self.force is None else {"tool_choice": self.force}


def tool_choice(body: Body, *, nested: str = "") -> ToolChoice:
    """`nested` is the field in which a tool's function stands, where it is not the tool itself. Raises ApiError."""
    given = body.get("tool_choice")
    if given in (None, "auto"):
        return ToolChoice()
    if given == "none":
        return ToolChoice(allowed=())
    if given == "required":
        return ToolChoice(force="required")
    if not isinstance(given, dict):
        raise _unfit()
    if given.get("type") == "allowed_tools":
        return _allowed(given.get("allowed_tools") if nested else given, nested)
    return ToolChoice(force={"type": "function", "function": {"name": _name(given, nested)}})


def require_tools(asked: TurnRequest, server_tools: Collection[str]) -> None:
    """What cannot be honoured is refused. Raises ApiError where a tool is chosen that does not exist here."""
    usable = {tool.name for tool in asked.tools} | (set(server_tools) if asked.takes_server_tools else set())
    force = asked.options.get("tool_choice")
    chosen = [*(asked.allowed_tools or ()), *([force["function"]["name"]] if isinstance(force, dict) else [])]
    for name in chosen:
        if name not in usable:
            known = ", ".join(sorted(usable)) or "none"
            raise invalid("tool_choice", f"tool_choice names {name}, and the tools are: {known}.", "unknown_tool")
    if force is not None and not usable:
        message = "tool_choice demands a call, and there is no tool to call: max_tool_calls is 0."
        raise invalid("tool_choice", message, "unknown_tool")


def _allowed(given: Any, nested: str) -> ToolChoice:
    tools = given.get("tools") if isinstance(given, dict) else None
    if not isinstance(tools, list) or not tools or given.get("mode") not in _MODES:
        raise _unfit()
    names = tuple(_name(tool, nested) for tool in tools)
    return ToolChoice("required" if given["mode"] == "required" else None, names)


def _name(tool: Any, nested: str) -> str:
    """The name of a function that a client points to."""
    named = tool if isinstance(tool, dict) and tool.get("type") == "function" else {}
    function = named.get(nested) if nested else named
    if not isinstance(function, Mapping) or not is_name(function.get("name")):
        raise _unfit()
    return str(function["name"])


def _unfit() -> ApiError:
    return invalid("tool_choice", _WORDS)
