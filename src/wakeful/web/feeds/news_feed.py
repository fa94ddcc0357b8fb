"""A reader of news: a cursor into the numbered news of one owner. What was missed while the line was cut is read from
the store.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from wakeful.model import event as events
from wakeful.store.base import Signal, Store, Transaction
from wakeful.web.feeds.news import ShownNews, news_fields

# At once; more are read right after.
_PAGE = 100
# Other nodes say in which sessions they have committed something, not what: a reader looks at most so often for it.
_PAUSE_SECONDS = 0.1
_KINDS = frozenset(
    {
        events.PROCESS_COMPLETE,
        events.WATCH_MATCH,
        events.APPROVAL_REQUIRED,
        # One that nobody gave, too.
        events.APPROVAL_ANSWERED,
        events.FAILED,
    }
)

# The number of a piece of news, and its form.
NumberedNews = tuple[int, ShownNews]


@dataclass(slots=True, eq=False)
class _Listener:
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    # There is news, rather than something that may be.
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
        """The owner's news after this number, as they come; a cursor beyond the end has to be caught before."""
        listener = _Listener()
        self._listeners.add(listener)
        try:
            while True:
                listener.changed.clear()
                listener.is_sure = False
                found = await self._read(owner, after)
                for number, form in found:
                    yield number, form
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
