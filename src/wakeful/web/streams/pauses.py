"""A source that also says when nothing has come for a while."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

T = TypeVar("T")


async def with_pauses(
    source: AsyncGenerator[T, None], patience: Callable[[], float | None]
) -> AsyncGenerator[T | None, None]:
    """What the source gives, and None whenever `patience` seconds have passed without anything. It is asked anew each
    time; None means for ever."""
    awaited: asyncio.Future[T] = asyncio.ensure_future(anext(source))
    try:
        while True:
            await asyncio.wait({awaited}, timeout=patience())
            if not awaited.done():
                yield None
                continue
            if isinstance(awaited.exception(), StopAsyncIteration):
                return
            yield awaited.result()
            # This drops the item before the wait for the next one.
            awaited = asyncio.ensure_future(anext(source))
    finally:
        awaited.cancel()
        await asyncio.gather(awaited, return_exceptions=True)
        await source.aclose()
