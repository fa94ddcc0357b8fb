"""Merges several sources into one."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import TypeVar

T = TypeVar("T")


async def merge(sources: Mapping[str, AsyncGenerator[T, None]]) -> AsyncGenerator[tuple[str, T], None]:
    """Yield the items of all sources as they arrive, with the source's name.

    No source runs ahead of the reader by more than one item.
    """
    awaited = {asyncio.ensure_future(anext(source)): name for name, source in sources.items()}
    try:
        while awaited:
            ready, _ = await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            while ready:
                item = ready.pop()
                name = awaited.pop(item)
                if isinstance(item.exception(), StopAsyncIteration):
                    continue
                given = item.result()
                awaited[asyncio.ensure_future(anext(sources[name]))] = name
                yield name, given
                # Free the item before the wait for the next one.
                del item, given
    finally:
        for item in awaited:
            item.cancel()
        await asyncio.gather(*awaited, return_exceptions=True)
        for source in sources.values():
            await source.aclose()
