"""Work that is under way ends, whatever becomes of who has asked for it."""

import asyncio
import threading

import pytest

from tests.patience import PATIENCE
from wakeful.under_way import UnderWay, in_thread_to_its_end


async def test_a_caller_who_is_cancelled_twice_waits_for_the_thread_and_is_cancelled_then() -> None:
    began, may_end, ended = threading.Event(), threading.Event(), []

    def act() -> None:
        began.set()
        may_end.wait(PATIENCE)
        ended.append(True)

    calling = asyncio.create_task(in_thread_to_its_end(act))
    await asyncio.to_thread(began.wait, PATIENCE)
    for _ in range(2):
        calling.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not calling.done()
    may_end.set()

    with pytest.raises(asyncio.CancelledError):
        await calling
    assert ended


async def test_what_a_thread_returns_or_raises_reaches_its_caller() -> None:
    assert await in_thread_to_its_end(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        await in_thread_to_its_end(lambda: 1 // 0)


async def test_work_goes_on_without_its_caller_and_is_waited_for() -> None:
    under_way, may_end, ended = UnderWay(), asyncio.Event(), []

    async def work() -> None:
        await may_end.wait()
        ended.append(True)

    calling = asyncio.create_task(under_way.to_its_end(work(), ["one"]))
    await asyncio.sleep(0)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert list(under_way.jobs.values()) == [["one"]]

    waiting = asyncio.create_task(under_way.ended())
    await asyncio.sleep(0)
    assert not waiting.done()
    may_end.set()
    async with asyncio.timeout(PATIENCE):
        await waiting
    assert (ended, under_way.jobs) == ([True], {})


async def test_an_error_or_an_end_that_nobody_waits_for_is_no_complaint() -> None:
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
    under_way, stands = UnderWay(), asyncio.Event()

    async def fail() -> None:
        await stands.wait()
        raise OSError("It failed.")

    for work in (fail(), asyncio.Event().wait()):
        calling = asyncio.create_task(under_way.to_its_end(work))
        await asyncio.sleep(0)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
    stands.set()
    for job in list(under_way.jobs)[1:]:
        job.cancel()
    async with asyncio.timeout(PATIENCE):
        await under_way.ended()
    del job, calling

    assert complaints == []
