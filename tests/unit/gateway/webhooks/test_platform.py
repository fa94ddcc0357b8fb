"""Webhooks on their way: they arrive, are retried or are refused, and the secret never reaches a log."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from tests.engine.kit import FakeClock
from tests.patience import PATIENCE
from tests.store.test_migrations import SQLITE, apply_to_sqlite
from tests.unit.gateway.webhooks.kit import SECRET, Receiver
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.platform import Message, Refused, Whereabouts
from wakeful.gateway.webhooks.door import MANNER
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.platform import WebhookPlatform
from wakeful.gateway.webhooks.reports import put_report
from wakeful.model.messaging.post import Post, PostKind, PostState
from wakeful.model.session import Address
from wakeful.store.base import Store
from wakeful.store.sqlite.store import SqliteStore


@pytest.fixture
def clock() -> FakeClock:
    clock = FakeClock()
    # Receivers refuse what is older than five minutes. Whole seconds, so that sums are exact.
    clock.now = float(int(time.time()))
    return clock


@pytest.fixture
async def store(sqlite_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = SqliteStore(sqlite_path, clock.time, synchronous="OFF")
    await store.open()
    await store.write(lambda tx: tx.platform_doors.hold("webhook", "node_1"))
    yield store
    await store.close()


@asynccontextmanager
async def sending(
    store: Store, clock: FakeClock, *endpoints: WebhookEndpoint, allows_private: bool = True
) -> AsyncIterator[Postman]:
    platform = WebhookPlatform(
        endpoints, allows_private=allows_private, now=clock.time, chance=lambda: 0.5, timeout=5.0
    )
    postman = Postman(store, platform, "node_1", MANNER, clock)
    async with asyncio.timeout(PATIENCE), postman.at_work(Supervisor()):
        yield postman


async def report(store: Store, *endpoints: WebhookEndpoint, turn_id: str = "turn_1") -> None:
    for endpoint in endpoints:
        await store.write(partial(put_report, endpoint=endpoint, turn_id=turn_id, event_type="response.completed"))


async def until(store: Store, *states: PostState, tries: int = 0) -> list[Post]:
    """Wait until the posts, oldest first, are in these states, and the first was tried so often."""
    while True:
        posts = (await store.read(lambda tx: tx.posts.page(limit=100)))[::-1]
        if tuple(post.state for post in posts) == states and posts[0].tries >= tries:
            return posts
        # The store signals no change of a post.
        await asyncio.sleep(0.005)


async def test_what_waits_at_the_start_arrives_with_a_valid_signature(store: Store, clock: FakeClock) -> None:
    async with Receiver(204).serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()):
            [post] = await until(store, PostState.SENT)

    [visit] = receiver.visits
    event = Webhook(SECRET).verify(visit.body, visit.headers)
    assert event["id"] == visit.headers["webhook-id"] == post.message_id == "evt_1"
    assert event["type"] == "response.completed"
    assert event["data"] == {"id": "resp_1"}


async def test_a_failed_try_comes_again_with_the_same_id_and_a_new_time(store: Store, clock: FakeClock) -> None:
    errors = []
    async with Receiver(500, 429, 200).serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()) as postman:
            for tries, wait in [(1, 5.0), (2, 15.0)]:
                [post] = await until(store, PostState.WAITING, tries=tries)
                assert post.not_before == clock.now + wait
                errors.append(post.error)
                clock.advance(wait)
                postman.job.wake()
            await until(store, PostState.SENT)

    first, second, third = receiver.visits
    shown = receiver.endpoint().shown
    assert errors == [f"{shown} answered 500.", f"{shown} answered 429."]
    assert {visit.headers["webhook-id"] for visit in receiver.visits} == {"evt_1"}
    assert first.body == second.body == third.body
    assert int(third.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 20
    assert len({visit.headers["webhook-signature"] for visit in receiver.visits}) == 3
    Webhook(SECRET).verify(third.body, third.headers)


async def test_a_retry_is_sent_at_its_time_and_not_before(store: Store, clock: FakeClock) -> None:
    async with Receiver(500, 200).serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()) as postman:
            await until(store, PostState.WAITING, tries=1)
            clock.advance(4)
            wait = await postman.sweep()
            seen_early = len(receiver.visits)
            clock.advance(1)
            postman.job.wake()
            await until(store, PostState.SENT)

    assert (wait, seen_early, len(receiver.visits)) == (1, 1, 2)


async def test_410_ends_the_tries_at_once(store: Store, clock: FakeClock) -> None:
    async with Receiver(410).serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()):
            [post] = await until(store, PostState.REFUSED)

    assert post.error == f"{receiver.endpoint().shown} answered 410."
    assert len(receiver.visits) == 1


async def test_after_about_a_day_of_failures_it_is_refused(store: Store, clock: FakeClock) -> None:
    start = clock.now
    async with Receiver(503).serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()) as postman:
            for tries in range(1, 14):
                [post] = await until(store, PostState.WAITING, tries=tries)
                clock.advance(post.not_before - clock.now)
                postman.job.wake()
            await until(store, PostState.REFUSED)

    assert 20 * 3600 < clock.now - start < 28 * 3600
    assert len(receiver.visits) == 14


async def test_a_report_to_a_receiver_that_was_removed_is_refused(store: Store, clock: FakeClock) -> None:
    async with Receiver().serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock):
            [post] = await until(store, PostState.REFUSED)

    assert post.error == "Its receiver is no longer configured."
    assert receiver.visits == []


async def test_private_addresses_are_refused_unless_allowed(store: Store, clock: FakeClock) -> None:
    async with Receiver().serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint(), allows_private=False):
            [post] = await until(store, PostState.WAITING, tries=1)

    assert post.error.endswith("is not at a public address.")
    assert receiver.visits == []


async def test_a_receiver_that_hangs_holds_up_no_other_and_gets_the_same_event_after_a_restart(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.postman._GRACE_SECONDS", 0.01)
    async with Receiver().serving() as slow, Receiver().serving() as quick:
        slow.is_mute = True
        endpoints = (slow.endpoint(), quick.endpoint())
        await report(store, *endpoints)
        async with sending(store, clock, *endpoints):
            await until(store, PostState.SENDING, PostState.SENT)
        slow.is_mute = False
        async with sending(store, clock, *endpoints):
            await until(store, PostState.SENT, PostState.SENT)

    assert [visit.headers["webhook-id"] for visit in quick.visits] == ["evt_1"]
    assert [visit.headers["webhook-id"] for visit in slow.visits] == ["evt_1", "evt_1"]
    assert slow.visits[0].body == slow.visits[1].body


async def test_a_hundred_reports_all_arrive_once(store: Store, clock: FakeClock) -> None:
    async with Receiver().serving() as receiver:
        for number in range(100):
            await report(store, receiver.endpoint(), turn_id=f"turn_{number}")
        async with sending(store, clock, receiver.endpoint()):
            await until(store, *[PostState.SENT] * 100)

    ids = [visit.headers["webhook-id"] for visit in receiver.visits]
    assert len(ids) == len(set(ids)) == 100


async def test_a_try_that_breaks_is_counted(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(target: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("wakeful.gateway.webhooks.poster._session", broken)
    async with Receiver().serving() as receiver:
        await report(store, receiver.endpoint())
        async with sending(store, clock, receiver.endpoint()):
            [post] = await until(store, PostState.WAITING, tries=1)

    assert post.error.endswith("could not be tried (ZeroDivisionError).")
    assert "a bug" in caplog.text


async def test_what_the_last_version_still_owed_arrives_after_the_upgrade(tmp_path: Path, clock: FakeClock) -> None:
    event = (
        b'{"id":"evt_7","object":"event","type":"response.completed","created_at":1700000000,"data":{"id":"resp_7"}}'
    )
    async with Receiver().serving() as receiver:
        key = receiver.endpoint().key
        path = tmp_path / "wakeful.db"
        apply_to_sqlite(path, SQLITE[:15])
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "INSERT INTO webhook_deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (f"evt_7.{key}", "evt_7", key, event, 3, 20.0, "answered 500", False),
            )
        store = SqliteStore(path, clock.time, synchronous="OFF")
        await store.open()
        await store.write(lambda tx: tx.platform_doors.hold("webhook", "node_1"))
        async with sending(store, clock, receiver.endpoint()):
            [post] = await until(store, PostState.SENT)
        await store.close()

    [visit] = receiver.visits
    assert Webhook(SECRET).verify(visit.body, visit.headers)["data"] == {"id": "resp_7"}
    assert (visit.headers["webhook-id"], visit.body, post.tries) == ("evt_7", event, 4)


async def test_neither_the_secret_nor_the_path_is_in_a_log_or_a_post(
    store: Store, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="wakeful")

    async def quote(request: web.BaseRequest) -> web.Response:
        return web.Response(status=400, text=f"wrong secret, want {SECRET}")

    async with Receiver(answer=quote).serving() as receiver, Receiver(410).serving() as gone:
        await report(store, receiver.endpoint(), gone.endpoint())
        async with sending(store, clock, receiver.endpoint(), gone.endpoint()):
            posts = await until(store, PostState.WAITING, PostState.REFUSED, tries=1)

    written = f"{caplog.text} {posts}"
    assert f"127.0.0.1:{receiver.port} answered 400" in caplog.text
    assert f"127.0.0.1:{gone.port} answered 410" in caplog.text
    assert SECRET.removeprefix("whsec_") not in written
    assert "hidden" not in written


async def test_what_was_sent_is_neither_edited_nor_looked_up_and_no_event_waits_for_another() -> None:
    platform = WebhookPlatform([])
    post, message = Post("p", "k", Address("webhook", "key", "evt_1"), PostKind.EVENT, "{}"), Message("{}")

    with pytest.raises(Refused):
        await platform.edit(post, message)
    assert (await platform.look_up(post, message)).whereabouts is Whereabouts.ABSENT
    assert await platform.highest_id(post.address) == 0
    lanes = {platform.lane(Address("webhook", *names)) for names in (("a", "1"), ("a", "2"), ("b", "1"))}
    assert len(lanes) == 3
