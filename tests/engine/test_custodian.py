"""Background work that no node watches is adopted, by the right node and once."""

import asyncio
from collections.abc import Collection
from typing import TypeVar

import pytest

from tests.bare_engine import HOST
from tests.engine.kit import (
    House,
    Node,
    begin_task,
    exit_of,
    finish,
    kinds_of,
    log_of,
    open_session,
    own_commit,
    send,
    task_of,
    until,
    wakeups_of,
)
from tests.patience import PATIENCE
from wakeful.errors import StoreUnavailable
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskStatus
from wakeful.store.base import Body, Signal, Transaction

T = TypeVar("T")

FARM = Host("farm", "boot")


async def session_with_tasks(node: Node, house: House, *names: str, host: Host = HOST) -> str:
    receipt = await send(node, await open_session(node), "start them")
    await house.settle()
    for name in names:
        await begin_task(node, receipt, name, host=host)
    await finish(node, house, receipt)
    return receipt.session_id


async def sleep_one_round(house: House) -> None:
    """Let time pass while every living node renews its lease."""
    for _ in range(3):
        await house.advance(house.settings.lease_seconds / 3)
        await house.settle()


# Adoption.


async def test_background_work_is_adopted_before_any_turn_goes_on(house: House) -> None:
    first = await house.start_node()
    receipt = await send(first, await open_session(first), "start it")
    await house.settle()
    await begin_task(first, receipt, "build")
    await house.kill(first)
    await house.advance(house.settings.lease_seconds * 2)
    second = await house.start_node()
    assert second.processes.adopted == ["build"]
    assert second.processes.turns_at_first == 0
    assert receipt.turn_id in second.agent.briefs


async def test_a_node_adopts_the_tasks_of_dead_nodes_only(house: House) -> None:
    first = await house.start_node()
    await session_with_tasks(first, house, "build")
    second = await house.start_node()
    await sleep_one_round(house)
    assert second.processes.adopted == []
    await house.kill(first)
    await sleep_one_round(house)
    await sleep_one_round(house)
    assert second.processes.adopted == ["build"]
    assert (await task_of(house, "build")).node == second.engine.node


async def test_of_two_nodes_one_adopts_a_task(house: House) -> None:
    first, second, third = [await house.start_node() for _ in range(3)]
    await session_with_tasks(first, house, "build")
    await house.kill(first)
    for _ in range(3):
        await sleep_one_round(house)
    assert second.processes.adopted + third.processes.adopted == ["build"]


async def test_a_node_whose_lease_is_late_does_not_adopt_its_own_tasks_again(house: House, node: Node) -> None:
    await session_with_tasks(node, house, "build")
    await house.advance(house.settings.lease_seconds)
    await node.engine._custodian.sweep()
    assert node.processes.adopted == []


async def test_an_adoption_counts_even_if_its_commit_seemed_to_fail(house: House, node: Node) -> None:
    await session_with_tasks(node, house, "build")
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node(adopts=False)
    write = second.store.write

    async def commit_and_fail(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        second.store.write = write  # type: ignore[method-assign]
        await write(body, lock=lock, patience=patience)
        raise StoreUnavailable

    second.store.write = commit_and_fail  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable):
        await second.engine._custodian.sweep()
    await second.engine._custodian.sweep()
    await second.engine._custodian.sweep()
    assert second.processes.adopted == ["build"]


async def test_the_processes_of_another_machine_are_left_to_it(house: House) -> None:
    first = await house.start_node(host=FARM)
    await session_with_tasks(first, house, "build", host=FARM)
    await house.kill(first)
    second = await house.start_node()
    for _ in range(2):
        await sleep_one_round(house)
    assert second.processes.adopted == []
    third = await house.start_node(host=FARM)
    assert third.processes.adopted == ["build"]


async def test_the_holder_of_an_exclusive_store_adopts_everything_at_once(house: House) -> None:
    first = await house.start_node(is_exclusive=True)
    session = await session_with_tasks(first, house, "build")
    receipt = await send(first, session, "delegate")
    await house.settle()
    turn = first.agent.briefs[receipt.turn_id].turn
    (task,) = await first.engine.delegations.begin(turn, 1, 1, [Goal("count")], is_inline=False)
    await finish(first, house, receipt)
    await house.kill(first)
    second = await house.start_node(is_exclusive=True)
    assert second.processes.adopted == ["build"]
    child = (await task_of(house, task.id)).child_session_id or ""
    (running,) = [runner.assignment.turn for runner in second.engine._runners.all()]
    assert running.session_id == child
    second.agent.order(running.id, "finish")
    await house.wait_for_company()
    assert len(await wakeups_of(house, session)) == 1


