"""Turns: one running a session, and the epochs that say who may write to it."""

import asyncio
from dataclasses import replace

import orjson
import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import a_turn, close_turn, have_closed_turn, have_turn, needs_lock
from wakeful.errors import LeaseLost, StoreError
from wakeful.model.opening import Opening
from wakeful.model.session import Address
from wakeful.model.turn import Door, Lease, Outcome, Turn, TurnStatus
from wakeful.store.base import Store

DONE = Outcome(TurnStatus.DONE)


async def test_a_turn_is_read_back_whole(store: Store) -> None:
    await have_turn(store, "t0")
    await _close(store, "t0", DONE)
    turn = a_turn(
        parent="t0",
        door=Door("api", async_delivery=False),
        address=Address("api", "c", ""),
        is_wakeup=True,
        attempt=2,
        workspace="/home/alice",
        message_id="m7",
        node=None,
        # The store counts it; this is what it comes to.
        number=2,
    )

    await store.write(lambda tx: tx.open(Opening(turn)), lock=["s1"])

    assert await _turn(store) == turn


async def test_an_unknown_turn_is_none(store: Store) -> None:
    assert await store.read(lambda tx: tx.turns.get("t1")) is None


async def test_a_chain_goes_from_a_turn_to_its_ancestors_as_far_as_asked(store: Store) -> None:
    # Later turns have smaller ids here, so that only their parents tell the order.
    await have_closed_turn(store, "c", parent=None)
    await have_closed_turn(store, "b", parent="c")
    await have_closed_turn(store, "branch", parent="c")
    await have_closed_turn(store, "a", parent="b")

    async def chain(turn_id: str, limit: int) -> list[str]:
        return [turn.id for turn in await store.read(lambda tx: tx.turns.chain(turn_id, limit))]

    assert await chain("a", 2) == ["a", "b"]
    assert await chain("a", 3) == await chain("a", 9) == ["a", "b", "c"]
    assert await chain("missing", 3) == []


async def test_a_session_runs_one_turn_at_a_time(store: Store) -> None:
    await have_turn(store)
    second = a_turn("t2")

    with pytest.raises(StoreError):
        await store.write(lambda tx: tx.open(Opening(second)), lock=["s1"])
    await _close(store, "t1", DONE)
    await store.write(lambda tx: tx.open(Opening(second)), lock=["s1"])

    assert await _turn(store, "t2") == second


async def test_the_holder_of_a_lease_gets_its_turn(store: Store) -> None:
    lease = await have_turn(store)

    assert await store.write(lambda tx: tx.turns.require(lease), lock=["s1"]) == a_turn()
    assert await store.read(lambda tx: tx.turns.require(lease)) == a_turn()


@pytest.mark.parametrize("lease", [Lease("t1", "s1", "node1", 2), Lease("t2", "s1", "node1", 1)])
async def test_a_lease_of_another_epoch_or_turn_is_lost(store: Store, lease: Lease) -> None:
    await have_turn(store)

    with pytest.raises(LeaseLost):
        await store.write(lambda tx: tx.turns.require(lease), lock=["s1"])


async def test_the_lease_of_a_closed_turn_is_lost_even_under_its_new_epoch(store: Store) -> None:
    lease = await have_turn(store)
    await _close(store, "t1", DONE)

    with pytest.raises(LeaseLost):
        await store.write(lambda tx: tx.turns.require(replace(lease, epoch=2)), lock=["s1"])


