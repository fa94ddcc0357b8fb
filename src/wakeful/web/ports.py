"""The protocols that the web routes need from outside."""

from collections.abc import Mapping
from typing import Protocol

from wakeful.model.messaging.door import DoorStatus
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.tasks.task import LogPage, Task
from wakeful.model.tools.mcp import McpStatus


class TaskAccess(Protocol):
    async def kill_task(self, task: Task) -> bool:
        """End the task without waking its session. Return False if it has already ended."""
        ...

    async def read_log(self, task: Task, offset: int) -> LogPage:
        """Return a page of the task's output from this byte on. Reading here does not consume it for the agent."""
        ...

    def progress(self, task: Task) -> int | None:
        """Return 0 to 100 if the end of the task's output contains a percentage."""
        ...


class MessagingDesk(Protocol):
    def statuses(self) -> Mapping[str, DoorStatus]:
        """Return how the doors of this server are doing, by the names of their platforms."""
        ...

    async def pair(self, code: str) -> Pairing:
        """Let in the person who has this code. Raises NoSuchCode."""
        ...

    def wake(self, platform: str) -> None:
        """A post for this platform was changed: look whether something can be sent now."""
        ...


class McpDesk(Protocol):
    def statuses(self) -> list[McpStatus]:
        """Return how the MCP servers of this node are doing."""
        ...

    async def restart(self, name: str) -> bool:
        """End the server and start it again. Return False if there is none, or it is disabled."""
        ...
