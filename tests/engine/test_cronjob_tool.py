"""The tool `cronjob` on a real desk: an agent schedules for the owner of its session, and for its chat."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.engine.cron import schedules_on
from tests.engine.kit import House, Node, open_session
from tests.unit.tools.kit import tool_context
from wakeful.model.session import Address
from wakeful.tools.base import ToolContext
from wakeful.tools.cronjob_tool import CronjobTool

CHAT = Address("telegram", "-7", "3")


@pytest.fixture
async def tool(node: Node) -> CronjobTool:
    return CronjobTool(schedules_on(node))


async def a_call(node: Node, address: Address = CHAT, owner: str = "operator", index: int = 1) -> ToolContext:
    session = await open_session(node, address, owner=owner)
    context = tool_context(Path("/"))
    turn = replace(context.turn, session_id=session, address=address)
    return replace(context, turn=turn, index=index)


async def ask(tool: CronjobTool, context: ToolContext, action: str, **arguments: Any) -> Any:
    return orjson.loads((await tool.run({"action": action, **arguments}, context)).text)


async def add(tool: CronjobTool, context: ToolContext, **arguments: Any) -> Any:
    return await ask(tool, context, "add", schedule="0 9 * * *", prompt="Say hello.", **arguments)


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("address", "given", "deliver"),
    [
        (CHAT, {}, "telegram:-7:3"),
        (CHAT, {"deliver": "slack:C1"}, "slack:C1"),
        (CHAT, {"deliver": "none"}, None),
        (CHAT, {"deliver": ""}, "telegram:-7:3"),
        (Address("web"), {}, None),
    ],
)
async def test_answers_go_to_the_chat_of_the_agent_unless_it_says_otherwise(
    node: Node, tool: CronjobTool, address: Address, given: dict[str, str], deliver: str | None
) -> None:
    job = (await add(tool, await a_call(node, address), **given))["job"]

    assert (job["deliver"], job["status"]) == (deliver, "active")


async def test_a_call_that_runs_again_after_a_crash_makes_no_second_job(node: Node, tool: CronjobTool) -> None:
    context = await a_call(node)

    first, second = await add(tool, context), await add(tool, context)
    other = await add(tool, replace(context, index=2))

    assert first == second
    assert other["job"]["id"] != first["job"]["id"]
    assert await tool.may_rerun({"action": "add"}, context)
    assert not await tool.may_rerun({"action": "run"}, context)


async def test_schedules_are_listed_paused_resumed_fired_and_removed(
    house: House, node: Node, tool: CronjobTool
) -> None:
    context = await a_call(node)
    await add(tool, context, name="morning")

    assert (await ask(tool, context, "pause", id="morning"))["job"]["status"] == "paused"
    assert (await ask(tool, context, "resume", id="morning"))["job"]["status"] == "active"
    run = (await ask(tool, context, "run", id="morning"))["run"]
    (listed,) = (await ask(tool, context, "list"))["jobs"]
    removed = await ask(tool, context, "remove", id="morning")
    await house.settle()

    assert node.agent.briefs[run["turn_id"]].turn.address == CHAT
    assert (listed["name"], listed["last_status"], removed) == ("morning", "running", {"removed": listed["id"]})
    assert (await ask(tool, context, "list"))["jobs"] == []


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ({"action": "make"}, "invalid_arguments", "action"),
        ({"action": "add", "prompt": "x"}, "invalid_arguments", "schedule"),
        ({"action": "add", "prompt": "x", "schedule": "sometimes"}, "invalid_arguments", "schedule"),
        ({"action": "add", "prompt": ["x"], "schedule": "@daily"}, "invalid_arguments", "prompt"),
        ({"action": "add", "prompt": " ", "schedule": "@daily"}, "invalid_arguments", "nothing to say"),
        ({"action": "pause"}, "invalid_arguments", "id"),
        ({"action": "pause", "id": "nobody"}, "not_found", "nobody"),
    ],
)
async def test_a_call_that_does_not_fit_is_told_why(
    node: Node, tool: CronjobTool, arguments: dict[str, Any], code: str, word: str
) -> None:
    answer = orjson.loads((await tool.run(arguments, await a_call(node))).text)

    assert answer["code"] == code
    assert word in answer["error"]


async def test_an_agent_may_do_what_the_owner_of_its_session_may(node: Node, tool: CronjobTool) -> None:
    await add(tool, await a_call(node), name="of the operator")
    context = await a_call(node, Address("web"), owner="ann", index=2)

    refused = await add(tool, context, deliver="telegram:1")
    own = await add(tool, context)
    unstored = await ask(tool, replace(context, turn=replace(context.turn, session_id="nowhere")), "list")

    assert refused["code"] == unstored["code"] == "not_allowed"
    assert [job["id"] for job in (await ask(tool, context, "list"))["jobs"]] == [own["job"]["id"]]
