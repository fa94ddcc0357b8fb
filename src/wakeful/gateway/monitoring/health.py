"""The health check, for load balancers and people. It is cheap, needs no key and answers even when the database hangs.

The database and the disk are checked at most once a second, however many clients ask. A database that does not answer
in time counts as unreachable; its check keeps running, and no second one starts meanwhile.
"""

import asyncio
import logging
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta
from starlette.responses import Response

from wakeful.engine.vitals import Vitals
from wakeful.errors import StoreError
from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.store.base import Store, Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

HealthCheck = Callable[[], Awaitable[Response]]

_FRESH_SECONDS = 1.0
_PATIENCE_SECONDS = 1.5
# With fewer free bytes than this, the database may soon fail to write.
_FEW_BYTES = 64 * 1024 * 1024
# A message that is ready and has opened no turn for this long means that something is stuck.
_STUCK_SECONDS = 30.0

_Seconds: TypeAlias = Annotated[float, Meta(ge=0)]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Check:
    """The result of a check of the database and the disk."""

    is_reachable: bool
    oldest_waiting: float | None = None
    free_bytes: int | None = None

    @property
    def is_full(self) -> bool:
        return self.free_bytes is not None and self.free_bytes < _FEW_BYTES


class DatabaseState(Outgoing):
    reachable: bool
    seconds_since_success: Annotated[_Seconds | None, words("Since its last success.")]
    queue: Annotated[int, Meta(ge=0), words("Writes that wait or are under way.")]
    oldest_waiting_seconds: Annotated[
        _Seconds | None, words("How long the oldest message that could open a turn has waited.")
    ]


class DiskState(Outgoing):
    free_bytes: Annotated[int | None, Meta(ge=0)]
    full: bool


class LeaseState(Outgoing):
    seconds_left: _Seconds
    late: bool


class _State(Outgoing):
    version: str
    problems: Annotated[list[str], words("What is wrong, in sentences.")]
    database: DatabaseState
    disk: DiskState
    lease: Annotated[LeaseState | None, words("This server's lease on its turns; null with SQLite, which needs none.")]
    platforms: Annotated[dict[str, DoorState], words("The messaging platforms that are set up.")]


class Working(_State):
    status: Literal["ok", "degraded"]


class Unreachable(_State):
    # The database does not answer.
    status: Literal["degraded"] = "degraded"


class Stopping(Outgoing):
    status: Literal["stopping"] = "stopping"
    version: str


class Health:
    def __init__(
        self,
        version: str,
        store: Store,
        vitals: Callable[[], Vitals],
        is_stopping: Callable[[], bool],
        folder: Path,
        doors: Callable[[], Mapping[str, DoorStatus]] = dict,
    ) -> None:
        """`folder` is on the disk whose free space is checked; `doors` are those of the messaging platforms."""
        self._version = version
        self._store = store
        self._vitals = vitals
        self._is_stopping = is_stopping
        self._folder = folder
        self._doors = doors
        self._last = _Check(is_reachable=False)
        self._checked_at = float("-inf")
        self._checking: asyncio.Task[None] | None = None

    async def __call__(self) -> Response:
        if self._is_stopping():
            return JsonAnswer(Stopping(version=self._version), 503)
        check, vitals = await self._fresh(), self._vitals()
        problems = _problems(check, vitals)
        if not check.is_reachable:
            return JsonAnswer(Unreachable(**self._state(check, vitals, problems)), 503)
        status: Literal["ok", "degraded"] = "degraded" if problems else "ok"
        return JsonAnswer(Working(status=status, **self._state(check, vitals, problems)))

    def _state(self, check: _Check, vitals: Vitals, problems: list[str]) -> dict[str, Any]:
        stats, left = self._store.stats, vitals.lease_seconds_left
        database = DatabaseState(
            reachable=check.is_reachable,
            seconds_since_success=_rounded(stats.seconds_since_success),
            queue=stats.queue,
            oldest_waiting_seconds=_rounded(check.oldest_waiting),
        )
        return {
            "version": self._version,
            "problems": problems,
            "database": database,
            "disk": DiskState(free_bytes=check.free_bytes, full=check.is_full),
            "lease": None
            if left is None
            else LeaseState(seconds_left=round(max(left, 0), 3), late=vitals.is_lease_late),
            "platforms": {name: door.state for name, door in self._doors().items()},
        }

    async def _fresh(self) -> _Check:
        if time.monotonic() - self._checked_at >= _FRESH_SECONDS:
            if self._checking is None or self._checking.done():
                self._checking = asyncio.create_task(self._check_now(), name="health")
            done, _ = await asyncio.wait([self._checking], timeout=_PATIENCE_SECONDS)
            if not done:
                return _Check(is_reachable=False, free_bytes=self._last.free_bytes)
        return self._last

    async def _check_now(self) -> None:
        free = None
        try:
            free = (await asyncio.to_thread(shutil.disk_usage, self._folder)).free
            self._last = _Check(True, await self._store.read(_oldest_waiting), free)
        except (StoreError, OSError):
            self._last = _Check(is_reachable=False, free_bytes=free)
        except Exception:  # Health must answer, whatever is broken.
            logger.exception("the health check of the database failed")
            self._last = _Check(is_reachable=False, free_bytes=free)
        self._checked_at = time.monotonic()


async def _oldest_waiting(tx: Transaction) -> float | None:
    now = await tx.now()
    since = await tx.sessions.ready_since(now)
    return None if since is None else max(now - since, 0.0)


def _problems(check: _Check, vitals: Vitals) -> list[str]:
    waiting = check.oldest_waiting or 0.0
    found = {
        "The database does not answer.": not check.is_reachable,
        "The disk is full, or nearly so.": check.is_full,
        "The lease could not be renewed in time.": vitals.is_lease_late,
        f"A message has been waiting for its turn for {waiting:.0f} seconds.": waiting > _STUCK_SECONDS,
    }
    return [sentence for sentence, is_so in found.items() if is_so]


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
