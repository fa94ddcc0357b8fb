"""One write or read in progress: all tables over one connection.

The methods are coroutines because those of the protocol are; here they never suspend.
"""

import sqlite3
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from wakeful.errors import NameTaken
from wakeful.model.lane import Lane
from wakeful.model.opening import Closed, Closing, Opened, Opening
from wakeful.store.footprint import Footprint
from wakeful.store.sqlite.connection import is_taken
from wakeful.store.sqlite.search.search import SqliteSearch
from wakeful.store.sqlite.tables.api.conversations import SqliteConversations
from wakeful.store.sqlite.tables.api.idempotency_keys import SqliteIdempotencyKeys
from wakeful.store.sqlite.tables.approvals.approvals import SqliteApprovals
from wakeful.store.sqlite.tables.approvals.grants import SqliteGrants
from wakeful.store.sqlite.tables.attachments import SqliteAttachments
from wakeful.store.sqlite.tables.changes import SqliteChanges
from wakeful.store.sqlite.tables.cron_jobs import SqliteCronJobs
from wakeful.store.sqlite.tables.logins import SqliteLogins
from wakeful.store.sqlite.tables.messaging.chats import SqliteChats
from wakeful.store.sqlite.tables.messaging.outbox import SqliteOutboxCursors, SqlitePlatformDoors
from wakeful.store.sqlite.tables.messaging.pairings import SqlitePairings
from wakeful.store.sqlite.tables.messaging.posts import SqlitePosts
from wakeful.store.sqlite.tables.records.events import SqliteEvents
from wakeful.store.sqlite.tables.records.journal import SqliteJournal
from wakeful.store.sqlite.tables.records.news import SqliteNews
from wakeful.store.sqlite.tables.records.old_words import SqliteOldWords
from wakeful.store.sqlite.tables.sessions.purges import SqlitePurges
from wakeful.store.sqlite.tables.sessions.readers import SqliteReaders
from wakeful.store.sqlite.tables.sessions.sessions import SqliteSessions
from wakeful.store.sqlite.tables.spending import SqliteSpending
from wakeful.store.sqlite.tables.tasks import SqliteTasks
from wakeful.store.sqlite.tables.turns.closings import close_turn
from wakeful.store.sqlite.tables.turns.inbox import SqliteInbox
from wakeful.store.sqlite.tables.turns.lanes import read_lane
from wakeful.store.sqlite.tables.turns.nodes import SqliteNodes
from wakeful.store.sqlite.tables.turns.openings import open_all
from wakeful.store.sqlite.tables.turns.turns import SqliteTurns

T = TypeVar("T")


class SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float], footprint: Footprint) -> None:
        self._connection = connection
        self._clock = clock
        self._footprint = footprint
        self.search = SqliteSearch(connection)
        self.sessions = SqliteSessions(connection, footprint)
        self.spending = SqliteSpending(connection, clock, footprint)
        self.turns = SqliteTurns(connection, clock, footprint)
        self.readers = SqliteReaders(connection, footprint)
        self.purges = SqlitePurges(connection, footprint, self.search)
        self.inbox = SqliteInbox(connection, footprint)
        self.events = SqliteEvents(connection, clock, footprint)
        self.journal = SqliteJournal(connection, clock, self.search)
        self.news = SqliteNews(connection, footprint)
        self.tasks = SqliteTasks(connection, clock, footprint)
        self.approvals = SqliteApprovals(connection, footprint)
        self.attachments = SqliteAttachments(connection)
        self.changes = SqliteChanges(connection, footprint)
        self.grants = SqliteGrants(connection, footprint)
        self.conversations = SqliteConversations(connection)
        self.idempotency_keys = SqliteIdempotencyKeys(connection)
        self.logins = SqliteLogins(connection)
        self.nodes = SqliteNodes(connection, clock)
        self.chats = SqliteChats(connection)
        self.posts = SqlitePosts(connection)
        self.outbox_cursors = SqliteOutboxCursors(connection)
        self.pairings = SqlitePairings(connection)
        self.platform_doors = SqlitePlatformDoors(connection)
        self.cron_jobs = SqliteCronJobs(connection)
        self.old_words = SqliteOldWords(connection, footprint)

    async def now(self) -> float:
        return self._clock()

    async def lane(self, session_id: str, *, wake_budget: int, key: str = "") -> Lane | None:
        return read_lane(self._connection, session_id, key, wake_budget, self._clock())

    async def open(self, opening: Opening) -> Opened:
        if opening.session is None:
            self._footprint.require_lock(opening.turn.session_id)
        try:
            (opened,) = open_all(self._connection, self._clock(), [opening])
        except sqlite3.IntegrityError as error:
            if opening.session is None or not is_taken(error):
                raise
            raise NameTaken from error
        self._footprint.note_locked(opening.turn.session_id)
        self._footprint.note_appended(opened.events)
        return opened

    async def close(self, closing: Closing) -> Closed:
        turn = closing.turn
        self._footprint.require_lock(turn.session_id)
        facts, self._footprint.fenced[turn.id] = close_turn(self._connection, self._clock(), closing)
        self._footprint.note_appended(facts)
        return Closed(facts, None if closing.next is None else await self.open(closing.next))


def run_without_waiting(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a body to its end on this thread, which has no event loop: the body may await only its transaction."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("the body of a transaction awaited something other than its transaction")
