"""Turns, and the parts of an engine that the tools need."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.approvals.mode import CallStanding, Mode
from wakeful.model.session import Address
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Door, Turn, TurnStatus
from wakeful.tools.base import Tool, ToolContext, ToolResult, ToolSpec
from wakeful.tools.gate import Gate

# The folder of a server that does not exist.
HOME = Path("/srv/wakeful-home")


def open_below(folder: Path) -> list[str]:
    """Return the files and folders that this process has open there."""
    opened = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
    return [path for path in opened if Path(path).is_relative_to(folder)]


def new_turn(workspace: Path, *, session_id: str = "sess_1", async_delivery: bool = True) -> Turn:
    return Turn(
        id="turn_1",
        session_id=session_id,
        parent=None,
        door=Door("web", async_delivery),
        address=Address("web"),
        source="user",
        is_wakeup=False,
        model="demo:scripted",
        status=TurnStatus.RUNNING,
        node="node_1",
        epoch=1,
        workspace=str(workspace),
    )


def tool_context(workspace: Path) -> ToolContext:
    return ToolContext(new_turn(workspace), 1, 1, "call_1")


class Person:
    """An approver whose answer is known."""

    seconds = 60.0

    def __init__(
        self,
        choice: Choice | None,
        *,
        is_still_asked: bool = False,
        mode: Mode = Mode.ACCEPT_EDITS,
        is_unasked: bool = False,
    ) -> None:
        self._choice = choice
        self._standing = CallStanding(mode, is_still_asked, is_unasked)
        self._is_still_asked = is_still_asked
        self.asked: list[Question] = []

    async def standing(self, turn: Turn, step: int, index: int) -> CallStanding:
        return self._standing

    async def uncovered(self, turn: Turn, step: int, index: int, question: Question) -> tuple[Reason, ...]:
        return question.reasons

    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        self.asked.append(question)
        return self._choice

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        return self._is_still_asked


def gate_of(person: Person, *, can_ask: bool = True) -> Gate:
    return Gate(person, lambda turn: can_ask)


@dataclass(frozen=True)
class Gated:
    """A tool whose calls pass a gate, as they do in a turn."""

    tool: Tool
    gate: Gate

    @property
    def spec(self) -> ToolSpec:
        return self.tool.spec

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return await self.gate.run(self.tool, arguments, context)


async def run_tool(
    tool: Tool | Gated, turn: Turn, index: int = 1, **arguments: Any
) -> tuple[dict[str, Any], ToolResult]:
    """Return what the model reads, and the whole result."""
    result = await tool.run(arguments, ToolContext(turn, 1, index, f"call_{index}"))
    return orjson.loads(result.text), result


class SubAgents:
    """Delegations whose state the test sets."""

    def __init__(self, tasks: dict[str, Task]) -> None:
        self.tasks = tasks

    async def begin(self, turn: Turn, step: int, index: int, goals: Sequence[Goal], *, is_inline: bool) -> list[Task]:
        raise NotImplementedError

    async def begun(self, turn: Turn, step: int, index: int) -> bool:
        raise NotImplementedError

    async def ended(self, task_ids: Sequence[str]) -> list[Task]:
        return [self.tasks[task_id] for task_id in task_ids]

    async def stop(self, task_id: str) -> bool:
        self.tasks[task_id] = replace(self.tasks[task_id], kill_intended=True)
        return True
