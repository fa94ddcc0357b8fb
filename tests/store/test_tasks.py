"""Background tasks: one for each part of a call, ended once."""

import asyncio
from dataclasses import replace

from tests.store.conftest import FakeClock
from tests.store.nouns import a_row, a_task, have_row, have_task, needs_lock
from wakeful.model.inbox import RowKind, RowStatus
from wakeful.model.tasks.task import Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.store.base import Store

EXITED = TaskOutcome(TaskStatus.EXITED, 3, "notice", result="last\0 words 漢字")


async def test_a_task_is_read_back_whole(store: Store) -> None:
    task = a_task(
        kind=TaskKind.DELEGATION,
        command="echo 'a\0b' 漢字",
        will_notify=False,
        part=2,
        is_inline=True,
        spec=b'{"cwd": "/\xff"}',
        watch=b'{"offset": 7}',
        attempt=3,
        node="node1",
        child_session_id="s2",
    )

    assert await have_task(store, task)

    assert await _task(store) == task


async def test_an_unknown_task_is_none(store: Store) -> None:
    assert await store.read(lambda tx: tx.tasks.get("k1")) is None


async def test_a_part_of_a_call_has_one_task(store: Store) -> None:
    await have_task(store, a_task("k1", part=1))

    again = await have_task(store, a_task("k2", part=1))
    next_part = await have_task(store, a_task("k3", part=0))
    next_call = await have_task(store, a_task("k4", index=2))

    assert (again, next_part, next_call) == (False, True, True)
    assert await store.read(lambda tx: tx.tasks.get("k2")) is None
    assert _ids(await store.read(lambda tx: tx.tasks.of_call("t1", 1, 1))) == ["k3", "k1"]
    assert await store.read(lambda tx: tx.tasks.of_call("t1", 2, 1)) == []


async def test_the_tasks_of_a_session_come_oldest_first(store: Store) -> None:
    await have_task(store, a_task("k3", index=3, started_at=1.0))
    await have_task(store, a_task("k2", index=2, started_at=2.0))
    await have_task(store, a_task("k1", index=1, started_at=2.0))
    await have_task(store, a_task("k4", "s2", turn_id="t2"))

    assert _ids(await store.read(lambda tx: tx.tasks.of_session("s1"))) == ["k3", "k1", "k2"]


async def test_the_recent_tasks_are_the_running_ones_and_the_newest_ended_ones(store: Store) -> None:
    for number in range(1, 6):
        await have_task(store, a_task(f"k{number}", index=number, started_at=float(number)))
    await have_task(store, a_task("k9", "s2", turn_id="t2"))
    for name in ("k2", "k3", "k5"):
        await _finish(store, name)

    assert _ids(await store.read(lambda tx: tx.tasks.recent("s1", ended=2))) == ["k5", "k4", "k3", "k1"]
    assert _ids(await store.read(lambda tx: tx.tasks.recent("s1", ended=0))) == ["k4", "k1"]


async def test_a_page_has_the_newest_tasks_of_an_owner_or_of_all(store: Store) -> None:
    for number, owner in enumerate(["alice", "alice", "bob", "alice"], start=1):
        await have_task(store, a_task(f"k{number}", f"s{number}", index=number, owner=owner, started_at=float(number)))

    assert _ids(await store.read(lambda tx: tx.tasks.page("alice", limit=2))) == ["k4", "k2"]
    assert _ids(await store.read(lambda tx: tx.tasks.page(None, limit=3))) == ["k4", "k3", "k2"]


async def test_a_task_knows_what_became_of_its_notice(store: Store) -> None:
    await have_task(store, a_task("k1"))
    await have_row(store, a_row("task:k1", "s2", kind=RowKind.NOTICE))
    before = await _task(store)

    row = await have_row(store, a_row("task:k1", kind=RowKind.NOTICE))
    pending = await _task(store)
    await store.write(lambda tx: tx.inbox.claim([row.id], "t5"), lock=["s1"])
    claimed = await _task(store)

    assert (before.notice_status, before.woke_turn_id) == (None, None)
    assert (pending.notice_status, pending.woke_turn_id) == (RowStatus.PENDING, None)
    assert (claimed.notice_status, claimed.woke_turn_id) == (RowStatus.CLAIMED, "t5")
    assert await store.read(lambda tx: tx.tasks.of_session("s1")) == [claimed]


