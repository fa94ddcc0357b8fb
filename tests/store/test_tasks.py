"""Background tasks: one for each call, ended once."""

import asyncio
from dataclasses import replace

from tests.store.conftest import FakeClock
from tests.store.nouns import a_task, have_turn
from wakeful.model.task import Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Store

EXITED = TaskOutcome(TaskStatus.EXITED, 3, "notice")


async def test_a_task_is_read_back_whole(store: Store) -> None:
    task = a_task(kind=TaskKind.DELEGATION, command="echo 'a\0b' 漢字", will_notify=False)

    assert await _add(store, task)

    assert await _task(store) == task


async def test_an_unknown_task_is_none(store: Store) -> None:
    assert await store.read(lambda tx: tx.tasks.get("k1")) is None


async def test_a_call_has_one_task(store: Store) -> None:
    await _add(store, a_task("k1"))

    again = await _add(store, a_task("k2"))
    next_call = await _add(store, a_task("k3", index=2))

    assert (again, next_call) == (False, True)
    assert await store.read(lambda tx: tx.tasks.get("k2")) is None


async def test_the_tasks_of_a_session_come_oldest_first(store: Store) -> None:
    await have_turn(store, "t2", "s2")
    await _add(store, a_task("k3", index=3, started_at=1.0))
    await _add(store, a_task("k2", index=2, started_at=2.0))
    await _add(store, a_task("k1", index=1, started_at=2.0))
    await _add(store, a_task("k4", "s2", turn_id="t2"))

    tasks = await store.read(lambda tx: tx.tasks.of_session("s1"))

    assert [task.id for task in tasks] == ["k3", "k1", "k2"]


async def test_a_task_ends_once(store: Store, clock: FakeClock) -> None:
    await _add(store, a_task())
    await clock.set(88.0)

    ended = await asyncio.gather(*(_finish(store) for _ in range(10)))

    assert sorted(ended) == [False] * 9 + [True]
    expected = replace(a_task(), status=TaskStatus.EXITED, exit_code=3, ended_at=88.0)
    assert await _task(store) == expected


async def test_a_kill_is_intended_only_while_the_task_runs(store: Store) -> None:
    await _add(store, a_task())

    before = await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))
    await _finish(store)
    after = await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))

    assert (before, after) == (True, False)
    assert (await _task(store)).kill_intended


async def test_nobody_cannot_be_ended_or_killed(store: Store) -> None:
    assert not await _finish(store)
    assert not await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))


async def _add(store: Store, task: Task) -> bool:
    if await store.read(lambda tx: tx.turns.get(task.turn_id)) is None:
        await have_turn(store, task.turn_id, task.session_id)
    return await store.write(lambda tx: tx.tasks.add_if_absent(task), lock=[task.session_id])


async def _finish(store: Store) -> bool:
    return await store.write(lambda tx: tx.tasks.finish_if_running("k1", EXITED), lock=["s1"])


async def _task(store: Store) -> Task:
    task = await store.read(lambda tx: tx.tasks.get("k1"))
    assert task is not None
    return task
