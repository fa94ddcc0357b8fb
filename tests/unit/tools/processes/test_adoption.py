"""Processes that a server adopts after a restart: a second keeper with the same folder and rows."""

import asyncio
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.processes.kit import HOST, Ledger, ended, group_members, keeping, new_task, until
from wakeful.model.tasks.task import Host, Task, TaskStatus
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.kernel.identity import own_identity
from wakeful.tools.processes.settings import ProcessSettings


async def start_and_leave(ledger: Ledger, settings: ProcessSettings, task: Task) -> int:
    """A server that starts a process and stops."""
    async with keeping(ledger, settings) as keeper:
        started = await keeper.start(None, task)
        await until(lambda: not isinstance(folder_of(settings, task).started(1), str))
    assert started.pid is not None
    return started.pid


def folder_of(settings: ProcessSettings, task: Task) -> ProcessFolder:
    return ProcessFolder(settings.root / task.id)


async def test_running_process_is_watched_again(ledger: Ledger, settings: ProcessSettings, tmp_path: Path) -> None:
    go = tmp_path / "go"
    task = new_task(f"while [ ! -e {go} ]; do sleep 0.01; done; echo went; exit 5")
    await start_and_leave(ledger, settings, task)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        await keeper.adopt()
        assert ledger.outcomes == []
        go.touch()
        row = await ended(keeper, task.id)

    assert (row.exit_code, row.result, row.attempt) == (5, "went\n", 1)
    assert len(ledger.outcomes) == 1


