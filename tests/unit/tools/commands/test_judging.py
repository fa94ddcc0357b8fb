"""The reasons to ask about a call, with what is open to its session and turn."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import tool_context
from wakeful.tools.base import ToolContext
from wakeful.tools.commands.gate.typing import Typing
from wakeful.tools.commands.judging import reasons_of_command, reasons_of_typing
from wakeful.tools.commands.request import TerminalRequest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for folder in ("people/me", "results/sess_1", "results/sess_2", "workspace"):
        (home / folder).mkdir(parents=True)
    return home


def context_in(home: Path, *, memory: Path | None = None, is_wakeup: bool = False) -> ToolContext:
    context = tool_context(home / "workspace")
    prompt = replace(context.turn.system_prompt, memory=str(memory or ""))
    return replace(context, turn=replace(context.turn, system_prompt=prompt, is_wakeup=is_wakeup))


async def kinds(command: str, context: ToolContext, home: Path, *, pty: bool = False) -> list[str]:
    request = TerminalRequest(command, context.workspace, pty=pty)
    return [reason.kind for reason in await reasons_of_command(request, context, home)]


async def test_a_session_may_read_its_own_results_and_not_those_of_others(home: Path) -> None:
    context = context_in(home)

    assert await kinds(f"cat {home}/results/sess_1/a.txt", context, home) == []
    assert await kinds(f"cat {home}/results/sess_2/a.txt", context, home) == ["home"]


async def test_the_memory_is_open_to_a_turn_that_a_person_has_begun(home: Path) -> None:
    memory = home / "people/me"
    command = f"cat {memory}/memory.md"

    assert await kinds(command, context_in(home, memory=memory), home) == []
    assert await kinds(command, context_in(home, memory=memory, is_wakeup=True), home) == ["home"]
    assert await kinds(command, context_in(home), home) == ["home"]


async def test_without_a_memory_nothing_more_is_open_wherever_the_server_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)

    assert await kinds(f"cat {home}/key", context_in(home), home) == ["home"]


async def test_what_does_more_than_read_has_a_reason_of_its_own(home: Path) -> None:
    context = context_in(home)

    assert await kinds("ls", context, home) == []
    assert await kinds("touch a", context, home) == ["command"]
    assert await kinds("rm -rf /opt/x", context, home) == ["delete_outside", "command"]
    assert await kinds("git status", context, home, pty=True) == ["command"]


@pytest.mark.parametrize(
    ("program", "before", "new", "expected"),
    [
        ("cat", "", "rm -rf /opt/x\n", ["input"]),
        ("bash", "", "ls\n", []),
        ("bash", "touch a\n", "ls\n", ["command"]),
        ("bash", "", "rm -rf /opt/x\n", ["delete_outside", "command"]),
    ],
)
async def test_what_is_typed_counts_where_it_is_run(
    program: str, before: str, new: str, expected: list[str], home: Path
) -> None:
    context = context_in(home)

    reasons = await reasons_of_typing(Typing(program, before, new), context.workspace, context, home)

    assert [reason.kind for reason in reasons] == expected
