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
