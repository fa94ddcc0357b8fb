"""Group commit for new sessions: one job opens all that are queued in one transaction, without a timer."""

import asyncio
import copy
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.errors import NameTaken, StoreUnavailable
from wakeful.model.opening import Opened, Opening
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.pool import PostgresPool
from wakeful.store.postgres.tables.turns.openings import open_all
from wakeful.store.postgres.transaction import WRITE, commit

# Bounded so that the first in a group does not wait long for the others.
_LARGEST_GROUP = 256


@dataclass(slots=True)
class _Waiting:
    opening: Opening
    future: asyncio.Future[Opened]

    def settle(self, answer: Opened | BaseException) -> None:
        if self.future.done():
            return  # The caller was cancelled.
        if isinstance(answer, BaseException):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)


class Opener:
    def __init__(self, pool: PostgresPool, notifier: PostgresNotifier) -> None:
        self._pool = pool
        self._notifier = notifier
        self._queue: deque[_Waiting] = deque()
        self._has_work = asyncio.Event()
        self._is_closed = False
        self._job = asyncio.create_task(self._run(), name="postgres-opener")

    def submit(self, opening: Opening) -> asyncio.Future[Opened]:
        future: asyncio.Future[Opened] = asyncio.get_running_loop().create_future()
        self._queue.append(_Waiting(opening, future))
        self._has_work.set()
        return future

    async def close(self) -> None:
        """Write the queued openings, then end the job."""
        self._is_closed = True
        self._has_work.set()
        await self._job

    async def _run(self) -> None:
        while self._queue or not self._is_closed:
            await self._has_work.wait()
            self._has_work.clear()
            while self._queue:
                size = min(len(self._queue), _LARGEST_GROUP)
                await self._open([self._queue.popleft() for _ in range(size)])

    async def _open(self, group: Sequence[_Waiting]) -> None:
        """Write a group and settle its futures. Errors do not end the job, and each caller gets its own copy."""
        try:
            opened = await self._commit([waiting.opening for waiting in group])
        except Exception as error:
            # If the connection broke, the server may have committed: a retry would conflict with its own sessions.
            if len(group) == 1 or isinstance(error, StoreUnavailable):
                for waiting in group:
                    waiting.settle(_copy(error))
            else:
                for waiting in group:
                    await self._open([waiting])
        else:
            for waiting in group:
                waiting.settle(opened.get(waiting.opening.turn.session_id) or NameTaken())

    async def _commit(self, openings: Sequence[Opening]) -> dict[str, Opened]:
        footprint = Footprint(None)
        async with self._pool.transaction(WRITE) as connection:
            opened = await open_all(connection, openings)
            for one in opened.values():
                footprint.note_appended(one.events)
            await commit(connection, self._notifier, footprint.signal)
        return opened


def _copy(error: Exception) -> Exception:
    own = copy.copy(error)
    own.__cause__ = error
    return own
