"""The thread that does a database's work in groups."""

import pytest

from wakeful.errors import StoreUnavailable
from wakeful.store.sqlite.worker import Worker, WorkItem


class _Broken(BaseException):
    """Nothing that anybody has foreseen."""


def _do(group: list[WorkItem[str]]) -> None:
    for item in group:
        if item.work == "break":
            raise _Broken
        item.result = item.work.upper()


def _take_all(waiting: list[WorkItem[str]]) -> list[WorkItem[str]]:
    group = waiting.copy()
    waiting.clear()
    return group


async def test_work_that_breaks_the_thread_fails_for_its_callers_and_the_next_is_done() -> None:
    worker = Worker("test", _take_all, _do, lambda _: None)

    with pytest.raises(_Broken):
        await worker.submit("break")
    assert await worker.submit("next") == "NEXT"
    await worker.close()


async def test_a_closed_worker_takes_nothing_more() -> None:
    worker = Worker("test", _take_all, _do, lambda _: None)
    last = worker.submit("last")
    await worker.close()

    with pytest.raises(StoreUnavailable, match="is closed"):
        worker.submit("late")
    assert await last == "LAST"


async def test_a_caller_that_has_gone_hurts_none_of_its_group() -> None:
    worker = Worker("test", _take_all, _do, lambda _: None)
    gone, stays = worker.submit("gone"), worker.submit("stays")
    gone.cancel()

    assert await stays == "STAYS"
    await worker.close()


async def test_what_was_done_is_reported_before_the_callers_go_on() -> None:
    happened: list[object] = []

    def do(group: list[WorkItem[str]]) -> int:
        _do(group)
        return len(group)

    worker = Worker("test", _take_all, do, happened.append)
    future = worker.submit("work")
    future.add_done_callback(lambda done: happened.append(done.result()))

    await future
    await worker.close()

    assert happened == [1, "WORK"]


async def test_work_that_was_not_chosen_is_done_next_and_before_a_close() -> None:
    def take_one(waiting: list[WorkItem[str]]) -> list[WorkItem[str]]:
        return [waiting.pop(0)]

    sizes: list[int] = []
    worker = Worker("test", take_one, _do, lambda _: sizes.append(1))
    futures = [worker.submit(work) for work in ("a", "b", "c")]
    await worker.close()

    assert [await future for future in futures] == ["A", "B", "C"]
    assert len(sizes) == 3


async def test_a_process_does_not_wait_for_its_thread_which_ends_with_a_close() -> None:
    worker = Worker("test", _take_all, _do, lambda _: None)
    assert worker._thread.daemon

    await worker.close()
    await worker.close()

    assert not worker._thread.is_alive()
