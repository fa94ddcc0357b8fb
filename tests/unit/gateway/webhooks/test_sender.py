"""The sender: queued deliveries arrive, are retried or are given up, and the secret never reaches a log."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from standardwebhooks import Webhook

from tests.unit.gateway.webhooks.kit import SECRET, MemoryQueue, Receiver, SenderClock
from wakeful.engine.supervisor import Supervisor
from wakeful.errors import StoreUnavailable
from wakeful.gateway.webhooks.delivery import deliveries_of
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.sender import WebhookSender
from wakeful.model.delivery import Delivery


@pytest.fixture
def clock() -> SenderClock:
    return SenderClock()


@pytest.fixture
def queue() -> MemoryQueue:
    return MemoryQueue()


@asynccontextmanager
async def sending(
    queue: MemoryQueue, clock: SenderClock, *endpoints: WebhookEndpoint, allows_private: bool = True
) -> AsyncIterator[WebhookSender]:
    sender = WebhookSender(
        queue,
        endpoints,
        clock,
        allows_private=allows_private,
        now=clock.time,
        chance=lambda: 0.5,
        timeout=5.0,
    )
    async with sender.at_work(Supervisor()):
        yield sender


def delivery_to(*endpoints: WebhookEndpoint, response_id: str = "resp_1", at: int = 1_700_000_000) -> list[Delivery]:
    return deliveries_of(
        endpoints, owner="laptop", event_type="response.completed", response_id=response_id, created_at=at
    )


async def test_what_waits_at_the_start_arrives_with_a_valid_signature(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver(204).serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()):
            await queue.until(lambda: bool(queue.done_ids))

    [visit] = receiver.visits
    event = Webhook(SECRET).verify(visit.body, visit.headers)
    assert event["id"] == visit.headers["webhook-id"] == "evt_1"
    assert event["type"] == "response.completed"
    assert event["data"] == {"id": "resp_1"}


async def test_what_is_added_later_is_sent_when_the_sender_is_woken(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver().serving() as receiver, sending(queue, clock, receiver.endpoint()) as sender:
        queue.add(*delivery_to(receiver.endpoint()))
        sender.wake()
        await queue.until(lambda: bool(queue.done_ids))

    assert len(receiver.visits) == 1


async def test_a_delivery_added_without_waking_the_sender_is_found_after_a_minute(
    queue: MemoryQueue, clock: SenderClock
) -> None:
    async with Receiver().serving() as receiver, sending(queue, clock, receiver.endpoint()):
        await clock.until_waits(1)
        queue.add(*delivery_to(receiver.endpoint()))
        clock.advance(60)
        await queue.until(lambda: bool(queue.done_ids))

    assert clock.waits[0] == 60
    assert len(receiver.visits) == 1


async def test_a_failed_try_comes_again_with_the_same_id_and_a_new_time(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver(500, 429, 200).serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()) as sender:
            for failures, wait in [(1, 5.0), (2, 15.0)]:
                await queue.until(lambda failures=failures: len(queue.retries) == failures)  # type: ignore[misc]
                assert queue.retries[-1][0] == clock.now + wait
                clock.advance(wait)
                sender.wake()
            await queue.until(lambda: bool(queue.done_ids))

    first, second, third = receiver.visits
    assert [error for _, error in queue.retries] == ["answered 500", "answered 429"]
    assert {visit.headers["webhook-id"] for visit in receiver.visits} == {"evt_1"}
    assert first.body == second.body == third.body
    assert int(third.headers["webhook-timestamp"]) == int(first.headers["webhook-timestamp"]) + 20
    assert len({visit.headers["webhook-signature"] for visit in receiver.visits}) == 3
    Webhook(SECRET).verify(third.body, third.headers)


async def test_a_retry_is_sent_at_its_time_and_not_before(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver(500, 200).serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()) as sender:
            # The first sweep, and one more because a slot is free again.
            await clock.until_waits(2)
            clock.advance(4)
            sender.wake()
            await clock.until_waits(3)
            seen_early = len(receiver.visits)
            clock.advance(1)
            await queue.until(lambda: bool(queue.done_ids))

    assert clock.waits[1:3] == [5, 1]
    assert seen_early == 1
    assert len(receiver.visits) == 2


async def test_410_gives_up_at_once(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver(410).serving() as receiver:
        [delivery] = delivery_to(receiver.endpoint())
        queue.add(delivery)
        async with sending(queue, clock, receiver.endpoint()):
            await queue.until(lambda: bool(queue.given_up))

    assert queue.given_up == {delivery.id: "answered 410"}
    assert len(receiver.visits) == 1


async def test_after_about_a_day_of_failures_it_is_given_up(queue: MemoryQueue, clock: SenderClock) -> None:
    start = clock.now
    async with Receiver(503).serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()) as sender:
            while not queue.given_up:
                seen = len(queue.retries)
                await queue.until(lambda seen=seen: len(queue.retries) > seen or bool(queue.given_up))  # type: ignore[misc]
                clock.advance(max(0.0, queue.retries[-1][0] - clock.now))
                sender.wake()

    assert 20 * 3600 < clock.now - start < 28 * 3600
    assert len(receiver.visits) == 14


async def test_a_delivery_to_a_receiver_that_was_removed_is_given_up(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver().serving() as receiver:
        [delivery] = delivery_to(receiver.endpoint())
        queue.add(delivery)
        async with sending(queue, clock):
            await queue.until(lambda: bool(queue.given_up))

    assert queue.given_up == {delivery.id: "is no longer configured"}
    assert receiver.visits == []


async def test_private_addresses_are_refused_unless_allowed(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver().serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint(), allows_private=False):
            await queue.until(lambda: bool(queue.retries))

    assert queue.retries[0][1] == "is not at a public address"
    assert receiver.visits == []


async def test_a_receiver_that_hangs_does_not_hold_up_another(queue: MemoryQueue, clock: SenderClock) -> None:
    async def hang(request: web.BaseRequest) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async with Receiver(answer=hang).serving() as slow, Receiver().serving() as quick:
        queue.add(*delivery_to(slow.endpoint(), quick.endpoint()))
        async with sending(queue, clock, slow.endpoint(), quick.endpoint()):
            await queue.until(lambda: bool(queue.done_ids))

    assert len(quick.visits) == 1
    # Its try was cancelled with the sender, and is held for a while before it is retried.
    [row] = queue.rows.values()
    assert row.due_at == clock.now + 120


async def test_more_deliveries_than_there_are_slots_all_arrive_once(queue: MemoryQueue, clock: SenderClock) -> None:
    async with Receiver().serving() as receiver:
        for number in range(100):
            queue.add(*delivery_to(receiver.endpoint(), response_id=f"resp_{number}"))
        async with sending(queue, clock, receiver.endpoint()):
            await queue.until(lambda: len(queue.done_ids) == 100)

    ids = [visit.headers["webhook-id"] for visit in receiver.visits]
    assert len(ids) == len(set(ids)) == 100
    # With every slot taken it waits for a free one, and not for what is due.
    assert clock.waits[0] is None


@pytest.mark.parametrize("error", [StoreUnavailable(), ZeroDivisionError("a bug")])
async def test_an_error_of_the_queue_does_not_end_the_sender(
    queue: MemoryQueue, clock: SenderClock, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    queue.errors.append(error)
    async with Receiver().serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()):
            await clock.until_waits(1)
            clock.advance(1.0)
            await queue.until(lambda: bool(queue.done_ids))

    assert str(error) in caplog.text


async def test_a_try_that_breaks_is_counted(
    queue: MemoryQueue, clock: SenderClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(target: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("wakeful.gateway.webhooks.post._session", broken)
    async with Receiver().serving() as receiver:
        queue.add(*delivery_to(receiver.endpoint()))
        async with sending(queue, clock, receiver.endpoint()):
            await queue.until(lambda: bool(queue.retries))

    assert queue.retries[0][1] == "could not be tried (ZeroDivisionError)"
    assert "a bug" in caplog.text


async def test_neither_the_secret_nor_the_path_is_in_a_log_or_an_error(
    queue: MemoryQueue, clock: SenderClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="wakeful")

    async def quote(request: web.BaseRequest) -> web.Response:
        return web.Response(status=400, text=f"wrong secret, want {SECRET}")

    async with Receiver(answer=quote).serving() as receiver, Receiver(410).serving() as gone:
        queue.add(*delivery_to(receiver.endpoint(), gone.endpoint()))
        async with sending(queue, clock, receiver.endpoint(), gone.endpoint()):
            await queue.until(lambda: bool(queue.retries) and bool(queue.given_up))

    written = f"{caplog.text} {queue.retries} {queue.given_up}"
    assert f"127.0.0.1:{receiver.port} answered 400" in written
    assert SECRET.removeprefix("whsec_") not in written
    assert "hidden" not in written
