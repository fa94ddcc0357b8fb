"""A source with pauses: its items in order, word of each wait, and an end that closes it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from tests.patience import PATIENCE
from wakeful.web.streams.pauses import with_pauses


async def test_waits_are_told_and_no_item_is_lost() -> None:
    may_go_on = asyncio.Event()

    async def items() -> AsyncGenerator[int, None]:
        yield 1
        await may_go_on.wait()
        yield 2

    told: list[int | None] = []
    async for item in with_pauses(items(), lambda: 0.001):
        told.append(item)
        if item is None:
            may_go_on.set()

    assert [item for item in told if item is not None] == [1, 2]
    assert None in told


async def test_a_reader_that_leaves_closes_the_source_whether_it_waits_or_not() -> None:
    closed: list[str] = []

    async def source(name: str, *, waits: bool) -> AsyncGenerator[int, None]:
        try:
            while True:
                yield 1
                if waits:
                    await asyncio.Event().wait()
        finally:
            closed.append(name)

    # Named, because a source that nobody holds any more is closed in any case.
    quick, slow = source("never waits", waits=False), source("waits", waits=True)
    async with asyncio.timeout(PATIENCE):
        async with aclosing(with_pauses(quick, lambda: None)) as items:
            assert await anext(items) == 1
        async with aclosing(with_pauses(slow, lambda: 0.001)) as items:
            assert [await anext(items), await anext(items)] == [1, None]

    assert closed == ["never waits", "waits"]
