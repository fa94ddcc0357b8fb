"""Watches a process from its start or adoption until its end is written."""

import asyncio
import logging

from wakeful.model.tasks.task import Task, TaskOutcome
from wakeful.tools.ports import TaskLedger
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.grip import Grip, end_group, end_rest_of_group, reap_group
from wakeful.tools.processes.kernel.identity import Identity
from wakeful.tools.processes.launch import launch_of
from wakeful.tools.processes.output.follower import Follower
from wakeful.tools.processes.output.notices import never_ran, process_outcome
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.persistence import until_written
from wakeful.tools.processes.spawner import CANNOT_RUN
from wakeful.tools.processes.stdin import InputRefused, close_input, write_input

logger = logging.getLogger(__name__)


class WatchedProcess:
    def __init__(
        self,
        task: Task,
        ledger: TaskLedger,
        folder: ProcessFolder,
        output: Output,
        follower: Follower,
        *,
        grip: Grip | None,
        leader: Identity | None,
    ) -> None:
        """Without a grip the process has ended already. `leader` is the leader of its group if members may be left."""
        self.task = task
        self.is_over = asyncio.Event()
        self._ledger = ledger
        self._folder = folder
        self._output = output
        self._follower = follower
        self._grip = grip
        self._leader = leader
        self._is_ours = grip is not None
        self._is_being_ended = False
        self._gone = asyncio.Event()
        if grip is None:
            self._gone.set()
        else:
            grip.watch(self._gone)

    @property
    def has_ended(self) -> bool:
        return self._grip is None or self._grip.has_ended

    async def run(self) -> None:
        """Follow the process until its end is written. If this is cancelled, another server can continue from here."""
        try:
            await self._follower.run(self._gone)
            await self._write_end()
            self.is_over.set()
            if self._leader is not None:
                await asyncio.to_thread(reap_group, self._leader)
        except asyncio.CancelledError:
            await self._follower.save()
            raise
        except Exception:  # The boundary of a background process: others must go on.
            logger.exception("process %s: its end could not be written", self.task.id)

    def release(self) -> None:
        """Release the process and all waiters, after the run."""
        self._let_go()
        self.is_over.set()

    async def end(self, grace: float) -> None:
        """Send TERM, and after the grace KILL, to everything in its group."""
        if self._grip is not None and not self._is_being_ended:
            self._is_being_ended = True
            await end_group(self._grip, self._gone, grace)

    async def write(self, data: bytes, patience: float) -> None:
        """Write to its input. Raises InputRefused."""
        await write_input(self._folder, self._require_pid(), data, pty=self._has_terminal, patience=patience)

    async def close_input(self, patience: float) -> None:
        """End its input. Raises InputRefused."""
        await close_input(self._folder, self._require_pid(), pty=self._has_terminal, patience=patience)

    async def _write_end(self) -> None:
        """Write how the process ended. Its files are valid only now that it is gone."""
        if self._leader is not None:
            end_rest_of_group(self._leader)
        self._let_go()
        start = self._folder.started(self.task.attempt)
        if self._is_ours and start == "fenced":
            logger.info("process %s: another server has taken over its start", self.task.id)
            return
        task = await until_written(lambda: self._ledger.get(self.task.id))
        if task is None:
            return
        if self._is_ours and start == "not_started" and not task.kill_intended:
            outcome = never_ran(task, CANNOT_RUN, "the command could not be started: its folder cannot be written")
        else:
            outcome = await asyncio.to_thread(self._outcome, task)
        await until_written(lambda: self._ledger.finish(task.id, outcome))

    def _outcome(self, task: Task) -> TaskOutcome:
        return process_outcome(task, self._folder.exit_code(), self._output)

    def _let_go(self) -> None:
        if self._grip is not None:
            self._grip.release()
            self._grip = None

    @property
    def _has_terminal(self) -> bool:
        return launch_of(self.task).pty

    def _require_pid(self) -> int:
        if self._grip is None or self._grip.has_ended:
            raise InputRefused("it has ended")
        return self._grip.identity.pid
