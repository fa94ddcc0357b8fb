"""Nodes: a lease that is renewed, or not."""

from functools import partial

from tests.store.conftest import FakeClock
from tests.store.nouns import a_task, have_task, have_turn
from wakeful.store.base import Store, Transaction


async def test_a_node_keeps_its_turns_as_long_as_it_renews_its_lease(store: Store) -> None:
    await have_turn(store, node="node1")

    await store.write(lambda tx: tx.nodes.renew("node1", 100.0, host="host1"))
    assert await _orphans(store, 99.0) == []
    assert await _orphans(store, 100.0) == ["t1"]

    await store.write(lambda tx: tx.nodes.renew("node1", 200.0, host="host1"))
    assert await _orphans(store, 100.0) == []


async def test_a_retired_node_holds_nothing(store: Store) -> None:
    await have_turn(store, node="node1")
    await store.write(lambda tx: tx.nodes.renew("node1", 100.0, host="host1"))

    await store.write(lambda tx: tx.nodes.retire("node1"))
    await store.write(lambda tx: tx.nodes.retire("missing"))

    assert await _orphans(store, 0.0) == ["t1"]


async def test_nodes_that_died_long_ago_are_forgotten_and_others_are_not(store: Store) -> None:
    await have_turn(store, node="node3")
    for number in (1, 2, 3):
        await store.write(partial(_renew, f"node{number}", 100.0 * number))

    assert await store.write(lambda tx: tx.nodes.drop_old(300.0, 1)) == 1
    assert await store.write(lambda tx: tx.nodes.drop_old(300.0, 9)) == 1

    assert await _orphans(store, 299.0) == []


async def test_a_host_is_as_old_as_the_last_lease_of_its_nodes(store: Store, clock: FakeClock) -> None:
    await have_task(store, a_task())

    await clock.set(100.0)
    await store.write(lambda tx: tx.nodes.renew("node1", 0.0, host="host1"))
    await clock.set(200.0)
    await store.write(lambda tx: tx.nodes.renew("node2", 0.0, host="host1"))
    await store.write(lambda tx: tx.nodes.retire("node2"))

    assert await store.read(lambda tx: tx.tasks.of_silent_hosts(200.0)) == []
    assert [task.id for task in await store.read(lambda tx: tx.tasks.of_silent_hosts(201.0))] == ["k1"]


async def _renew(node: str, lease_until: float, tx: Transaction) -> None:
    await tx.nodes.renew(node, lease_until, host="host1")


async def _orphans(store: Store, now: float) -> list[str]:
    return [turn.id for turn in await store.read(lambda tx: tx.turns.orphans(now, keeper=None))]
