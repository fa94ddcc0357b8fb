"""Group commit for what streams: one job that writes whatever is queued in one transaction, without a timer."""

import asyncio
import copy
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from wakeful.errors import LeaseLost
from wakeful.model.event import Event, NewEvent
from wakeful.model.turn import Lease
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import Connection
from wakeful.store.postgres.events import copy_events
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.pool import Pool
from wakeful.store.postgres.sessions import lock_sessions
from wakeful.store.postgres.transaction import WRITE, commit

# A group is bounded so that the first in it does not wait for ever while others keep coming.
_LARGEST_GROUP = 1000

# A plan made for a small group compares each turn of a large one with each other: plan anew, and never like that.
SETTINGS = {"plan_cache_mode": "force_custom_plan", "enable_nestloop": "off"}

_COUNT_IN_TURNS = """
    UPDATE turns t SET last_seq = t.last_seq + g.count
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS g (id, epoch, count)
    WHERE t.id = ANY($1) AND t.id = g.id AND t.epoch = g.epoch AND t.status = 'running'
    RETURNING t.id, t.epoch, t.last_seq - g.count AS last_seq
"""
_COUNT_IN_SESSIONS = """
    UPDATE sessions s SET last_seq = s.last_seq + g.count, updated_at = wakeful_now()
    FROM unnest($1::text[], $2::bigint[]) AS g (id, count)
    WHERE s.id = ANY($1) AND s.id = g.id
    RETURNING s.id, s.last_seq - g.count AS last_seq, s.updated_at AS at
"""


@dataclass(slots=True)
class _Append:
    lease: Lease
    events: Sequence[NewEvent]
    future: asyncio.Future[list[Event]]

    @property
    def fence(self) -> tuple[str, int]:
        return self.lease.turn_id, self.lease.epoch

    def succeed(self, numbered: list[Event]) -> None:
        if not self.future.done():  # Whoever asked may have gone away.
            self.future.set_result(numbered)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


@dataclass(slots=True)
class _Counters:
    """The last numbers given out, of each turn whose lease holds and of each of their sessions."""

    of_turn: dict[tuple[str, int], int]
    of_session: dict[str, int]
    at: dict[str, float]

    def number(self, append: _Append) -> list[Event]:
        session_id, turn_id = append.lease.session_id, append.lease.turn_id
        session_seq, turn_seq = self.of_session[session_id], self.of_turn[append.fence]
        self.of_session[session_id] += len(append.events)
        self.of_turn[append.fence] += len(append.events)
        at = self.at[session_id]
        return [
            Event(session_id, session_seq + i, turn_id, turn_seq + i, event.kind, event.payload, at)
            for i, event in enumerate(append.events, start=1)
        ]


class Appender:
    def __init__(self, pool: Pool, notifier: PostgresNotifier) -> None:
        self._pool = pool
        self._notifier = notifier
        self._queue: deque[_Append] = deque()
        self._has_work = asyncio.Event()
        self._is_closed = False
        self._job = asyncio.create_task(self._run(), name="postgres-appender")

    def submit(self, lease: Lease, events: Sequence[NewEvent]) -> asyncio.Future[list[Event]]:
        future: asyncio.Future[list[Event]] = asyncio.get_running_loop().create_future()
        self._queue.append(_Append(lease, events, future))
        self._has_work.set()
        return future

    async def close(self) -> None:
        """Write what is queued, then end the job."""
        self._is_closed = True
        self._has_work.set()
        await self._job

    async def _run(self) -> None:
        while self._queue or not self._is_closed:
            await self._has_work.wait()
            self._has_work.clear()
            while self._queue:
                size = min(len(self._queue), _LARGEST_GROUP)
                await self._write([self._queue.popleft() for _ in range(size)])

    async def _write(self, group: list[_Append]) -> None:
        try:
            await self._commit(group)
        except Exception as error:
            # The job must live on; those who asked have to know, each with an error of its own to raise.
            for append in group:
                own = copy.copy(error)
                own.__cause__ = error
                append.fail(own)

    async def _commit(self, group: list[_Append]) -> None:
        """One transaction, and as many round trips for a thousand appends as for one."""
        footprint = Footprint(None)
        async with self._pool.transaction(WRITE) as connection:
            await lock_sessions(connection, dict.fromkeys(append.lease.session_id for append in group))
            counters = await _count(connection, group)
            written = [(a, counters.number(a)) for a in group if a.fence in counters.of_turn]
            for _, numbered in written:
                footprint.note_appended(numbered)
            if footprint.events:
                await copy_events(connection, footprint.events)
            await commit(connection, self._notifier, footprint.signal)
            for append, numbered in written:
                append.succeed(numbered)
            for append in group:
                append.fail(LeaseLost())  # All that are left.


async def _count(connection: Connection, group: list[_Append]) -> _Counters:
    """Make room in the logs of all turns and sessions. A turn that does not run under its lease's epoch gets none."""
    counts = Counter[tuple[str, int]]()
    for append in group:
        counts[append.fence] += len(append.events)
    turns = await connection.fetch(
        _COUNT_IN_TURNS,
        [turn_id for turn_id, _ in counts],
        [epoch for _, epoch in counts],
        list(counts.values()),
    )
    of_turn = {(row["id"], row["epoch"]): row["last_seq"] for row in turns}

    counts_of_sessions = Counter[str]()
    for append in group:
        if append.fence in of_turn:
            counts_of_sessions[append.lease.session_id] += len(append.events)
    sessions = await connection.fetch(_COUNT_IN_SESSIONS, list(counts_of_sessions), list(counts_of_sessions.values()))
    return _Counters(
        of_turn,
        {row["id"]: row["last_seq"] for row in sessions},
        {row["id"]: row["at"] for row in sessions},
    )
