"""What is written of tasks, and who hears of it."""

import logging
from dataclasses import replace

import pytest

from tests.engine.kit import House, Node, begin_task, exit_of, finish, task_for, task_of, wakeups_of
from tests.engine.test_delegations import delegate, idle_parent, lead, turn_of, working_parent
from tests.engine.test_tasks import API, begin, match_at, notices_of, seen, working
from wakeful.engine.tasks import task_runner
from wakeful.engine.tasks.task_runner import begin_task as write_task
from wakeful.store.base import Transaction

pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)


async def test_tasks_are_listed_oldest_first(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for name in ("c", "a", "b"):
        await begin(node, receipt, name)
        await house.advance(1)
    assert await seen(node, receipt) == ["c", "a", "b"]


async def test_the_tasks_of_others_crowd_out_none_of_an_owners(
    node: Node, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_runner, "_PAGE", 1)
    mine, same_key = await working(node, house, door=API), await working(node, house, door=API)
    stranger = await working(node, house, door=API, owner="you")
    await begin(node, mine, "build")
    await house.advance(1)
    await begin(node, stranger, "newer")
    assert await seen(node, same_key) == ["build"]


async def test_each_part_of_a_call_finds_its_own_task_again(node: Node, house: House) -> None:
    receipt = await working(node, house)
    parts = [
        replace(task_for(receipt.session_id, receipt.turn_id, f"part {n}"), step=3, index=2, part=n) for n in (0, 1)
    ]

    async def body(tx: Transaction) -> list[str]:
        return [(await write_task(tx, replace(part, id=f"{part.id}{run}"), "n")).id for run in "ab" for part in parts]

    written = await house.store.write(body, lock=[receipt.session_id])
    assert written == ["part 0a", "part 1a", "part 0a", "part 1a"]


async def test_a_node_that_adopts_for_the_first_time_leaves_out_what_it_watches_already(house: House) -> None:
    node = await house.start_node(adopts=False)
    await begin(node, await working(node, house), "build")
    await node.engine._custodian.sweep()
    assert node.processes.adopted == []


async def test_processes_and_delegations_are_adopted_apart(
    node: Node, house: House, caplog: pytest.LogCaptureFixture
) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt)
    await begin(node, receipt, "build")
    await node.engine.stop()
    second = await house.start_node()
    assert second.processes.adopted == ["build"]
    assert task.child_session_id in second.engine.delegations._awaited()
    assert "cannot be watched" not in caplog.text


@pytest.mark.parametrize("is_first", [True, False])
async def test_an_end_that_comes_too_late_is_told_in_the_log(
    node: Node, house: House, caplog: pytest.LogCaptureFixture, is_first: bool
) -> None:
    await begin(node, await working(node, house), "build")
    if not is_first:
        await node.engine.tasks.finish("build", exit_of("build"))
    with caplog.at_level(logging.INFO, task_runner.__name__):
        assert await node.engine.tasks.finish("build", exit_of("build", 1)) is is_first
    assert ("its end was recorded before" in caplog.text) is not is_first


# Who is told.


async def news_of(house: House, owner: str = "me") -> list[str]:
    return [news.event.kind for news in await house.store.read(lambda tx: tx.news.unread(owner, 9))]


async def test_the_end_of_a_task_is_news_and_a_kill_is_none(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for name in ("build", "server"):
        await begin(node, receipt, name)
    await node.engine.tasks.intend_kill("server")
    await node.engine.tasks.finish("server", exit_of("server"))
    assert await news_of(house) == []
    await node.engine.tasks.match("build", match_at(10), b"{}")
    await node.engine.tasks.finish("build", exit_of("build"))
    assert sorted(await news_of(house)) == ["process_complete", "watch_match"]


@pytest.mark.parametrize("is_inline", [True, False])
async def test_an_end_that_a_call_waits_for_is_no_news(node: Node, house: House, is_inline: bool) -> None:
    receipt = await working_parent(node, house)
    (task,) = await delegate(node, house, receipt, is_inline=is_inline)
    await lead(node, house, task, "finish")
    assert await news_of(house) == ([] if is_inline else ["process_complete"])


async def test_a_match_of_a_process_that_has_ended_is_told_to_nobody(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server", will_notify=False)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("server", exit_of("server"))
    await node.engine.tasks.match("server", match_at(10), b'{"offset": 22}')
    await house.settle()
    assert await wakeups_of(house, receipt.session_id) == []
    assert (await task_of(house, "server")).watch == b'{"offset": 22}'


async def test_nobody_hears_what_a_sub_agent_left_behind_when_it_was_done(node: Node, house: House) -> None:
    _, task = await idle_parent(node, house)
    running = await turn_of(house, task)
    await begin_task(node, running, "server", will_notify=False)
    await lead(node, house, task, "say it serves")
    await house.advance(1)
    await node.engine.tasks.match("server", match_at(10), b"{}", will_notify=True)
    await node.engine.tasks.finish("server", exit_of("server"))
    await house.settle()
    assert await wakeups_of(house, running.session_id) == []
    assert await notices_of(house, running.session_id) == []


async def test_a_sub_agent_hears_of_its_processes_while_it_works(node: Node, house: House) -> None:
    _, task = await idle_parent(node, house)
    running = await turn_of(house, task)
    await begin_task(node, running, "server", will_notify=False)
    await node.engine.tasks.match("server", match_at(10), b"{}")
    await lead(node, house, task, "step")
    assert node.agent.taken[running.turn_id] == ["[ready at 10]"]
