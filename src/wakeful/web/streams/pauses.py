"""Wraps a source so that it also reports pauses."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

T = TypeVar("T")


async def with_pauses(
    source: AsyncGenerator[T, None], patience: Callable[[], float | None]
) -> AsyncGenerator[T | None, None]:
    """Yield the source's items, and None after each wait of `patience()` seconds without one.

    `patience` is called before each wait; if it returns None, the wait has no limit.
    """
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
            # Replacing the future frees the item before the wait for the next one.
            awaited = asyncio.ensure_future(anext(source))
    finally:
        awaited.cancel()
        await asyncio.gather(awaited, return_exceptions=True)
        await source.aclose()
