"""The notifier of a node: what it tells its own listeners and the other nodes, and how it stops."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.store.admin import Admin
from tests.unit.store.postgres.kit import FakeLine
from wakeful.model.event import Event
from wakeful.store.base import Signal
from wakeful.store.postgres import notifier
from wakeful.store.postgres.connection import ServerAddress
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.outbox import EVERYTHING, Letter, payloads_of

CHANGED = Signal(frozenset({"s1"}), events=(Event("s1", 5, None, None, "token", b"", 0.0),))


class Ear:
    """A notifier and what its listeners have heard."""

    def __init__(self, url: str = "postgresql://localhost/x", name: str = "wakeful ear") -> None:
        self.notifier = PostgresNotifier(ServerAddress(url, name))
        self.heard: asyncio.Queue[Signal] = asyncio.Queue()
        self.notifier.listen(self.heard.put_nowait)

    async def next(self) -> Signal:
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()


@pytest.fixture
async def other(postgres_url: str) -> AsyncIterator[Ear]:
    """Another node, which listens."""
    ear = Ear(postgres_url)
    await ear.notifier.open("channel")
    yield ear
    await ear.notifier.close()


def line_with(last_seq: int) -> FakeLine:
    async def answer(*_: object) -> list[dict[str, Any]]:
        return [{"id": "s1", "last_seq": last_seq}]

    return FakeLine(answer)


async def test_a_doubtful_commit_makes_listeners_look_everywhere_and_is_told_to_other_nodes() -> None:
    ear = Ear()

    ear.notifier.doubt(None)
    assert (ear.heard.get_nowait(), ear.notifier._outbox._letter) == (EVERYTHING, Letter())
    ear.notifier.doubt(CHANGED)
    assert (ear.heard.get_nowait(), ear.notifier._outbox._letter) == (EVERYTHING, Letter({"s1": 5}))


async def test_what_was_heard_from_another_node_or_published_here_was_not_missed() -> None:
    ear = Ear()
    ear.notifier.watch(lambda: {"s1"})

    (payload,) = payloads_of("another", Letter({"s1": 5}))
    ear.notifier._hear(None, 0, "channel", payload)
    assert ear.heard.get_nowait() == Signal(frozenset({"s1"}))
    await ear.notifier._find_missed(line_with(5))
    assert ear.heard.empty()

    ear.notifier.publish(Signal(frozenset({"s1"}), events=(Event("s1", 6, None, None, "token", b"", 0.0),)))
    ear.heard.get_nowait()
    await ear.notifier._find_missed(line_with(6))
    assert ear.heard.empty()
    await ear.notifier._find_missed(line_with(7))
    assert ear.heard.get_nowait() == Signal(frozenset({"s1"}))


async def test_a_close_sends_what_was_just_published_and_waits_for_nothing_else(
    postgres_url: str, other: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "_POLL_SECONDS", 10 * PATIENCE)
    monkeypatch.setattr(notifier, "_LAST_SEND_SECONDS", 10 * PATIENCE)
    closing = Ear(postgres_url)
    await closing.notifier.open("channel")
    closing.notifier.publish(Signal(frozenset({"before"})))
    assert await other.next() == Signal(frozenset({"before"}))

    closing.notifier.publish(CHANGED)
    async with asyncio.timeout(PATIENCE):
        await closing.notifier.close()

    assert await other.next() == Signal(frozenset({"s1"}))


async def test_a_closed_notifier_has_no_jobs_and_no_connections(postgres_url: str) -> None:
    ear = Ear(postgres_url, "wakeful closing")
    await ear.notifier.open("channel")
    ear.notifier.publish(CHANGED)

    await ear.notifier.close()

    jobs = [ear.notifier._listening, ear.notifier._sending]
    assert [job is not None and job.done() for job in jobs] == [True, True]
    async with asyncio.timeout(PATIENCE), Admin(postgres_url) as admin:
        while await admin.fetchval("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'wakeful closing'"):
            pass


async def test_what_was_missed_is_looked_for_now_and_then_and_not_with_every_notification(
    postgres_url: str, other: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "_POLL_SECONDS", 10 * PATIENCE)
    looks: list[str] = []

    def followed() -> list[str]:
        looks.append("look")
        return []

    ear = Ear(postgres_url)
    ear.notifier.watch(followed)
    await ear.notifier.open("channel")

    for name in ("s1", "s2", "s3"):
        ear.notifier.publish(Signal(frozenset({name})))
        assert await other.next() == Signal(frozenset({name}))

    await ear.notifier.close()
    assert len(looks) == 1
