"""Runs commands that the caller waits for. They end with their caller and with the server."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from wakeful.model.ids import new_id
from wakeful.tools.base import RESULT_LIMIT
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.grip import Grip, end_group, end_rest_of_group, reap_group
from wakeful.tools.processes.kernel.identity import Identity, own_identity
from wakeful.tools.processes.left_behind import ATTEMPT, clear_away, is_alive
from wakeful.tools.processes.output.changes import Changes
from wakeful.tools.processes.output.follower import Follower
from wakeful.tools.processes.output.guard import OutputGuard
from wakeful.tools.processes.output.outputs import Outputs
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.processes.spawner import Spawner, spawn_failure

_TIMED_OUT = 124
_KILLED = 137
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
# The folder's name is the identity of its server; it is removed only if that server is gone.
_NAME = re.compile(r"fg_(\d+)-(\d+)_")


@dataclass(frozen=True, slots=True)
class ForegroundResult:
    output: str
    exit_code: int
    error: str | None = None
    # The code of the tool's failure; None for a command that ended by itself, whatever its exit code.
    failure: str | None = None


class ForegroundRunner:
    def __init__(
        self, settings: ProcessSettings, spawner: Spawner, guard: OutputGuard, changes: Changes, outputs: Outputs
    ) -> None:
        self._settings = settings
        self._spawner = spawner
        self._guard = guard
        self._changes = changes
        self._outputs = outputs
        self._jobs: dict[asyncio.Task[ForegroundResult], asyncio.Event] = {}

    async def run(
        self,
        command: str,
        workdir: str,
        *,
        timeout: float,
        pty: bool,
        variables: Mapping[str, str] = _NO_VARIABLES,
        opened: Sequence[str] = (),
        limit: int = RESULT_LIMIT,
        keep_in: Path | None = None,
    ) -> ForegroundResult:
        """Run the command with `variables` in its environment, and return at most `limit` characters of its output; all
        of a longer one is kept in the file `keep_in`. A sandbox leaves the paths `opened` of the server's folder
        visible. Cancelling this ends everything in its group.
        """
        stop = asyncio.Event()
        start = partial(self._spawn, command=command, workdir=workdir, pty=pty, variables=variables, opened=opened)
        read = partial(self._result, limit=limit, keep_in=keep_in)
        job = asyncio.create_task(self._run(start, read, timeout=timeout, stop=stop))
        self._jobs[job] = stop
        job.add_done_callback(self._jobs.pop)
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([job])
            raise

    def sweep(self) -> None:
        """Kill the commands that killed servers have left behind, and remove their files."""
        if not self._settings.root.exists():
            return
        for path in self._settings.root.glob("fg_*"):
            if (name := _NAME.match(path.name)) and not is_alive(Identity(int(name[1]), int(name[2]))):
                clear_away(ProcessFolder(path))

    async def close(self) -> None:
        for stop in self._jobs.values():
            stop.set()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    async def _run(
        self,
        start: Callable[[ProcessFolder], Grip],
        read: Callable[[ProcessFolder, float | None], ForegroundResult],
        *,
        timeout: float,
        stop: asyncio.Event,
    ) -> ForegroundResult:
        server = own_identity()
        folder = self._outputs.folder(new_id(f"fg_{server.pid}-{server.start_time}"))
        try:
            grip = await asyncio.to_thread(start, folder)
        except OSError as error:
            await asyncio.to_thread(folder.remove)
            return ForegroundResult("", *spawn_failure(error), "tool_error")
        try:
            has_timed_out = await self._attend(grip, folder, timeout, stop)
            end_rest_of_group(grip.identity)
            return await asyncio.to_thread(read, folder, timeout if has_timed_out else None)
        finally:
            grip.release()
            await asyncio.to_thread(reap_group, grip.identity)
            await asyncio.to_thread(folder.remove)

    def _spawn(
        self,
        folder: ProcessFolder,
        *,
        command: str,
        workdir: str,
        pty: bool,
        variables: Mapping[str, str],
        opened: Sequence[str],
    ) -> Grip:
        self._guard.require_room()
        return self._spawner.spawn(
            folder, ATTEMPT, command, workdir, pty=pty, with_stdin=False, variables=variables, opened=opened
        )

    async def _attend(self, grip: Grip, folder: ProcessFolder, timeout: float, stop: asyncio.Event) -> bool:
        """Wait until the command ends, or end it on a timeout or stop. Return whether it timed out."""
        gone = asyncio.Event()
        grip.watch(gone)
        follower = Follower(self._outputs.of(folder), self._changes, self._guard)
        following = asyncio.create_task(follower.run(gone))
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([following, stopping], timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            has_timed_out = not gone.is_set() and not stop.is_set()
            await end_group(grip, gone, self._settings.kill_grace)
            await following
            return has_timed_out
        finally:
            stopping.cancel()

    def _result(
        self, folder: ProcessFolder, exceeded: float | None, *, limit: int, keep_in: Path | None
    ) -> ForegroundResult:
        output = self._outputs.of(folder).excerpt(limit, keep_in)
        if exceeded is not None:
            advice = "For work that takes longer use background=true."
            reason = f"The command was stopped after {exceeded:g} s. {advice}"
            return ForegroundResult(output, _TIMED_OUT, reason, "timeout")
        exit_code = folder.exit_code()
        if exit_code is None:
            return ForegroundResult(output, _KILLED, "The command was killed from outside.", "interrupted")
        return ForegroundResult(output, exit_code)
