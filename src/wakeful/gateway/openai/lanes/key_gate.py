"""Requests with the same idempotency key at the same time, at this node: they pass one after another, so that one
begins and the others find what it has begun. Whichever passes at another node, the store decides.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class KeyGate:
    def __init__(self) -> None:
        # A lock is there as long as somebody holds it or waits for it.
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def passing(self, owner: str, key: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault((owner, key), asyncio.Lock())
        async with lock:
            yield
