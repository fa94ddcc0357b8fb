"""Follows the rows of changed sessions, for clients that show a list of sessions. Rows are in no log: a client that
was disconnected loads the list again.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field

import msgspec
import orjson

from wakeful.model import event as events
from wakeful.model.approvals.mode import Mode
from wakeful.store.base import Signal, Store, Transaction
from wakeful.web.feeds.rows import session_rows

SESSION_ROW = "session_row"
SESSION_GONE = "session_gone"

# The shortest time between two rows of the same session.
_PAUSE_SECONDS = 0.25
# When any session may have changed, the rows of the newest are sent again.
_MOST_ROWS = 200
# Frequent events that change nothing in a row.
_QUIET = frozenset({events.TOKEN, events.REASONING, events.STEP_ABANDONED})


@dataclass(slots=True, eq=False)
class _Listener:
    changed: set[str] = field(default_factory=set)
    is_lost: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    # When the next row of each session may be sent.
    next_at: dict[str, float] = field(default_factory=dict)


# The names and data of frames.
RowChanges = list[tuple[str, bytes]]


class RowFeed:
    def __init__(self, store: Store, mode: Mode) -> None:
        """`mode` is that of sessions that have none of their own."""
        self._store = store
        self._mode = mode
        self._listeners: set[_Listener] = set()
        # Reads under way, by the arguments of `_read`: the tabs of one person share a read. Any change clears them, so
        # that no listener joins a read that began before the change.
        self._reads: dict[tuple[str, str | None, frozenset[str], bool], asyncio.Task[RowChanges]] = {}
        store.notifier.listen(self._hear)

    async def follow(self, reader: str, owner: str | None) -> AsyncGenerator[tuple[str, bytes], None]:
        """Yield the names and data of frames for changed sessions of the owner, or of all owners if it is None.

        Rows differ per reader: they show what the reader has not seen.
        """
        listener = _Listener()
        self._listeners.add(listener)
        try:
            while True:
                await _wait(listener)
                for name, data in await self._changes(listener, reader, owner):
                    yield name, data
        finally:
            self._listeners.discard(listener)

    def _hear(self, signal: Signal) -> None:
        self._reads.clear()
        loud = {event.session_id for event in signal.events if event.kind not in _QUIET}
        quiet = {event.session_id for event in signal.events} - loud
        for listener in self._listeners:
            listener.changed |= signal.sessions - quiet
            listener.is_lost |= signal.is_everything
            if listener.changed or listener.is_lost:
                listener.woken.set()

    async def _changes(self, listener: _Listener, reader: str, owner: str | None) -> RowChanges:
        now = time.monotonic()
        is_lost, listener.is_lost = listener.is_lost, False
        due = {session_id for session_id in listener.changed if listener.next_at.get(session_id, 0.0) <= now}
        listener.changed -= due
        listener.next_at = {of: at for of, at in listener.next_at.items() if at > now}
        listener.next_at |= dict.fromkeys(due, now + _PAUSE_SECONDS)
        key = (reader, owner, frozenset(due), is_lost)
        if key not in self._reads:
            reading = asyncio.create_task(self._read(*key))
            self._reads[key] = reading
            reading.add_done_callback(lambda done: self._reads.get(key) is done and self._reads.pop(key))
        # A listener that is cancelled must not cancel the read for the others.
        return await asyncio.shield(self._reads[key])

    async def _read(self, reader: str, owner: str | None, due: frozenset[str], is_lost: bool) -> RowChanges:
        async def body(tx: Transaction) -> RowChanges:
            found = [session for of in sorted(due) if (session := await tx.sessions.get(of)) is not None]
            if is_lost:
                newest = await tx.sessions.page(owner, limit=_MOST_ROWS)
                found += [session for session in newest if session.id not in due]
            own = [session for session in found if session.is_shown and owner in (None, session.owner)]
            gone = [(SESSION_GONE, orjson.dumps({"session_id": session.id})) for session in own if session.is_deleted]
            rows = await session_rows(tx, reader, [session for session in own if not session.is_deleted], self._mode)
            return gone + [(SESSION_ROW, msgspec.json.encode({"row": row})) for row in rows]

        return await self._store.read(body)


async def _wait(listener: _Listener) -> None:
    """Wait until a row may be sent."""
    if not listener.changed and not listener.is_lost:
        listener.woken.clear()
        await listener.woken.wait()
    due_in = _next_due(listener.changed, listener.next_at) if not listener.is_lost else 0.0
    if due_in > 0:
        await asyncio.sleep(due_in)


def _next_due(changed: Iterable[str], next_at: dict[str, float]) -> float:
    """Return the seconds until the first of these rows may be sent.

    A session that changes during the wait may be due earlier; its row is then a little late.
    """
    return min((next_at.get(session_id, 0.0) for session_id in changed), default=0.0) - time.monotonic()
