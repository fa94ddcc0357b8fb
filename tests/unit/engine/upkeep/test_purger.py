"""What the purger removes of a deleted session, in which order, and when it looks again."""

from collections.abc import Collection, Sequence
from typing import Any

import pytest

from tests.bare_engine import HOST, NoBinder, NoFiles, NoPrompts, NoUnstoredWork
from tests.engine.kit import FakeClock, LedAgent
from tests.store.nouns import a_task, an_input, close_turn, have_closed_turn, have_session, have_task, have_turn
from wakeful.engine.engine import Engine
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.engine.upkeep import purger as purgers
from wakeful.engine.upkeep.purger import Purger
from wakeful.errors import SessionNotFound
from wakeful.model.files.attachment import Attachment
from wakeful.model.schedules.cron_job import CronRun, RunStatus
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Body
from wakeful.store.sqlite.store import SqliteStore

UNDO = 30.0


class Machine(NoFiles):
    """Notes what is asked of the machine, and whether the session was still there at that time."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.asked: list[str] = []

    async def adopt(self) -> None: ...

    async def obey(self, task: Task) -> None:
        self.asked.append(f"kill {task.id}")

    async def forget(self, of: Task | str, ids: Sequence[str] = ()) -> None:
        name = of.id if isinstance(of, Task) else of
        is_there = isinstance(of, Task) or await is_stored(self._store, of)
        self.asked.append(" ".join(["forget", name, *ids, *([] if is_there else ["gone"])]))

    async def tidy(self) -> None: ...


def a_purger(store: SqliteStore, clock: FakeClock) -> tuple[Purger, Machine]:
    machine = Machine(store)
    settings = EngineSettings(undo_seconds=UNDO)
    ledger = Ledger(store, clock, settings, host=HOST, binder=NoBinder())
    equipment = Equipment(LedAgent(), NoPrompts(), machine, NoUnstoredWork(), machine, machine, machine)
    return Engine(ledger, equipment).purger, machine


async def is_stored(store: SqliteStore, session_id: str) -> bool:
    return await store.read(lambda tx: tx.sessions.get(session_id)) is not None


async def purge_time(store: SqliteStore, session_id: str) -> float | None:
    session = await store.read(lambda tx: tx.sessions.get(session_id))
    assert session is not None
    return session.purge_at


async def due(store: SqliteStore, *session_ids: str) -> None:
    for session_id in session_ids:
        await store.write(lambda tx, id=session_id: tx.sessions.delete(id, 1.0), lock=[session_id])  # type: ignore[misc]


async def test_a_deleted_session_is_purged_when_its_time_is_over_and_not_before(
    store: SqliteStore, clock: FakeClock
) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    await have_session(store, "s2")
    assert not purger.job._changed.is_set()
    await purger.delete("s1")

    assert purger.job._changed.is_set()
    assert await purge_time(store, "s1") == clock.now + UNDO
    await purger.job.look()
    assert (purger.job._wait, purger.job.counts.failures) == (UNDO, 0)
    clock.advance(UNDO - 0.1)
    assert await purger.sweep() == 0.5
    assert await is_stored(store, "s1")
    clock.advance(0.1)
    assert await purger.sweep() == 300.0
    assert not await is_stored(store, "s1")
    assert await is_stored(store, "s2")


@pytest.mark.parametrize("is_exclusive", [True, False])
async def test_it_looks_more_often_where_others_may_delete(
    store: Any, clock: FakeClock, is_exclusive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(store), "is_exclusive", is_exclusive)
    purger, _ = a_purger(store, clock)
    assert await purger.sweep() == (300.0 if is_exclusive else 15.0)
    await have_session(store, "s1")
    await purger.delete("s1")
    assert await purger.sweep() == (UNDO if is_exclusive else 15.0)


async def test_it_is_woken_when_a_deletion_is_written_and_not_before(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    write = store.write

    async def noting_write(body: Body[None], *, lock: Collection[str]) -> None:
        await write(body, lock=lock)
        assert not purger.job._changed.is_set()

    monkeypatch.setattr(store, "write", noting_write)
    await purger.delete("s1")
    assert purger.job._changed.is_set()


async def test_while_the_clock_is_right_nothing_is_written_of_sessions_that_wait(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    await purger.delete("s1")
    monkeypatch.setattr(store, "write", None)

    assert await purger.sweep() == UNDO
    assert purger.job.counts.row_failures == 0


async def test_what_is_not_there_is_not_deleted(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    await purger.delete("s1")
    clock.advance(1.0)
    for session_id in ("s1", "unknown"):
        with pytest.raises(SessionNotFound):
            await purger.delete(session_id)
    assert await purge_time(store, "s1") == clock.now - 1.0 + UNDO


async def test_a_session_comes_back_as_long_as_its_time_is_not_over(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    await purger.restore("s1")
    await purger.delete("s1")
    clock.advance(UNDO - 1.0)
    await purger.restore("s1")
    assert await purge_time(store, "s1") is None

    await purger.delete("s1")
    clock.advance(UNDO)
    with pytest.raises(SessionNotFound, match="no longer be restored"):
        await purger.restore("s1")
    with pytest.raises(SessionNotFound):
        await purger.restore("unknown")


async def test_a_session_waits_until_its_processes_have_ended(store: SqliteStore, clock: FakeClock) -> None:
    purger, machine = a_purger(store, clock)
    await have_closed_turn(store, "t1")
    await have_task(store, a_task("here", host=HOST))
    await have_task(store, a_task("there", host=Host("elsewhere", "boot"), index=2))
    await due(store, "s1")

    assert await purger.sweep() == 0.5
    assert machine.asked == ["kill here", "kill there"]
    tasks = await store.read(lambda tx: tx.tasks.of_session("s1"))
    assert [(task.will_notify, task.kill_intended) for task in tasks] == [(False, True)] * 2
    machine.asked.clear()
    for task in tasks:
        await store.write(lambda tx, id=task.id: tx.tasks.finish_if_running(id, ENDED), lock=["s1"])  # type: ignore[misc]
    await purger.sweep()

    assert machine.asked == ["forget here", "forget s1", "forget s1", "forget s1 gone"]
    assert not await is_stored(store, "s1")


ENDED = TaskOutcome(TaskStatus.KILLED, None, "")


async def test_sub_agents_go_first_and_are_no_processes(store: SqliteStore, clock: FakeClock) -> None:
    purger, machine = a_purger(store, clock)
    await have_closed_turn(store, "t1")
    await have_session(store, "child", task_id="goal")
    delegation = a_task("goal", kind=TaskKind.DELEGATION, child_session_id="child", host=HOST)
    await have_task(store, delegation)
    await have_task(store, a_task("build", "child", turn_id="c1", host=HOST))
    await due(store, "s1")
    await purger.sweep()
    assert machine.asked == ["kill build"]
    assert await purge_time(store, "child") is not None

    await store.write(lambda tx: tx.tasks.finish_if_running("goal", ENDED), lock=["s1"])
    await purger.sweep()
    assert await is_stored(store, "s1"), "its sub-agent still has a process"
    machine.asked.clear()
    await store.write(lambda tx: tx.tasks.finish_if_running("build", ENDED), lock=["child"])
    await purger.sweep()

    assert machine.asked.index("forget child gone") < machine.asked.index("forget s1")
    assert "forget goal" not in machine.asked
    assert not await is_stored(store, "child")
    assert not await is_stored(store, "s1")


async def test_its_turn_is_stopped_and_its_schedules_run_has_failed(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    await have_turn(store, "t1", last_seq=2)
    await have_task(store, a_task("build", host=HOST))
    run = CronRun("job", 1.0, RunStatus.RUNNING, session_id="s1", turn_id="t1")
    await store.write(lambda tx: tx.cron_jobs.add_run(run))
    await due(store, "s1")

    await purger.sweep()

    session = await store.read(lambda tx: tx.sessions.get("s1"))
    turn = await store.read(lambda tx: tx.turns.get("t1"))
    assert session is not None
    assert turn is not None
    assert (session.active, session.is_held) == (None, True)
    assert turn.status.value == "cancelled"
    (ended,) = await store.read(lambda tx: tx.cron_jobs.runs("job", 9))
    assert (ended.status, ended.reason) == (RunStatus.FAILED, "The session was deleted.")


@pytest.mark.parametrize("has_turn", [True, False])
async def test_files_stay_as_long_as_a_branch_shows_them(store: SqliteStore, clock: FakeClock, has_turn: bool) -> None:
    purger, machine = a_purger(store, clock)
    await have_closed_turn(store, "t1")
    if has_turn:
        await have_turn(store, "b1", "branch", parent="t1")
        await close_turn(store, "b1", checkpoint="b1")
    else:
        await have_session(store, "branch", head="t1", checkpoint="t1")
    attachment = Attachment("att", "a.txt", "text/plain", 1, "alice", "s1")
    await store.write(lambda tx: tx.attachments.put_if_new(attachment, is_used=True))
    await due(store, "s1")
    await purger.sweep()
    assert machine.asked == ["forget s1", "forget s1"]
    assert await is_stored(store, "s1")

    machine.asked.clear()
    await due(store, "branch")
    await purger.sweep()
    await purger.sweep()
    assert machine.asked[-1] == "forget s1 att gone"


async def test_all_rows_are_removed_however_few_a_step_takes(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purgers, "_ROWS", 2)
    monkeypatch.setattr(purgers, "_TURNS", 1)
    purger, _ = a_purger(store, clock)
    parent = None
    for turn_id in ("t1", "t2", "t3"):
        await have_closed_turn(store, turn_id, parent=parent)
        await store.write(lambda tx, id=turn_id: tx.journal.add([an_input(id, "words")]), lock=["s1"])  # type: ignore[misc]
        parent = turn_id
    await due(store, "s1")

    await purger.sweep()

    assert not await is_stored(store, "s1")
    assert await store.read(lambda tx: tx.journal.of_turns(["t1", "t2", "t3"])) == []


async def test_turns_that_a_clock_has_put_out_of_order_go_in_one_sweep(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purgers, "_TURNS", 1)
    purger, _ = a_purger(store, clock)
    await have_closed_turn(store, "t1", opened_at=100.0)
    await have_closed_turn(store, "t2", parent="t1", opened_at=50.0)
    await due(store, "s1")

    await purger.sweep()

    assert not await is_stored(store, "s1")


async def test_a_session_that_another_node_has_purged_has_nothing_to_end(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    assert await purger._end("gone") == []


async def test_after_a_clock_was_set_back_the_time_is_counted_anew(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    for session_id in ("s1", "s2", "s3"):
        await have_session(store, session_id)
    for session_id in ("s1", "s2"):
        await purger.delete(session_id)
    clock.ahead = -7200.0
    await purger.sweep()

    for session_id in ("s1", "s2"):
        assert await purge_time(store, session_id) == clock.time() + UNDO
    assert await purge_time(store, "s3") is None
    assert await purger.sweep() == UNDO


async def test_a_session_that_came_back_or_went_meanwhile_is_not_counted_anew(
    store: SqliteStore, clock: FakeClock
) -> None:
    purger, _ = a_purger(store, clock)
    await have_session(store, "s1")
    for session_id in ("s1", "gone"):
        await purger._purge_soon(session_id)

    assert await purge_time(store, "s1") is None


async def test_sessions_of_deleted_responses_go_in_the_same_sweep(store: SqliteStore, clock: FakeClock) -> None:
    purger, _ = a_purger(store, clock)
    for session_id in ("s1", "s2"):
        await have_session(store, session_id, is_listed=False)
        await have_closed_turn(store, f"turn_of_{session_id}", session_id)
    await store.write(lambda tx: tx.turns.hide("turn_of_s1"), lock=["s1"])

    await purger.sweep()

    assert not await is_stored(store, "s1")
    assert await is_stored(store, "s2")


async def test_a_session_that_cannot_be_purged_keeps_no_other(
    store: SqliteStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    purger, machine = a_purger(store, clock)
    for session_id in ("s1", "s2", "s3"):
        await have_session(store, session_id)
    await due(store, "s1", "s2", "s3")
    forget = machine.forget

    async def fail(of: Task | str, ids: Sequence[str] = ()) -> None:
        if of == "s2":
            raise ZeroDivisionError("a bug")
        await forget(of, ids)

    monkeypatch.setattr(machine, "forget", fail)
    await purger.sweep()

    assert [await is_stored(store, session_id) for session_id in ("s1", "s2", "s3")] == [False, True, False]
    assert purger.job.counts.row_failures == 1
    clock.advance(60.0)
