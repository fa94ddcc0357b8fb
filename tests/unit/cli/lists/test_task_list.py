"""How background work looks in a list."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.cli.scripted_server import ScriptedServer
from wakeful.cli.lists.task_list import find_task, short_task_lines, task_lines
from wakeful.errors import TaskNotFound


def row(**more: Any) -> dict[str, Any]:
    base = {"id": "proc_1", "kind": "process", "status": "failed", "exit_code": 3, "command": "make", "progress": None}
    return base | {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": "2026-01-01T00:01:05.000Z"} | more


def test_a_task_is_one_line() -> None:
    assert task_lines([row()]) == ["1  process  failed  exit code 3  1 min 05 s  make"]


def test_in_a_chat_what_it_does_comes_before_its_name() -> None:
    assert short_task_lines([row()]) == ["failed  exit code 3  1 min 05 s  make  1"]
    assert short_task_lines([]) == []


def test_columns_stand_under_each_other() -> None:
    first, second = task_lines([row(), row(id="del_12345", kind="delegation", exit_code=None, status="running")])

    assert first.index("make") == second.index("make")


def test_progress_is_shown_where_it_is_known() -> None:
    assert "running 40 %" in task_lines([row(status="running", progress=40, exit_code=None)])[0]


def test_a_command_is_one_harmless_line() -> None:
    (line,) = task_lines([row(command="a\n\x1b[2Jb " + "x" * 500)])

    assert line.endswith("…")
    assert "a b " in line
    assert "\x1b" not in line


@pytest.mark.parametrize(("command", "shown"), [("x" * 80, "x" * 80), ("x" * 81, f"{'x' * 79}…")])
def test_a_command_is_cut_only_where_it_is_too_long(command: str, shown: str) -> None:
    assert task_lines([row(command=command)])[0].endswith(f"  {shown}")


def test_the_time_of_a_running_task_runs() -> None:
    started = (datetime.now(UTC) - timedelta(seconds=3605)).isoformat()

    assert "1 h 00 min" in task_lines([row(started_at=started, ended_at=None)])[0]


async def test_a_task_is_found_by_a_part_of_its_id() -> None:
    server = ScriptedServer({"GET /api/tasks": {"tasks": [row(id="proc_01aaaaaa"), row(id="proc_01bbbbbb")]}})

    assert await find_task(server, "bbbbbb") == "proc_01bbbbbb"
    with pytest.raises(TaskNotFound, match="There is no task zzz"):
        await find_task(server, "zzz")
