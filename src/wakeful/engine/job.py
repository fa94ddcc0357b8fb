"""A background job: a sweep that is repeated for ever, and survives a failing store and bad rows.

A sweep returns the seconds until the next one is due, or None to wait until `wake` is called. It handles each row
through `row`, so that an error in one row does not affect the others.
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

# The pause after a failure; it doubles with each failure in a row.
_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 10.0
_LONGEST_REST_SECONDS = 60.0
# The store's clock may be set without notice: rows that become due by that are found after at most this long.
_LONGEST_WAIT_SECONDS = 60.0

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class JobCounts:
    runs: int = 0
    failures: int = 0
    # Rows that raised, or that the store refused.
    row_failures: int = 0
    # Wall-clock time; 0 before the first success.
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
        """Setting `changed` asks for a sweep, which then runs `settling_seconds` later."""
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
        # How many times in a row each row has raised, and the timers of rows that are skipped for now.
        self._broken_rows: Counter[str] = Counter()
        self._resting: dict[str, asyncio.Task[None]] = {}
        # The rows that the current sweep has tried.
        self._tried: set[str] = set()

    def wake(self) -> None:
        """Ask for a sweep soon."""
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
        """Run one sweep; errors are logged and counted, not raised."""
        self._changed.clear()
        self._tried.clear()
        self.counts.runs += 1
        try:
            self._wait = await self._sweep()
        except StoreError as error:
            self._note_failure()
            # Logged at failures 1, 2, 4, 8 …: a job that retries often must not fill the log in a long outage.
            if self._failed_in_a_row.bit_count() == 1:
                logger.warning("%s: the store failed, trying again: %s", self.name, error)
        except Exception:  # A background job's boundary: the job must go on.
            logger.exception("%s: the sweep failed, trying again", self.name)
            self._note_failure()
        else:
            self._failed_in_a_row = 0
            self._forget_gone_rows()
            self.counts.last_success = time.time()

    async def row(self, row_id: str, act: Callable[[], Awaitable[object]]) -> bool:
        """Handle one row and return whether that succeeded. A row that raised is skipped for a while, longer each
        time, and then asks for a sweep; other rows are not delayed.
        """
        if row_id in self._resting:
            return False
        self._tried.add(row_id)
        try:
            await act()
        except StoreError as error:
            # The store failed, not the row: the skip does not grow.
            logger.warning("%s: %s waits for the store: %s", self.name, row_id, error)
            self._rest(row_id, _PAUSE_SECONDS)
            return False
        except Exception:  # One row's boundary.
            self._broken_rows[row_id] += 1
            seconds = _doubled(self._broken_rows[row_id], _LONGEST_REST_SECONDS)
            logger.exception("%s: %s failed and is skipped for %g s", self.name, row_id, seconds)
            self._rest(row_id, seconds)
            return False
        self._broken_rows.pop(row_id, None)
        return True

    async def _pause(self) -> None:
        if self._failed_in_a_row:
            # `wake` does not cut this pause short: it would only query a store that is down more often.
            await self._clock.wait(self._never, _doubled(self._failed_in_a_row, self._longest_pause))
        elif self._wait is None or self._wait > 0:
            await self._clock.wait(self._changed, _capped(self._wait))
            if self._settling and self._changed.is_set():
                await self._clock.wait(self._never, self._settling)

    def _forget_gone_rows(self) -> None:
        """Forget failures of rows that no longer exist: the sweep neither tried nor skipped them."""
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
