"""The live view of sub-agents: a client that connects gets what they do now, and then every change."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.web.kit import Reader, Served
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task
from wakeful.web.feeds import work_feed


async def delegated(web: Served, turn_id: str, index: int, goal: str) -> tuple[Task, str]:
    """Return the delegation of a running turn, and the turn of its sub-agent."""
    turn = (await web.running(turn_id)).turn
    (task,) = await web.engine.delegations.begin(turn, 1, index, [Goal(goal)], is_inline=False)
    async with asyncio.timeout(PATIENCE):
        while True:
            for brief in web.agent.briefs.values():
                if brief.turn.session_id == task.child_session_id:
                    return task, brief.turn.id
            await asyncio.sleep(0.001)


async def works(reader: Reader, **steps: int) -> dict[str, Any]:
    """Return the works of the first frame in which the sub-agents have done this many steps."""
    while True:
        frame = (await reader.until("work"))[-1].data["works"]
        if {of: work["steps"] for of, work in frame.items()} == steps:
            found: dict[str, Any] = frame
            return found


async def test_sub_agents_are_followed_from_where_they_are_until_they_end(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_feed, "_PAUSE_SECONDS", 0.01)
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    one, first = await delegated(web, turn_id, 1, "one")
    async with web.stream("/api/stream", sessions=session_id, work="1") as reader:
        assert (await works(reader, **{one.id: 0}))[one.id]["tool"] == ""
        web.agent.order(first, "step")
        work = (await works(reader, **{one.id: 1}))[one.id]
        assert (work["words"], work["input_tokens"], work["output_tokens"]) == ("working", 1, 1)
        two, second = await delegated(web, turn_id, 2, "two")
        await works(reader, **{one.id: 1, two.id: 0})
        _, below = await delegated(web, second, 1, "below")
        web.agent.order(below, "step")
        work = (await works(reader, **{one.id: 1, two.id: 1}))[two.id]
        assert (work["sub_agents"], work["input_tokens"], work["output_tokens"]) == (1, 1, 1), "with what is below it"
        assert (work["tool"], work["words"], work["model"]) == ("", "", ""), (
            "it does nothing itself, with the same model"
        )
        web.agent.order(first, "finish")
        assert (await works(reader, **{two.id: 1})).keys() == {two.id}
    async with web.stream("/api/stream", sessions=session_id, work="1") as reader:
        assert (await works(reader, **{two.id: 1}))[two.id]["sub_agents"] == 1


async def test_changes_that_follow_each_other_closely_are_one_frame(
    web: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause_is_over = asyncio.Event()
    monkeypatch.setattr(work_feed, "asyncio", SimpleNamespace(sleep=lambda _: pause_is_over.wait()))
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    tasks = [(await delegated(web, turn_id, 1, "one"))[0]]
    async with web.stream("/api/stream", sessions=session_id, work="1") as reader:
        await works(reader, **{tasks[0].id: 0})
        tasks += [(await delegated(web, turn_id, index, "more"))[0] for index in (2, 3)]
        pause_is_over.set()
        frame = (await reader.until("work"))[-1].data

    assert frame["works"].keys() == {task.id for task in tasks}


async def test_sub_agents_with_the_same_goal_name_the_call_that_started_each(web: Served) -> None:
    session_id = await web.new_session()
    turn_id = await web.say(session_id, "work")
    one, _ = await delegated(web, turn_id, 1, "count")
    two, _ = await delegated(web, turn_id, 2, "count")

    calls = {task["id"]: task["message_id"] for task in (await web.shown(session_id))["tasks"]}

    assert calls == {one.id: f"{turn_id}.1.1", two.id: f"{turn_id}.1.2"}


async def test_sub_agents_of_others_are_not_shown(web: Served) -> None:
    session_id = await web.new_session()
    assert (await web.get("/api/stream", "bob", sessions=session_id, work="1")).status == 404