async def test_closing_records_the_outcome_and_raises_the_epoch(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    await clock.set(55.0)

    is_closed = await _close(store, "t1", Outcome(TurnStatus.FAILED, "model_auth", "No\0 key ❌"))

    turn = await _turn(store)
    assert is_closed
    assert (turn.status, turn.epoch, turn.closed_at) == (TurnStatus.FAILED, 2, 55.0)
    assert orjson.loads(turn.error or b"") == {"code": "model_auth", "message": "No\0 key ❌"}


async def test_a_turn_is_closed_once(store: Store) -> None:
    await have_turn(store)

    closed = await asyncio.gather(*(_close(store, "t1", DONE) for _ in range(10)))

    turn = await _turn(store)
    assert sorted(closed) == [False] * 9 + [True]
    assert (turn.epoch, turn.error) == (2, None)


async def test_a_recorded_step_resets_the_resumes(store: Store) -> None:
    await have_turn(store)
    await _take_over(store, "t1", 1, "node2")

    await store.write(lambda tx: tx.turns.mark_recorded("t1"), lock=["s1"])

    assert (await _turn(store)).resumes == 0


async def test_only_who_runs_a_turn_reserves_room_for_its_words(store: Store) -> None:
    lease = await have_turn(store)
    await store.write(lambda tx: tx.turns.reserve(lease, 4000), lock=["s1"])
    assert (await _turn(store)).reserved == 4000
    with pytest.raises(LeaseLost):
        await store.write(lambda tx: tx.turns.reserve(replace(lease, epoch=2), 8000), lock=["s1"])


async def test_taking_over_counts_the_resume_and_raises_the_epoch(store: Store) -> None:
    await have_turn(store)

    taken = await _take_over(store, "t1", 1, "node2")

    assert taken == a_turn(node="node2", epoch=2, resumes=1)
    assert await _turn(store) == taken


async def test_a_turn_is_taken_over_once_and_counted_once_when_two_try(store: Store) -> None:
    await have_turn(store)

    taken = await asyncio.gather(_take_over(store, "t1", 1, "node2"), _take_over(store, "t1", 1, "node3"))

    turn = await _turn(store)
    assert [winner.node for winner in taken if winner] == [turn.node]
    assert (turn.epoch, turn.resumes) == (2, 1)


async def test_a_closed_turn_is_not_taken_over(store: Store) -> None:
    await have_turn(store)
    await _close(store, "t1", DONE)

    assert await _take_over(store, "t1", 2, "node2") is None


async def test_a_released_turn_is_taken_over_without_counting(store: Store) -> None:
    lease = await have_turn(store)

    await store.write(lambda tx: tx.turns.release(lease), lock=["s1"])
    released = await _turn(store)
    taken = await _take_over(store, "t1", 1, "node2")

    assert released.node is None
    assert taken is not None
    assert taken.resumes == 0


async def test_a_release_takes_back_one_resume_at_most(store: Store) -> None:
    lease = await have_turn(store)
    for _ in range(3):
        await store.write(lambda tx: tx.turns.release(lease), lock=["s1"])
    taken = await _take_over(store, "t1", 1, "node2")

    assert taken is not None
    assert taken.resumes == 0


async def test_a_lost_lease_releases_nothing(store: Store) -> None:
    lease = await have_turn(store)
    await _take_over(store, "t1", 1, "node2")

    await store.write(lambda tx: tx.turns.release(lease), lock=["s1"])

    turn = await _turn(store)
    assert (turn.node, turn.resumes) == ("node2", 1)


async def test_orphans_are_running_turns_without_a_living_node(store: Store) -> None:
    await _turns_on(store, t1="alive", t2="late", t3="unknown", t4=None, t5="unknown")
    await _close(store, "t5", DONE)
    await store.write(lambda tx: tx.nodes.renew("alive", 101.0, host="host1"))
    await store.write(lambda tx: tx.nodes.renew("late", 100.0, host="host1"))

    orphans = await store.read(lambda tx: tx.turns.orphans(100.0, keeper=None))

    assert [turn.id for turn in orphans] == ["t2", "t3", "t4"]


async def test_a_keeper_finds_all_that_it_does_not_hold(store: Store) -> None:
    await _turns_on(store, t1="keeper", t2="alive", t3=None)
    await store.write(lambda tx: tx.nodes.renew("alive", 101.0, host="host1"))

    orphans = await store.read(lambda tx: tx.turns.orphans(100.0, keeper="keeper"))

    assert [turn.id for turn in orphans] == ["t2", "t3"]


async def test_the_running_turns_of_a_node_are_found(store: Store) -> None:
    await _turns_on(store, t1="node1", t2="node2", t3="node1", t4="node1")
    await _close(store, "t4", DONE)

    running = await store.read(lambda tx: tx.turns.running_on("node1"))

    assert [turn.id for turn in running] == ["t1", "t3"]


async def _turn(store: Store, turn_id: str = "t1") -> Turn:
    turn = await store.read(lambda tx: tx.turns.get(turn_id))
    assert turn is not None
    return turn


async def _close(store: Store, turn_id: str, outcome: Outcome) -> bool:
    try:
        await close_turn(store, turn_id, outcome)
    except LeaseLost:
        return False
    return True


async def _take_over(store: Store, turn_id: str, epoch: int, node: str) -> Turn | None:
    return await store.write(lambda tx: tx.turns.take_over_if_running(turn_id, epoch, node), lock=["s1"])


async def _turns_on(store: Store, **node_of: str | None) -> None:
    """Each in a session of its own, in the order of their names."""
    for number, (turn_id, node) in enumerate(node_of.items()):
        await have_turn(store, turn_id, f"session_of_{turn_id}", node=node, opened_at=1.0 + number)


async def test_a_turn_is_written_only_under_the_lock_of_its_session(store: Store) -> None:
    lease = await have_turn(store)

    assert await needs_lock(store, lambda tx: tx.turns.require(lease))
    assert await needs_lock(store, lambda tx: tx.turns.mark_recorded("t1"))
    assert await needs_lock(store, lambda tx: tx.turns.reserve(lease, 9))
    assert await needs_lock(store, lambda tx: tx.turns.keep_system_prompt("s1", b"{}"))
    assert await store.read(lambda tx: tx.turns.system_prompt("s1")) is None
