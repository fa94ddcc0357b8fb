"""Opening and closing."""

import asyncio
from collections.abc import Callable

import pytest

from tests.store.nouns import a_session, append, have_session, have_turn, some_events
from wakeful.errors import StoreUnavailable
from wakeful.model.turn import Lease
from wakeful.store.base import Store, Transaction

LEASE = Lease("t1", "s1", "node1", 1)


async def test_writes_survive_closing_and_opening_again(store: Store, new_store: Callable[[], Store]) -> None:
    lease = await have_turn(store)
    await append(store, lease, some_events(2))
    await store.close()

    again = new_store()
    await again.open()

    assert len(await again.read(lambda tx: tx.events.of_session("s1", 0, 10))) == 2
    await again.close()


async def test_closing_writes_what_is_queued(store: Store, new_store: Callable[[], Store]) -> None:
    lease = await have_turn(store)

    async def body(tx: Transaction) -> None:
        await tx.events.append("s1", None, some_events(1))

    queued = [
        *(asyncio.ensure_future(append(store, lease, some_events(1))) for _ in range(20)),
        *(asyncio.ensure_future(store.write(body, lock=["s1"])) for _ in range(20)),
    ]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*queued)

    again = new_store()
    await again.open()
    log = await again.read(lambda tx: tx.events.of_session("s1", 0, 100))
    await again.close()
    assert [event.session_seq for event in log] == list(range(1, 41))


async def test_closing_twice_or_at_once_or_before_opening_is_safe(new_store: Callable[[], Store]) -> None:
    never_opened, store = new_store(), new_store()
    await never_opened.close()
    await store.open()
    await have_session(store)

    await asyncio.gather(store.close(), store.close())
    await store.close()


async def test_a_store_that_is_not_open_says_so(new_store: Callable[[], Store]) -> None:
    store = new_store()

    with pytest.raises(RuntimeError, match="not open"):
        await store.write(lambda tx: tx.sessions.get("s1"))
    with pytest.raises(RuntimeError, match="not open"):
        await store.read(lambda tx: tx.sessions.get("s1"))
    with pytest.raises(RuntimeError, match="not open"):
        await append(store, LEASE, some_events(1))


async def test_a_closed_store_takes_nothing_more(store: Store) -> None:
    await store.close()

    with pytest.raises(StoreUnavailable):
        await store.write(lambda tx: tx.sessions.create_if_absent(a_session()))
    with pytest.raises(StoreUnavailable):
        await store.read(lambda tx: tx.sessions.get("s1"))
    with pytest.raises(StoreUnavailable):
        await append(store, LEASE, some_events(1))
