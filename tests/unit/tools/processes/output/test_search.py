"""How far an output was searched is stored: a restart goes on from there, and the end says what was passed over."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.processes.kit import Ledger, new_task
from wakeful.errors import StoreError
from wakeful.model.tasks.task import Task
from wakeful.tools.processes.output import search as search_module
from wakeful.tools.processes.output.output import Output
from wakeful.tools.processes.output.search import OutputSearch
from wakeful.tools.processes.output.secrets import Redactor
from wakeful.tools.processes.output.watch import CHUNK, Watch, WatchState, load_state
from wakeful.tools.processes.settings import MIB


class Searched:
    """A task with an output that is searched for a word."""

    def __init__(self, path: Path, ledger: Ledger, task: Task) -> None:
        self.path = path
        self._ledger = ledger
        self._task = task
        self.search = OutputSearch(task, Output(path, Redactor([])), Watch(("word",), 15.0, time.time), ledger)

    async def stored(self) -> WatchState:
        row = await self._ledger.get(self._task.id)
        assert row is not None
        return load_state(row.watch)


@pytest.fixture
async def searched(tmp_path: Path, ledger: Ledger) -> Searched:
    return Searched(tmp_path / "output", ledger, await ledger.begin(None, new_task("make", watch=("word",))))


async def test_what_was_passed_over_at_the_end_is_stored(searched: Searched, ledger: Ledger) -> None:
    searched.path.write_bytes(b"word\n" + b"x" * 5 * MIB + b"\n")

    await searched.search.finish()

    assert (await searched.stored()).skipped >= MIB
    assert ledger.matches == []


async def test_what_is_found_in_the_last_part_is_told_with_what_was_passed_over(
    searched: Searched, ledger: Ledger
) -> None:
    searched.path.write_bytes(b"x" * 5 * MIB + b"\nword\n")

    await searched.search.finish()

    (match,) = ledger.matches
    assert match.line == "word"
    assert "came too fast to be searched for watch patterns" in match.notice


async def test_nothing_is_passed_over_in_a_short_output(searched: Searched, ledger: Ledger) -> None:
    searched.path.write_bytes(b"a word at last")

    await searched.search.finish()

    assert ((await searched.stored()).skipped, [match.line for match in ledger.matches]) == (0, ["a word at last"])


@pytest.mark.parametrize(("chunks", "is_stored"), [(3, True), (1, False)])
async def test_progress_is_stored_now_and_then(
    searched: Searched, monkeypatch: pytest.MonkeyPatch, chunks: int, is_stored: bool
) -> None:
    monkeypatch.setattr(search_module, "_PROGRESS", 2 * CHUNK)
    searched.path.write_bytes(b"line\n" * (chunks * CHUNK // 5))

    while not await searched.search.go_on(asyncio.Event()):
        pass

    assert ((await searched.stored()).offset > 0) is is_stored
    await searched.search.save()
    assert (await searched.stored()).offset == searched.path.stat().st_size


async def test_a_store_that_fails_does_not_end_the_search(
    searched: Searched, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        raise StoreError("the disk is full")

    searched.path.write_bytes(b"line\n")
    await searched.search.go_on(asyncio.Event())
    with monkeypatch.context() as patched:
        patched.setattr(ledger, "save_watch", fail)
        await searched.search.save()
    assert "the progress of its watch could not be saved: the disk is full" in caplog.text

    await searched.search.save()

    assert (await searched.stored()).offset == 5


async def test_a_watch_that_has_turned_itself_off_tells_nothing_more(tmp_path: Path, ledger: Ledger) -> None:
    task = replace(new_task("make", watch=("word",)), watch=WatchState(is_off=True).dump())
    searched = Searched(tmp_path / "output", ledger, await ledger.begin(None, task))
    searched.path.write_bytes(b"word\n")

    assert await searched.search.go_on(asyncio.Event())
    await searched.search.finish()

    assert (ledger.matches, await searched.stored()) == ([], WatchState(is_off=True))
    assert searched.search.wait() is None


@pytest.mark.parametrize(("progress", "offset"), [(50, 50), (51, 0)])
async def test_progress_is_stored_once_there_is_enough_of_it(
    searched: Searched, monkeypatch: pytest.MonkeyPatch, progress: int, offset: int
) -> None:
    monkeypatch.setattr(search_module, "_PROGRESS", progress)
    searched.path.write_bytes(b"line\n" * 10)

    await searched.search.go_on(asyncio.Event())

    assert (await searched.stored()).offset == offset


async def test_progress_is_not_stored_beside_a_match_that_is_being_written(
    searched: Searched, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []
    write = ledger.match

    async def save_meanwhile(*arguments: Any, **options: Any) -> Any:
        # As a server does that stops just now.
        with monkeypatch.context() as patched:
            patched.setattr(ledger, "save_watch", note)
            await searched.search.save()
        return await write(*arguments, **options)

    async def note(task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        saved.append(task_id)

    searched.path.write_bytes(b"line\n" * 10)
    await searched.search.go_on(asyncio.Event())
    monkeypatch.setattr(ledger, "match", save_meanwhile)
    with searched.path.open("ab") as output:
        output.write(b"word\n")
    await searched.search.go_on(asyncio.Event())

    assert (saved, [match.line for match in ledger.matches]) == ([], ["word"])
    assert (await searched.stored()).offset == 55


async def test_what_was_stored_with_a_match_is_not_stored_again_and_what_comes_later_is(
    searched: Searched, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched.path.write_bytes(b"word\n")
    await searched.search.go_on(asyncio.Event())
    saved: list[int] = []

    async def note(task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        saved.append(load_state(watch).offset)

    monkeypatch.setattr(ledger, "save_watch", note)
    await searched.search.save()
    assert saved == []

    with searched.path.open("ab") as output:
        output.write(b"line\n")
    await searched.search.go_on(asyncio.Event())
    await searched.search.save()
    await searched.search.save()

    assert saved == [10]
