"""delegate_task, with a delegator that only records its calls."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.unit.tools.kit import tool_context
from wakeful.context import declare_stateless_channel
from wakeful.errors import ConfigError, TooManyDelegations
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Turn
from wakeful.tools.base import ToolContext, TurnTools
from wakeful.tools.delegate_tool import DelegateTool


class Ledger:
    def __init__(self) -> None:
        self.started: list[Task] = []
        self.goals: Sequence[Goal] = ()
        self.waited_for: list[str] = []

    async def begin(self, turn: Turn, step: int, index: int, goals: Sequence[Goal], *, is_inline: bool) -> list[Task]:
        self.goals = goals
        if len(goals) > 3:
            raise TooManyDelegations("At most 3 sub-agents.")
        if not self.started:
            self.started = [
                Task(
                    id=f"del_{part}",
                    kind=TaskKind.DELEGATION,
                    session_id=turn.session_id,
                    owner="me",
                    turn_id=turn.id,
                    step=step,
                    index=index,
                    part=part,
                    host=Host("host", "boot"),
                    command=goal.text,
                    door=turn.door,
                    address=turn.address,
                    model=turn.model,
                    will_notify=not is_inline,
                    is_inline=is_inline,
                    child_session_id=f"ses_{part}",
                )
                for part, goal in enumerate(goals)
            ]
        return self.started

    async def begun(self, turn: Turn, step: int, index: int) -> bool:
        return any((task.turn_id, task.step, task.index) == (turn.id, step, index) for task in self.started)

    async def ended(self, task_ids: Sequence[str]) -> list[Task]:
        self.waited_for += task_ids
        return [replace(task, status=TaskStatus.EXITED, exit_code=0, result="42") for task in self.started]

    async def delegate(self, turn: Turn, goals: Sequence[Goal]) -> list[Task]:
        await self.begin(turn, 0, 0, goals, is_inline=True)
        return await self.ended([])

    async def stop(self, task_id: str) -> bool:
        raise AssertionError("the tool stops nothing")


async def find_model(name: str) -> str:
    if name != "small":
        raise ConfigError(f"There is no model {name!r}; the models are: demo:small.")
    return "demo:small"


def context_with(tmp_path: Path, *tools: str, is_limited: bool = False) -> ToolContext:
    return replace(tool_context(tmp_path), step=2, index=3, tools=TurnTools(frozenset(tools), is_limited))


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


async def run(ledger: Ledger, tmp_path: Path, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = orjson.loads(
        (await DelegateTool(ledger, ledger, find_model).run(arguments, tool_context(tmp_path))).text
    )
    return answer


async def test_a_call_waits_and_answers_with_the_results(ledger: Ledger, tmp_path: Path) -> None:
    answer = await run(ledger, tmp_path, goal=" count ", context="the farm")
    (task,) = ledger.started
    assert (task.command, task.is_inline) == ("count\n\nContext:\nthe farm", True)
    result = {"delegation_id": "del_0", "session_id": "ses_0", "goal": "count", "status": "completed", "result": "42"}
    assert answer == {"results": [result], "note": ""}


async def test_a_background_call_answers_at_once(ledger: Ledger, tmp_path: Path) -> None:
    answer = await run(ledger, tmp_path, tasks=[{"goal": "one", "context": "here"}, {"goal": "two"}], background=True)
    assert (answer["status"], answer["delegation_id"]) == ("dispatched", "del_0")
    assert answer["delegations"] == [
        {"delegation_id": "del_0", "session_id": "ses_0", "goal": "one"},
        {"delegation_id": "del_1", "session_id": "ses_1", "goal": "two"},
    ]
    assert "You will be told once for each" in answer["note"]
    assert (ledger.waited_for, ledger.started[0].will_notify) == ([], True)


async def test_a_sub_agent_that_failed_is_shown_with_its_status(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ended(task_ids: Sequence[str]) -> list[Task]:
        return [replace(task, status=TaskStatus.FAILED, result="It broke.") for task in ledger.started]

    monkeypatch.setattr(ledger, "ended", ended)

    (result,) = (await run(ledger, tmp_path, goal="count"))["results"]

    assert (result["status"], result["result"]) == ("failed", "It broke.")


async def test_a_channel_that_cannot_deliver_gets_the_results_synchronously(ledger: Ledger, tmp_path: Path) -> None:
    declare_stateless_channel()
    answer = await run(ledger, tmp_path, goal="count", background=True)
    assert "synchronously" in answer["note"]
    assert answer["results"][0]["result"] == "42"
    assert not ledger.started[0].will_notify


async def test_a_call_that_is_run_again_keeps_the_promise_of_the_first_run(ledger: Ledger, tmp_path: Path) -> None:
    first = await run(ledger, tmp_path, goal="count", background=True)
    declare_stateless_channel()
    assert await run(ledger, tmp_path, goal="count", background=True) == first
    assert await DelegateTool(ledger, ledger, find_model).may_rerun({"goal": "count"}, tool_context(tmp_path))


async def test_a_context_beside_several_tasks_is_for_all_of_them(ledger: Ledger, tmp_path: Path) -> None:
    await run(ledger, tmp_path, tasks=[{"goal": "one", "context": "here"}, {"goal": "two"}], context="the farm")
    assert [task.command for task in ledger.started] == [
        "one\n\nContext:\nthe farm\n\nhere",
        "two\n\nContext:\nthe farm",
    ]


@pytest.mark.parametrize(
    "arguments",
    [{"goal": "count", "tasks": []}, {"goal": "count", "tasks": None}, {"goal": "", "tasks": [{"goal": "count"}]}],
)
async def test_what_a_model_filled_in_without_need_does_no_harm(
    ledger: Ledger, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    await run(ledger, tmp_path, **arguments)
    assert [task.command for task in ledger.started] == ["count"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "Every goal must be a string"),
        ({"goal": "  "}, "Every goal must be a string"),
        ({"goal": 7}, "Every goal must be a string"),
        ({"goal": None}, "Every goal must be a string"),
        ({"goal": "count", "context": 7}, "Every goal must be a string"),
        ({"goal": "count", "background": "yes"}, "background must be true or false."),
        ({"goal": "count", "tasks": [{"goal": "two"}]}, "Give either goal or tasks, not both."),
        ({"tasks": "count"}, "tasks must be a list of goals."),
        ({"tasks": {"goal": "count"}}, "tasks must be a list of goals."),
        ({"tasks": ["count"]}, "Every goal must be a string"),
        ({"tasks": [{"goal": "one"}, {"context": "two"}]}, "Every goal must be a string"),
        ({"tasks": [{"goal": "one"}], "context": ["farm"]}, "Every goal must be a string"),
        ({"tasks": [{"goal": "one"}] * 4}, "At most 3 sub-agents."),
        ({"goal": "count", "model": 7}, "model must be the name of a model."),
        ({"goal": "count", "model": "large"}, "large"),
        ({"goal": "count", "tools": "read_file"}, "tools must be a list of names of tools."),
        ({"goal": "count", "tools": [7]}, "tools must be a list of names of tools."),
        ({"goal": "count", "tools": ["read_file"]}, "There is no tool 'read_file' to hand on"),
        (
            {"tasks": [{"goal": "one"}, {"goal": "two", "tools": ["terminal"]}]},
            "There is no tool 'terminal' to hand on",
        ),
    ],
)
async def test_bad_arguments_are_answered_with_a_reason_and_start_nothing(
    ledger: Ledger, tmp_path: Path, arguments: dict[str, Any], words: str
) -> None:
    answer = await run(ledger, tmp_path, **arguments)
    assert list(answer) == ["error", "code"]
    assert answer["code"] == ("too_large" if "At most" in words else "invalid_arguments")
    assert words in answer["error"]
    assert ledger.started == []


def test_the_description_says_what_the_tool_does() -> None:
    spec = DelegateTool(Ledger(), Ledger(), find_model).spec
    assert spec.name == "delegate_task"
    assert "cannot deliver later" in spec.description
    assert spec.parameters["properties"].keys() == {"goal", "context", "model", "tools", "tasks", "background"}
    assert orjson.dumps(spec.parameters)


async def test_in_a_turn_that_is_not_stored_the_sub_agents_work_in_the_call_whatever_was_wanted(tmp_path: Path) -> None:
    stored, in_memory = Ledger(), Ledger()
    context = tool_context(tmp_path)
    context = replace(context, turn=replace(context.turn, is_ephemeral=True))

    result = await DelegateTool(stored, in_memory, find_model).run({"goal": "count", "background": True}, context)

    answer = orjson.loads(result.text)
    assert [done["result"] for done in answer["results"]] == ["42"]
    assert "synchronously" in answer["note"]
    assert (len(in_memory.started), stored.started) == (1, [])


async def test_each_goal_may_name_a_model_and_tools_and_the_others_get_those_for_all(
    ledger: Ledger, tmp_path: Path
) -> None:
    tasks = [{"goal": "one", "tools": ["read_file"]}, {"goal": "two", "model": " small "}, {"goal": "three"}]
    arguments = {"tasks": tasks, "tools": ["terminal", "read_file", "terminal"]}
    await DelegateTool(ledger, ledger, find_model).run(arguments, context_with(tmp_path, "read_file", "terminal"))
    both = ("terminal", "read_file")
    assert [(goal.model, goal.tools) for goal in ledger.goals] == [
        ("", ("read_file",)),
        ("demo:small", both),
        ("", both),
    ]


async def test_without_a_choice_a_sub_agent_of_a_limited_turn_is_limited_alike(ledger: Ledger, tmp_path: Path) -> None:
    tool = DelegateTool(ledger, ledger, find_model)
    await tool.run({"goal": "count"}, context_with(tmp_path, "read_file", "delegate_task", is_limited=True))
    assert ledger.goals == [Goal("count", tools=("delegate_task", "read_file"))]
    await tool.run({"goal": "count"}, context_with(tmp_path, "read_file", "delegate_task"))
    assert ledger.goals == [Goal("count")]


async def test_a_choice_that_does_not_exist_is_answered_with_those_that_do(ledger: Ledger, tmp_path: Path) -> None:
    tool, context = DelegateTool(ledger, ledger, find_model), context_with(tmp_path, "read_file", "terminal")
    unknown_tool = orjson.loads((await tool.run({"goal": "count", "tools": ["rm"]}, context)).text)
    unknown_model = orjson.loads((await tool.run({"goal": "count", "model": "large"}, context)).text)
    assert unknown_tool == {
        "error": "There is no tool 'rm' to hand on; you can choose from: read_file, terminal.",
        "code": "invalid_arguments",
    }
    assert unknown_model["error"] == "There is no model 'large'; the models are: demo:small."


async def test_a_call_that_is_run_again_finds_its_sub_agents_though_a_tool_of_theirs_has_gone(
    ledger: Ledger, tmp_path: Path
) -> None:
    tool, arguments = DelegateTool(ledger, ledger, find_model), {"goal": "count", "tools": ["mcp__farm__count"]}
    await tool.run(arguments, context_with(tmp_path, "mcp__farm__count"))
    again = await tool.run(arguments, context_with(tmp_path))
    assert orjson.loads(again.text)["results"][0]["result"] == "42"


async def test_in_a_turn_that_is_not_stored_no_earlier_run_excuses_a_tool_that_is_gone(
    ledger: Ledger, tmp_path: Path
) -> None:
    context = context_with(tmp_path)
    ledger.started = await Ledger().begin(context.turn, context.step, context.index, [Goal("count")], is_inline=True)
    unstored = replace(context, turn=replace(context.turn, is_ephemeral=True))

    answer = await DelegateTool(ledger, ledger, find_model).run({"goal": "count", "tools": ["gone"]}, unstored)

    assert orjson.loads(answer.text)["code"] == "invalid_arguments"
