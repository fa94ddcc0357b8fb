"""Who watches a task: the node that began it, until its lease runs out and another one adopts it."""

import asyncio
from dataclasses import replace

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import a_row, a_task, have_row, have_task
from wakeful.model.inbox import RowKind, RowStatus
from wakeful.model.tasks.task import Host, TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Store

HERE = Host("host1", "boot2")
ELSEWHERE = Host("host2", "boot1")


async def test_running_tasks_without_a_living_node_are_adopted(store: Store) -> None:
    await _have_tasks(store, k1="alive", k2="late", k3="unknown", k4=None, k5="unknown")
    await _finish(store, "k5")
    await store.write(lambda tx: tx.nodes.renew("alive", 101.0, host="host1"))
    await store.write(lambda tx: tx.nodes.renew("late", 100.0, host="host1"))

    adopted = await _adopt(store)

    assert adopted == ["k2", "k3", "k4"]
    assert await _watched_by(store, "new") == ["k2", "k3", "k4"]
    assert await _watched_by(store, "alive") == ["k1"]
    assert await _watched_by(store, "unknown") == []


async def test_a_keeper_adopts_all_that_it_does_not_watch(store: Store) -> None:
    await _have_tasks(store, k1="keeper", k2="alive", k3=None)
    await store.write(lambda tx: tx.nodes.renew("alive", 101.0, host="host1"))

    assert await _adopt(store, node="keeper", keeper="keeper") == ["k2", "k3"]
    assert await _watched_by(store, "keeper") == ["k1", "k2", "k3"]


@pytest.mark.parametrize("keeper", [None, "new"])
async def test_processes_stay_with_their_host_and_delegations_go_anywhere(store: Store, keeper: str | None) -> None:
    await have_task(store, a_task("here", index=1, host=HERE))
    await have_task(store, a_task("there", index=2, host=ELSEWHERE))
    await have_task(store, a_task("delegation", index=3, host=ELSEWHERE, kind=TaskKind.DELEGATION))

    assert sorted(await _adopt(store, keeper=keeper)) == ["delegation", "here"]
    assert await _watched_by(store, "new") == ["delegation", "here"]


async def test_an_adopted_task_is_returned_whole(store: Store) -> None:
    task = a_task()
    await have_task(store, task)
    await have_row(store, a_row("task:k1", kind=RowKind.NOTICE))

    adopted = await store.write(lambda tx: tx.tasks.adopt(HERE, "new", 100.0, keeper=None))

    assert adopted == [replace(task, node="new", notice_status=RowStatus.PENDING)]
    assert await store.read(lambda tx: tx.tasks.get("k1")) == adopted[0]


async def test_a_task_is_adopted_by_one_of_many_nodes(store: Store) -> None:
    await _have_tasks(store, **{f"k{number}": None for number in range(20)})
    names = [f"node{number}" for number in range(5)]
    for name in names:
        await _renew(store, name)

    adopted = await asyncio.gather(*(_adopt(store, node=name) for name in names))

    assert sum(len(ids) for ids in adopted) == 20
    for name, ids in zip(names, adopted, strict=True):
        assert await _watched_by(store, name) == sorted(ids)


async def test_processes_of_hosts_that_are_silent_or_were_never_heard_of_are_found(
    store: Store, clock: FakeClock
) -> None:
    for number, host in enumerate(["up", "silent", "unknown", "silent"]):
        kind = TaskKind.DELEGATION if number == 3 else TaskKind.PROCESS
        await have_task(store, a_task(f"k{number}", index=number, host=Host(host, "boot1"), kind=kind))
    await have_task(store, a_task("ended", index=9, host=Host("unknown", "boot1")))
    await _finish(store, "ended")
    await _renew(store, "node1", host="silent")
    await clock.set(clock.now + 1)
    await _renew(store, "node2", host="up")

    silent = await store.read(lambda tx: tx.tasks.of_silent_hosts(clock.now))

    assert [task.id for task in silent] == ["k1", "k2"]


async def _have_tasks(store: Store, **node_of: str | None) -> None:
    for index, (task_id, node) in enumerate(node_of.items()):
        await have_task(store, a_task(task_id, index=index, node=node, host=HERE))


async def _adopt(store: Store, *, node: str = "new", keeper: str | None = None) -> list[str]:
    tasks = await store.write(lambda tx: tx.tasks.adopt(HERE, node, 100.0, keeper=keeper))
    return [task.id for task in tasks]


async def _watched_by(store: Store, node: str) -> list[str]:
    return sorted(task.id for task in await store.read(lambda tx: tx.tasks.watched_by(node)))


async def _renew(store: Store, node: str, *, host: str = "host1") -> None:
    await store.write(lambda tx: tx.nodes.renew(node, 200.0, host=host))


async def _finish(store: Store, task_id: str) -> None:
    outcome = TaskOutcome(TaskStatus.EXITED, 0, "")
    await store.write(lambda tx: tx.tasks.finish_if_running(task_id, outcome), lock=["s1"])
