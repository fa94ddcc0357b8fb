"""Turns that one node took from another: a resume that was no fault of theirs is taken back, but not for ever."""

import pytest

from tests.store.nouns import close_turn, have_turn
from wakeful.model.turn import Lease, Turn
from wakeful.store.base import Store


async def take_over(store: Store, epoch: int, node: str, turn_id: str = "t1", session_id: str = "s1") -> None:
    taken = await store.write(lambda tx: tx.turns.take_over_if_running(turn_id, epoch, node), lock=[session_id])
    assert taken is not None


async def take_back(store: Store, node: str, *, limit: int) -> int:
    """Take a resume back for this node, and return how many the turn has left."""
    await store.write(lambda tx: tx.turns.take_resume_back("t1", node, limit=limit), lock=["s1"])
    turn: Turn | None = await store.read(lambda tx: tx.turns.get("t1"))
    assert turn is not None
    return turn.resumes


async def taken_from(store: Store, node: str) -> list[str]:
    return [turn.id for turn in await store.read(lambda tx: tx.turns.taken_from(node))]


async def test_a_node_finds_the_running_turns_that_were_taken_from_it_oldest_first(store: Store) -> None:
    for turn_id, session_id, opened_at in (("t1", "s1", 30.0), ("t2", "s2", 20.0), ("t3", "s3", 25.0)):
        await have_turn(store, turn_id, session_id, opened_at=opened_at)
        await take_over(store, 1, "node2", turn_id, session_id)
    await close_turn(store, "t3")
    await have_turn(store, "t4", "s4")

    assert await taken_from(store, "node1") == ["t2", "t1"]
    assert await taken_from(store, "node2") == []


async def test_a_turn_that_its_own_node_takes_over_was_taken_from_nobody(store: Store) -> None:
    await have_turn(store)

    await take_over(store, 1, "node1")

    assert await taken_from(store, "node1") == []


async def test_a_resume_is_taken_back_once_by_the_node_that_lost_the_turn(store: Store) -> None:
    await have_turn(store)
    await take_over(store, 1, "node2")

    assert await take_back(store, "node3", limit=9) == 1
    assert await taken_from(store, "node1") == ["t1"]
    assert await take_back(store, "node1", limit=9) == 0
    assert await taken_from(store, "node1") == []
    assert await take_back(store, "node1", limit=9) == 0


@pytest.mark.parametrize(("limit", "left"), [(0, [1, 2, 3]), (1, [0, 1, 2]), (2, [0, 0, 1]), (3, [0, 0, 0])])
async def test_resumes_are_taken_back_so_many_times_and_then_count(store: Store, limit: int, left: list[int]) -> None:
    await have_turn(store)

    resumes: list[int] = []
    for epoch, (loser, winner) in enumerate([("node1", "node2"), ("node2", "node1"), ("node1", "node2")], start=1):
        await take_over(store, epoch, winner)
        resumes.append(await take_back(store, loser, limit=limit))

    assert resumes == left


async def test_a_turn_without_a_resume_has_none_to_take_back(store: Store) -> None:
    lease = await have_turn(store)
    await store.write(lambda tx: tx.turns.release(lease), lock=["s1"])
    await take_over(store, 1, "node2")
    await take_over(store, 2, "node3")
    await store.write(lambda tx: tx.turns.mark_recorded("t1"), lock=["s1"])
    await take_over(store, 3, "node4")
    await store.write(lambda tx: tx.turns.release(Lease("t1", "s1", "node4", 4)), lock=["s1"])

    assert await take_back(store, "node3", limit=9) == 0


async def test_a_recorded_step_begins_the_count_anew(store: Store) -> None:
    await have_turn(store)
    await take_over(store, 1, "node2")
    await take_back(store, "node1", limit=1)
    await take_over(store, 2, "node1")

    await store.write(lambda tx: tx.turns.mark_recorded("t1"), lock=["s1"])

    assert await taken_from(store, "node2") == []
    await take_over(store, 3, "node2")
    assert await take_back(store, "node1", limit=1) == 0


async def test_a_turn_that_has_ended_takes_nothing_back(store: Store) -> None:
    await have_turn(store)
    await take_over(store, 1, "node2")
    await close_turn(store, "t1")

    assert await take_back(store, "node1", limit=9) == 1
