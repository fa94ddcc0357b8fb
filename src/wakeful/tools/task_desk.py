"""Shows background work to people and ends it for them. Reading here consumes no notice."""

import re

from wakeful.model.tasks.task import LogPage, Task, TaskKind
from wakeful.tools.ports import Delegator
from wakeful.tools.processes.keeper import ProcessKeeper

# Enough for the last state of a progress bar that overwrites itself.
_LAST_BYTES = 1_000
_PERCENTAGE = re.compile(rb"(?<![\d.])(\d{1,3})(?:\.\d+)? ?%")


class TaskDesk:
    def __init__(self, keeper: ProcessKeeper, delegator: Delegator) -> None:
        self._keeper = keeper
        self._delegator = delegator

    async def kill_task(self, task: Task) -> bool:
        """End the task on purpose, without a notice. Return False if it has ended already."""
        if task.kind is TaskKind.DELEGATION:
            return await self._delegator.stop(task.id)
        return await self._keeper.kill(task.id)

    async def read_log(self, task: Task, offset: int) -> LogPage:
        has_ended = not task.is_running
        if not self._has_output(task):
            text = self._substitute(task).encode()[offset:]
            return LogPage(text.decode(errors="replace"), offset, offset + len(text), has_ended)
        page = await self._keeper.outputs.page(task.id, offset, has_ended=has_ended)
        is_last = has_ended and page.next_offset >= await self._keeper.outputs.size(task.id)
        return LogPage(page.text, page.offset, page.next_offset, is_last)

    def progress(self, task: Task) -> int | None:
        """Return 0 to 100 if the end of the output shows a percentage."""
        if not self._has_output(task):
            return None
        output = self._keeper.outputs.of(self._keeper.outputs.folder(task.id))
        size = output.size()
        found = _PERCENTAGE.findall(output.read(max(0, size - _LAST_BYTES), size))
        return int(found[-1]) if found and int(found[-1]) <= 100 else None

    def _substitute(self, task: Task) -> str:
        """Return the text for a task without an output here: a delegation, or a process of another machine."""
        if task.kind is TaskKind.DELEGATION or task.result:
            return task.result
        return f"[The output of this process is on the machine where it runs, host {task.host.id}.]"

    def _has_output(self, task: Task) -> bool:
        return task.kind is TaskKind.PROCESS and task.host.id == self._keeper.host.id
