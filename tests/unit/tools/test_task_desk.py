"""What people read of background work."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import SubAgents
from tests.unit.tools.processes.kit import Ledger, keeping, new_task
from wakeful.model.tasks.task import Host, LogPage, Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.task_desk import TaskDesk

_ENDED = replace(new_task("make"), status=TaskStatus.EXITED)
_DELEGATION = replace(_ENDED, kind=TaskKind.DELEGATION, result="It is done.")
_ELSEWHERE = replace(new_task("make"), host=Host("another-host", "boot"))
_WHERE = "[The output of this process is on the machine where it runs, host another-host.]"


async def _log(tmp_path: Path, task: Task, offset: int = 0, output: str | None = None) -> tuple[LogPage, int | None]:
    """Return a part of the log, and how far the work is."""
    settings = ProcessSettings(tmp_path / "processes")
    if output is not None:
        (settings.root / task.id).mkdir(parents=True)
        (settings.root / task.id / "output").write_text(output)
    async with keeping(Ledger(), settings) as keeper:
        desk = TaskDesk(keeper, SubAgents({}))
        return await desk.read_log(task, offset), desk.progress(task)


@pytest.mark.parametrize(
    ("task", "text", "is_last"),
    [
        (_DELEGATION, "It is done.", True),
        (_ELSEWHERE, _WHERE, False),
        (replace(_ELSEWHERE, status=TaskStatus.EXITED, result="90 %"), "90 %", True),
    ],
)
async def test_work_without_an_output_here_shows_its_result_or_where_it_runs(
    tmp_path: Path, task: Task, text: str, is_last: bool
) -> None:
    # What another process of the same id has written here is not its output.
    assert await _log(tmp_path, task, output="99 %") == (LogPage(text, 0, len(text), is_last), None)


async def test_the_log_of_work_goes_on_where_the_reader_was(tmp_path: Path) -> None:
    assert (await _log(tmp_path, _DELEGATION, offset=6))[0] == LogPage("done.", 6, 11, True)
    assert (await _log(tmp_path, _ENDED, offset=6, output="first second"))[0] == LogPage("second", 6, 12, True)


@pytest.mark.parametrize(
    ("output", "percent"),
    [("10 %\r55.5 %\r100%", 100), ("70 % of 101 %", None), ("7%" + "." * 1_000, None), ("1.50 %", 1), ("all", None)],
)
async def test_the_last_percentage_at_the_end_of_an_output_is_its_progress(
    tmp_path: Path, output: str, percent: int | None
) -> None:
    assert (await _log(tmp_path, new_task("make"), output=output))[1] == percent


async def test_work_is_ended_by_whoever_keeps_it(tmp_path: Path) -> None:
    ledger, agents = Ledger(), SubAgents({_DELEGATION.id: _DELEGATION})
    async with keeping(ledger, ProcessSettings(tmp_path / "processes")) as keeper:
        desk = TaskDesk(keeper, agents)
        ended_before = await ledger.begin(None, new_task("make"))
        await ledger.finish(ended_before.id, TaskOutcome(TaskStatus.EXITED, 0, "", ""))

        assert await desk.kill_task(_DELEGATION)
        assert not await desk.kill_task(ended_before)

    assert agents.tasks[_DELEGATION.id].kill_intended