async def test_a_node_that_came_for_one_turn_adopts_nothing(house: House) -> None:
    first = await house.start_node()
    await session_with_tasks(first, house, "build")
    await house.kill(first)
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node(adopts=False)
    for _ in range(2):
        await sleep_one_round(house)
    assert second.processes.adopted == []


async def test_tasks_that_a_node_left_in_good_order_are_adopted_at_once(house: House) -> None:
    first = await house.start_node()
    await session_with_tasks(first, house, "build")
    await first.engine.stop()
    second = await house.start_node()
    assert second.processes.adopted == ["build"]


# Silent machines.


async def test_the_processes_of_a_machine_that_was_silent_for_an_hour_are_lost_once(house: House) -> None:
    first = await house.start_node(host=FARM)
    session = await session_with_tasks(first, house, "build", "quiet", host=FARM)
    await first.engine.tasks.intend_kill("quiet")
    await house.kill(first)
    watchers = [await house.start_node(), await house.start_node()]
    await house.advance(house.settings.host_silence_seconds - 1.0)
    await house.settle()
    await sleep_one_round(house)
    await sleep_one_round(house)
    lost = await task_of(house, "build")
    assert (lost.status, lost.exit_code) == (TaskStatus.LOST, None)
    (wakeup,) = await wakeups_of(house, session)
    (notice,) = [event for event in await log_of(house, session) if event.kind == "notice"]
    assert "Background process build was lost" in notice.data["content"]
    assert kinds_of(await log_of(house, session)).count("process_complete") == 2
    assert any(wakeup in node.agent.briefs for node in watchers)


async def test_a_machine_that_comes_back_too_late_is_not_believed(house: House) -> None:
    first = await house.start_node(host=FARM)
    session = await session_with_tasks(first, house, "build", host=FARM)
    first.fall_asleep()
    second = await house.start_node()
    await house.advance(house.settings.host_silence_seconds)
    for _ in range(2):
        await sleep_one_round(house)
    assert (await task_of(house, "build")).status is TaskStatus.LOST
    assert not await first.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert len(await wakeups_of(house, session)) == 1
    assert len(second.agent.briefs) == 1


async def test_after_an_hour_without_the_database_no_machine_counts_as_dead_before_it_could_report(
    house: House,
) -> None:
    first, second = await house.start_node(host=FARM), await house.start_node()
    await session_with_tasks(first, house, "build", host=FARM)
    await sleep_one_round(house)
    for node in (first, second):
        node.clock.fall_asleep()
    await house.advance(house.settings.host_silence_seconds + 1.0)
    await second.engine._custodian.sweep()
    for node in (first, second):
        node.clock.wake_up()
    await sleep_one_round(house)
    assert (await task_of(house, "build")).is_running


async def test_a_node_never_takes_its_own_machine_for_dead(house: House, node: Node) -> None:
    await session_with_tasks(node, house, "build")
    node.clock.fall_asleep()
    await house.advance(house.settings.host_silence_seconds + 1.0)
    for _ in range(2):
        await node.engine._custodian.sweep()
    assert (await task_of(house, "build")).is_running


# Errands for other nodes.


async def test_a_kill_that_another_node_wants_reaches_the_node_that_watches(
    couple: tuple[House, Node, Node],
) -> None:
    house, first, second = couple
    await session_with_tasks(first, house, "build", "other")
    await second.engine.tasks.intend_kill("build")

    async def has_heard() -> bool:
        return bool(first.processes.obeyed)

    await until(has_heard)
    assert set(first.processes.obeyed) == {"build"}
    assert second.processes.obeyed == []


async def test_a_kill_whose_notification_was_lost_is_found_on_the_next_round(house: House, node: Node) -> None:
    await session_with_tasks(node, house, "build")
    node.store.is_deaf = True
    other = await house.start_node()
    await other.engine.tasks.intend_kill("build")
    await house.settle()
    node.store.is_deaf = False
    await sleep_one_round(house)
    assert "build" in node.processes.obeyed
    assert other.processes.obeyed == []


