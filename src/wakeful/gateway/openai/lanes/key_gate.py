"""Serialises simultaneous requests with the same idempotency key on this node: the first begins a turn and the others
find it. Between nodes the store decides.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class KeyGate:
    def __init__(self) -> None:
        # A lock disappears once no request holds it or waits for it.
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def passing(self, owner: str, key: str) -> AsyncIterator[None]:
        lock = self._locks.setdefault((owner, key), asyncio.Lock())
        async with lock:
            yield
