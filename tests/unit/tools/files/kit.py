"""The tools that change files, on a record of changes in memory."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from tests.unit.tools.kit import HOME, Gated, Person, gate_of, tool_context
from wakeful.model.journal.change import KeptChange
from wakeful.model.turn import Turn
from wakeful.tools.base import Tool, ToolContext, ToolResult
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.workspace import Folders
from wakeful.tools.gate import Gate

# Removed when the tests end.
_COPIES = TemporaryDirectory()
_INDEXES: Iterator[int] = count(1)


class ChangeRows:
    def __init__(self) -> None:
        self.all: dict[str, KeptChange] = {}

    async def find(self, turn: Turn, step: int, index: int) -> KeptChange | None:
        return self.all.get(f"{turn.id}.{step}.{index}")

    async def begin(self, turn: Turn, change: KeptChange) -> None:
        self.all[change.key] = change

    async def give_up(self, change: KeptChange) -> None:
        del self.all[change.key]


def changer_on(home: Path | None = None, rows: ChangeRows | None = None) -> FileChanger:
    return FileChanger(rows or ChangeRows(), FileCopies(home or Path(_COPIES.name)))


def write_tool(gate: Gate | None = None, *, home: Path = HOME, extra: tuple[Path, ...] = ()) -> Gated:
    return Gated(WriteFile(changer_on(), Folders(home, extra)), gate or gate_of(Person(None)))


def edit_tool(gate: Gate | None = None, *, home: Path = HOME) -> Gated:
    return Gated(EditFile(changer_on(), Folders(home)), gate or gate_of(Person(None)))


def new_call(workspace: Path) -> ToolContext:
    """Return the context of a call that has never run."""
    return replace(tool_context(workspace), index=next(_INDEXES))


async def run(tool: Tool | Gated, workspace: Path, **arguments: Any) -> ToolResult:
    result = await tool.run(arguments, new_call(workspace))
    result.text.encode()
    return result


async def failure(tool: Tool | Gated, workspace: Path, **arguments: Any) -> dict[str, Any]:
    """Run a call that fails and return what the model reads."""
    result = await run(tool, workspace, **arguments)
    answer: dict[str, Any] = orjson.loads(result.text)
    assert result.is_error
    assert list(answer)[:2] == ["error", "code"]
    return answer
