"""What a client asks of one turn beside its words: instructions, tools of its own, options of the model.

It is stored with the turn, so that a resume goes on with it and whoever looks later sees what was asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from wakeful.errors import RequestNotUnderstood

# The model name that clients send for the configured default, whatever that is.
DEFAULT_MODEL = "wakeful"


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A function that the client runs itself: a call of it ends the turn."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


# A chat completion belongs to its connection; a run's client can be asked while it runs, also by the sub-agents that
# work for it.
CHAT, RUN, RUN_PART = "chat", "run", "run_part"
_KINDS = frozenset({"", "response", "items", CHAT, RUN, RUN_PART})
# What is stored as it is, and of which type.
_PLAIN: Mapping[str, type] = {
    "kind": str, "instructions": str, "tool_items": str, "options": dict, "echo": dict,
}  # fmt: skip

# How a client is told of calls of the server's tools: as items that hold their result, or as pairs of a call and its
# output, which many clients take for calls that they have to run.
MCP_CALL, FUNCTION_CALL = "mcp_call", "function_call"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    # Which kind of object the turn is to its client: response, items or one of the above; empty for turns of other
    # doors.
    kind: str = ""
    instructions: str = ""
    tools: tuple[ClientTool, ...] = ()
    # Fields of a chat-completions request, as the model's endpoint takes them.
    options: Mapping[str, Any] = field(default_factory=dict)
    # The request as the client wrote it, for those who are to see it again.
    echo: Mapping[str, Any] = field(default_factory=dict)
    # One of the two above: what was told of a turn once is told in the same words for ever. Empty: another door's turn,
    # or one of a version that knew only pairs.
    tool_items: str = ""
    # The only tools that may be called, by name; None: all of them.
    allowed_tools: tuple[str, ...] | None = None

    @property
    def can_ask(self) -> bool:
        """Whether its client has a way to answer questions."""
        return self.kind in (RUN, RUN_PART)

    @property
    def tool_call_limit(self) -> int | None:
        """How many calls of the server's tools its client allows; None: as many as it takes."""
        limit: int | None = self.echo.get("max_tool_calls")
        return limit

    @property
    def takes_server_tools(self) -> bool:
        return self.tool_call_limit != 0

    def allows(self, tool: str) -> bool:
        return self.allowed_tools is None or tool in self.allowed_tools

    def dump(self) -> bytes:
        return orjson.dumps(self)


def request_from(stored: bytes) -> TurnRequest:
    """Raises RequestNotUnderstood for what a newer version has written, or what is damaged: half of a request is not
    carried out.
    """
    try:
        data = orjson.loads(stored)
        tools = tuple(ClientTool(**tool) for tool in data.pop("tools", ()))
        allowed = data.pop("allowed_tools", None)
        asked = TurnRequest(**data, tools=tools, allowed_tools=None if allowed is None else tuple(allowed))
    except (ValueError, TypeError, AttributeError) as error:
        raise RequestNotUnderstood from error
    if asked.kind not in _KINDS or not all(_fits(name, value) for name, value in data.items()):
        raise RequestNotUnderstood
    return asked


def request_as_far_as_known(stored: bytes) -> TurnRequest:
    """For those who list and show turns, and must do so with one that cannot be carried out."""
    try:
        return request_from(stored)
    except RequestNotUnderstood:
        return TurnRequest(**_known_part(stored))


def _known_part(stored: bytes) -> dict[str, Any]:
    try:
        data = orjson.loads(stored)
    except ValueError:
        return {}
    return {name: value for name, value in data.items() if _fits(name, value)} if isinstance(data, dict) else {}


def _fits(name: str, value: object) -> bool:
    return name in _PLAIN and isinstance(value, _PLAIN[name])
