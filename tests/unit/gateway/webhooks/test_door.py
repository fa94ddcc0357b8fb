"""The bell of the webhooks: it rings at the ends of turns, and soon after commits of other nodes."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.bare_engine import bare_engine
from tests.unit.gateway.openai.kit import done, log, token
from tests.unit.gateway.webhooks.kit import BACKGROUND, DONE, Receiver, end_turn
from wakeful.engine.clock import SystemClock
from wakeful.engine.settings import EngineSettings
from wakeful.gateway.webhooks.door import _Bell, open_webhooks
from wakeful.store.base import Signal, Store


class Woken:
    """A job that counts how often it was woken."""

    times = 0

    def wake(self) -> None:
        self.times += 1


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """Return what is to be called later."""
    rings: list[Callable[[], None]] = []

    class Loop:
        def call_later(self, seconds: float, ring: Callable[[], None]) -> None:
            assert seconds == 0.5
            rings.append(ring)

    monkeypatch.setattr("wakeful.gateway.webhooks.door.asyncio.get_running_loop", Loop)
    return rings


def test_the_end_of_a_turn_rings_at_once_and_other_events_do_not(rings: list[Callable[[], None]]) -> None:
    job = Woken()
    bell = _Bell(job)  # type: ignore[arg-type]

    bell.hear(Signal(frozenset({"s"}), events=tuple(log(token("a")))))
    assert job.times == 0
    bell.hear(Signal(frozenset({"s"}), events=tuple(log(token("a"), done()))))
    assert job.times == 1
    assert rings == []


def test_commits_of_other_nodes_ring_once_in_a_while(rings: list[Callable[[], None]]) -> None:
    job = Woken()
    bell = _Bell(job)  # type: ignore[arg-type]

    for _ in range(3):
        bell.hear(Signal(frozenset({"s"})))
    assert (job.times, len(rings)) == (0, 1)
    rings[0]()
    bell.hear(Signal(frozenset({"s"})))
    assert (job.times, len(rings)) == (1, 2)


async def test_while_the_door_is_open_the_end_of_a_turn_is_reported_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only the bell can wake the postman.
    monkeypatch.setattr("wakeful.gateway.messaging.outbox.postman._LONGEST_WAIT_SECONDS", 3600.0)
    no_loop: Any = None
    engine = bare_engine(store, no_loop, SystemClock(), EngineSettings())
    async with Receiver().serving() as receiver:
        endpoint = receiver.endpoint(owner="alice")
        await end_turn(store, BACKGROUND, DONE, endpoint)
        async with open_webhooks(engine, store, [endpoint], allows_private=True):
            await receiver.until_visited()
            await end_turn(store, BACKGROUND, DONE, endpoint, turn_id="turn_2")
            await receiver.until_visited(2)

    assert [visit.headers["webhook-id"] for visit in receiver.visits] == ["evt_1", "evt_2"]
