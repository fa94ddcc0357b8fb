"""What a tool is. A tool's failure is a value that the model reads, not an exception."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What the model is told about a tool; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call stands: its key in the journal, and the directory that its paths are relative to."""

    turn_id: str
    session_id: str
    step: int
    index: int
    workspace: Path


@dataclass(frozen=True, slots=True)
class ToolResult:
    text: str
    # Tasks whose end this result shows: their notices are consumed with it.
    consumes: tuple[str, ...] = ()


class Tool(Protocol):
    @property
    def spec(self) -> ToolSpec: ...

    @property
    def is_harmless(self) -> bool:
        """Running it twice does no harm: a call cut off by a crash is simply run again."""
        ...

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult: ...
