"""Transactions that read: one view, and no writing."""

from typing import Any

import pytest

from tests.store.conftest import Meanwhile
from tests.store.nouns import DONE, a_row, a_session, a_turn, append, have_session, have_turn, some_events
from wakeful.errors import StoreReadOnly
from wakeful.model.opening import Closing, Opening
from wakeful.store.base import Signal, Store, Transaction


async def test_a_read_sees_one_moment_whatever_is_written_meanwhile(store: Store, meanwhile: Meanwhile) -> None:
    lease = await have_turn(store)
    await append(store, lease, some_events(1))

    async def body(tx: Transaction) -> tuple[Any, Any]:
        before = await _look(tx)
        await meanwhile(append(store, lease, some_events(2)))
        return before, await _look(tx)

    before, after = await store.read(body)

    assert before == after
    assert len((await store.read(_look))[1]) == 3


_WRITES: dict[str, Any] = {
    "create": lambda tx: tx.sessions.create_if_absent(a_session("s2")),
    "wake_later": lambda tx: tx.sessions.wake_later("s1", 1.0),
    "open": lambda tx: tx.open(Opening(a_turn())),
    "close": lambda tx: tx.close(Closing(a_turn(), DONE, ())),
    "post": lambda tx: tx.inbox.post_if_new(a_row()),
    "append": lambda tx: tx.events.append("s1", None, some_events(1)),
    "renew": lambda tx: tx.nodes.renew("node1", 1.0, host="host1"),
}


@pytest.mark.parametrize("name", _WRITES)
async def test_a_read_refuses_to_write(store: Store, signals: list[Signal], name: str) -> None:
    await have_session(store)
    signals.clear()

    with pytest.raises(StoreReadOnly):
        await store.read(_WRITES[name])

    assert signals == []
    assert await store.read(lambda tx: tx.sessions.get("s1")) == a_session()


async def test_what_the_body_raises_reaches_the_caller(store: Store) -> None:
    async def body(tx: Transaction) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await store.read(body)


async def _look(tx: Transaction) -> tuple[Any, Any]:
    return await tx.sessions.get("s1"), await tx.events.of_session("s1", 0, 10)
