"""What a transaction writes to several tables at once: the opening and the end of a turn."""

from tests.store.nouns import DONE, a_turn, have_session, have_turn, needs_lock
from wakeful.model.opening import Closing, Opening
from wakeful.store.base import Store


async def test_a_turn_opens_only_under_the_lock_of_its_session(store: Store) -> None:
    await have_session(store)

    assert await needs_lock(store, lambda tx: tx.open(Opening(a_turn())))
    assert await store.read(lambda tx: tx.turns.get("t1")) is None


async def test_a_turn_ends_only_under_the_lock_of_its_session(store: Store) -> None:
    await have_turn(store)

    assert await needs_lock(store, lambda tx: tx.close(Closing(a_turn(), DONE, ())))
    assert len(await store.read(lambda tx: tx.turns.running_on("node1"))) == 1
