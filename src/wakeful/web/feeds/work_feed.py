"""Follows how far the sub-agents of sessions have come. This is in no log: a client that connects gets it anew."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from wakeful.model import event as events
from wakeful.model.packed_json import pack
from wakeful.store.base import Signal, Store, Transaction
from wakeful.web.feeds.works import Works, shown_work, works_in

WORK = "work"

# The shortest time between two frames for one client.
_PAUSE_SECONDS = 0.5
# Frequent events that change nothing here.
_QUIET = frozenset({events.TOKEN, events.REASONING})


@dataclass(slots=True, eq=False)
class _Listener:
    # The sessions of sub-agents, at any depth, by the followed session that they work for.
    below: dict[str, frozenset[str]]
    # Followed sessions with news.
    changed: set[str]
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, signal: Signal, loud: frozenset[str]) -> None:
        touched = {of for of, below in self.below.items() if of in loud or not below.isdisjoint(loud)}
        self.changed |= self.below.keys() if signal.is_everything else touched
        if self.changed:
            self.woken.set()


class WorkFeed:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._listeners: set[_Listener] = set()
        store.notifier.listen(self._hear)
        store.notifier.watch(self._followed)

    async def follow(self, session_ids: Sequence[str]) -> AsyncGenerator[bytes, None]:
        """Yield the data of a frame for each of these sessions that has running sub-agents, and whenever it changes."""
        listener = _Listener(dict.fromkeys(session_ids, frozenset()), set(session_ids))
        listener.woken.set()
        shown = dict.fromkeys(session_ids, Works({}, frozenset()))
        self._listeners.add(listener)
        try:
            while True:
                await listener.woken.wait()
                listener.woken.clear()
                for session_id in sorted(listener.changed):
                    found = await self._read(listener, session_id)
                    if found.works != shown[session_id].works:
                        works = {task_id: shown_work(work) for task_id, work in found.works.items()}
                        yield pack({"session_id": session_id, "works": works})
                    shown[session_id] = found
                await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            self._listeners.discard(listener)

    async def _read(self, listener: _Listener, session_id: str) -> Works:
        async def body(tx: Transaction) -> Works:
            return await works_in(tx, session_id)

        listener.changed.discard(session_id)
        found = await self._store.read(body)
        if not found.sessions <= listener.below[session_id]:
            # A new sub-agent may have gone on before its session was listened to: look again.
            listener.changed.add(session_id)
            listener.woken.set()
        listener.below[session_id] = found.sessions
        return found

    def _followed(self) -> set[str]:
        return {session for listener in self._listeners for below in listener.below.values() for session in below}

    def _hear(self, signal: Signal) -> None:
        heard = {event.session_id for event in signal.events if event.kind not in _QUIET}
        quiet = {event.session_id for event in signal.events} - heard
        loud = frozenset(signal.sessions - quiet)
        for listener in self._listeners:
            listener.hear(signal, loud)
