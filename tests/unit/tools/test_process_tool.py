"""The process tool: what the agent can do with its background work."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import HOME, Gated, Person, SubAgents, gate_of, new_turn, run_tool, tool_context
from tests.unit.tools.processes.kit import Ledger, ended, keeping, new_task, until
from wakeful.model.approvals.approval import Choice
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.tools.base import Intent
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.settings import ProcessSettings


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
async def keeper(ledger: Ledger, tmp_path: Path) -> AsyncIterator[ProcessKeeper]:
    settings = ProcessSettings(tmp_path / "processes", kill_grace=0.2)
    async with keeping(ledger, settings) as keeper:
        yield keeper
        for task in await ledger.adopt(keeper.host):
            await keeper.kill(task.id)


@pytest.fixture
def tool(keeper: ProcessKeeper, ledger: Ledger) -> ProcessTool:
    return ProcessTool(keeper, ledger, SubAgents({}), HOME)


def gated(tool: ProcessTool) -> Gated:
    return Gated(tool, gate_of(Person(None)))


async def started(keeper: ProcessKeeper, command: str, *, pty: bool = False) -> Task:
    task = new_task(command, pty=pty)
    await keeper.start(None, task)
    return task


async def test_list_shows_the_tasks_of_the_session(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    done, running = await started(keeper, "exit 2"), await started(keeper, "sleep 100")
    await ended(keeper, done.id)

    answer, result = await run_tool(tool, new_turn(tmp_path), action="list")

    shown = [(process["session_id"], process["status"], process["exit_code"]) for process in answer["processes"]]
    assert shown == [(done.id, "failed", 2), (running.id, "running", None)]
    # A list does not show outputs, so it consumes nothing.
    assert result.consumes == ()


@pytest.mark.parametrize("action", ["poll", "log", "wait", "kill", "write", "submit", "close"])
async def test_process_of_another_session_is_not_found(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path, action: str
) -> None:
    task = await started(keeper, "sleep 100")
    stranger = new_turn(tmp_path, session_id="sess_2")

    answer, _ = await run_tool(gated(tool), stranger, action=action, session_id=task.id, data="x")
    listed, _ = await run_tool(tool, stranger, action="list")

    assert "was not found" in answer["error"]
    assert listed == {"processes": []}
    row = await keeper.look(task.id)
    assert row is not None
    assert row.is_running


async def test_poll_of_a_running_process_shows_its_output_and_consumes_nothing(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path
) -> None:
    task = await started(keeper, "echo hello; sleep 100")
    await until(lambda: (tmp_path / "processes" / task.id / "output").read_text() == "hello\n")

    answer, result = await run_tool(tool, new_turn(tmp_path), action="poll", session_id=task.id)

    assert (answer["status"], answer["output"], answer["is_cut"]) == ("running", "hello\n", False)
    assert answer["exit_code"] is None
    assert result.consumes == ()


@pytest.mark.parametrize("action", ["poll", "log", "wait", "kill"])
async def test_result_that_shows_an_end_consumes_its_notice(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path, action: str
) -> None:
    task = await started(keeper, "echo bye; exit 7")
    await ended(keeper, task.id)

    # The longest wait that is allowed.
    answer, result = await run_tool(tool, new_turn(tmp_path), action=action, session_id=task.id, timeout=600)

    assert (answer["status"], answer["exit_code"]) == ("failed", 7)
    assert result.consumes == (task.id,)


async def test_wait_returns_when_the_process_ends(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task = await started(keeper, "sleep 0.1; echo done")

    answer, result = await run_tool(tool, new_turn(tmp_path), action="wait", session_id=task.id, timeout=10)

    assert (answer["status"], answer["exit_code"], answer["output"]) == ("exited", 0, "done\n")
    assert result.consumes == (task.id,)


async def test_wait_that_is_over_says_so(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task = await started(keeper, "sleep 100")

    answer, result = await run_tool(tool, new_turn(tmp_path), action="wait", session_id=task.id, timeout=0.05)

    assert (answer["status"], answer["note"]) == ("running", "It is still running after 0.05 s.")
    assert result.consumes == ()


async def test_kill_ends_the_process(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task = await started(keeper, "sleep 100")

    answer, result = await run_tool(tool, new_turn(tmp_path), action="kill", session_id=task.id)

    assert (answer["status"], answer["exit_code"]) == ("killed", None)
    assert result.consumes == (task.id,)


async def test_log_is_read_page_by_page(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task = await started(keeper, "printf 'zwölf Boxkämpfer'")
    await ended(keeper, task.id)
    turn, text, offset = new_turn(tmp_path), "", 0

    for _ in range(10):
        page, _ = await run_tool(tool, turn, action="log", session_id=task.id, offset=offset, limit=4)
        assert page["offset"] == offset
        text, offset = text + page["output"], page["next_offset"]
        if page["next_offset"] == page["offset"]:
            break

    assert text == "zwölf Boxkämpfer"


async def test_log_without_an_offset_is_the_end(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task = await started(keeper, "seq 1 1000")
    await ended(keeper, task.id)

    answer, _ = await run_tool(tool, new_turn(tmp_path), action="log", session_id=task.id, limit=10)

    assert answer["output"] == "\n999\n1000\n"


@pytest.mark.parametrize("action", ["kill", "close"])
async def test_ending_a_process_or_its_input_does_more_than_read(
    action: str, tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path
) -> None:
    task = await started(keeper, "python3")

    context = tool_context(tmp_path)
    async with context.held:
        intent = await tool.intent({"action": action, "session_id": task.id}, context)

    assert isinstance(intent, Intent)
    assert [reason.kind for reason in intent.reasons] == ["command"]


async def test_input_is_written_submitted_and_closed(tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path) -> None:
    task, turn = await started(keeper, "cat; echo ended"), new_turn(tmp_path)

    written, _ = await run_tool(tool, turn, action="write", session_id=task.id, data="a b")
    await run_tool(tool, turn, action="submit", session_id=task.id, data=" c")
    await run_tool(tool, turn, action="close", session_id=task.id)
    row = await ended(keeper, task.id)
    refused, _ = await run_tool(gated(tool), turn, action="write", session_id=task.id, data="late")

    assert written == {"session_id": task.id, "status": "ok", "bytes_written": 3}
    assert row.result == "a b c\nended\n"
    assert "cannot be written to" in refused["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "action must be"),
        ({"action": "dance"}, "action must be"),
        ({"action": "poll"}, "session_id must be"),
        ({"action": "poll", "session_id": 7}, "session_id must be"),
        ({"action": "poll", "session_id": "proc_unknown"}, "was not found"),
        ({"action": "wait", "session_id": "KNOWN", "timeout": -1}, "timeout must be"),
        ({"action": "wait", "session_id": "KNOWN", "timeout": 601}, "600 s at most"),
        ({"action": "kill", "session_id": ""}, "session_id must be"),
        ({"action": "submit", "session_id": "KNOWN", "data": 7}, "data must be"),
        ({"action": "log", "session_id": "KNOWN", "offset": -1}, "offset must be"),
        ({"action": "log", "session_id": "KNOWN", "limit": "many"}, "limit must be"),
        ({"action": "write", "session_id": "KNOWN"}, "data must be"),
    ],
)
async def test_bad_input_is_answered_clearly(
    tool: ProcessTool, keeper: ProcessKeeper, tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    task = await started(keeper, "sleep 100")
    if arguments.get("session_id") == "KNOWN":
        arguments = arguments | {"session_id": task.id}

    answer, result = await run_tool(gated(tool), new_turn(tmp_path), **arguments)

    assert words in answer["error"]
    assert answer["code"] == ("not_found" if "was not found" in words else "invalid_arguments")
    assert result.is_error


async def test_process_on_another_host_is_shown_with_its_host(
    tool: ProcessTool, ledger: Ledger, tmp_path: Path
) -> None:
    elsewhere = replace(new_task("sleep 100"), host=Host("far-away", "boot"))
    await ledger.begin(None, elsewhere)
    turn = new_turn(tmp_path)

    polled, _ = await run_tool(tool, turn, action="poll", session_id=elsewhere.id)
    logged, _ = await run_tool(tool, turn, action="log", session_id=elsewhere.id)
    killed, result = await run_tool(tool, turn, action="kill", session_id=elsewhere.id)

    assert polled["note"] == "It runs on host far-away, and its output is on that host."
    assert "is on host far-away" in logged["error"]
    assert (killed["status"], killed["note"]) == ("running", "It runs on host far-away, which was asked to kill it.")
    assert result.consumes == ()


async def test_delegations_are_polled_waited_for_and_killed(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    running = await ledger.begin(None, replace(new_task("find it"), kind=TaskKind.DELEGATION))
    done = replace(running, status=TaskStatus.EXITED, exit_code=0, result="found")
    agents = SubAgents({running.id: done})
    tool, turn = ProcessTool(keeper, ledger, agents, HOME), new_turn(tmp_path)

    polled, _ = await run_tool(tool, turn, action="poll", session_id=running.id)
    waited, result = await run_tool(tool, turn, action="wait", session_id=running.id)
    await run_tool(tool, turn, action="kill", session_id=running.id)

    assert (polled["kind"], polled["status"]) == ("delegation", "running")
    assert (waited["status"], waited["output"]) == ("exited", "found")
    assert result.consumes == (running.id,)
    assert agents.tasks[running.id].kill_intended


async def test_wait_for_a_delegation_that_is_over_says_so(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    class Slow(SubAgents):
        async def ended(self, task_ids: Sequence[str]) -> list[Task]:
            await asyncio.Event().wait()
            return []

    task = await ledger.begin(None, replace(new_task("find it"), kind=TaskKind.DELEGATION))
    tool = ProcessTool(keeper, ledger, Slow({}), HOME)

    answer, result = await run_tool(tool, new_turn(tmp_path), action="wait", session_id=task.id, timeout=0.01)

    assert (answer["status"], answer["note"], result.consumes) == ("running", "It is still running after 0.01 s.", ())


@pytest.mark.parametrize("action", ["log", "write", "submit", "close"])
async def test_delegation_has_no_output_and_no_input(
    tool: ProcessTool, ledger: Ledger, tmp_path: Path, action: str
) -> None:
    task = await ledger.begin(None, replace(new_task("find it"), kind=TaskKind.DELEGATION))

    answer, _ = await run_tool(gated(tool), new_turn(tmp_path), action=action, session_id=task.id, data="x")

    assert "is a delegation" in answer["error"]


async def test_only_writing_is_not_run_again(tool: ProcessTool, tmp_path: Path) -> None:
    actions = ("list", "poll", "log", "wait", "kill", "write", "submit", "close")

    again = [action for action in actions if await tool.may_rerun({"action": action}, tool_context(tmp_path))]

    assert again == ["list", "poll", "log", "wait", "kill"]


async def test_what_is_typed_into_a_shell_passes_the_same_gate_as_a_command(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    person = Person(Choice.DENY)
    tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(person))
    shell, words = await started(keeper, "bash"), await started(keeper, "cat")

    refused, _ = await run_tool(tool, new_turn(tmp_path), action="submit", session_id=shell.id, data="rm -rf /srv/x")
    typed, _ = await run_tool(tool, new_turn(tmp_path), action="submit", session_id=words.id, data="rm -rf /srv/x")

    assert (refused["code"], refused["session_id"]) == ("denied", shell.id)
    assert [asked.command for asked in person.asked] == ["rm -rf /srv/x"]
    assert typed["status"] == "ok"


async def typed_into(tool: Gated, task: Task, workspace: Path, *texts: str) -> list[str]:
    """Return the codes of the answers; empty if the text was typed."""
    turn = new_turn(workspace)
    answers = [await run_tool(tool, turn, action="write", session_id=task.id, data=text) for text in texts]
    return [answer.get("code", "") for answer, _ in answers]


async def test_earlier_input_counts_also_after_a_restart(ledger: Ledger, tmp_path: Path) -> None:
    person = Person(Choice.DENY)
    settings = ProcessSettings(tmp_path / "processes", kill_grace=0.2)
    async with keeping(ledger, settings) as keeper:
        shell = await started(keeper, "bash")
        tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(person))
        assert await typed_into(tool, shell, tmp_path, "cd /opt\n", "rm -") == ["", ""]

    async with keeping(ledger, settings) as keeper:
        await keeper.adopt()
        tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(person))
        assert await typed_into(tool, shell, tmp_path, "rf x\n") == ["denied"]
        await keeper.kill(shell.id)

    ((reason,),) = [asked.reasons for asked in person.asked]
    assert (reason.kind, reason.path, reason.excerpt) == ("delete_outside", "/opt/x", "rf x")


async def test_what_was_denied_is_not_remembered_as_typed(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(Person(Choice.DENY)))
    shell = await started(keeper, "bash")

    codes = await typed_into(tool, shell, tmp_path, "rm -rf /srv/", "x\n", "true\n")

    assert codes == ["denied", "", ""]
    assert (tmp_path / "processes" / shell.id / "typed").read_text() == "x\ntrue\n"


async def test_halves_that_are_typed_at_once_are_judged_one_after_the_other(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(Person(Choice.DENY)))
    shell = await started(keeper, "bash")

    halves = [typed_into(tool, shell, tmp_path, half) for half in ("rm -r", "f /srv/x\n")]

    assert await asyncio.gather(*halves) == [[""], ["denied"]]


async def test_after_input_that_the_process_did_not_take_the_next_line_is_unclear(
    ledger: Ledger, tmp_path: Path
) -> None:
    person = Person(Choice.ONCE)
    settings = ProcessSettings(tmp_path / "processes", kill_grace=0.2, stdin_patience=0.05)
    async with keeping(ledger, settings) as keeper:
        tool = Gated(ProcessTool(keeper, ledger, SubAgents({}), HOME), gate_of(person))
        shell = await started(keeper, "sleep 100; bash")

        codes = await typed_into(tool, shell, tmp_path, "#" * 200_000, "ls\n")

        assert codes == ["timeout", "timeout"]
        assert [[reason.kind for reason in asked.reasons] for asked in person.asked] == [["unclear"]]
        await keeper.kill(shell.id)
