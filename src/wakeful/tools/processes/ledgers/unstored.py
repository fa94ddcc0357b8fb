"""The processes of turns that are not stored: rows in memory, and for each a mark on disk, so that the next server ends
what this one has left behind if it is killed.
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

# The name says which server's marks are in the folder. Each is a file with the name of a process's folder.
_NAME = re.compile(r"unstored_(\d+)-(\d+)")


class UnstoredLedger:
    def __init__(self, root: Path) -> None:
        """`root` has a folder for each process."""
        self.rows = MemoryLedger(lambda task: None, lambda task, match: None)
        self._root = root
        server = own_identity()
        self._marks = root / f"unstored_{server.pid}-{server.start_time}"
        # The tasks of each turn that runs now.
        self._of_turn: dict[str, list[str]] = {}
        self._known: set[str] = set()

    def knows(self, task_id: str) -> bool:
        return task_id in self._known

    def open(self, turn_id: str) -> None:
        """From now on this turn may begin tasks."""
        self._of_turn[turn_id] = []

    def close(self, turn_id: str) -> list[str]:
        """From now on it may not; what it has begun."""
        return self._of_turn.pop(turn_id)

    async def begin(self, task: Task) -> Task:
        """The mark is there before the process. Raises LeaseLost when the turn has ended."""
        begun = self._of_turn.get(task.turn_id)
        if begun is None:
            raise LeaseLost
        begun.append(task.id)
        self._known.add(task.id)
        self._marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._marks / task.id).touch(mode=0o600)
        return await self.rows.begin(None, task)

    def forget(self, task_id: str) -> None:
        """It has ended, and nothing is left of it."""
        self._known.discard(task_id)
        self.rows.forget(task_id)
        (self._marks / task_id).unlink(missing_ok=True)

    def sweep(self) -> None:
        """End what servers that were killed have left behind."""
        if not self._root.exists():
            return
        for marks in self._root.glob("unstored_*"):
            if (name := _NAME.fullmatch(marks.name)) and not is_alive(Identity(int(name[1]), int(name[2]))):
                for mark in marks.iterdir():
                    clear_away(ProcessFolder(self._root / mark.name))
                shutil.rmtree(marks, ignore_errors=True)
