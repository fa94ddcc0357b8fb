"""What the engine asks of a store: intents, grouped by noun. SQLite and PostgreSQL are siblings behind it.

A write is a body of code that runs inside one transaction, under the locks of the sessions it names. The body
awaits nothing but its transaction: one of the stores runs it on a thread without an event loop.
"""

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from wakeful.model.event import Event
from wakeful.model.lane import Lane
from wakeful.model.opening import Closed, Closing, Opened, Opening
from wakeful.model.store_stats import StoreStats
from wakeful.model.words import WordsHead, WordsPart
from wakeful.store.tables.api import Conversations, Deliveries, IdempotencyKeys
from wakeful.store.tables.approvals import Approvals, Grants
from wakeful.store.tables.logins import Logins
from wakeful.store.tables.messaging import Chats, OutboxCursors, Pairings, PlatformDoors, Posts
from wakeful.store.tables.records import Events, Journal, NewsLog, OldWords
from wakeful.store.tables.schedules import CronJobs
from wakeful.store.tables.search import Search
from wakeful.store.tables.sessions import Purges, Readers, Sessions
from wakeful.store.tables.tasks import Tasks
from wakeful.store.tables.turns import Inbox, Nodes, Turns

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Signal:
    """What a commit changed: where to look. Losing one costs latency, never correctness."""

    sessions: frozenset[str]
    # Turns and their new epochs: a node that runs one of them under an older epoch must stop it.
    fenced: Mapping[str, int] = field(default_factory=dict)
    # The events themselves, when the commit was made by this process.
    events: tuple[Event, ...] = ()
    # Sessions that are saying something at another node.
    spoken: frozenset[str] = frozenset()
    # The line to the database was down: anything may have changed.
    is_everything: bool = False


Listener = Callable[[Signal], None]


class Notifier(Protocol):
    def listen(self, listener: Listener) -> None:
        """Call `listener` on the event loop after every commit that changed something."""
        ...

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        """Find out within a second or so also what a lost signal would have said of these sessions."""
        ...


class Transaction(Protocol):
    @property
    def sessions(self) -> Sessions: ...
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
    def grants(self) -> Grants: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def idempotency_keys(self) -> IdempotencyKeys: ...
    @property
    def deliveries(self) -> Deliveries: ...
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
        """The store's time: one clock for all nodes."""
        ...

    async def lane(self, session_id: str, *, wake_budget: int, key: str = "") -> Lane | None:
        """A session and all that a decision about its next turn asks for, in one read; None when it is not there.

        `wake_budget`: how many wake-ups an hour it may have. `key`: the dedupe key of a row that is about to come in.
        """
        ...

    async def open(self, opening: Opening) -> Opened:
        """Write an opening. Raises NameTaken when its session or conversation is new and was there first."""
        ...

    async def close(self, closing: Closing) -> Closed:
        """Write a closing and the opening that follows it, and raise the turn's epoch, so that its runner, if it is not
        the one that asks, stops. Raises LeaseLost when the turn has ended or was taken over.
        """
        ...


Body = Callable[[Transaction], Coroutine[Any, Any, T]]


class SharedWords(Protocol):
    """The words of steps that are being answered, for other nodes to show. They cost no sync, and a crash of the
    database may lose them: a reader takes what follows without a hole.
    """

    async def has_readers(self, node: str) -> bool:
        """Whether there is another node."""
        ...

    async def write(self, parts: Sequence[WordsPart], ended: Sequence[WordsHead]) -> None:
        """Add these, remove those that have ended, and tell the other nodes."""
        ...

    async def read(self, known: Mapping[str, tuple[int, int]]) -> list[WordsPart]:
        """What is being said in these sessions after these bases and places, in order; a part may begin before."""
        ...

    async def sweep(self) -> None:
        """Remove what no node says any more."""
        ...


class Store(Protocol):
    @property
    def notifier(self) -> Notifier: ...

    @property
    def stats(self) -> StoreStats: ...

    @property
    def words(self) -> SharedWords | None:
        """None where no other node can follow."""
        ...

    @property
    def is_exclusive(self) -> bool:
        """Only one process can have this store open: every other node that ever was is gone."""
        ...

    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises StoreError with a sentence for the operator."""
        ...

    async def close(self) -> None: ...

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        """Run `body` in a transaction that first locks the named sessions, in the order of their ids.

        What the body raises undoes its writes and reaches the caller; no other write notices. With `patience`: raise
        SessionLocked rather than wait longer than so many seconds for a lock.
        """
        ...

    async def write_lease(self, body: Body[T]) -> T:
        """A write about leases of nodes: it queues behind nothing else, however busy the store is."""
        ...

    async def read(self, body: Body[T]) -> T:
        """Run `body` on one consistent view; its writes are refused."""
        ...

    async def search(self, body: Body[T]) -> T:
        """A read that may take long: few of them run at once, and none of them holds up other reads. Raises
        StoreTooSlow.
        """
        ...

    async def open_new(self, opening: Opening) -> Opened:
        """Open the first turn of a new session, in one transaction with all others that are waiting for it. Raises
        NameTaken.
        """
        ...
