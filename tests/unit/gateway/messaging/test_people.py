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


@pytest.mark.parametrize(("seconds", "told"), [(86_399.0, 1), (86_400.0, 2)])
async def test_a_stranger_is_told_again_after_exactly_a_day(
    store: Store, clock: FakeClock, seconds: float, told: int
) -> None:
    people = People(store, {"telegram": DoorSettings()})
    message = IncomingMessage(ChatKind.PRIVATE, STRANGER, "let me in", is_for_bot=False)
    await people.answer_stranger(message)
    clock.advance(seconds)
    await people.answer_stranger(message)

    assert len(await codes_told(store)) == told


async def test_a_code_may_be_typed_in_small_letters_and_lets_in_once(store: Store) -> None:
    people = People(store, {"telegram": DoorSettings()})
    await people.answer_stranger(IncomingMessage(ChatKind.PRIVATE, STRANGER, "let me in", is_for_bot=False))
    (code,) = await codes_told(store)
    assert len(code) == 8

    paired = await people.pair(f" {code.lower()}\n")

    assert (paired.platform, paired.user_id, paired.name, paired.code) == ("telegram", "66", "Eve", "")
    assert paired.paired_at is not None
    for again in (code, ""):
        with pytest.raises(NoSuchCode):
            await people.pair(again)


@pytest.mark.parametrize(("allow", "may_talk"), [({"*"}, True), ({"66"}, True), ({"67"}, False), (set(), False)])
async def test_those_whom_the_operator_names_may_talk(store: Store, allow: set[str], may_talk: bool) -> None:
    people = People(store, {"telegram": DoorSettings(allow=frozenset(allow))})

    assert await people.may_talk(STRANGER) is may_talk
