"""Bodies take memory within one bound, in the order in which they come."""

import asyncio

import pytest

from wakeful.wire import body_room
from wakeful.wire.body_room import BodyRoom, NoRoom


async def hold(room: BodyRoom, size: int, log: list[int], release: asyncio.Event) -> None:
    async with room.taken(size):
        log.append(size)
        await release.wait()


async def test_a_body_waits_until_one_before_it_is_done() -> None:
    room, log, release = BodyRoom(10), list[int](), asyncio.Event()
    first = asyncio.create_task(hold(room, 7, log, release))
    second = asyncio.create_task(hold(room, 5, log, release))
    third = asyncio.create_task(hold(room, 1, log, release))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    # The third would fit, but a large one must not wait for ever behind small ones.
    assert log == [7]

    release.set()
    await asyncio.gather(first, second, third)

    assert log == [7, 5, 1]


async def test_where_no_room_comes_free_a_body_is_refused_and_leaves_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_room, "_WAIT_SECONDS", 0.01)
    room = BodyRoom(10)
    async with room.taken(8):
        with pytest.raises(NoRoom):
            async with room.taken(3):
                pass
        async with room.taken(2):
            pass

    async with room.taken(10):
        pass


@pytest.mark.parametrize("when", ["while it waits", "just before it is its turn", "when it is its turn"])
async def test_a_body_whose_client_leaves_takes_nothing_and_frees_nothing_of_others(
    monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    room, log, release = BodyRoom(10), list[int](), asyncio.Event()
    async with room.taken(10):
        waiting = asyncio.create_task(hold(room, 4, log, release))
        await asyncio.sleep(0)
        if when == "while it waits":
            await ended(waiting)
        elif when == "just before it is its turn":
            waiting.cancel()
    await ended(waiting)

    assert log == []
    monkeypatch.setattr(body_room, "_WAIT_SECONDS", 0.01)
    async with room.taken(10):
        with pytest.raises(NoRoom):
            async with room.taken(1):
                pass


async def test_those_behind_a_body_that_gives_up_go_on() -> None:
    room, log, release = BodyRoom(10), list[int](), asyncio.Event()
    async with room.taken(8):
        large, small = (asyncio.create_task(hold(room, size, log, release)) for size in (5, 2))
        await asyncio.sleep(0)

        await ended(large)
        await asyncio.sleep(0)

        assert log == [2]
    release.set()
    await small


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
