"""Rows that are no longer needed are deleted after their time."""

from functools import partial

from tests.engine.kit import House, Node, finish, open_session, send
from wakeful.model.conversation import IdempotencyKey
from wakeful.model.delivery import Delivery
from wakeful.store.base import Transaction

_DAY = 24 * 3600.0


async def test_a_key_is_forgotten_a_day_after_its_turn_has_ended(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.store.write(partial(_reserve, IdempotencyKey("me", "k", "body", receipt.turn_id, house.clock.now)))
    await pass_time(house, 2 * _DAY)
    assert await has_key(house)

    await finish(node, house, receipt)
    await pass_time(house, _DAY - 1)
    assert await has_key(house)
    await pass_time(house, 700)

    assert not await has_key(house)


async def test_a_webhook_that_was_given_up_is_forgotten_a_week_later(house: House, node: Node) -> None:
    async def give_up(tx: Transaction) -> None:
        await tx.deliveries.add_if_absent(Delivery("d", "e", "there", b"{}"), await tx.now())
        await tx.deliveries.give_up("d", "no answer")

    await house.store.write(give_up)

    await pass_time(house, 7 * _DAY - 1)
    assert not await is_new(house)
    await pass_time(house, 700)

    assert await is_new(house)


async def pass_time(house: House, seconds: float) -> None:
    await house.advance(seconds)
    await house.settle()


async def has_key(house: House) -> bool:
    return await house.store.read(lambda tx: tx.idempotency_keys.find("me", "k")) is not None


async def is_new(house: House) -> bool:
    """Return whether the delivery is gone from the queue."""
    return await house.store.write(lambda tx: tx.deliveries.add_if_absent(Delivery("d", "e", "there", b"{}"), 0.0))


async def _reserve(key: IdempotencyKey, tx: Transaction) -> None:
    await tx.idempotency_keys.reserve(key)
