"""The memory of a door, for tests of adapters: it is kept while processes come and go, and can fail."""

import asyncio
from collections.abc import Callable
from typing import Any

from wakeful.errors import StoreError
from wakeful.gateway.messaging.needs import DoorMemory


class KeptMemory:
    """What the store keeps for the door, while there is more than one process."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {"secret": "kept too"}
        # How many times it fails before it keeps something.
        self.failures = 0
        self.writes = 0
        self._changed = asyncio.Condition()

    @property
    def memory(self) -> DoorMemory:
        return DoorMemory(self._read, self._write)

    async def until(self, condition: Callable[[], object]) -> None:
        async with self._changed:
            await self._changed.wait_for(condition)

    async def _read(self) -> dict[str, Any]:
        return self.values

    async def _write(self, values: dict[str, Any]) -> None:
        if self.failures:
            self.failures -= 1
            await self._tell()
            raise StoreError("The store is away.")
        self.values |= values
        self.writes += 1
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()
