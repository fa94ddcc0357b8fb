"""The queue of webhooks: nothing twice, nothing to two senders, and nothing lost with a sender."""

import asyncio
from dataclasses import replace

import pytest

from wakeful.model.delivery import LONGEST_WAIT_SECONDS, Delivery
from wakeful.store.base import Store, Transaction


def a_delivery(number: int = 1) -> Delivery:
    return Delivery(f"evt_{number}.abc", f"evt_{number}", "abc", b'{"\0": "\xc3\xa4"}')


async def test_what_is_due_is_handed_out_whole(store: Store) -> None:
    await _add(store, a_delivery(), due_at=10.0)

    assert await _due(store, now=9.9) == []
    assert await _due(store, now=10.0) == [a_delivery()]


async def test_the_same_delivery_is_added_once(store: Store) -> None:
    assert await _add(store, a_delivery(), due_at=10.0)
    assert not await _add(store, replace(a_delivery(), body=b"other"), due_at=5.0)

    assert await _due(store, now=10.0) == [a_delivery()]


async def test_the_longest_due_comes_first_and_no_more_than_asked_for(store: Store) -> None:
    for number, due_at in ((1, 30.0), (2, 10.0), (3, 20.0), (4, 20.0)):
        await _add(store, a_delivery(number), due_at)

    assert await _due(store, now=50.0, limit=3) == [a_delivery(2), a_delivery(3), a_delivery(4)]
    assert await _due(store, now=50.0, limit=3) == [a_delivery(1)]


async def test_what_would_wait_longer_than_anything_does_is_due_since_the_clock_was_set_back(store: Store) -> None:
    await _add(store, a_delivery(), due_at=50.0 + LONGEST_WAIT_SECONDS)

    assert await _due(store, now=50.0) == []
    assert await _due(store, now=49.9) == [a_delivery()]


async def test_what_was_handed_out_is_held_and_comes_again(store: Store) -> None:
    await _add(store, a_delivery(), due_at=10.0)
    await _due(store, now=10.0, hold_until=130.0)

    assert await _next_due(store) == 130.0
    assert await _due(store, now=129.0) == []
    assert await _due(store, now=130.0) == [a_delivery()]


async def test_senders_that_look_at_the_same_time_get_different_ones(store: Store) -> None:
    for number in range(20):
        await _add(store, a_delivery(number), due_at=10.0)

    handed_out = await asyncio.gather(*(_due(store, now=10.0, limit=5) for _ in range(8)))

    ids = [delivery.id for deliveries in handed_out for delivery in deliveries]
    # A sender may have skipped rows that another one had locked, so some may be left.
    ids += [delivery.id for delivery in await _due(store, now=10.0, limit=20)]
    assert sorted(ids) == sorted(a_delivery(number).id for number in range(20))


async def test_a_failed_try_is_counted_and_due_later(store: Store) -> None:
    await _add(store, a_delivery(), due_at=10.0)
    await _due(store, now=10.0)

    await store.write(lambda tx: tx.deliveries.retry_later(a_delivery().id, 15.0, "answered 500"))

    assert await _next_due(store) == 15.0
    assert await _due(store, now=15.0) == [replace(a_delivery(), tries=1)]


async def test_what_has_arrived_waits_no_more(store: Store) -> None:
    await _add(store, a_delivery(), due_at=10.0)

    await store.write(lambda tx: tx.deliveries.done(a_delivery().id))

    assert await _next_due(store) is None
    assert await _due(store, now=99.0) == []


async def test_what_was_given_up_is_never_due_and_is_not_added_again(store: Store) -> None:
    await _add(store, a_delivery(), due_at=10.0)

    await store.write(lambda tx: tx.deliveries.give_up(a_delivery().id, "answered 410"))

    assert not await _add(store, a_delivery(), due_at=10.0)
    assert await _next_due(store) is None
    assert await _due(store, now=99.0) == []


async def test_a_delivery_that_is_not_there_is_no_error(store: Store) -> None:
    await store.write(lambda tx: tx.deliveries.done("gone"))
    await store.write(lambda tx: tx.deliveries.retry_later("gone", 15.0, "answered 500"))
    await store.write(lambda tx: tx.deliveries.give_up("gone", "answered 410"))

    assert await _next_due(store) is None


async def test_what_is_undone_was_never_added(store: Store) -> None:
    async def body(tx: Transaction) -> None:
        await tx.deliveries.add_if_absent(a_delivery(), 10.0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.write(body)

    assert await _next_due(store) is None


async def test_what_was_given_up_is_forgotten_in_the_end_and_what_waits_is_not(store: Store) -> None:
    for number in (1, 2, 3):
        await _add(store, a_delivery(number), due_at=10.0)
    await store.write(lambda tx: tx.deliveries.give_up("evt_1.abc", "no"))
    await store.write(lambda tx: tx.deliveries.give_up("evt_2.abc", "no"))

    assert await store.write(lambda tx: tx.deliveries.drop_given_up(10.0, 9)) == 0
    assert await store.write(lambda tx: tx.deliveries.drop_given_up(11.0, 1)) == 1
    assert await store.write(lambda tx: tx.deliveries.drop_given_up(11.0, 9)) == 1

    assert await _add(store, a_delivery(1), due_at=50.0)
    assert await _due(store, now=20.0) == [a_delivery(3)]


async def _add(store: Store, delivery: Delivery, due_at: float) -> bool:
    return await store.write(lambda tx: tx.deliveries.add_if_absent(delivery, due_at))


async def _due(store: Store, now: float, hold_until: float = 1_000.0, limit: int = 10) -> list[Delivery]:
    return await store.write(lambda tx: tx.deliveries.due(now, hold_until, limit))


async def _next_due(store: Store) -> float | None:
    return await store.read(lambda tx: tx.deliveries.next_due())
