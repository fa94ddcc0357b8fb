"""A client's request of one turn, without its messages: instructions, the client's tools, options of the model.

It is stored with the turn, so that a resume continues with it and the API can return it later.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from wakeful.errors import RequestNotUnderstood

# The model name that clients send for the configured default, whatever that is.
DEFAULT_MODEL = "wakeful"


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A function that the client runs: a call of it ends the turn."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


# A chat completion belongs to its connection. The client of a run can answer questions while it runs, also those of
# its sub-agents (RUN_PART).
CHAT, RUN, RUN_PART = "chat", "run", "run_part"
# The user asked for a summary of the conversation; the instructions say what matters.
COMPACT = "compact"
_KINDS = frozenset({"", "response", "items", CHAT, RUN, RUN_PART, COMPACT})
# Fields that are stored as they are, with their types.
_PLAIN: Mapping[str, type] = {
    "kind": str, "instructions": str, "tool_items": str, "options": dict, "echo": dict,
}  # fmt: skip

# How calls of the server's tools are shown to a client: as items that hold their result, or as pairs of a call and its
# output, which many clients take for calls that they have to run.
MCP_CALL, FUNCTION_CALL = "mcp_call", "function_call"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    # The kind of object that the turn is to its client: response, items or one of the above; empty for turns of other
    # doors.
    kind: str = ""
    instructions: str = ""
    tools: tuple[ClientTool, ...] = ()
    # Fields of a chat-completions request, passed on to the model's endpoint.
    options: Mapping[str, Any] = field(default_factory=dict)
    # The request as the client wrote it, to be returned with the response.
    echo: Mapping[str, Any] = field(default_factory=dict)
    # One of the two above, stored so that a turn always looks the same. Empty: a turn of another door, or of a version
    # that knew only pairs.
    tool_items: str = ""
    # The only tools that may be called, by name; None: all of them.
    allowed_tools: tuple[str, ...] | None = None

    @property
    def can_ask(self) -> bool:
        """Whether the client has a way to answer questions."""
        return self.kind in (RUN, RUN_PART)

    @property
    def compacts(self) -> bool:
        """Whether a context that is too long is summed up. A client that sends the whole conversation each time, or
        continues from a single response, gets an error instead, unless it sets `truncation` to auto.
        """
        if self.kind not in ("response", CHAT):
            return True
        return bool(self.echo.get("conversation")) or self.echo.get("truncation") == "auto"

    @property
    def tool_call_limit(self) -> int | None:
        """How many calls of the server's tools the client allows; None: no limit."""
        limit: int | None = self.echo.get("max_tool_calls")
        return limit

    @property
    def takes_server_tools(self) -> bool:
        return self.tool_call_limit != 0

    def allows(self, tool: str) -> bool:
        return self.allowed_tools is None or tool in self.allowed_tools

    def limited_to(self, tools: Collection[str] | None) -> "TurnRequest":
        """Return the request with no other tools than these allowed; None: all that it allows."""
        if tools is None:
            return self
        return replace(self, allowed_tools=tuple(name for name in tools if self.allows(name)))

    def dump(self) -> bytes:
        return orjson.dumps(self)


def request_from(stored: bytes) -> TurnRequest:
    """Decode a stored request. Raises RequestNotUnderstood if it is damaged or a newer version wrote it: a turn must
    not carry out half of a request.
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
    """Decode the fields that this version knows, for lists and pages: they show also turns that cannot be run."""
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
