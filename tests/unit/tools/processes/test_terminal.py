"""Processes with a terminal."""

from dataclasses import replace
from pathlib import Path

from tests.unit.tools.processes.kit import Ledger, ended, group_members, keeping, new_task, until
from wakeful.model.tasks.task import Task, TaskStatus
from wakeful.tools.processes.settings import ProcessSettings


def said(settings: ProcessSettings, task: Task) -> str:
    path = settings.root / task.id / "output"
    return path.read_text() if path.exists() else ""


async def test_process_has_a_controlling_terminal(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo yes >/dev/tty; stty size; exit 3", pty=True)

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        row = await ended(keeper, task.id)

    assert (row.result, row.exit_code) == ("yes\r\n40 120\r\n", 3)


async def test_output_is_complete_at_the_end(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("seq 1 100000", pty=True)

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await ended(keeper, task.id)

    assert said(settings, task).split() == [str(number) for number in range(1, 100_001)]


async def test_input_and_end_of_input_are_typed(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("echo ready; cat; echo ended", pty=True)

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await until(lambda: "ready" in said(settings, task))
        await keeper.write(task.id, b"hello\n")
        await until(lambda: said(settings, task).count("hello") == 2)
        await keeper.close_input(task.id)
        row = await ended(keeper, task.id)

    assert row.result == "ready\r\nhello\r\nhello\r\nended\r\n"


async def test_control_c_interrupts_the_command_only(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("trap 'echo caught; exit 4' INT; echo ready; while :; do sleep 0.01; done", pty=True)

    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await until(lambda: "ready" in said(settings, task))
        await keeper.write(task.id, b"\x03")
        row = await ended(keeper, task.id)

    assert row.exit_code == 4
    assert row.result.endswith("caught\r\n")


async def test_terminal_outlives_the_server(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("read line; echo got $line", pty=True)
    async with keeping(ledger, settings) as keeper:
        await keeper.start(None, task)
        await until(lambda: not isinstance(keeper.outputs.folder(task.id).started(1), str))

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        await keeper.write(task.id, b"hello\n")
        row = await ended(keeper, task.id)

    assert row.result.endswith("got hello\r\n")


async def test_kill_ends_everything_and_keeps_the_last_words(ledger: Ledger, settings: ProcessSettings) -> None:
    task = new_task("trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done", pty=True)

    async with keeping(ledger, replace(settings, kill_grace=10.0)) as keeper:
        started = await keeper.start(None, task)
        await until(lambda: "ready" in said(settings, task))
        await keeper.kill(task.id)
        row = await keeper.look(task.id)

    assert row is not None
    assert row.status is TaskStatus.KILLED
    assert row.result.endswith("bye\r\n")
    await until(lambda: not group_members(started.pid or 0))


async def test_a_child_that_keeps_the_terminal_cannot_hold_up_the_end(
    ledger: Ledger, settings: ProcessSettings, tmp_path: Path
) -> None:
    stubborn = "(trap '' HUP TERM; touch up; exec sleep 100) & while [ ! -e up ]; do :; done; echo left"
    task = new_task(stubborn, tmp_path, pty=True)

    async with keeping(ledger, settings) as keeper:
        started = await keeper.start(None, task)
        row = await ended(keeper, task.id)

    assert (row.exit_code, row.result) == (0, "left\r\n")
    await until(lambda: not group_members(started.pid or 0))
