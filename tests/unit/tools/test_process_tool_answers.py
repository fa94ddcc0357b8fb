"""What the process tool answers about work that has ended or runs elsewhere, and about parts of an output."""

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.unit.tools.kit import HOME, SubAgents, new_turn, run_tool, tool_context
from tests.unit.tools.processes.kit import Ledger, ended, keeping, new_task
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.processes.typed import LOST


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
async def keeper(ledger: Ledger, tmp_path: Path) -> AsyncIterator[ProcessKeeper]:
    async with keeping(ledger, ProcessSettings(tmp_path / "processes", kill_grace=0.2)) as keeper:
        yield keeper
        for task in await ledger.adopt(keeper.host):
            await keeper.kill(task.id)


@pytest.fixture
def tool(keeper: ProcessKeeper, ledger: Ledger) -> ProcessTool:
    return ProcessTool(keeper, ledger, SubAgents({}), HOME)


@pytest.fixture
async def done(keeper: ProcessKeeper) -> Task:
    """A process that has said eight bytes."""
    task = new_task("echo goodbye")
    await keeper.start(None, task)
    return await ended(keeper, task.id)


async def test_a_short_log_is_shown_from_its_beginning(tool: ProcessTool, done: Task, tmp_path: Path) -> None:
    answer, _ = await run_tool(tool, new_turn(tmp_path), action="log", session_id=done.id)

    assert (answer["output"], answer["offset"], answer["next_offset"]) == ("goodbye\n", 0, 8)


async def test_beyond_its_end_a_log_is_empty(tool: ProcessTool, done: Task, tmp_path: Path) -> None:
    answer, _ = await run_tool(tool, new_turn(tmp_path), action="log", session_id=done.id, offset=8)

    assert (answer["output"], answer["next_offset"]) == ("", 8)


async def test_a_page_of_a_log_is_no_longer_than_a_result_may_be(tool: ProcessTool, done: Task, tmp_path: Path) -> None:
    context = replace(tool_context(tmp_path), result_limit=4)

    result = await tool.run({"action": "log", "session_id": done.id, "offset": 0, "limit": 6}, context)

    assert orjson.loads(result.text)["output"] == "good"


async def test_what_ended_before_it_was_killed_is_told(tool: ProcessTool, done: Task, tmp_path: Path) -> None:
    answer, _ = await run_tool(tool, new_turn(tmp_path), action="kill", session_id=done.id)

    assert (answer["status"], answer["note"]) == ("exited", "It had ended already.")


async def test_a_process_that_was_killed_needs_no_note(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path
) -> None:
    task = new_task("sleep 100")
    await keeper.start(None, task)

    polled, _ = await run_tool(tool, new_turn(tmp_path), action="poll", session_id=task.id)
    killed, _ = await run_tool(tool, new_turn(tmp_path), action="kill", session_id=task.id)
    waited, _ = await run_tool(tool, new_turn(tmp_path), action="wait", session_id=task.id)

    assert ["note" in answer for answer in (polled, killed, waited)] == [False, False, False]


async def test_of_work_elsewhere_that_has_ended_the_kept_result_is_shown(
    tool: ProcessTool, ledger: Ledger, tmp_path: Path
) -> None:
    task = replace(
        new_task("make"),
        host=Host("far-away", "boot"),
        status=TaskStatus.EXITED,
        exit_code=0,
        result="made",
        ended_at=time.time() + 100,
    )
    begun = await ledger.begin(None, task)
    assert begun.ended_at is not None

    answer, result = await run_tool(tool, new_turn(tmp_path), action="poll", session_id=task.id)

    assert answer == {
        "session_id": task.id,
        "kind": "process",
        "command": "make",
        "status": "exited",
        "exit_code": 0,
        "seconds": round(begun.ended_at - begun.started_at, 1),
        "notify_on_complete": task.has_promise,
        "output": "made",
    }
    assert result.consumes == (task.id,)


async def test_a_delegation_that_runs_has_no_output_and_no_note(
    tool: ProcessTool, ledger: Ledger, tmp_path: Path
) -> None:
    task = await ledger.begin(None, replace(new_task("find it"), kind=TaskKind.DELEGATION))

    answer, result = await run_tool(tool, new_turn(tmp_path), action="poll", session_id=task.id)

    assert (answer.keys() & {"output", "note", "is_cut"}, result.consumes) == (set(), ())


async def test_after_the_end_of_its_input_what_a_process_reads_next_is_not_known(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path
) -> None:
    task = new_task("cat")
    await keeper.start(None, task)
    await run_tool(tool, new_turn(tmp_path), action="write", session_id=task.id, data="a")

    answer, _ = await run_tool(tool, new_turn(tmp_path), action="close", session_id=task.id)

    assert answer == {"session_id": task.id, "status": "ok"}
    assert keeper.outputs.folder(task.id).typed.read() == f"a{LOST}"


async def test_half_a_character_at_the_end_of_a_log_is_shown_once_no_more_can_come(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path
) -> None:
    task = new_task(r"printf 'a\303'")
    await keeper.start(None, task)
    await ended(keeper, task.id)

    answer, _ = await run_tool(tool, new_turn(tmp_path), action="log", session_id=task.id)

    assert (answer["output"], answer["next_offset"]) == ("a\N{REPLACEMENT CHARACTER}", 2)
