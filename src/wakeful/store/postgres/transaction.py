"""One write or read in progress: all tables over one connection; and how to commit a write."""

from wakeful.errors import NameTaken, SessionNotFound, StoreError, StoreUnavailable
from wakeful.model.lane import Lane
from wakeful.model.opening import Closed, Closing, Opened, Opening
from wakeful.store.base import Signal
from wakeful.store.footprint import Footprint
from wakeful.store.postgres.connection import PostgresConnection
from wakeful.store.postgres.notifier import PostgresNotifier
from wakeful.store.postgres.search.search import PostgresSearch
from wakeful.store.postgres.tables.api.conversations import PostgresConversations
from wakeful.store.postgres.tables.api.idempotency_keys import PostgresIdempotencyKeys
from wakeful.store.postgres.tables.approvals.approvals import PostgresApprovals
from wakeful.store.postgres.tables.approvals.grants import PostgresGrants
from wakeful.store.postgres.tables.attachments import PostgresAttachments
from wakeful.store.postgres.tables.changes import PostgresChanges
from wakeful.store.postgres.tables.cron_jobs import PostgresCronJobs
from wakeful.store.postgres.tables.logins import PostgresLogins
from wakeful.store.postgres.tables.messaging.chats import PostgresChats
from wakeful.store.postgres.tables.messaging.outbox import PostgresOutboxCursors, PostgresPlatformDoors
from wakeful.store.postgres.tables.messaging.pairings import PostgresPairings
from wakeful.store.postgres.tables.messaging.posts import PostgresPosts
from wakeful.store.postgres.tables.records.events import PostgresEvents
from wakeful.store.postgres.tables.records.journal import PostgresJournal
from wakeful.store.postgres.tables.records.news import PostgresNews
from wakeful.store.postgres.tables.records.old_words import PostgresOldWords
from wakeful.store.postgres.tables.sessions.purges import PostgresPurges
from wakeful.store.postgres.tables.sessions.readers import PostgresReaders
from wakeful.store.postgres.tables.sessions.sessions import PostgresSessions
from wakeful.store.postgres.tables.spending import PostgresSpending
from wakeful.store.postgres.tables.tasks import PostgresTasks
from wakeful.store.postgres.tables.turns.closings import close_turn
from wakeful.store.postgres.tables.turns.inbox import PostgresInbox
from wakeful.store.postgres.tables.turns.lanes import read_lane
from wakeful.store.postgres.tables.turns.nodes import PostgresNodes
from wakeful.store.postgres.tables.turns.openings import open_all
from wakeful.store.postgres.tables.turns.turns import PostgresTurns

# Explicit, because a database may have other defaults. A write must see what was committed while it waited for locks.
WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresTransaction:
    def __init__(self, connection: PostgresConnection, footprint: Footprint) -> None:
        self._connection = connection
        self._footprint = footprint
        self.search = PostgresSearch(connection)
        self.sessions = PostgresSessions(connection, footprint)
        self.spending = PostgresSpending(connection, footprint)
        self.turns = PostgresTurns(connection, footprint)
        self.readers = PostgresReaders(connection, footprint)
        self.purges = PostgresPurges(connection, footprint, self.search)
        self.inbox = PostgresInbox(connection, footprint)
        self.events = PostgresEvents(connection, footprint)
        self.journal = PostgresJournal(connection, self.search)
        self.news = PostgresNews(connection, footprint)
        self.tasks = PostgresTasks(connection, footprint)
        self.approvals = PostgresApprovals(connection, footprint)
        self.attachments = PostgresAttachments(connection)
        self.changes = PostgresChanges(connection, footprint)
        self.grants = PostgresGrants(connection, footprint)
        self.conversations = PostgresConversations(connection)
        self.idempotency_keys = PostgresIdempotencyKeys(connection)
        self.logins = PostgresLogins(connection)
        self.nodes = PostgresNodes(connection)
        self.chats = PostgresChats(connection)
        self.posts = PostgresPosts(connection)
        self.outbox_cursors = PostgresOutboxCursors(connection)
        self.pairings = PostgresPairings(connection)
        self.platform_doors = PostgresPlatformDoors(connection)
        self.cron_jobs = PostgresCronJobs(connection)
        self.old_words = PostgresOldWords(connection, footprint)

    async def now(self) -> float:
        # Read each time: a transaction that waited for a lock must not use the time from before the wait.
        now: float = await self._connection.fetchval("SELECT wakeful_now()")
        return now

    async def lane(self, session_id: str, *, wake_budget: int, key: str = "") -> Lane | None:
        return await read_lane(self._connection, session_id, key, wake_budget)

    async def open(self, opening: Opening) -> Opened:
        session_id = opening.turn.session_id
        if opening.session is None:
            self._footprint.require_lock(session_id)
        opened = (await open_all(self._connection, [opening])).get(session_id)
        if opened is None:
            raise SessionNotFound if opening.session is None else NameTaken
        self._footprint.note_locked(session_id)
        self._footprint.note_appended(opened.events)
        return opened

    async def close(self, closing: Closing) -> Closed:
        turn = closing.turn
        self._footprint.require_lock(turn.session_id)
        facts, self._footprint.fenced[turn.id] = await close_turn(self._connection, closing)
        self._footprint.note_appended(facts)
        return Closed(facts, None if closing.next is None else await self.open(closing.next))


async def commit(connection: PostgresConnection, notifier: PostgresNotifier, signal: Signal | None) -> None:
    """Commit, and notify this process before the caller continues, and the other nodes soon after."""
    try:
        tag = await connection.execute("COMMIT")
    except StoreUnavailable:
        notifier.doubt(signal)
        raise
    if tag != "COMMIT":
        raise StoreError("The transaction was rolled back, because one of its statements had failed.")
    if signal is not None:
        notifier.publish(signal)
