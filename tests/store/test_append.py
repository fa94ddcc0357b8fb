"""The quick way into the log: in groups, each append under its own lease."""

import asyncio
from dataclasses import replace

import pytest

from tests.store.conftest import FakeClock
from tests.store.nouns import close_turn, have_turn, some_events
from wakeful.errors import LeaseLost
from wakeful.model.event import Event
from wakeful.model.turn import Lease, Outcome, TurnStatus
from wakeful.store.base import Store


async def test_whoever_appends_gets_the_numbered_events(store: Store, clock: FakeClock) -> None:
    lease = await have_turn(store)
    await clock.set(66.0)

    appended = await store.append(lease, some_events(2))

    assert appended == [
        Event("s1", 1, "t1", 1, "token", b"0", 66.0),
        Event("s1", 2, "t1", 2, "token", b"1", 66.0),
    ]
    assert await _log(store) == appended
    session = await store.read(lambda tx: tx.sessions.get("s1"))
    assert session is not None
    assert session.updated_at == 66.0


async def test_fifty_appenders_leave_no_gap(store: Store) -> None:
    leases = [await have_turn(store, f"t{n}", f"s{n}") for n in range(5)]

    async def append_some(number: int) -> list[Event]:
        lease = leases[number % 5]
        return [event for size in (1, 3, 2, 4) for event in await store.append(lease, some_events(size))]

    appended = await asyncio.gather(*(append_some(number) for number in range(50)))

    for lease in leases:
        mine = [event for events in appended for event in events if event.turn_id == lease.turn_id]
        log = await _log(store, lease.session_id)
        assert sorted(mine, key=lambda event: event.session_seq) == log
        assert [event.session_seq for event in log] == list(range(1, 101))
        assert [event.turn_seq for event in log] == list(range(1, 101))


async def test_appends_of_a_turn_are_numbered_in_the_order_of_the_calls(store: Store) -> None:
    lease = await have_turn(store)

    appended = await asyncio.gather(*(store.append(lease, some_events(n)) for n in (2, 1, 3)))

    assert [[event.session_seq for event in events] for events in appended] == [[1, 2], [3], [4, 5, 6]]


async def test_appends_and_transactions_share_one_log_without_a_gap(store: Store) -> None:
    lease = await have_turn(store)

    def record() -> asyncio.Future[list[Event]]:
        writing = store.write(lambda tx: tx.events.append("s1", "t1", some_events(2)), lock=["s1"])
        return asyncio.ensure_future(writing)

    streams = [store.append(lease, some_events(3)) for _ in range(20)]
    await asyncio.gather(*streams, *(record() for _ in range(20)))

    log = await _log(store)
    assert [event.session_seq for event in log] == list(range(1, 101))
    assert [event.turn_seq for event in log] == list(range(1, 101))


@pytest.mark.parametrize("how", ["closed", "closed, under its new epoch", "taken over", "never opened"])
async def test_a_lost_lease_fails_alone_and_leaves_no_trace(store: Store, how: str) -> None:
    neighbour = await have_turn(store, "t2", "s2")
    lost = Lease("t1", "s1", "node1", 1) if how == "never opened" else await have_turn(store)
    if how.startswith("closed"):
        await close_turn(store, "t1", Outcome(TurnStatus.CANCELLED))
        lost = replace(lost, epoch=2 if how.endswith("new epoch") else 1)
    if how == "taken over":
        await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])

    results = await asyncio.gather(
        store.append(neighbour, some_events(1)),
        store.append(lost, some_events(5)),
        store.append(neighbour, some_events(1)),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [list, LeaseLost, list]
    assert await _log(store, "s1") == []
    assert await _last_seq(store, "t1") in (None, 0)
    assert [event.session_seq for event in await _log(store, "s2")] == [1, 2]


async def test_of_two_holders_in_one_group_the_one_of_the_current_epoch_writes(store: Store) -> None:
    old = await have_turn(store)
    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])
    new = replace(old, node="node2", epoch=2)

    results = await asyncio.gather(
        store.append(old, some_events(5)),
        store.append(new, some_events(1)),
        store.append(old, some_events(5)),
        store.append(new, some_events(3)),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [LeaseLost, list, LeaseLost, list]
    assert [event.turn_seq for event in await _log(store)] == [1, 2, 3, 4]
    assert await _last_seq(store, "t1") == 4


async def test_an_append_of_nothing_still_asks_for_the_lease(store: Store) -> None:
    lease = await have_turn(store)

    assert await store.append(lease, []) == []
    with pytest.raises(LeaseLost):
        await store.append(replace(lease, epoch=7), [])
    assert [event.session_seq for event in await store.append(lease, some_events(1))] == [1]


async def test_an_append_whose_caller_has_gone_does_not_hurt_its_neighbours(store: Store) -> None:
    lease = await have_turn(store)
    gone = asyncio.ensure_future(store.append(lease, some_events(1)))
    staying = asyncio.ensure_future(store.append(lease, some_events(1)))
    await asyncio.sleep(0)

    gone.cancel()

    assert len(await staying) == 1
    with pytest.raises(asyncio.CancelledError):
        await gone


async def _log(store: Store, session_id: str = "s1") -> list[Event]:
    return await store.read(lambda tx: tx.events.of_session(session_id, 0, 1000))


async def _last_seq(store: Store, turn_id: str) -> int | None:
    turn = await store.read(lambda tx: tx.turns.get(turn_id))
    return None if turn is None else turn.last_seq
