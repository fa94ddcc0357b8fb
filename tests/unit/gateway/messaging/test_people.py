"""Strangers: one post a day with a code that is good for an hour."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.engine.kit import FakeClock
from wakeful.errors import NoSuchCode
from wakeful.gateway.messaging.inbound.people import People
from wakeful.gateway.messaging.platform import IncomingMessage
from wakeful.gateway.messaging.settings import DoorSettings
from wakeful.model.messaging.chat import ChatKind
from wakeful.model.session import Address, Sender
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore

HOUR = 3600.0
STRANGER = Address("telegram", "66", "", Sender("1", "66", "Eve"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    yield store
    await store.close()


async def codes_told(store: Store) -> list[str]:
    """Return the codes that were posted, the newest first."""
    return [post.wanted.split()[-1] for post in await store.read(lambda tx: tx.posts.page(limit=9))]


async def test_a_stranger_hears_nothing_more_within_a_day_and_gets_a_new_code_after_it(
    store: Store, clock: FakeClock
) -> None:
    people = People(store, {"telegram": DoorSettings()})
    message = IncomingMessage(ChatKind.PRIVATE, STRANGER, "let me in", is_for_bot=False)
    for hours in (0.0, 0.5, 2.0, 20.0):
        clock.advance(hours * HOUR)
        await people.answer_stranger(message)
    (first,) = await codes_told(store)
    clock.advance(2 * HOUR)
    await people.answer_stranger(message)

    second, _ = await codes_told(store)
    assert second != first
    with pytest.raises(NoSuchCode):
        await people.pair(first)
    assert (await people.pair(second)).user_id == "66"
    assert await people.may_talk(STRANGER)


async def test_a_code_is_good_for_an_hour(store: Store, clock: FakeClock) -> None:
    people = People(store, {"telegram": DoorSettings()})
    await people.answer_stranger(IncomingMessage(ChatKind.PRIVATE, STRANGER, "let me in", is_for_bot=False))
    (code,) = await codes_told(store)
    clock.advance(HOUR + 1)

    with pytest.raises(NoSuchCode):
        await people.pair(code)
    assert not await people.may_talk(STRANGER)
