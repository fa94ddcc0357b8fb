"""Finds the folder and the output of each process, with secrets masked in what is shown."""

import asyncio

from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.output.output import Output, Page
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.settings import ProcessSettings

PAGE = 64 * 1024


class Outputs:
    def __init__(self, settings: ProcessSettings) -> None:
        self._root = settings.root
        self._redactor = Redactor(settings.secrets)

    def folder(self, task_id: str) -> ProcessFolder:
        return ProcessFolder(self._root / task_id)

    def of(self, folder: ProcessFolder) -> Output:
        return Output(folder.output, self._redactor)

    async def size(self, task_id: str) -> int:
        return await asyncio.to_thread(self._of_task(task_id).size)

    async def tail(self, task_id: str, characters: int) -> tuple[str, bool]:
        """Return the last characters, and whether there are more before them."""
        return await asyncio.to_thread(self._of_task(task_id).tail, characters)

    async def page(self, task_id: str, offset: int, *, has_ended: bool, limit: int = PAGE) -> Page:
        """Return at most `limit` bytes from an offset. `has_ended`: by the task's row no more will come."""
        return await asyncio.to_thread(self._of_task(task_id).page, offset, limit, is_whole=has_ended)

    def _of_task(self, task_id: str) -> Output:
        return self.of(self.folder(task_id))
