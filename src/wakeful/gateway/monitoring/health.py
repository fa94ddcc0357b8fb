"""Whether the server works, for balancers and people: cheap, without a key, and with an answer while others have none.

The database and the disk are asked once a second at most, however many clients ask. A database that does not answer in
time counts as away; the question to it goes on, and no second one is asked meanwhile.
"""

import asyncio
import logging
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta
from starlette.responses import Response

from wakeful.engine.vitals import Vitals
from wakeful.errors import StoreError
from wakeful.store.base import Store, Transaction
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

HealthCheck = Callable[[], Awaitable[Response]]

_FRESH_SECONDS = 1.0
_PATIENCE_SECONDS = 1.5
# With less room than this the database may soon not be able to write.
_LITTLE_ROOM = 64 * 1024 * 1024
# A row that could have opened a turn and has not for so long: something is stuck.
_LONG_SECONDS = 30.0

_Seconds: TypeAlias = Annotated[float, Meta(ge=0)]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a look at the database and the disk has found."""

    is_reachable: bool
    oldest_waiting: float | None = None
    free_bytes: int | None = None

    @property
    def is_full(self) -> bool:
        return self.free_bytes is not None and self.free_bytes < _LITTLE_ROOM


class DatabaseState(Outgoing):
    reachable: bool
    seconds_since_success: Annotated[_Seconds | None, words("Since it last did something.")]
    queue: Annotated[int, Meta(ge=0), words("Writes that wait or are under way.")]
    oldest_waiting_seconds: Annotated[
        _Seconds | None, words("How long the row has waited that could have opened a turn before all others.")
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
    lease: Annotated[
        LeaseState | None, words("The lease of this server on its turns; null where the database is its own.")
    ]


class Working(_State):
    status: Literal["ok", "degraded"]


class Unreachable(_State):
    # Its database does not answer.
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
    ) -> None:
        """`folder` is on the disk that must not become full."""
        self._version = version
        self._store = store
        self._vitals = vitals
        self._is_stopping = is_stopping
        self._folder = folder
        self._seen = _Seen(is_reachable=False)
        self._seen_at = float("-inf")
        self._look: asyncio.Task[None] | None = None

    async def __call__(self) -> Response:
        if self._is_stopping():
            return JsonAnswer(Stopping(version=self._version), 503)
        seen, vitals = await self._fresh(), self._vitals()
        problems = _problems(seen, vitals)
        if not seen.is_reachable:
            return JsonAnswer(Unreachable(**self._state(seen, vitals, problems)), 503)
        status: Literal["ok", "degraded"] = "degraded" if problems else "ok"
        return JsonAnswer(Working(status=status, **self._state(seen, vitals, problems)))

    def _state(self, seen: _Seen, vitals: Vitals, problems: list[str]) -> dict[str, Any]:
        stats, left = self._store.stats, vitals.lease_seconds_left
        database = DatabaseState(
            reachable=seen.is_reachable,
            seconds_since_success=_rounded(stats.seconds_since_success),
            queue=stats.queue,
            oldest_waiting_seconds=_rounded(seen.oldest_waiting),
        )
        return {
            "version": self._version,
            "problems": problems,
            "database": database,
            "disk": DiskState(free_bytes=seen.free_bytes, full=seen.is_full),
            "lease": None
            if left is None
            else LeaseState(seconds_left=round(max(left, 0), 3), late=vitals.is_lease_late),
        }

    async def _fresh(self) -> _Seen:
        if time.monotonic() - self._seen_at >= _FRESH_SECONDS:
            if self._look is None or self._look.done():
                self._look = asyncio.create_task(self._look_now(), name="health")
            done, _ = await asyncio.wait([self._look], timeout=_PATIENCE_SECONDS)
            if not done:
                return _Seen(is_reachable=False, free_bytes=self._seen.free_bytes)
        return self._seen

    async def _look_now(self) -> None:
        free = None
        try:
            free = (await asyncio.to_thread(shutil.disk_usage, self._folder)).free
            self._seen = _Seen(True, await self._store.read(_oldest_waiting), free)
        except (StoreError, OSError):
            self._seen = _Seen(is_reachable=False, free_bytes=free)
        except Exception:  # Health must answer, whatever is broken.
            logger.exception("the look at the database broke")
            self._seen = _Seen(is_reachable=False, free_bytes=free)
        self._seen_at = time.monotonic()


async def _oldest_waiting(tx: Transaction) -> float | None:
    now = await tx.now()
    since = await tx.sessions.ready_since(now)
    return None if since is None else max(now - since, 0.0)


def _problems(seen: _Seen, vitals: Vitals) -> list[str]:
    waiting = seen.oldest_waiting or 0.0
    found = {
        "The database does not answer.": not seen.is_reachable,
        "The disk is full, or nearly so.": seen.is_full,
        "The lease could not be renewed in time.": vitals.is_lease_late,
        f"A message has been waiting for its turn for {waiting:.0f} seconds.": waiting > _LONG_SECONDS,
    }
    return [sentence for sentence, is_so in found.items() if is_so]


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
