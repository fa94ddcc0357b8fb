"""The interface of a store, which SQLite and PostgreSQL implement. Its methods are grouped by noun: see store/tables.

A write is a function that runs inside one transaction, with the sessions it names locked. It may await only its
transaction, because the SQLite store runs it on a thread without an event loop.
"""

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from wakeful.model.event import Event
from wakeful.model.lane import Lane
from wakeful.model.opening import Closed, Closing, Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.model.words import WordsHead, WordsPart
from wakeful.store.tables.api import Conversations, IdempotencyKeys
from wakeful.store.tables.approvals import Approvals, Grants
from wakeful.store.tables.attachments import Attachments
from wakeful.store.tables.changes import FileChanges
from wakeful.store.tables.logins import Logins
from wakeful.store.tables.messaging import Chats, OutboxCursors, Pairings, PlatformDoors, Posts
from wakeful.store.tables.records import Events, Journal, NewsLog, OldWords
from wakeful.store.tables.schedules import CronJobs
from wakeful.store.tables.search import Search
from wakeful.store.tables.sessions import Purges, Readers, Sessions
from wakeful.store.tables.spending import Spending
from wakeful.store.tables.tasks import Tasks
from wakeful.store.tables.turns import Inbox, Nodes, Turns

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Signal:
    """Says which sessions a commit changed. Losing a signal costs latency, never correctness."""

    sessions: frozenset[str]
    # Turns and their new epochs: a node that runs one of them with an older epoch must stop it.
    fenced: Mapping[str, int] = field(default_factory=dict)
    # The events themselves, when the commit was made by this process.
    events: tuple[Event, ...] = ()
    # Sessions whose model is streaming words at another node.
    spoken: frozenset[str] = frozenset()
    # The connection to the database was lost: anything may have changed.
    is_everything: bool = False


Listener = Callable[[Signal], None]


class Notifier(Protocol):
    def listen(self, listener: Listener) -> None:
        """Call `listener` on the event loop after every commit that changed something."""
        ...

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        """Check the sessions that `followed` returns about once a second, in case one of their signals is lost."""
        ...


class Transaction(Protocol):
    @property
    def sessions(self) -> Sessions: ...
    @property
    def spending(self) -> Spending: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def readers(self) -> Readers: ...
    @property
    def search(self) -> Search: ...
    @property
    def purges(self) -> Purges: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def events(self) -> Events: ...
    @property
    def news(self) -> NewsLog: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def approvals(self) -> Approvals: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def grants(self) -> Grants: ...
    @property
    def changes(self) -> FileChanges: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def idempotency_keys(self) -> IdempotencyKeys: ...
    @property
    def logins(self) -> Logins: ...
    @property
    def nodes(self) -> Nodes: ...
    @property
    def chats(self) -> Chats: ...
    @property
    def posts(self) -> Posts: ...
    @property
    def outbox_cursors(self) -> OutboxCursors: ...
    @property
    def pairings(self) -> Pairings: ...
    @property
    def platform_doors(self) -> PlatformDoors: ...
    @property
    def cron_jobs(self) -> CronJobs: ...
    @property
    def old_words(self) -> OldWords: ...

    async def now(self) -> float:
        """Return the store's time, which all nodes share."""
        ...

    async def lane(self, session_id: str, *, wake_budget: int, key: str = "") -> Lane | None:
        """Read a session with everything that decides about its next turn, in one query; None when there is none.

        `wake_budget` is the number of wake-ups that it may have in an hour, `key` the dedupe key of a new row.
        """
        ...

    async def open(self, opening: Opening) -> Opened:
        """Write an opening. Raises NameTaken when it creates a session or conversation that exists already."""
        ...

    async def close(self, closing: Closing) -> Closed:
        """Write a closing and the opening that follows it, and raise the turn's epoch, which stops its runner unless
        that is the caller. Raises LeaseLost when the turn has ended or was taken over.
        """
        ...


Body = Callable[[Transaction], Coroutine[Any, Any, T]]


class SharedWords(Protocol):
    """The words of steps that are being answered, shared with other nodes. Writing them costs no sync, and a crash of
    the database may lose them; readers never get words after a gap.
    """

    async def has_readers(self, node: str) -> bool:
        """Whether any other node is alive."""
        ...

    async def write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        """Add parts, remove the words of heads that have ended, and notify the other nodes."""
        ...

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        """Return the words of these sessions after the given (base, word number), in order. The first part may begin
        before it.
        """
        ...

    async def sweep(self) -> None:
        """Remove words of steps that are no longer being answered."""
        ...


class Store(Protocol):
    @property
    def notifier(self) -> Notifier: ...

    @property
    def stats(self) -> StoreStats: ...

    @property
    def words(self) -> SharedWords | None:
        """None if the store cannot be shared with other nodes."""
        ...

    @property
    def is_exclusive(self) -> bool:
        """Whether only one process can have the store open, so that every other node is gone."""
        ...

    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises StoreError with a sentence for the operator."""
        ...

    async def close(self) -> None: ...

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        """Run `body` in a transaction that first locks the named sessions, in the order of their ids.

        An exception in the body undoes its writes and reaches the caller; other writes are not affected. Raises
        SessionLocked after waiting `patience` seconds for a lock.
        """
        ...

    async def write_lease(self, body: Body[T]) -> T:
        """Run a write about the leases of nodes, which does not queue behind other writes."""
        ...

    async def read(self, body: Body[T]) -> T:
        """Run `body` on one consistent view of the database, which refuses writes."""
        ...

    async def search(self, body: Body[T]) -> T:
        """Run a read that may take long. Few of them run at once, and they do not hold up other reads. Raises
        StoreTooSlow.
        """
        ...

    async def open_new(self, opening: Opening) -> Opened:
        """Open the first turn of a new session, in one transaction with other openings that wait. Raises NameTaken."""
        ...
