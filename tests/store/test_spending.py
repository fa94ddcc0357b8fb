"""What answers cost, by session and by day."""

import asyncio

from tests.store.conftest import FakeClock
from tests.store.nouns import DONE, have_session, have_turn, needs_lock, some_events
from wakeful.model.opening import Closing
from wakeful.model.session import Session
from wakeful.model.spend import DAY_SECONDS, Spend, day_of
from wakeful.store.base import Store


async def spend(store: Store, amount: Spend, session_id: str = "s1") -> None:
    context = amount.input_tokens
    await store.write(lambda tx: tx.spending.add(session_id, amount, context_tokens=context), lock=[session_id])


async def since(store: Store, day: int, owner: str | None = None) -> dict[int, Spend]:
    return await store.read(lambda tx: tx.spending.since(day, owner))


async def session_of(store: Store, session_id: str = "s1") -> Session:
    found = await store.read(lambda tx: tx.sessions.get(session_id))
    assert found is not None
    return found


async def test_an_answer_counts_for_its_session_and_its_day(store: Store, clock: FakeClock) -> None:
    await have_session(store)

    await spend(store, Spend(10, 2, 0.25))
    await spend(store, Spend(30, 3, 0.0, 33))

    session = await session_of(store)
    assert session.spend == Spend(40, 5, 0.25, 33)
    assert session.context_tokens == 30
    assert await since(store, day_of(clock.now)) == {day_of(clock.now): Spend(40, 5, 0.25, 33)}


async def test_what_nobody_has_read_counts_and_leaves_the_size_of_the_context(store: Store) -> None:
    await have_session(store)
    await spend(store, Spend(10, 2, 0.25))

    await store.write(lambda tx: tx.spending.add("s1", Spend(7, 1, 0.5)), lock=["s1"])

    session = await session_of(store)
    assert (session.spend, session.context_tokens) == (Spend(17, 3, 0.75), 10)


async def test_the_last_answer_counts_with_the_end_of_its_turn(store: Store, clock: FakeClock) -> None:
    await have_turn(store)
    lane = await store.read(lambda tx: tx.lane("s1", wake_budget=1))
    assert lane is not None
    assert lane.active is not None
    closing = Closing(lane.active, DONE, tuple(some_events(1, "done")), cost=Spend(7, 3, 0.5, 1))

    await store.write(lambda tx: tx.close(closing), lock=["s1"])

    assert (await session_of(store)).spend == Spend(7, 3, 0.5, 1)
    assert await since(store, 0) == {day_of(clock.now): Spend(7, 3, 0.5, 1)}


async def test_a_turn_that_ends_without_an_answer_counts_nothing(store: Store) -> None:
    await have_turn(store)
    await spend(store, Spend(5, 1))
    lane = await store.read(lambda tx: tx.lane("s1", wake_budget=1))
    assert lane is not None
    assert lane.active is not None
    closing = Closing(lane.active, DONE, tuple(some_events(1, "done")))

    await store.write(lambda tx: tx.close(closing), lock=["s1"])

    session = await session_of(store)
    assert (session.spend, session.context_tokens) == (Spend(5, 1), 5)


async def test_days_and_owners_are_counted_apart(store: Store, clock: FakeClock) -> None:
    await have_session(store)
    await have_session(store, "s2", owner="bob")
    first = day_of(clock.now)
    await spend(store, Spend(1, 0, 1.0))
    await spend(store, Spend(2, 0, 2.0), "s2")
    await clock.set(clock.now + DAY_SECONDS)
    await spend(store, Spend(4, 0, 4.0))

    assert await since(store, first) == {first: Spend(3, 0, 3.0), first + 1: Spend(4, 0, 4.0)}
    assert await since(store, first, "bob") == {first: Spend(2, 0, 2.0)}
    assert await since(store, first + 1, "bob") == {}


async def test_an_answer_that_is_not_stored_counts_for_its_owner(store: Store, clock: FakeClock) -> None:
    await store.write(lambda tx: tx.spending.add_unstored("carol", Spend(1, 1, 0.5)))
    await store.write(lambda tx: tx.spending.add_unstored("carol", Spend(1, 1, 0.5)))

    assert await since(store, 0, "carol") == {day_of(clock.now): Spend(2, 2, 1.0)}


async def test_answers_of_many_sessions_at_once_all_count(store: Store) -> None:
    names = [f"s{number}" for number in range(20)]
    for name in names:
        await have_session(store, name)

    await asyncio.gather(*(spend(store, Spend(1, 1, 0.5), name) for name in names for _ in range(3)))

    (total,) = (await since(store, 0)).values()
    assert total == Spend(60, 60, 30.0)


async def test_an_answer_is_paid_only_under_the_lock_of_its_session(store: Store) -> None:
    await have_session(store)

    assert await needs_lock(store, lambda tx: tx.spending.add("s1", Spend(1)))
    assert await store.read(lambda tx: tx.spending.since(0, None)) == {}
