"""Rows of processes in memory: whose they are, and what is told of their ends."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tools.kit import new_turn
from tests.unit.tools.processes.kit import HOST, new_task
from wakeful.model.tasks.task import Host, Task, TaskOutcome, TaskStatus, WatchMatch
from wakeful.tools.processes.ledgers.both import BothLedgers
from wakeful.tools.processes.ledgers.memory import MemoryLedger
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger

ENDED = TaskOutcome(TaskStatus.FAILED, 7, "a notice", "its last words")


class Told:
    def __init__(self) -> None:
        self.ends: list[Task] = []
        self.matches: list[tuple[Task, WatchMatch]] = []
        self.ledger = MemoryLedger(self.ends.append, lambda task, match: self.matches.append((task, match)))


@pytest.fixture
def told() -> Told:
    return Told()


async def test_an_end_is_written_and_told_once(told: Told) -> None:
    task = await told.ledger.begin(None, new_task("make"))

    assert await told.ledger.finish(task.id, ENDED)
    assert not await told.ledger.finish(task.id, replace(ENDED, exit_code=0))

    (end,) = told.ends
    assert (end.status, end.exit_code, end.result) == (TaskStatus.FAILED, 7, "its last words")
    assert end.ended_at is not None
    assert end.ended_at >= end.started_at > 0
    assert await told.ledger.get(task.id) == end


@pytest.mark.parametrize(("will_notify", "is_killed"), [(False, False), (True, True)])
async def test_an_end_that_was_not_promised_or_was_wanted_is_not_told(
    told: Told, will_notify: bool, is_killed: bool
) -> None:
    task = await told.ledger.begin(None, replace(new_task("make"), will_notify=will_notify))
    if is_killed:
        assert await told.ledger.intend_kill(task.id)

    assert await told.ledger.finish(task.id, ENDED)

    assert told.ends == []
    assert not await told.ledger.intend_kill(task.id)
    assert not await told.ledger.intend_kill("proc_nobody")


async def test_an_attempt_is_counted_once_and_not_after_the_end(told: Told) -> None:
    task = await told.ledger.begin(None, new_task("make"))

    counted = [await told.ledger.next_attempt(task.id, attempt) for attempt in (1, 1, 2)]
    await told.ledger.finish(task.id, ENDED)

    assert counted == [True, False, True]
    assert not await told.ledger.next_attempt(task.id, 3)
    row = await told.ledger.get(task.id)
    assert row is not None
    assert row.attempt == 3


async def test_only_its_session_and_its_host_see_a_process(told: Told, tmp_path: Path) -> None:
    own = await told.ledger.begin(None, new_task("make"))
    other = await told.ledger.begin(None, replace(new_task("make"), session_id="sess_2", host=Host("far", "boot")))
    done = await told.ledger.begin(None, new_task("make"))
    await told.ledger.finish(done.id, ENDED)
    turn = new_turn(tmp_path)

    assert (await told.ledger.visible(turn, own.id), await told.ledger.visible(turn, other.id)) == (own, None)
    assert [task.id for task in await told.ledger.all_visible(turn)] == [own.id, done.id]
    assert await told.ledger.adopt(HOST) == [own]


async def test_a_match_is_told_and_keeps_the_promise_unless_it_changes_it(told: Told) -> None:
    task = await told.ledger.begin(None, replace(new_task("make"), will_notify=False))
    match = WatchMatch("word", "a word", 0, "a notice")

    await told.ledger.match(task.id, match, b"one")
    await told.ledger.match(task.id, match, b"two", will_notify=True)
    await told.ledger.save_watch(task.id, b"three")

    assert [(row.watch, row.will_notify) for row, _ in told.matches] == [(b"one", False), (b"two", True)]
    row = await told.ledger.get(task.id)
    assert row is not None
    assert (row.watch, row.will_notify) == (b"three", True)


async def test_what_is_stored_is_looked_for_in_the_store_and_nothing_else_is(told: Told, tmp_path: Path) -> None:
    unstored = UnstoredLedger(tmp_path)
    both = BothLedgers(told.ledger, unstored)
    turn = new_turn(tmp_path)
    unstored.open(turn.id)
    stored = await told.ledger.begin(None, new_task("make"))
    short = await both.begin(None, new_task("make"))
    ephemeral = replace(turn, is_ephemeral=True)

    assert await told.ledger.get(short.id) is None
    assert (await both.visible(turn, stored.id), await both.visible(turn, short.id)) == (stored, None)
    assert await both.visible(ephemeral, short.id) == short
    assert await both.visible(replace(ephemeral, id="turn_2"), short.id) is None
    assert [task.id for task in await both.all_visible(ephemeral)] == [stored.id, short.id]
    assert [await both.next_attempt(each.id, 1) for each in (stored, short)] == [True, True]
    assert [task.attempt for task in (*await told.ledger.all(), *await unstored.rows.all())] == [2, 2]
    assert await both.finish(short.id, ENDED)
    assert (await both.intend_kill(short.id), await both.intend_kill(stored.id)) == (False, True)
