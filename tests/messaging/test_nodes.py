"""Several nodes: one holds a door, and another goes on where it stopped."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.engine.kit import until
from tests.messaging.kit import chatting
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address
from wakeful.store.base import Transaction
from wakeful.store.postgres.store import PostgresStore
from wakeful.store.sqlite.store import SqliteStore


async def test_another_node_takes_the_door_over_and_goes_on_from_the_same_posts(
    postgres_url: str, tmp_path: Path
) -> None:
    platform = ScriptedPlatform()
    first_store, second_store = PostgresStore(postgres_url), PostgresStore(postgres_url)
    await first_store.open()
    await second_store.open()
    async with chatting(first_store, tmp_path, platform) as first:
        await first.write("Hello", "5")
        turn_id = await first.turn()
        async with chatting(second_store, tmp_path, ScriptedPlatform()) as second:
            first.agent.order(turn_id, "say Hi")
            await first.shows("Hi")

            assert second.platform.requests == [], "only the node that holds the door sends"
    async with chatting(second_store, tmp_path, platform) as second:
        await second.write("Again", "6")
        second.agent.order(await second.turn(), "say Bye")
        await second.shows("Hi", "Bye")
    await first_store.close()
    await second_store.close()


async def test_a_door_that_comes_back_finds_what_happened_meanwhile(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.door._LOOK_SECONDS", 0.02)
    store = SqliteStore(sqlite_path, time.time, synchronous="OFF")
    await store.open()
    async with chatting(store, tmp_path) as chat:
        await chat.write("Hello", "5")
        chat.agent.order(await chat.turn(), "say Hi")
        await chat.shows("Hi")
        # Another node takes the door, writes a post and gives the door back. No signal speaks of posts.
        await store.write(_post_elsewhere)
        await until(lambda: store.write(lambda tx: tx.platform_doors.is_held_by("telegram", chat.engine.node)))
        await chat.shows("Hi", "from elsewhere")
    await store.close()


async def test_posts_of_a_session_are_made_by_one_transaction_at_a_time(postgres_url: str) -> None:
    store = PostgresStore(postgres_url)
    await store.open()
    others: list[asyncio.Task[int]] = []

    async def body(tx: Transaction) -> None:
        await tx.outbox_cursors.hold("s1")
        others.append(asyncio.create_task(store.write(lambda tx: tx.outbox_cursors.hold("s1"))))
        # Time enough for the other to read what is not committed yet.
        await asyncio.sleep(0.1)
        await tx.outbox_cursors.put("s1", 5)

    await store.write(body)
    assert await others[0] == 5
    await store.close()


async def _post_elsewhere(tx: Transaction) -> None:
    await tx.platform_doors.hold("telegram", "another node")
    address = Address("telegram", "1")
    await tx.posts.put(Post(new_post_id(), "elsewhere", address, PostKind.REMARK, "from elsewhere", position=99))