async def test_a_task_ends_once(store: Store, clock: FakeClock) -> None:
    await have_task(store, a_task())
    await clock.set(88.0)

    ended = await asyncio.gather(*(_finish(store) for _ in range(10)))

    assert sorted(ended) == [False] * 9 + [True]
    expected = replace(a_task(), status=TaskStatus.EXITED, exit_code=3, result=EXITED.result, ended_at=88.0)
    assert await _task(store) == expected


async def test_a_kill_is_intended_only_while_the_task_runs(store: Store) -> None:
    await have_task(store, a_task())

    before = await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))
    await _finish(store)
    after = await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))

    assert (before, after) == (True, False)
    assert (await _task(store)).kill_intended


async def test_the_kill_of_what_a_turn_waits_for_leaves_all_else_alone(store: Store) -> None:
    await have_task(store, a_task("inline", index=1, is_inline=True))
    await have_task(store, a_task("ended", index=2, is_inline=True))
    await have_task(store, a_task("apart", index=3))
    await have_task(store, a_task("other", turn_id="t2", is_inline=True))
    await _finish(store, "ended")

    await store.write(lambda tx: tx.tasks.intend_kill_of_inline("t1"))

    assert _ids(await store.read(lambda tx: tx.tasks.running_in("s1"))) == ["apart", "inline", "other"]
    killed = [task.id for task in await store.read(lambda tx: tx.tasks.of_session("s1")) if task.kill_intended]
    assert killed == ["inline"]


async def test_a_missing_task_cannot_be_ended_or_killed(store: Store) -> None:
    assert not await _finish(store)
    assert not await store.write(lambda tx: tx.tasks.intend_kill_if_running("k1"))


async def test_a_spawn_is_counted_once_and_only_while_the_task_runs(store: Store) -> None:
    await have_task(store, a_task())

    counted = await asyncio.gather(*(_next_attempt(store, 1) for _ in range(5)))
    await _finish(store)

    assert sorted(counted) == [False] * 4 + [True]
    assert not await _next_attempt(store, 2)
    assert (await _task(store)).attempt == 2


async def test_a_watch_is_saved_and_the_promise_changes_only_when_it_is_named(store: Store) -> None:
    await have_task(store, a_task(will_notify=False))

    await store.write(lambda tx: tx.tasks.save_watch("k1", b'{"offset": 5}'))
    first = await _task(store)
    await store.write(lambda tx: tx.tasks.save_watch("k1", b'{"offset": 9}', will_notify=True))
    second = await _task(store)

    assert (first.watch, first.will_notify) == (b'{"offset": 5}', False)
    assert (second.watch, second.will_notify) == (b'{"offset": 9}', True)


async def test_the_promises_of_what_runs_in_a_session_are_taken_back(store: Store) -> None:
    for name, session_id in (("k1", "s1"), ("k2", "s1"), ("k3", "s3")):
        await have_task(store, a_task(name, session_id, turn_id=f"t{session_id}", index=int(name[1])))
    await _finish(store, "k2")

    await store.write(lambda tx: tx.tasks.take_promises_back("s1"), lock=["s1"])

    found = await store.read(lambda tx: tx.tasks.page(None, limit=9))
    assert {task.id: task.will_notify for task in found} == {"k1": False, "k2": True, "k3": True}


async def _next_attempt(store: Store, attempt: int) -> bool:
    return await store.write(lambda tx: tx.tasks.next_attempt_if("k1", attempt))


async def _finish(store: Store, task_id: str = "k1") -> bool:
    return await store.write(lambda tx: tx.tasks.finish_if_running(task_id, EXITED), lock=["s1"])


async def _task(store: Store) -> Task:
    task = await store.read(lambda tx: tx.tasks.get("k1"))
    assert task is not None
    return task


def _ids(tasks: list[Task]) -> list[str]:
    return [task.id for task in tasks]


async def test_a_task_begins_and_ends_only_under_the_lock_of_its_session(store: Store) -> None:
    await have_task(store, a_task())

    assert await needs_lock(store, lambda tx: tx.tasks.add_if_absent(a_task("k2", index=2)))
    assert await needs_lock(store, lambda tx: tx.tasks.finish_if_running("k1", TaskOutcome(TaskStatus.EXITED, 0, "")))
    assert await needs_lock(store, lambda tx: tx.tasks.take_promises_back("s1"))
    assert await store.read(lambda tx: tx.tasks.of_session("s1")) == [a_task()]
