"""The health check: what it reports, and that it answers in time."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from tests.patience import PATIENCE
from tests.store.nouns import a_row, have_session
from wakeful.engine.vitals import Vitals
from wakeful.gateway.monitoring import health as module
from wakeful.gateway.monitoring.health import Health
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.store.base import Body
from wakeful.store.sqlite.store import SqliteStore

NOW = 1_000.0
WELL = Vitals(turns_at_work=0, turns_waiting=0, taken_over=0, lease_seconds_left=None, is_lease_late=False, jobs=())


class Line(SqliteStore):
    """A store that counts what is read, and may hang."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, lambda: NOW, synchronous="OFF")
        self.reads = 0
        self.answers = asyncio.Event()
        self.answers.set()

    async def read(self, body: Body[Any]) -> Any:
        self.reads += 1
        await self.answers.wait()
        return await super().read(body)


class Usage(NamedTuple):
    free: int


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Line]:
    store = Line(tmp_path / "wakeful.db")
    await store.open()
    yield store
    store.answers.set()
    await store.close()


def health_of(store: Line, vitals: Vitals = WELL, *, is_stopping: bool = False) -> Health:
    return Health("1.2.3", store, lambda: vitals, lambda: is_stopping, store._path.parent)


async def ask(health: Health) -> tuple[int, dict[str, Any]]:
    response = await health()
    return response.status_code, orjson.loads(response.body)


async def test_a_server_that_works_says_how_well(store: Line) -> None:
    status, answer = await ask(health_of(store))
    assert (status, answer["status"], answer["version"], answer["problems"]) == (200, "ok", "1.2.3", [])
    database = answer["database"]
    assert (database["reachable"], database["queue"], database["oldest_waiting_seconds"]) == (True, 0, None)
    assert 0 <= database["seconds_since_success"] < 60
    assert answer["disk"]["free_bytes"] > 0
    assert answer["lease"] is None


async def test_the_database_is_asked_once_for_many_requests(store: Line) -> None:
    health = health_of(store)
    await asyncio.gather(*(ask(health) for _ in range(20)))
    await ask(health)
    assert store.reads == 1


async def test_a_message_that_has_waited_too_long_is_reported(store: Line) -> None:
    await have_session(store)
    await store.write(lambda tx: tx.inbox.post_if_new(a_row(created_at=NOW - 45)), lock=["s1"])
    status, answer = await ask(health_of(store))
    assert (status, answer["status"], answer["database"]["oldest_waiting_seconds"]) == (200, "degraded", 45)
    assert answer["problems"] == ["A message has been waiting for its turn for 45 seconds."]


async def test_a_lease_that_is_late_and_a_full_disk_degrade_it(store: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1_000))
    status, answer = await ask(health_of(store, replace(WELL, lease_seconds_left=-3.0, is_lease_late=True)))
    assert (status, answer["status"]) == (200, "degraded")
    assert answer["problems"] == ["The disk is full, or nearly so.", "The lease could not be renewed in time."]
    assert answer["disk"] == {"free_bytes": 1_000, "full": True}
    assert answer["lease"] == {"seconds_left": 0, "late": True}


async def test_what_is_just_well_enough_is_no_problem(store: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(64 * 1024 * 1024))
    await have_session(store)
    await store.write(lambda tx: tx.inbox.post_if_new(a_row(created_at=NOW - 30)), lock=["s1"])
    door = DoorStatus(DoorState.CONNECTED, 1.0, "@bot")
    vitals = replace(WELL, lease_seconds_left=2.5)
    health = Health("1", store, lambda: vitals, lambda: False, store._path.parent, lambda: {"telegram": door})

    status, answer = await ask(health)

    assert (status, answer["status"], answer["problems"], answer["disk"]["full"]) == (200, "ok", [], False)
    assert answer["lease"] == {"seconds_left": 2.5, "late": False}
    assert answer["platforms"] == {"telegram": "connected"}


async def test_it_answers_whatever_is_broken_and_looks_again(store: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FRESH_SECONDS", 0.0)
    health = health_of(store)
    assert (await ask(health))[0] == 200
    with monkeypatch.context() as broken:
        broken.setattr(shutil, "disk_usage", lambda folder: None)
        status, answer = await ask(health)
    assert (status, answer["problems"]) == (503, ["The database does not answer."])
    assert answer["disk"] == {"free_bytes": None, "full": False}
    assert (await ask(health))[0] == 200


async def test_without_a_database_it_is_unavailable(store: Line) -> None:
    await store.close()
    status, answer = await ask(health_of(store))
    assert (status, answer["status"], answer["database"]["reachable"]) == (503, "degraded", False)
    assert answer["problems"] == ["The database does not answer."]


async def test_a_database_that_hangs_is_asked_once_and_found_again(
    store: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.01)
    health = health_of(store)
    store.answers.clear()
    for _ in range(3):
        assert (await ask(health))[0] == 503
    assert store.reads == 1
    store.answers.set()
    assert health._checking is not None
    await health._checking
    assert (await ask(health))[0] == 200


async def test_the_free_space_is_told_as_it_was_while_the_database_hangs(
    store: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", PATIENCE)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(1_000))
    health = health_of(store)
    await ask(health)
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.01)
    store.answers.clear()
    status, answer = await ask(health)

    assert (status, answer["disk"]) == (503, {"free_bytes": 1_000, "full": True})


async def test_a_message_that_comes_from_a_clock_that_is_ahead_has_not_waited(store: Line) -> None:
    await have_session(store)
    await store.write(lambda tx: tx.inbox.post_if_new(a_row(created_at=NOW + 45)), lock=["s1"])
    _, answer = await ask(health_of(store))

    assert (answer["status"], answer["database"]["oldest_waiting_seconds"]) == ("ok", 0)


async def test_a_server_that_stops_does_not_ask_the_database(store: Line) -> None:
    status, answer = await ask(health_of(store, is_stopping=True))
    assert (status, answer) == (503, {"status": "stopping", "version": "1.2.3"})
    assert store.reads == 0
