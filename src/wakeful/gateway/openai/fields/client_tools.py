"""Functions that the client runs itself."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from wakeful.gateway.openai.errors import invalid
from wakeful.gateway.openai.fields.common_fields import LongText
from wakeful.model.api.request import ClientTool
from wakeful.wire.declared import Incoming, says, words

_NO_FUNCTION = "{} must be a function: all other tools come from the server."
_TOOLS = words("Functions that the client runs; their names must differ.")

# The function names that model endpoints accept.
FunctionName: TypeAlias = Annotated[
    str, Meta(pattern="^[a-zA-Z0-9_.-]{1,128}$"), says("{} must be 1 to 128 letters, digits and _ . -")
]


class Function(Incoming):
    name: FunctionName
    description: LongText = ""
    parameters: Annotated[dict[str, Any] | None, words("A JSON schema.")] = None
    strict: Annotated[bool | None, words("Accepted and ignored.")] = None

    def as_tool(self) -> ClientTool:
        return ClientTool(self.name, self.description, self.parameters or {})


class ResponseTool(Function):
    type: Literal["function"]


class ChatTool(Incoming):
    type: Literal["function"]
    function: Annotated[Function, says("{} must be an object with the function's name.")]


ResponseTools: TypeAlias = Annotated[list[Annotated[ResponseTool, says(_NO_FUNCTION, unknown=_NO_FUNCTION)]], _TOOLS]
ChatTools: TypeAlias = Annotated[list[Annotated[ChatTool, says(_NO_FUNCTION, unknown=_NO_FUNCTION)]], _TOOLS]


def client_tools(functions: Sequence[Function], *, nested: str = "") -> tuple[ClientTool, ...]:
    """`nested` is the path from a tool to its function, such as `.function`. Raises ApiError for duplicate names."""
    tools: dict[str, ClientTool] = {}
    for number, function in enumerate(functions):
        where = f"tools[{number}]{nested}.name"
        if function.name in tools:
            message = f"{where} must be unique, and another tool has the name {function.name} too."
            raise invalid(where, message, "duplicate_tool_name")
        tools[function.name] = function.as_tool()
    return tuple(tools.values())
