"""What a client asks of one turn beside its words: instructions, tools of its own, options of the model.

It is stored with the turn, so that a resume goes on with it and whoever looks later sees what was asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A function that the client runs itself: a call of it ends the turn."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


# A chat completion belongs to its connection; a run's client can be asked while it runs, also by the sub-agents that
# work for it.
CHAT, RUN, RUN_PART = "chat", "run", "run_part"


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

    @property
    def can_ask(self) -> bool:
        """Whether its client has a way to answer questions."""
        return self.kind in (RUN, RUN_PART)

    @property
    def tool_call_limit(self) -> int | None:
        """How many calls of the server's tools its client allows; None: as many as it takes."""
        limit: int | None = self.echo.get("max_tool_calls")
        return limit

    def dump(self) -> bytes:
        return orjson.dumps(self)


def request_from(stored: bytes) -> TurnRequest:
    data = orjson.loads(stored)
    tools = tuple(ClientTool(**tool) for tool in data.pop("tools", ()))
    return TurnRequest(**data, tools=tools)
