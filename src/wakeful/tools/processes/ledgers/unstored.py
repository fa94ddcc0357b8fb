"""Keeps the processes of turns that are not stored: rows in memory, and a mark on disk for each, so the next server can
end them if this one is killed.
"""

import re
import shutil
from pathlib import Path

from wakeful.errors import LeaseLost
from wakeful.model.tasks.task import Task
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.identity import Identity, own_identity
from wakeful.tools.processes.ledgers.memory import MemoryLedger
from wakeful.tools.processes.left_behind import clear_away, is_alive

# The folder of one server's marks. Each mark is a file with the name of a process's folder.
_NAME = re.compile(r"unstored_(\d+)-(\d+)")


class UnstoredLedger:
    def __init__(self, root: Path) -> None:
        """`root` is the parent of the folders of all processes."""
        self.rows = MemoryLedger(lambda task: None, lambda task, match: None)
        self._root = root
        server = own_identity()
        self._marks = root / f"unstored_{server.pid}-{server.start_time}"
        # The tasks of each turn that is running.
        self._of_turn: dict[str, list[str]] = {}
        self._known: set[str] = set()

    def knows(self, task_id: str) -> bool:
        return task_id in self._known

    def open(self, turn_id: str) -> None:
        """Let this turn begin tasks."""
        self._of_turn[turn_id] = []

    def close(self, turn_id: str) -> list[str]:
        """Let this turn begin no more tasks, and return those that it has begun."""
        return self._of_turn.pop(turn_id)

    def begun_in(self, turn_id: str) -> list[str]:
        return self._of_turn.get(turn_id, [])

    async def begin(self, task: Task) -> Task:
        """Write the mark before the process starts. Raises LeaseLost if the turn has ended."""
        begun = self._of_turn.get(task.turn_id)
        if begun is None:
            raise LeaseLost
        begun.append(task.id)
        self._known.add(task.id)
        self._marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._marks / task.id).touch(mode=0o600)
        return await self.rows.begin(None, task)

    def forget(self, task_id: str) -> None:
        """Remove row and mark of a process that has ended and left nothing behind."""
        self._known.discard(task_id)
        self.rows.forget(task_id)
        (self._marks / task_id).unlink(missing_ok=True)

    def sweep(self) -> None:
        """End the processes that killed servers have left behind."""
        if not self._root.exists():
            return
        for marks in self._root.glob("unstored_*"):
            if (name := _NAME.fullmatch(marks.name)) and not is_alive(Identity(int(name[1]), int(name[2]))):
                for mark in marks.iterdir():
                    clear_away(ProcessFolder(self._root / mark.name))
                shutil.rmtree(marks, ignore_errors=True)