async def test_the_end_of_a_delegation_is_no_errand_for_the_processes(house: House, node: Node) -> None:
    receipt = await send(node, await open_session(node), "delegate")
    await house.settle()
    turn = node.agent.briefs[receipt.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, 1, [Goal("count")], is_inline=False)
    node.engine.delegations._watched.clear()
    await node.engine.tasks.intend_kill(task.id)
    await sleep_one_round(house)
    assert node.processes.obeyed == []


async def test_what_other_nodes_commit_elsewhere_costs_this_one_nothing(couple: tuple[House, Node, Node]) -> None:
    house, first, second = couple
    await session_with_tasks(first, house, "build")
    errands = first.engine._custodian.errands
    looks = errands.counts.runs
    heard = asyncio.Event()
    first.store.listen(lambda signal: heard.set())
    await send(second, await open_session(second), "hello")
    async with asyncio.timeout(PATIENCE):
        await heard.wait()
    await house.settle()
    assert errands.counts.runs == looks


# What wakes it, and what does not. The node's own commits have their events in the signal, others' have not.


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("signals", "is_woken"),
    [
        ([Signal(frozenset({"s1"}))], False),
        ([own_commit("s1", "task_started")], False),
        ([own_commit("s1", "task_started"), Signal(frozenset({"s1"}))], True),
        ([own_commit("s1", "task_started"), Signal(frozenset({"s2"}))], False),
        ([own_commit("s1", "task_started"), own_commit("s1", "process_complete")], False),
        ([own_commit("s1", "usage"), Signal(frozenset({"s1"}))], False),
        ([Signal(frozenset(), is_everything=True)], True),
    ],
)
async def test_errands_are_run_after_what_others_commit_where_this_node_has_processes(
    house: House, node: Node, signals: list[Signal], is_woken: bool
) -> None:
    looks = node.engine._custodian.errands.counts.runs
    for signal in signals:
        node.store.tell(signal)
    await house.settle()
    assert (node.engine._custodian.errands.counts.runs > looks) == is_woken


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
async def test_a_session_whose_processes_have_ended_costs_nothing_more(house: House, node: Node) -> None:
    session = await session_with_tasks(node, house, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await node.engine._custodian.obey()
    looks = node.engine._custodian.errands.counts.runs
    node.store.tell(Signal(frozenset({session})))
    await house.settle()
    assert node.engine._custodian.errands.counts.runs == looks


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
async def test_a_session_whose_process_starts_during_an_errand_is_heard_after_it(house: House, node: Node) -> None:
    custodian = node.engine._custodian
    watched = custodian._watched

    async def start_meanwhile(tx: Transaction) -> list[Task]:
        tasks = await watched(tx)
        node.store.tell(own_commit("s1", "task_started"))
        return tasks

    custodian._watched = start_meanwhile  # type: ignore[method-assign]
    await custodian.obey()
    looks = custodian.errands.counts.runs
    node.store.tell(Signal(frozenset({"s1"})))
    await house.settle()
    assert custodian.errands.counts.runs > looks


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
async def test_the_holder_of_an_exclusive_store_goes_round_once_and_has_no_errands(house: House) -> None:
    node = await house.start_node(is_exclusive=True)
    await session_with_tasks(node, house, "build")
    custodian = node.engine._custodian
    node.store.tell(Signal(frozenset(), is_everything=True))
    await house.settle()
    assert custodian.errands.counts.runs == 0
    assert await custodian.sweep() is None


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("pause", "is_lost"), [(0.4, True), (0.9, False)])
async def test_after_half_the_time_of_silence_without_a_look_nobody_counts_as_silent(
    house: House, pause: float, is_lost: bool
) -> None:
    first = await house.start_node(host=FARM)
    await session_with_tasks(first, house, "build", host=FARM)
    await house.kill(first)
    await house.advance(house.settings.host_silence_seconds * (1.1 - pause))
    second = await house.start_node()
    second.clock.fall_asleep()
    assert await second.engine._custodian.sweep() == house.settings.lease_seconds
    await house.advance(house.settings.host_silence_seconds * pause)
    await second.engine._custodian.sweep()
    assert ((await task_of(house, "build")).status is TaskStatus.LOST) == is_lost
