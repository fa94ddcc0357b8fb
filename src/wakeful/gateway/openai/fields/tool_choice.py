"""Which tools a client lets the model call, and whether it must call one."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.fields.client_tools import FunctionName
from wakeful.model.api.request import TurnRequest
from wakeful.wire.declared import Incoming, says, words


class ChosenFunction(Incoming):
    type: Literal["function"]
    name: FunctionName


class AllowedFunctions(Incoming):
    type: Literal["allowed_tools"]
    mode: Literal["auto", "required"]
    tools: Annotated[list[ChosenFunction], Meta(min_length=1)]


class NamedFunction(Incoming):
    name: FunctionName


class ChosenChatFunction(Incoming):
    type: Literal["function"]
    function: NamedFunction

    @property
    def name(self) -> str:
        return self.function.name


class AllowedTools(Incoming):
    mode: Literal["auto", "required"]
    tools: Annotated[list[ChosenChatFunction], Meta(min_length=1)]


class AllowedChatFunctions(Incoming):
    type: Literal["allowed_tools"]
    allowed_tools: AllowedTools


_Word: TypeAlias = Literal["auto", "none", "required"]
_UNFIT = says(
    "{} must be auto, none, required, a function with a name, or allowed_tools with a mode and functions.",
    covers_inside=True,
)
_WORDS = words("With `none` no tool is called, not even the server's. The name of a tool that does not exist is 400.")
ResponseToolChoice: TypeAlias = Annotated[_Word | ChosenFunction | AllowedFunctions, _UNFIT, _WORDS]
ChatToolChoice: TypeAlias = Annotated[_Word | ChosenChatFunction | AllowedChatFunctions, _UNFIT, _WORDS]


@dataclass(frozen=True, slots=True)
class ToolChoice:
    # As a chat-completions endpoint takes it; None leaves the choice to the model.
    force: Any = None
    # The tools that may be called; None allows all of them.
    allowed: tuple[str, ...] | None = None

    @property
    def option(self) -> dict[str, Any]:
        """Return the part that is sent to the model's endpoint."""
        return {} if self.force is None else {"tool_choice": self.force}


def tool_choice(given: ResponseToolChoice | ChatToolChoice) -> ToolChoice:
    match given:
        case "auto":
            return ToolChoice()
        case "none":
            return ToolChoice(allowed=())
        case "required":
            return ToolChoice(force="required")
        case ChosenFunction(name=name) | ChosenChatFunction(name=name):
            return ToolChoice(force={"type": "function", "function": {"name": name}})
        case AllowedChatFunctions(allowed_tools=allowed):
            return _allowed(allowed)
        case _:
            return _allowed(given)


def require_tools(asked: TurnRequest, server_tools: Collection[str]) -> None:
    """Raise ApiError if the choice cannot be honoured, because it names a tool that does not exist."""
    usable = {tool.name for tool in asked.tools} | (set(server_tools) if asked.takes_server_tools else set())
    force = asked.options.get("tool_choice")
    chosen = [*(asked.allowed_tools or ()), *([force["function"]["name"]] if isinstance(force, dict) else [])]
    for name in chosen:
        if name not in usable:
            known = ", ".join(sorted(usable)) or "none"
            raise invalid(
                "tool_choice", f"tool_choice names {name}, which is not among the tools: {known}.", "unknown_tool"
            )
    if force is not None and not usable:
        message = "tool_choice demands a call, but there is no tool to call: max_tool_calls is 0."
        raise invalid("tool_choice", message, "unknown_tool")


def _allowed(given: AllowedFunctions | AllowedTools) -> ToolChoice:
    names = tuple(tool.name for tool in given.tools)
    return ToolChoice("required" if given.mode == "required" else None, names)
