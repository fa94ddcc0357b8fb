"""Nodes: a lease that is renewed, or not."""

from tests.store.nouns import have_turn
from wakeful.store.base import Store


async def test_a_node_keeps_its_turns_as_long_as_it_renews_its_lease(store: Store) -> None:
    await have_turn(store, node="node1")

    await store.write(lambda tx: tx.nodes.renew("node1", 100.0))
    assert await _orphans(store, 99.0) == []
    assert await _orphans(store, 100.0) == ["t1"]

    await store.write(lambda tx: tx.nodes.renew("node1", 200.0))
    assert await _orphans(store, 100.0) == []


async def test_a_retired_node_holds_nothing(store: Store) -> None:
    await have_turn(store, node="node1")
    await store.write(lambda tx: tx.nodes.renew("node1", 100.0))

    await store.write(lambda tx: tx.nodes.retire("node1"))
    await store.write(lambda tx: tx.nodes.retire("nobody"))

    assert await _orphans(store, 0.0) == ["t1"]


async def _orphans(store: Store, now: float) -> list[str]:
    return [turn.id for turn in await store.read(lambda tx: tx.turns.orphans(now, keeper=None))]
