"""What the web routes need from outside: the background work behind its rows."""

from typing import Protocol

from wakeful.model.tasks.task import LogPage, Task


class TaskDoor(Protocol):
    async def kill_task(self, task: Task) -> bool:
        """End it on purpose: it wakes nobody. False when it has ended already."""
        ...

    async def read_log(self, task: Task, offset: int) -> LogPage:
        """What it has said from this byte on, a page at most. Whoever reads it here consumes nothing."""
        ...

    def progress(self, task: Task) -> int | None:
        """0 to 100, when the end of its output names a percentage."""
        ...
