"""How an MCP server is doing, as clients see it."""

from dataclasses import dataclass
from enum import StrEnum


class McpState(StrEnum):
    # It starts with the first turn.
    IDLE = "idle"
    STARTING = "starting"
    READY = "ready"
    # It could not be started, or has ended; the next call or turn starts it again.
    FAILED = "failed"
    DISABLED = "disabled"


class McpTransport(StrEnum):
    STDIO = "stdio"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class McpToolFacts:
    # The name under which models are offered it, and its name at the server.
    name: str
    tool: str
    # The server says that it changes nothing.
    read_only: bool


@dataclass(frozen=True, slots=True)
class McpStatus:
    name: str
    transport: McpTransport
    state: McpState
    tools: tuple[McpToolFacts, ...]
    # Why it is not ready, or what is wrong with its tools; empty if all is well.
    error: str
    # How many times it was started again.
    restarts: int
    # Its calls need no question.
    trust: bool