async def test_input_still_works_after_a_restart(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("cat; echo ended")
    await start_and_leave(ledger, settings, task)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        await keeper.write(task.id, b"hello\n")
        await keeper.close_input(task.id)
        row = await ended(keeper, task.id)

    assert row.result == "hello\nended\n"


async def test_process_that_ended_meanwhile_is_reported_once(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("read; echo meanwhile; exit 6")
    pid = await start_and_leave(ledger, settings, task)
    (settings.root / task.id / "stdin").write_text("\n")
    await until(lambda: not group_members(pid))

    for _ in range(2):
        async with keeping(ledger, settings) as keeper:
            await keeper.adopt()
            row = await ended(keeper, task.id)

    assert (row.status, row.exit_code, row.result) == (TaskStatus.FAILED, 6, "meanwhile\n")
    assert len(ledger.outcomes) == 1


async def test_process_that_never_started_is_started_under_the_next_attempt(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    task = await ledger.begin(None, new_task("echo at last"))

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert (row.attempt, row.exit_code, row.result) == (2, 0, "at last\n")
    assert folder_of(settings, task).started(1) == "fenced"


async def test_fence_found_without_a_next_attempt_is_carried_on(ledger: Ledger, settings: ProcessSettings) -> None:
    task = await ledger.begin(None, new_task("echo at last"))
    folder_of(settings, task).fence(1)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert (row.attempt, row.result) == (2, "at last\n")


async def test_spawn_that_comes_late_is_fenced(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("echo once")
    folder_of(settings, task).fence(1)

    async with keeping(ledger, settings) as late:
        await late.start(None, task)
        await until(lambda: not late.watches(task.id))
        assert ledger.outcomes == []
        async with keeping(ledger, settings) as other:
            await other.adopt()
            row = await ended(other, task.id)

    assert (row.attempt, row.result) == (2, "once\n")


async def test_attempt_that_another_server_has_counted_is_not_started_again(settings: ProcessSettings) -> None:
    class Contested(Ledger):
        async def next_attempt(self, task_id: str, attempt: int) -> bool:
            return False

    ledger = Contested()
    task = await ledger.begin(None, new_task("echo never"))

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        assert not keeper.watches(task.id)

    assert not (settings.root / task.id / "output").exists()


async def test_kill_that_was_intended_is_sent_again(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("sleep 100")
    pid = await start_and_leave(ledger, settings, task)
    await ledger.intend_kill(task.id)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert (row.status, row.exit_code) == (TaskStatus.KILLED, None)
    await until(lambda: not group_members(pid))


async def test_process_that_was_killed_before_it_started_never_starts(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    task = await ledger.begin(None, new_task("echo never"))
    await ledger.intend_kill(task.id)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert (row.status, row.result, row.attempt) == (TaskStatus.KILLED, "", 1)


async def test_process_that_is_gone_without_an_exit_code_is_lost(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("echo said; sleep 100")
    pid = await start_and_leave(ledger, settings, task)
    await until(lambda: (settings.root / task.id / "output").read_text() == "said\n")
    os.kill(pid, 9)
    os.waitpid(pid, 0)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert (row.status, row.exit_code, row.result) == (TaskStatus.LOST, None, "said\n")
    await until(lambda: not group_members(pid))


async def test_one_process_that_cannot_be_adopted_does_not_cost_the_others(
    settings: ProcessSettings, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Ledger):
        async def next_attempt(self, task_id: str, attempt: int) -> bool:
            if task_id == broken.id:
                raise RuntimeError("a fault of ours")
            return await super().next_attempt(task_id, attempt)

    ledger = Broken()
    broken, sound = await ledger.begin(None, new_task("true")), await ledger.begin(None, new_task("exit 3"))

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, sound.id)

    assert row.exit_code == 3
    assert f"process {broken.id} could not be adopted" in caplog.text


async def test_a_process_that_can_no_longer_be_started_is_a_failure_with_its_reason(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    task = await ledger.begin(None, new_task("true"))

    async with keeping(ledger, replace(settings, minimum_free=10**18)) as keeper:
        await keeper.adopt()

    assert ledger.outcome(task.id).status is TaskStatus.FAILED
    assert "almost full" in ledger.outcome(task.id).result


async def test_another_process_with_the_same_pid_is_left_alone(
    ledger: Ledger, settings: ProcessSettings, caplog: pytest.LogCaptureFixture
) -> None:
    bystander = subprocess.Popen(["sleep", "100"], start_new_session=True)
    try:
        task = await ledger.begin(None, new_task("sleep 100"))
        folder = folder_of(settings, task)
        folder.make(with_stdin=True)
        stat = Path(f"/proc/{bystander.pid}/stat").read_text().split()
        stat[21] = "1"
        (folder.path / "started.1").write_text(" ".join(stat) + "\n")
        await ledger.intend_kill(task.id)

        async with keeping(ledger, settings) as keeper:
            await keeper.adopt()
            row = await ended(keeper, task.id)

        assert row.status is TaskStatus.KILLED
        assert bystander.poll() is None
        # There was nothing left to end, which is no failure.
        assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.parametrize(("exit_file", "status"), [("0\n", TaskStatus.EXITED), ("", TaskStatus.LOST)])
async def test_after_a_reboot_only_the_exit_file_counts(
    ledger: Ledger, settings: ProcessSettings, exit_file: str, status: TaskStatus
) -> None:
    task = await ledger.begin(None, replace(new_task("sleep 100"), host=Host(HOST.id, "earlier-boot")))
    folder = folder_of(settings, task)
    folder.make(with_stdin=True)
    # The pid has been reused, by this test run.
    me = own_identity()
    (folder.path / "started.1").write_text(Path(f"/proc/{me.pid}/stat").read_text())
    (folder.path / "exit").write_text(exit_file)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert row.status is status


async def test_wrapper_that_was_killed_before_it_wrote_its_identity_is_lost(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    task = await ledger.begin(None, new_task("sleep 100"))
    folder = folder_of(settings, task)
    folder.make(with_stdin=True)
    (folder.path / "started.1").touch()

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        row = await ended(keeper, task.id)

    assert row.status is TaskStatus.LOST


async def test_watch_goes_on_where_it_was(ledger: Ledger, settings: ProcessSettings) -> None:
    settings = replace(settings, watch_interval=0.0)
    task = new_task("echo ERROR one; read; echo ERROR two", watch=("ERROR",))
    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await until(lambda: len(ledger.matches) == 1)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        await keeper.write(task.id, b"\n")
        await ended(keeper, task.id)

    assert [match.line for match in ledger.matches] == ["ERROR one", "ERROR two"]


SERVER = """
import asyncio, os, pickle, sys
from pathlib import Path
from tests.unit.tools.processes.kit import HOST, Ledger
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.settings import ProcessSettings

async def main():
    keeper = ProcessKeeper(Ledger(), ProcessSettings(Path(sys.argv[1])), HOST)
    for task in pickle.loads(bytes.fromhex(sys.argv[2])):
        await keeper.start(None, task)
    if len(sys.argv) > 3:
        running = asyncio.create_task(keeper.foreground.run(sys.argv[3], "/", timeout=60, pty=False))
        while not list(Path(sys.argv[1]).glob("fg_*/started.1")):
            await asyncio.sleep(0.01)
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


async def run_server_until_killed(settings: ProcessSettings, tasks: list[Task], *more: str) -> None:
    arguments = [sys.executable, "-c", SERVER, str(settings.root), pickle.dumps(tasks).hex(), *more]
    server = await asyncio.create_subprocess_exec(*arguments)
    assert await server.wait() == -9


async def test_processes_of_a_killed_server_are_all_reported_once(ledger: Ledger, settings: ProcessSettings) -> None:
    tasks = [await ledger.begin(None, new_task(f"sleep 0.{n}; exit {n}")) for n in range(5)]
    await run_server_until_killed(settings, tasks)

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        codes = [(await ended(keeper, task.id)).exit_code for task in tasks]

    assert codes == [0, 1, 2, 3, 4]
    assert len(ledger.outcomes) == 5


async def test_foreground_command_of_a_killed_server_is_ended_and_cleared_away(
    ledger: Ledger, settings: ProcessSettings
) -> None:
    await run_server_until_killed(settings, [], "echo $$; sleep 100")
    (folder,) = settings.root.glob("fg_*")
    group = int((folder / "started.1").read_text().split()[0])

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()

    await until(lambda: not group_members(group))
    assert list(settings.root.iterdir()) == []
