"""The terminal tool in a turn."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import HOME, Gated, Person, gate_of, new_turn, run_tool, tool_context
from tests.unit.tools.processes.kit import Ledger, ended, group_members, keeping, until
from wakeful.context import clear_session_vars, declare_stateless_channel
from wakeful.model.approvals.approval import Choice
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Lease
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.launch import launch_of
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.terminal_tool import TerminalTool


class CallLedger(Ledger):
    """Knows which call has begun what, as an engine does."""

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        assert lease is not None
        for known in self._tasks.values():
            if (known.turn_id, known.step, known.index) == (task.turn_id, task.step, task.index):
                return known
        return await super().begin(lease, task)


@pytest.fixture
def ledger() -> Ledger:
    return CallLedger()


@pytest.fixture
async def keeper(ledger: Ledger, tmp_path: Path) -> AsyncIterator[ProcessKeeper]:
    settings = ProcessSettings(tmp_path / "processes", kill_grace=0.2, secrets=frozenset({"database-password"}))
    async with keeping(ledger, settings, WAKEFUL_API_KEYS="me=key", OPENAI_API_KEY="sk-1") as keeper:
        yield keeper


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def tool_of(keeper: ProcessKeeper, *, choice: Choice | None = None, can_ask: bool = True) -> Gated:
    return Gated(TerminalTool(keeper, HOME), gate_of(Person(choice), can_ask=can_ask))


async def test_foreground_command_runs_in_the_workspace(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, result = await run_tool(tool_of(keeper), new_turn(workspace), command="pwd -P; echo oops >&2; exit 9")

    assert answer == {"output": f"{workspace}\noops\n", "exit_code": 9, "error": None}
    assert (result.consumes, result.is_error) == ((), False)


async def test_foreground_command_reads_nothing(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="cat; echo ended")

    assert answer["output"] == "ended\n"


async def test_foreground_command_leaves_no_files(keeper: ProcessKeeper, workspace: Path, tmp_path: Path) -> None:
    await run_tool(tool_of(keeper), new_turn(workspace), command="true")

    assert list((tmp_path / "processes").iterdir()) == []


async def test_foreground_command_may_have_a_terminal(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="test -t 1 && echo yes", pty=True)

    assert answer["output"] == "yes\r\n"


async def test_relative_workdir_is_below_the_workspace(keeper: ProcessKeeper, workspace: Path) -> None:
    (workspace / "sub").mkdir()

    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="pwd -P", workdir="sub")

    assert answer["output"] == f"{workspace}/sub\n"


async def test_command_that_takes_too_long_is_ended_with_its_group(keeper: ProcessKeeper, workspace: Path) -> None:
    command = "trap '' TERM; cut -d' ' -f5 /proc/self/stat > group; echo begun; sleep 100 & sleep 100"

    answer, result = await run_tool(tool_of(keeper), new_turn(workspace), command=command, timeout=0.3)

    assert (answer["output"], answer["exit_code"], answer["code"]) == ("begun\n", 124, "timeout")
    assert result.is_error
    assert "stopped after 0.3 s" in answer["error"]
    assert "background=true" in answer["error"]
    await until(lambda: not group_members(int((workspace / "group").read_text())))


async def test_cancelled_call_ends_its_command(keeper: ProcessKeeper, workspace: Path, tmp_path: Path) -> None:
    call = asyncio.create_task(run_tool(tool_of(keeper), new_turn(workspace), command="echo $$ > pid; sleep 100"))
    await until(lambda: (workspace / "pid").exists() and (workspace / "pid").read_text().endswith("\n"))

    call.cancel()
    await asyncio.wait([call])

    assert call.cancelled()
    assert not Path(f"/proc/{(workspace / 'pid').read_text().strip()}").exists()
    assert list((tmp_path / "processes").iterdir()) == []


async def test_command_that_forks_and_leaves_does_not_hold_up_the_call(keeper: ProcessKeeper, workspace: Path) -> None:
    command = "sleep 100 & echo $! > child; echo left"

    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command=command)

    assert answer["output"] == "left\n"
    await until(lambda: not _is_running(int((workspace / "child").read_text())))


async def test_long_output_keeps_its_beginning_and_its_end(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="seq 1 100000")

    output = answer["output"]
    assert output.startswith("1\n2\n")
    assert output.endswith("99999\n100000\n")
    head, _, rest = output.partition("\n[… cut: 588895 characters in all; the whole text is in ")
    path, _, tail = rest.partition(" …]\n")
    assert len(output) == 50_000
    assert len(head) / len(tail) == pytest.approx(0.4 / 0.6, rel=0.01)
    assert Path(path).stat().st_size == 588_895


async def test_output_of_a_gigabyte_costs_little_memory_and_disk(workspace: Path, tmp_path: Path) -> None:
    settings = ProcessSettings(tmp_path / "processes", output_cap=8 * 2**20)

    async with keeping(Ledger(), settings) as keeper:
        command = "echo begun; head -c 1G /dev/zero | tr '\\0' x; echo; echo ended"
        answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command=command, timeout=60)

    assert answer["exit_code"] == 0
    assert answer["output"].startswith("begun\nxxx")
    assert answer["output"].endswith("xxx\nended\n")
    assert len(answer["output"]) == 50_000


async def test_binary_output_is_shown_as_text(keeper: ProcessKeeper, workspace: Path) -> None:
    command = r"printf 'a\0b\xff\xc3\xa9\xe2\x82'"

    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command=command)

    assert answer["output"] == "a\ufffdb\ufffdé\ufffd"


async def test_environment_shows_no_keys(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="env; echo database-password")

    assert "PATH=" in answer["output"]
    for name in ("OPENAI_API_KEY", "WAKEFUL", "sk-1", "database-password"):
        assert name not in answer["output"]
    assert answer["output"].endswith("***\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "command must be"),
        ({"command": ""}, "command must be"),
        ({"command": "  \n"}, "command must be"),
        ({"command": 3}, "command must be"),
        ({"command": "a\0b"}, "NUL"),
        ({"command": "x" * 100_001}, "write it to a file"),
        ({"command": "ls", "workdir": "gone"}, "was not found"),
        ({"command": "ls", "workdir": "file"}, "is not a folder"),
        ({"command": "ls", "workdir": 3}, "workdir must be"),
        ({"command": "ls", "timeout": -1}, "timeout must be"),
        ({"command": "ls", "timeout": 0}, "timeout must be"),
        ({"command": "ls", "timeout": "soon"}, "timeout must be"),
        ({"command": "ls", "timeout": float("nan")}, "timeout must be"),
        ({"command": "ls", "timeout": True}, "timeout must be"),
        ({"command": "ls", "timeout": 601}, "timeout of a foreground command is 600 s at most"),
        ({"command": "ls", "background": "perhaps"}, "background must be"),
        ({"command": "ls", "background": True, "watch_patterns": "ERROR"}, "list of strings"),
        ({"command": "ls", "background": True, "watch_patterns": [1]}, "list of strings"),
        ({"command": "ls", "background": True, "watch_patterns": [""]}, "1 to 1,000 characters"),
        ({"command": "ls", "background": True, "watch_patterns": ["a\nb"]}, "of one line"),
        ({"command": "ls", "background": True, "watch_patterns": ["x"] * 51}, "51 entries, and the limit is 50"),
        ({"command": "ls", "notify_on_complete": True}, "need background=true"),
        ({"command": "ls", "watch_patterns": ["x"]}, "need background=true"),
    ],
)
async def test_bad_input_is_answered_clearly(
    keeper: ProcessKeeper, ledger: Ledger, workspace: Path, arguments: dict[str, Any], words: str
) -> None:
    (workspace / "file").touch()

    answer, result = await run_tool(tool_of(keeper), new_turn(workspace), **arguments)

    assert (answer["output"], answer["exit_code"], result.is_error) == ("", -1, True)
    assert answer["code"] in ("invalid_arguments", "not_found", "not_a_folder", "too_large")
    assert words in answer["error"]
    assert await ledger.all_visible(new_turn(workspace)) == []


async def test_background_start_is_answered_at_once_and_owned_by_the_session(
    keeper: ProcessKeeper, ledger: Ledger, workspace: Path
) -> None:
    turn = new_turn(workspace)

    answer, _ = await run_tool(tool_of(keeper), turn, command="pwd -P", background=True, notify_on_complete=True)

    row = await ended(keeper, answer["session_id"])
    assert (answer["output"], answer["exit_code"], answer["error"]) == ("Background process started", 0, None)
    assert answer["notify_on_complete"] is True
    assert (row.session_id, row.turn_id, row.step, row.index) == (turn.session_id, turn.id, 1, 1)
    assert (row.result, row.will_notify) == (f"{workspace}\n", True)


@pytest.mark.parametrize("asked", [{}, {"watch_patterns": ["ready"]}], ids=["nothing", "watching"])
async def test_nobody_is_told_of_an_end_who_has_not_asked_for_it(
    keeper: ProcessKeeper, workspace: Path, asked: dict[str, Any]
) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="true", background=True, **asked)

    row = await ended(keeper, answer["session_id"])
    assert (answer["notify_on_complete"], row.will_notify) == (False, False)
    assert answer.get("watch_patterns", []) == asked.get("watch_patterns", [])
    assert "notify_unsupported" not in answer


async def test_timeout_of_a_background_start_is_not_silently_ignored(keeper: ProcessKeeper, workspace: Path) -> None:
    answer, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="true", background=True, timeout=1000)

    assert "timeout is for foreground commands" in answer["note"]


async def test_repeated_background_call_is_answered_as_at_its_spawn(
    keeper: ProcessKeeper, ledger: Ledger, workspace: Path
) -> None:
    tool, turn = tool_of(keeper), new_turn(workspace)
    arguments: dict[str, Any] = {"command": "echo x >> count", "background": True, "notify_on_complete": True}
    first, _ = await run_tool(tool, turn, **arguments)
    await ended(keeper, first["session_id"])

    second, result = await run_tool(tool, turn, **arguments)

    assert second == first
    assert result.consumes == ()
    assert (workspace / "count").read_text() == "x\n"


async def test_only_background_calls_may_be_run_again(keeper: ProcessKeeper, workspace: Path) -> None:
    tool, context = TerminalTool(keeper, HOME), tool_context(workspace)

    assert await tool.may_rerun({"command": "ls", "background": True, "workdir": "not-there-yet"}, context)
    assert not await tool.may_rerun({"command": "ls"}, context)
    assert not await tool.may_rerun({"command": "ls", "background": False, "workdir": "not-there"}, context)
    assert await tool.may_rerun({"command": "ls", "background": "perhaps"}, context) is False


async def test_a_sandbox_opens_the_workspace_unless_a_link_has_taken_its_place(
    keeper: ProcessKeeper, ledger: Ledger, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    (home / "workspace" / "own").mkdir(parents=True)
    (home / "workspace" / "replaced").symlink_to(home)
    tool = Gated(TerminalTool(keeper, home), gate_of(Person(Choice.ONCE)))

    async def opened(workspace: Path, index: int) -> tuple[str, ...]:
        answer, _ = await run_tool(tool, new_turn(workspace), index, command="true", background=True)
        return launch_of(await ended(keeper, answer["session_id"])).opened

    own, replaced = await opened(home / "workspace/own", 1), await opened(home / "workspace/replaced", 2)

    of_session = (str(home / "results/sess_1"), str(home / "attachments/sess_1"))
    assert own == (str(home / "workspace/own"), *of_session)
    assert replaced == of_session


@pytest.mark.parametrize("promise", [{"notify_on_complete": True}, {"watch_patterns": ["x"]}])
@pytest.mark.parametrize("by_door", [True, False])
async def test_promise_is_refused_where_nothing_can_be_delivered(
    keeper: ProcessKeeper, ledger: Ledger, workspace: Path, promise: dict[str, Any], by_door: bool
) -> None:
    turn = new_turn(workspace, async_delivery=not by_door)
    if not by_door:
        declare_stateless_channel()

    answer, _ = await run_tool(tool_of(keeper), turn, command="echo x", background=True, **promise)
    row = await ended(keeper, answer["session_id"])

    assert answer["notify_on_complete"] is False
    assert "process(action='poll')" in answer["notify_unsupported"]
    assert not row.will_notify
    assert ledger.matches == []
    clear_session_vars([])


def test_description_says_what_the_behaviour_is() -> None:
    description = TerminalTool.spec.description

    for word in ("notify_unsupported", "notify_on_complete: false", "process(action='poll')", "starts a new session"):
        assert word in description


async def test_process_that_cannot_start_is_reported_at_once_and_not_again(workspace: Path, tmp_path: Path) -> None:
    ledger = CallLedger()
    async with keeping(ledger, ProcessSettings(tmp_path / "processes", minimum_free=10**18)) as keeper:
        answer, result = await run_tool(tool_of(keeper), new_turn(workspace), command="ls", background=True)
        foreground, _ = await run_tool(tool_of(keeper), new_turn(workspace), command="ls")

    assert answer["exit_code"] == foreground["exit_code"] == 126
    assert "almost full" in answer["error"]
    assert "almost full" in foreground["error"]
    assert result.consumes == (answer["session_id"],)


@pytest.mark.parametrize("choice", [Choice.ONCE, Choice.SESSION, Choice.FOLDER])
async def test_dangerous_command_runs_when_a_person_allows_it(
    keeper: ProcessKeeper, workspace: Path, tmp_path: Path, choice: Choice
) -> None:
    (tmp_path / "victim").mkdir()
    person = Person(choice)
    tool = Gated(TerminalTool(keeper, HOME), gate_of(person))

    answer, _ = await run_tool(tool, new_turn(workspace), command="rm -rf ../victim")

    assert answer["exit_code"] == 0
    assert not (tmp_path / "victim").exists()
    assert [(asked.call_id, asked.command, asked.reasons[0].kind) for asked in person.asked] == [
        ("call_1", "rm -rf ../victim", "delete_outside")
    ]


@pytest.mark.parametrize(
    ("choice", "can_ask", "code", "words"),
    [
        (Choice.DENY, True, "denied", "a person has denied it"),
        (None, True, "expired", "within 60 s"),
        (Choice.ONCE, False, "nobody_to_ask", "no person can be asked"),
    ],
)
@pytest.mark.parametrize("background", [True, False])
async def test_dangerous_command_that_no_person_allows_is_refused_with_the_reason(
    keeper: ProcessKeeper,
    workspace: Path,
    tmp_path: Path,
    choice: Choice | None,
    can_ask: bool,
    code: str,
    words: str,
    background: bool,
) -> None:
    (tmp_path / "victim").mkdir()
    tool = tool_of(keeper, choice=choice, can_ask=can_ask)

    command = "rm -rf ../victim; git reset --hard"
    answer, result = await run_tool(tool, new_turn(workspace), command=command, background=background)

    assert list(answer) == ["error", "code", "output", "exit_code"]
    assert (answer["code"], answer["exit_code"], result.is_error) == (code, -1, True)
    assert "throws away work" in answer["error"]
    assert "outside of the workspace" in answer["error"]
    assert words in answer["error"]
    assert (tmp_path / "victim").exists()


async def test_harmless_command_is_not_asked_about(keeper: ProcessKeeper, workspace: Path) -> None:
    (workspace / "build").mkdir()

    answer, _ = await run_tool(tool_of(keeper, can_ask=False), new_turn(workspace), command="rm -rf build")

    assert answer["exit_code"] == 0


async def test_running_foreground_commands_end_with_the_keeper(workspace: Path, tmp_path: Path) -> None:
    settings = replace(ProcessSettings(tmp_path / "processes"), kill_grace=0.2)
    async with keeping(Ledger(), settings) as keeper:
        call = asyncio.create_task(run_tool(tool_of(keeper), new_turn(workspace), command="echo > up; sleep 100"))
        await until((workspace / "up").exists)

    answer, _ = await call
    assert answer["exit_code"] == 143


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
