"""Shared by the tests of processes: a ledger that counts, keepers that are closed, and views of real processes."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from tests.patience import PATIENCE
from wakeful.model.ids import new_id
from wakeful.model.session import Address
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, WatchMatch
from wakeful.model.turn import Door
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.grip import end_rest_of_group, grip_on
from wakeful.tools.processes.kernel.identity import Identity, identity_of
from wakeful.tools.processes.launch import Launch
from wakeful.tools.processes.ledgers.memory import MemoryLedger
from wakeful.tools.processes.settings import ProcessSettings

HOST = Host("this-host", "this-boot")


class Ledger(MemoryLedger):
    """Remembers what was written, for tests to count."""

    def __init__(self) -> None:
        super().__init__(lambda task: None, lambda task, match: self.matches.append(match))
        self.matches: list[WatchMatch] = []
        self.outcomes: list[tuple[str, TaskOutcome]] = []

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        is_first = await super().finish(task_id, outcome)
        if is_first:
            self.outcomes.append((task_id, outcome))
        return is_first

    def outcome(self, task_id: str) -> TaskOutcome:
        """Return the only end of a task."""
        (outcome,) = [outcome for ended, outcome in self.outcomes if ended == task_id]
        return outcome

    def change(self, task_id: str, **fields: object) -> Task:
        self._tasks[task_id] = replace(self._tasks[task_id], **fields)  # type: ignore[arg-type]
        return self._tasks[task_id]


def new_task(command: str, workdir: Path | str = "/", *, pty: bool = False, watch: tuple[str, ...] = ()) -> Task:
    return Task(
        id=new_id("proc"),
        kind=TaskKind.PROCESS,
        session_id="sess_1",
        owner="",
        turn_id="turn_1",
        step=1,
        index=1,
        host=HOST,
        command=command,
        door=Door("web", True),
        address=Address("web"),
        model="demo:scripted",
        will_notify=True,
        spec=Launch(str(workdir), pty=pty, watch_patterns=watch, notify_on_complete=True).dump(),
    )


@asynccontextmanager
async def keeping(
    ledger: Ledger, settings: ProcessSettings, clock: Callable[[], float] = time.time, **environment: str
) -> AsyncIterator[ProcessKeeper]:
    keeper = ProcessKeeper(ledger, settings, HOST, clock=clock, environment={**os.environ, **environment})
    try:
        yield keeper
    finally:
        await keeper.close()


async def ended(keeper: ProcessKeeper, task_id: str) -> Task:
    task = await keeper.wait(task_id, PATIENCE)
    assert task is not None
    assert not task.is_running
    return task


async def until(condition: Callable[[], bool]) -> None:
    """Poll for something that another process does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.005)


def group_members(group: int) -> list[int]:
    """Return the pids of the living members of a process group."""
    return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if _is_member(pid, group)]


def _is_member(pid: int, group: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return fields[2] == str(group) and fields[0] not in "ZX"


def end_all_below(root: Path) -> None:
    """Kill what a test has left behind, even if it failed: these processes outlive their server."""
    for path in root.glob("*/started.*"):
        folder = ProcessFolder(path.parent)
        start = folder.started(int(path.suffix[1:]))
        if isinstance(start, Identity):
            if grip := grip_on(start):
                grip.signal_group(signal.SIGKILL)
                grip.release()
            end_rest_of_group(start)


def is_alive(pid: int) -> bool:
    return identity_of(pid) is not None
