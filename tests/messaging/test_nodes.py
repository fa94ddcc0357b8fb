"""Several nodes: one holds a door, and another goes on where it stopped."""

import asyncio
import time
from functools import partial
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.engine.kit import until
from tests.messaging.kit import Chatting, chatting
from tests.patience import PATIENCE
from tests.unit.gateway.messaging.kit import ScriptedPlatform
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.post import Post, PostKind, new_post_id
from wakeful.model.session import Address
from wakeful.store.base import Store, Transaction
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


async def test_a_node_shows_how_a_door_is_doing_at_the_node_that_holds_it_until_that_one_is_gone(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.held_door._LOOK_SECONDS", 0.02)
    store = PostgresStore(postgres_url)
    await store.open()
    trouble = DoorStatus(DoorState.RETRYING, 5.0, "@bot", "no route")
    await store.write(partial(_hold_elsewhere, trouble))
    async with chatting(store, tmp_path) as chat:
        await _shows_status(chat, trouble)
        well = DoorStatus(DoorState.CONNECTED, 6.0, "@bot")
        await store.write(lambda tx: tx.platform_doors.note("telegram", "another node", well))
        await _shows_status(chat, well)
        assert chat.platform.requests == []
        await store.write(lambda tx: tx.nodes.retire("another node"))
        await until(lambda: store.write(lambda tx: tx.platform_doors.is_held_by("telegram", chat.engine.node)))
        own = DoorStatus(DoorState.CONNECTED, ANY, "bot")
        await _shows_status(chat, own)
        await until(lambda: _is_stored(store, own))
    await store.close()


async def _shows_status(chat: Chatting, status: DoorStatus) -> None:
    async with asyncio.timeout(PATIENCE):
        while chat.door.status != status:  # noqa: ASYNC110 - the door signals no change
            await asyncio.sleep(0.002)


async def _is_stored(store: Store, status: DoorStatus) -> bool:
    return await store.read(lambda tx: tx.platform_doors.status("telegram")) == status


async def _hold_elsewhere(status: DoorStatus, tx: Transaction) -> None:
    await tx.nodes.renew("another node", await tx.now() + 600, host="elsewhere")
    await tx.platform_doors.hold("telegram", "another node")
    await tx.platform_doors.note("telegram", "another node", status)


async def test_a_door_that_comes_back_finds_what_happened_meanwhile(
    sqlite_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.held_door._LOOK_SECONDS", 0.02)
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
