"""How background work looks in a list."""

from typing import Any

from wakeful.cli.lists.task_list import short_task_lines, task_lines


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
