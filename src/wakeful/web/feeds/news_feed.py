"""Follows the numbered news of one owner after a cursor. News that a reader missed while disconnected is read from the
store.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from wakeful.model import event as events
from wakeful.store.base import Signal, Store, Transaction
from wakeful.web.feeds.news import ShownNews, news_fields

# How many items of news are read at once.
_PAGE = 100
# Another node's signal names the changed sessions, not the events. This limits how often a reader then looks for news.
_PAUSE_SECONDS = 0.1
_KINDS = frozenset(
    {
        events.PROCESS_COMPLETE,
        events.WATCH_MATCH,
        events.APPROVAL_REQUIRED,
        # News if the question expired without an answer.
        events.APPROVAL_ANSWERED,
        events.FAILED,
    }
)

# The number that is the cursor after the news, and the news.
NumberedNews = tuple[int, ShownNews]


@dataclass(slots=True, eq=False)
class _Listener:
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    # There is news for certain, not just a change that may be news.
    is_sure: bool = False


class NewsFeed:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._listeners: set[_Listener] = set()
        store.notifier.listen(self._hear)

    async def last(self, owner: str) -> int:
        async def body(tx: Transaction) -> int:
            return await tx.news.last(owner)

        return await self._store.read(body)

    async def follow(self, owner: str, after: int) -> AsyncGenerator[NumberedNews, None]:
        """Yield the owner's news after this number as it comes. The caller must check that it is not beyond the end."""
        listener = _Listener()
        self._listeners.add(listener)
        try:
            while True:
                listener.changed.clear()
                listener.is_sure = False
                found = await self._read(owner, after)
                for number, news in found:
                    yield number, news
                    after = number
                if not found:
                    await listener.changed.wait()
                    await asyncio.sleep(0.0 if listener.is_sure else _PAUSE_SECONDS)
        finally:
            self._listeners.discard(listener)

    async def _read(self, owner: str, after: int) -> list[NumberedNews]:
        async def body(tx: Transaction) -> list[NumberedNews]:
            return [
                (news.number, ShownNews(**await news_fields(tx, news)))
                for news in await tx.news.after(owner, after, _PAGE)
            ]

        return await self._store.read(body)

    def _hear(self, signal: Signal) -> None:
        known = {event.session_id for event in signal.events}
        is_sure = any(event.kind in _KINDS for event in signal.events)
        if is_sure or signal.is_everything or signal.sessions - known:
            for listener in self._listeners:
                listener.is_sure |= is_sure
                listener.changed.set()
