"""What is dropped after which time, in which steps, and that no failure keeps the janitor from the rest."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.bare_engine import HOST, NoAttachments, NoFiles, NoProcesses, NoPrompts, NoUnstoredWork
from tests.engine.kit import FakeClock, LedAgent
from tests.patience import PATIENCE, idle
from tests.store.nouns import a_change
from wakeful.engine.ports import Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.engine.upkeep import janitor as janitors
from wakeful.engine.upkeep.janitor import Janitor
from wakeful.model.journal.change import KeptChange

NOW = 1e9
DAY = 86_400.0


class Table:
    """Any table: it notes what is asked of it, and has nothing old."""

    def __init__(self, name: str, asked: list[tuple[object, ...]]) -> None:
        self._name = name
        self._asked = asked

    def __getattr__(self, method: str) -> Callable[..., Awaitable[int]]:
        async def call(*arguments: object) -> int:
            self._asked.append((self._name, method, *arguments))
            return 0

        return call


class Tables:
    """A transaction, and a store of it. A test gives some tables of its own."""

    def __init__(self, **tables: object) -> None:
        self.asked: list[tuple[object, ...]] = []
        self._tables = tables

    def __getattr__(self, name: str) -> object:
        return self._tables.get(name) or Table(name, self.asked)

    async def now(self) -> float:
        return NOW

    async def write(self, body: Callable[[Any], Awaitable[Any]]) -> Any:
        return await body(self)

    read = write


class Copies(NoFiles):
    """What stood in files before they were changed."""

    def __init__(self, noted: list[str]) -> None:
        self._noted = noted

    async def drop(self, change: KeptChange) -> None:
        self._noted.append(f"copy of {change.call_id}")


class OldChanges:
    def __init__(self, noted: list[str]) -> None:
        self._noted = noted
        self.old_ones = [[a_change(call_id="c1"), a_change(call_id="c2")], [a_change(call_id="c3")]]
        self.asked: list[tuple[str, float]] = []

    async def old(self, host: str, before: float, limit: int) -> list[KeptChange]:
        self.asked.append((host, before))
        return self.old_ones[0] if self.old_ones else []

    async def remove(self, changes: list[KeptChange]) -> None:
        self.old_ones.pop(0)
        self._noted.append("rows of " + " ".join(change.call_id for change in changes))


class Uploads(NoAttachments):
    def __init__(self) -> None:
        self.tidied = 0

    async def tidy(self) -> None:
        self.tidied += 1


def a_janitor(
    store: Any, clock: FakeClock, copies: NoFiles | None = None, uploads: Uploads | None = None, undo_days: float = 2.0
) -> Janitor:
    files = copies or NoFiles()
    equipment = Equipment(
        LedAgent(), NoPrompts(), NoProcesses(), NoUnstoredWork(), files, files, uploads or NoAttachments()
    )
    return Janitor(store, clock, EngineSettings(undo_days=undo_days), HOST, equipment)


async def test_each_kind_of_row_has_its_time(clock: FakeClock) -> None:
    store, uploads = Tables(), Uploads()
    janitor = a_janitor(store, clock, uploads=uploads)
    await janitor.job.look()

    assert store.asked == [
        ("idempotency_keys", "drop_old", NOW - DAY, 500),
        ("nodes", "drop_old", NOW - 7 * DAY, 500),
        ("news", "drop_old", NOW - 30 * DAY, 500),
        ("chats", "drop_taken", NOW - 7 * DAY, 500),
        ("posts", "drop_old", NOW - 30 * DAY, 500),
        ("cron_jobs", "drop_old_runs", NOW - 90 * DAY, 500),
        ("inbox", "empty_taken", 500),
        ("changes", "old", HOST.id, NOW - 2 * DAY, 500),
        ("purges", "give_space_back", 200),
    ]
    assert uploads.tidied == 1
    assert (janitor.job._wait, janitor.job.counts.failures) == (600.0, 0)


async def test_copies_of_files_go_before_the_rows_that_name_them(clock: FakeClock) -> None:
    noted: list[str] = []
    changes = OldChanges(noted)

    await a_janitor(Tables(changes=changes), clock, Copies(noted)).sweep()

    assert noted == ["copy of c1", "copy of c2", "rows of c1 c2", "copy of c3", "rows of c3"]
    assert set(changes.asked) == {(HOST.id, NOW - 2 * DAY)}


async def test_what_can_be_taken_back_for_ever_is_kept(clock: FakeClock) -> None:
    noted: list[str] = []
    await a_janitor(Tables(changes=OldChanges(noted)), clock, Copies(noted), undo_days=0.0).sweep()

    assert noted == []


class FailingTable:
    async def drop_old(self, *_: object) -> int:
        raise ZeroDivisionError("a bug")


async def test_a_kind_of_row_that_fails_keeps_no_other(clock: FakeClock) -> None:
    store, uploads = Tables(idempotency_keys=FailingTable(), posts=FailingTable()), Uploads()
    janitor = a_janitor(store, clock, uploads=uploads)

    assert await janitor.sweep() == 600.0

    assert len(store.asked) == 7
    assert uploads.tidied == 1
    assert set(janitor.job._resting) == {"drop_keys", "drop_posts"}
    clock.advance(60.0)


class Steps:
    """A table that has so many old rows, or so much space to give back, in each step."""

    def __init__(self, *counts: int) -> None:
        self.left = list(counts)

    async def drop_old(self, _before: float, _limit: int) -> int:
        return self.left.pop(0)

    async def give_space_back(self, _pages: int) -> bool:
        return bool(self.left.pop(0))


async def test_old_rows_are_dropped_until_a_step_is_not_full(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(janitors, "_BATCH", 3)
    posts = Steps(3, 3, 2, 3)

    await a_janitor(Tables(posts=posts), clock).sweep()

    assert posts.left == [3]


async def test_space_is_given_back_with_pauses_until_there_is_none(clock: FakeClock) -> None:
    purges = Steps(1, 1, 0, 1)
    sweep = asyncio.create_task(a_janitor(Tables(purges=purges), clock).sweep())
    for left in ([1, 0, 1], [0, 1], [1]):
        await idle()
        assert purges.left == left
        clock.advance(0.05)
    await asyncio.wait_for(sweep, PATIENCE)
