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


@dataclass(frozen=True, slots=True)
class TurnRequest:
    # Which kind of object the turn is to its client: response, chat or run; empty for turns of other doors.
    kind: str = ""
    instructions: str = ""
    tools: tuple[ClientTool, ...] = ()
    # Fields of a chat-completions request, as the model's endpoint takes them.
    options: Mapping[str, Any] = field(default_factory=dict)
    # The request as the client wrote it, for those who are to see it again.
    echo: Mapping[str, Any] = field(default_factory=dict)

    def dump(self) -> bytes:
        return orjson.dumps(self)


def request_from(stored: bytes) -> TurnRequest:
    data = orjson.loads(stored)
    tools = tuple(ClientTool(**tool) for tool in data.pop("tools", ()))
    return TurnRequest(**data, tools=tools)
