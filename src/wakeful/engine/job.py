"""A background job: a sweep that is made again and again, and that neither a failing store nor one bad row ends.

A sweep says how many seconds it may be until the next one; None: until something happens. What a sweep does for each
row it does through `row`, so that one row's trouble stays its own.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from wakeful.engine.ports import Clock
from wakeful.errors import StoreError

Sweep = Callable[[], Awaitable[float | None]]

# After trouble, give the store a moment; it doubles while the trouble lasts.
_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 10.0
_LONGEST_REST_SECONDS = 60.0
# The store's clock may be set at any time: what that makes due is seen after so long.
_LONGEST_WAIT_SECONDS = 60.0

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class JobCounts:
    runs: int = 0
    failures: int = 0
    # Rows that broke, or that the store did not take.
    row_failures: int = 0
    # By the clock on the wall; 0 while there was none.
    last_success: float = 0.0


class Job:
    def __init__(
        self,
        name: str,
        sweep: Sweep,
        clock: Clock,
        *,
        changed: asyncio.Event | None = None,
        first_wait: float | None = 0.0,
        settling_seconds: float = 0.0,
        longest_pause: float = _LONGEST_PAUSE_SECONDS,
    ) -> None:
        """`changed` asks for a sweep, which is then made `settling_seconds` later."""
        self.name = name
        self.counts = JobCounts()
        self._sweep = sweep
        self._clock = clock
        self._changed = changed or asyncio.Event()
        self._never = asyncio.Event()
        self._settling = settling_seconds
        self._longest_pause = longest_pause
        self._wait = first_wait
        self._failed_in_a_row = 0
        # How often in a row each of them broke, and those that are left out for a while.
        self._broken_rows: Counter[str] = Counter()
        self._resting: dict[str, asyncio.Task[None]] = {}
        # Those of the sweep that is being made.
        self._tried: set[str] = set()

    def wake(self) -> None:
        """Something happened that the next sweep should see."""
        self._changed.set()

    async def run(self) -> NoReturn:
        try:
            while True:
                await self._pause()
                await self.look()
        finally:
            for rest in self._resting.values():
                rest.cancel()

    async def look(self) -> None:
        """Make one sweep, whatever becomes of it."""
        self._changed.clear()
        self._tried.clear()
        self.counts.runs += 1
        try:
            self._wait = await self._sweep()
        except StoreError as error:
            self._note_failure()
            # The first, second, fourth, eighth time …: a job that tries often must not fill the log of a long outage.
            if self._failed_in_a_row.bit_count() == 1:
                logger.warning("%s: the store does not let it work: %s", self.name, error)
        except Exception:  # The boundary of a background job: it must go on.
            logger.exception("%s broke and goes on", self.name)
            self._note_failure()
        else:
            self._failed_in_a_row = 0
            self._forget_gone_rows()
            self.counts.last_success = time.time()

    async def row(self, row_id: str, act: Callable[[], Awaitable[object]]) -> bool:
        """Do it for one row; whether that was done. One that broke is left out for a while, longer each time, and then
        asks for a sweep: the others neither wait nor suffer for it.
        """
        if row_id in self._resting:
            return False
        self._tried.add(row_id)
        try:
            await act()
        except StoreError as error:
            # The store's trouble is not the row's.
            logger.warning("%s: %s has to wait: %s", self.name, row_id, error)
            self._rest(row_id, _PAUSE_SECONDS)
            return False
        except Exception:  # The boundary of a row.
            self._broken_rows[row_id] += 1
            seconds = _doubled(self._broken_rows[row_id], _LONGEST_REST_SECONDS)
            logger.exception("%s: %s broke and is left out for %g s", self.name, row_id, seconds)
            self._rest(row_id, seconds)
            return False
        self._broken_rows.pop(row_id, None)
        return True

    async def _pause(self) -> None:
        if self._failed_in_a_row:
            # News does not cut it short: a store that is down is not asked more often for it.
            await self._clock.wait(self._never, _doubled(self._failed_in_a_row, self._longest_pause))
        elif self._wait is None or self._wait > 0:
            await self._clock.wait(self._changed, _capped(self._wait))
            if self._settling and self._changed.is_set():
                await self._clock.wait(self._never, self._settling)

    def _forget_gone_rows(self) -> None:
        """What neither rests nor was tried is not there any more."""
        for row_id in self._broken_rows.keys() - self._resting.keys() - self._tried:
            del self._broken_rows[row_id]

    def _note_failure(self) -> None:
        self._failed_in_a_row += 1
        self.counts.failures += 1

    def _rest(self, row_id: str, seconds: float) -> None:
        self.counts.row_failures += 1
        self._resting[row_id] = asyncio.create_task(self._wake_after(row_id, seconds), name=f"{row_id} rests")

    async def _wake_after(self, row_id: str, seconds: float) -> None:
        await self._clock.wait(self._never, seconds)
        del self._resting[row_id]
        self.wake()


def _doubled(times: int, longest: float) -> float:
    return min(_PAUSE_SECONDS * 2.0 ** min(times - 1, 10), longest)


def _capped(wait: float | None) -> float | None:
    return None if wait is None else min(wait, _LONGEST_WAIT_SECONDS)
