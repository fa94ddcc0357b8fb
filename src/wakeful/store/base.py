"""What the engine asks of a store: intents, grouped by noun. SQLite and PostgreSQL are siblings behind it.

A write is a body of code that runs inside one transaction, under the locks of the sessions it names. The body
awaits nothing but its transaction: one of the stores runs it on a thread without an event loop.
"""

from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from wakeful.model.approvals.approval import Approval, Choice
from wakeful.model.approvals.grant import Grant
from wakeful.model.conversation import Conversation, IdempotencyKey
from wakeful.model.delivery import Delivery
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow
from wakeful.model.journal import Chain, Entry
from wakeful.model.lane import Lane
from wakeful.model.login import Login, Ticket
from wakeful.model.marks import Marks
from wakeful.model.news import News
from wakeful.model.older.words import Move
from wakeful.model.opening import Closed, Closing, Opened, Opening
from wakeful.model.search.search import Hit, Wanted
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.store_stats import StoreStats
from wakeful.model.tasks.task import Host, Task, TaskOutcome
from wakeful.model.turn import Lease, Turn
from wakeful.model.words import Said, Word, WordsHead, WordsPart

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


class Sessions(Protocol):
    async def create_if_absent(self, session: Session) -> bool:
        """Write a new session; false when the id is there already."""
        ...

    async def get(self, session_id: str) -> Session | None: ...

    async def change(self, session_id: str, *, title: str | None = None, model: str | None = None) -> None:
        """Give it another title, which is then its user's, or model; None leaves what is there. A changed model may
        wake again: it is no longer blocked.
        """
        ...

    async def name(self, session_id: str, title: str, origin: TitleOrigin) -> None:
        """Give it a title that its user has not chosen."""
        ...

    async def count_title_try(self, session_id: str) -> None:
        """A model is about to be asked for a title."""
        ...

    async def arrange(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        """Where it stands in lists; None leaves what is there."""
        ...

    async def spend(self, session_id: str, *, input_tokens: int, output_tokens: int) -> None:
        """What an answer has cost."""
        ...

    async def rewind(self, session_id: str, *, head: str | None, checkpoint: str | None, message_count: int) -> None:
        """The next turn grows from another one than the last."""
        ...

    async def delete(self, session_id: str, purge_at: float) -> None:
        """Hide it, and purge it then. One that is hidden already keeps the earlier time."""
        ...

    async def restore_if_whole(self, session_id: str, now: float) -> bool:
        """Show it again; false when its time is over."""
        ...

    async def children(self, session_id: str) -> list[str]:
        """The sessions of its sub-agents, but those that were purged."""
        ...

    async def forgotten(self, limit: int) -> list[str]:
        """Sessions behind deleted responses, which no list shows and nothing needs: each response in them is hidden,
        nothing runs or waits there, and no conversation goes on in them.
        """
        ...

    async def delete_if_forgotten(self, session_id: str, purge_at: float) -> bool:
        """False when it is not, or not any more."""
        ...

    async def to_purge(self, now: float) -> list[str]:
        """Deleted sessions whose time is over, and of which something is left to remove."""
        ...

    async def next_purge(self) -> float | None:
        """When the next one's time is over; None when nothing waits for it."""
        ...

    async def page(
        self,
        owner: str | None,
        *,
        among: Collection[str] | None = None,
        before: tuple[float, str] | None = None,
        limit: int,
        archived: bool = False,
        pinned: bool | None = None,
    ) -> list[Session]:
        """The sessions of an owner, or of everybody, that are listed and that no delegation works in; the one changed
        last comes first. Deleted ones are in no page, archived ones in pages of their own.

        `among`: only of these. `before`: only those that come after this (updated_at, id) in the list. `pinned`: only
        those that are, or are not.
        """
        ...

    async def wake_later(self, session_id: str, at: float | None) -> None:
        """Notices wait until then: the wake budget is used up. None: they do not."""
        ...

    async def ready(self, now: float) -> list[str]:
        """Idle sessions with rows that may open a turn now."""
        ...

    async def ready_since(self, now: float) -> float | None:
        """Since when the row has been able to open a turn that has been able to for longest; None: there is none."""
        ...

    async def next_due(self, now: float) -> float | None:
        """The next moment after `now` at which time alone makes a session ready."""
        ...


class Turns(Protocol):
    async def get(self, turn_id: str) -> Turn | None: ...

    async def hide(self, turn_id: str) -> None:
        """Its client has deleted it. Only its own name is gone: what grew from it stays."""
        ...

    async def chain(self, turn_id: str, limit: int) -> list[Turn]:
        """The turn and its ancestors, newest first, `limit` at most."""
        ...

    async def require(self, lease: Lease) -> Turn:
        """The running turn of this lease. Raises LeaseLost when it was closed or taken over."""
        ...

    async def mark_recorded(self, turn_id: str) -> None:
        """A step was recorded: resumes count from zero again."""
        ...

    async def reserve(self, lease: Lease, pieces: int) -> None:
        """So many pieces of an answer may be shown before it is recorded. Raises LeaseLost."""
        ...

    async def take_over_if_running(self, turn_id: str, epoch: int, node: str) -> Turn | None:
        """Give the turn to `node` under the next epoch and count the resume; None when someone was quicker."""
        ...

    async def said_elsewhere(self, turn_id: str, base: int) -> tuple[int, Said] | None:
        """The step, and what another node has shared of the words that follow this event, as far as it has no hole."""
        ...

    async def taken_from(self, node: str) -> list[Turn]:
        """Running turns that were taken over because this node had let its lease run out."""
        ...

    async def take_resume_back(self, turn_id: str, node: str, *, limit: int) -> None:
        """The resume that was counted when the turn was taken from this node was no crash. `limit`: how often that may
        be said of one turn before it records another step.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Leave the turn to the first node that takes it, without counting a resume."""
        ...

    async def orphans(self, now: float, *, keeper: str | None) -> list[Turn]:
        """Running turns whose node has let its lease run out. With `keeper`: all that this one node does not hold."""
        ...

    async def running_on(self, node: str) -> list[Turn]: ...

    async def running_of(self, owner: str) -> list[Turn]:
        """The active turns of the owner's listed sessions, in the order of their start."""
        ...

    async def recent(self, session_id: str, limit: int) -> list[Turn]:
        """The newest turns that were opened in a session, newest first, also those of branches that were left."""
        ...


class Inbox(Protocol):
    async def post_if_new(self, row: InboxRow) -> bool:
        """Add a row; false when its dedupe key is known in this session. The row's id is given by the store."""
        ...

    async def find(self, session_id: str, dedupe_key: str) -> InboxRow | None: ...

    async def find_by_turn(self, turn_id: str) -> InboxRow | None:
        """The row with which this turn id was given out."""
        ...

    async def pending(self, session_id: str) -> list[InboxRow]:
        """In the order of arrival."""
        ...

    async def claim(self, row_ids: Sequence[int], turn_id: str) -> None:
        """They are the turn's now, which has their texts in its journal: here they are dropped."""
        ...

    async def withdraw_if_pending(self, session_id: str, dedupe_key: str) -> bool: ...

    async def empty_taken(self, limit: int) -> int:
        """Drop the texts of rows that an older version has left in them after a turn had taken them. Looks at so many
        rows; how many there were to look at.
        """
        ...


class Readers(Protocol):
    """Who has seen what, and what a list shows them."""

    async def see(self, owner: str, session_id: str, seq: int) -> None:
        """They have seen the session up to this event. It never goes back."""
        ...

    async def marks(self, owner: str, session_ids: Sequence[str], now: float) -> dict[str, Marks]:
        """What these sessions look like to this reader; those that are not there are left out."""
        ...


class Search(Protocol):
    """The words of titles and of messages. The database notes for it whatever of these is written."""

    async def find(
        self, owner: str | None, wanted: Wanted, limit: int, *, archived: bool = False
    ) -> dict[str, Hit | None]:
        """Sessions of an owner, or of everybody, that have all of these words in one message or in their title, and
        where: the newest such message, or None when it is the title alone. Those with the newest hits, `limit` at most;
        of words that very many have used, perhaps those that were used last themselves. Of a list without the archived
        ones, or of them alone; others may be among them, but none that no list shows.
        """
        ...

    async def index_some(self, limit: int) -> bool:
        """Make the words of so many titles and messages that are new, or that an older version has written. False when
        nothing is left. What is new is found before, if there is not too much of it.
        """
        ...


class Purges(Protocol):
    """The end of a deleted session, in small pieces: each may be the last before a crash."""

    async def remove_some(self, session_id: str, limit: int) -> bool:
        """Remove about so many rows of what only this session has; false when nothing of it is left."""
        ...

    async def let_go(self, session_id: str) -> None:
        """It stands on no turn any more, and has no title. Here and below, what another deleted session has kept for
        its sake is to be purged again.
        """
        ...

    async def remove_turns(
        self, session_id: str, before: tuple[float, str] | None, limit: int
    ) -> tuple[int, tuple[float, str] | None]:
        """Of its turns, newest first, look at so many that come after this (opened_at, id), and remove those that
        nothing grows from. How many went, and where to go on: None at the end.
        """
        ...

    async def give_space_back(self, pages: int) -> bool:
        """Let the file system have so much of what was removed; false when there is nothing to give back."""
        ...

    async def finish(self, session_id: str) -> bool:
        """Remove the session itself; false where turns are left, because other sessions grow from them, and it with
        them."""
        ...


class Events(Protocol):
    async def append(self, session_id: str, turn_id: str | None, events: Sequence[NewEvent]) -> list[Event]:
        """Add to the log of a session, and of one of its turns. A turn that never opened is numbered from 1."""
        ...

    async def of_turn(self, turn_id: str, after: int, limit: int) -> list[Event]:
        """In order, each with what it quotes of the journal."""
        ...

    async def of_session(self, session_id: str, after: int, limit: int) -> list[Event]: ...


class NewsLog(Protocol):
    """Events that their owner wants to hear of in any session, numbered for each owner in the order of commits."""

    async def add(self, owner: str, event: Event) -> None:
        """Give an appended event the next number among the owner's news. It keeps others of that owner from adding
        until the commit: call it late, and lock no session after it.
        """
        ...

    async def last(self, owner: str) -> int:
        """The newest number that was given out; 0: none was."""
        ...

    async def after(self, owner: str, number: int, limit: int) -> list[News]:
        """Oldest first. Those of deleted sessions are left out."""
        ...

    async def unread(self, owner: str, limit: int) -> list[News]:
        """Newest first: what lies beyond what the owner has seen of its session."""
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget news from before this moment, at most so many, and say how many. The events stay."""
        ...


class Journal(Protocol):
    async def add(self, entries: Iterable[Entry]) -> None: ...

    async def replace(self, entry: Entry) -> None:
        """Write its payload over that of the entry at the same place."""
        ...

    async def of_turns(self, turn_ids: Sequence[str]) -> list[Entry]:
        """The entries of these turns, each turn's in their order, the turns in any."""
        ...

    async def at(self, hits: Sequence[Hit]) -> list[Entry]:
        """The entries at these places, in any order."""
        ...

    async def inputs_of(self, turn_ids: Sequence[str]) -> list[Entry]:
        """Of the entries of these turns those that came from outside."""
        ...

    async def of_step(self, turn_id: str, step: int) -> list[Entry]:
        """The entries of one step, in their order."""
        ...

    async def words(self, head: WordsHead, after: int, limit: int) -> list[Word]:
        """The pieces of a recorded answer, or of one that was cut off, after the first `after`, at most so many."""
        ...

    async def last_answers(self, turn_ids: Sequence[str]) -> dict[str, Entry]:
        """The newest answer of each of these turns, by turn; those without one are left out."""
        ...

    async def of_chain(self, turn_id: str) -> list[Entry]:
        """The entries of the turn and of all its ancestors, oldest first."""
        ...

    async def of_chain_after(self, turn_id: str, known: Collection[str], limit: int) -> Chain:
        """The same, of the first `limit` turns after the newest ancestor that is `known`."""
        ...

    async def count_chain(self, turn_id: str) -> int:
        """How many those are."""
        ...


class Tasks(Protocol):
    async def add_if_absent(self, task: Task) -> bool:
        """Write a task before it is spawned; false when its call has one already at the same part."""
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def of_call(self, turn_id: str, step: int, index: int) -> list[Task]:
        """The tasks that a call has begun, in the order of their parts."""
        ...

    async def of_session(self, session_id: str) -> list[Task]:
        """In the order of their start."""
        ...

    async def running_in(self, session_id: str) -> list[Task]:
        """In the order of their start."""
        ...

    async def recent(self, session_id: str, *, ended: int) -> list[Task]:
        """Those of a session that run, and so many of those that have ended; newest first."""
        ...

    async def page(self, owner: str | None, *, limit: int) -> list[Task]:
        """The newest tasks of an owner, or of everybody, newest first."""
        ...

    async def has_promised(self, session_id: str) -> bool:
        """Whether a task of this session runs whose end or output will still wake it."""
        ...

    async def running_of(self, owner: str) -> list[Task]:
        """What runs in the background of the owner's listed sessions, in the order of the start."""
        ...

    async def adopt(self, host: Host, node: str, now: float, *, keeper: str | None) -> list[Task]:
        """Make `node` the watcher of running tasks that nobody watches, and return them: processes of this host,
        and delegations of any. Nobody watches means: their node is none, or has let its lease run out. With
        `keeper`: any node but this one is gone.
        """
        ...

    async def watched_by(self, node: str) -> list[Task]:
        """The running tasks that a node watches."""
        ...

    async def of_silent_hosts(self, before: float) -> list[Task]:
        """Running processes of hosts that were last seen before this moment, or never."""
        ...

    async def next_attempt_if(self, task_id: str, attempt: int) -> bool:
        """Count one more spawn of a running task; false when that was done already or it has ended."""
        ...

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        """How far the output was searched; `will_notify` changes what is promised of the end, None leaves it."""
        ...

    async def take_promises_back(self, session_id: str) -> None:
        """Nobody will be told of the ends of the tasks that now run in this session."""
        ...

    async def intend_kill_if_running(self, task_id: str) -> bool: ...

    async def intend_kill_of_inline(self, turn_id: str) -> None:
        """The end is wanted of all that a turn itself was waiting for."""
        ...

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool: ...


class Approvals(Protocol):
    async def ask_if_new(self, approval: Approval) -> Approval:
        """Write the question, or find the one that the same call has asked before."""
        ...

    async def get(self, turn_id: str, step: int, index: int) -> Approval | None: ...

    async def find(self, session_id: str, call_id: str) -> Approval | None:
        """The newest question of this call id in this session."""
        ...

    async def answer_if_open(self, approval: Approval, choice: Choice, now: float) -> bool:
        """False when it was answered before or its time has passed."""
        ...

    async def give_up(self, approval: Approval) -> bool:
        """Its time is over; False when it was answered or given up before."""
        ...

    async def expire(self, turn_id: str, now: float) -> None:
        """The turn has ended: nobody waits for answers to its questions any more."""
        ...

    async def open_of(self, session_id: str, now: float) -> list[Approval]:
        """What waits for an answer in this session or in one of its delegations, however deep; oldest first."""
        ...

    async def open_of_owner(self, owner: str | None, now: float) -> list[Approval]:
        """What waits for an answer in any session of the owner, or of everybody; oldest first."""
        ...


class Grants(Protocol):
    async def give(self, grant: Grant) -> None:
        """One of the same kind in the same place is given anew, and stays one; the owner's expired ones go."""
        ...

    async def covering(self, session_ids: Sequence[str], owner: str, folders: Sequence[str], now: float) -> list[Grant]:
        """Those of these sessions, and the owner's of these folders; those of sessions first, then the oldest."""
        ...

    async def count_use(self, grant_ids: Sequence[str], now: float) -> None: ...

    async def of_owner(self, owner: str | None, now: float) -> list[Grant]:
        """Those that hold, of the owner or of everybody, oldest first; none of deleted sessions."""
        ...

    async def revoke_if_there(self, grant_id: str, owner: str | None) -> bool:
        """False when there is none of this id that belongs to the owner; None: to anyone."""
        ...


class Conversations(Protocol):
    async def create_if_absent(self, conversation: Conversation) -> bool:
        """False when its owner has one of this name already."""
        ...

    async def get(self, conversation_id: str) -> Conversation | None: ...

    async def named(self, owner: str, name: str) -> Conversation | None: ...

    async def of_session(self, session_id: str) -> Conversation | None: ...

    async def change(self, conversation_id: str, metadata: bytes) -> None: ...

    async def delete(self, conversation_id: str) -> None:
        """The name and the id are gone; the turns stay, for the responses that they are."""
        ...


class IdempotencyKeys(Protocol):
    async def reserve(self, key: IdempotencyKey) -> IdempotencyKey:
        """Write the key down, or find the one that was there first."""
        ...

    async def find(self, owner: str, key: str) -> IdempotencyKey | None: ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget keys whose turn has ended before this moment, at most so many, and say how many they were."""
        ...


class Deliveries(Protocol):
    """What is owed to receivers of webhooks. A row outlives the process that wrote it."""

    async def add_if_absent(self, delivery: Delivery, due_at: float) -> bool: ...

    async def due(self, now: float, hold_until: float, limit: int) -> list[Delivery]:
        """Hand out what is due, the longest due first, and make it due again at `hold_until`: nobody else gets it
        meanwhile."""
        ...

    async def next_due(self) -> float | None:
        """None when nothing waits."""
        ...

    async def done(self, delivery_id: str) -> None:
        """It has arrived and is forgotten. One that is not there is no error, here and below."""
        ...

    async def retry_later(self, delivery_id: str, at: float, error: str) -> None:
        """A try has failed, which is counted."""
        ...

    async def give_up(self, delivery_id: str, error: str) -> None:
        """It stays for people to look at, and is never due again."""
        ...

    async def drop_given_up(self, before: float, limit: int) -> int:
        """Forget what was given up and last tried before this moment, at most so much, and say how much it was."""
        ...


class Logins(Protocol):
    """Browsers that were let in, and the one-time tickets that let them in. Times are compared by the caller."""

    async def add_ticket(self, ticket: Ticket) -> None: ...

    async def ticket(self, digest: str) -> Ticket | None: ...

    async def use_ticket_if_new(self, digest: str, now: float) -> bool:
        """False when it was used before."""
        ...

    async def add(self, login: Login) -> None: ...

    async def get(self, digest: str) -> Login | None: ...

    async def page(self, principal: str | None, limit: int) -> list[Login]:
        """Those of one principal, or of all; the one used last first."""
        ...

    async def prolong(self, digest: str, *, used_at: float, expires_at: float) -> None: ...

    async def drop(self, digest: str) -> None:
        """One that is not there is no error."""
        ...

    async def drop_of(self, principal: str | None) -> None:
        """Logins and tickets of one principal, or of all."""
        ...

    async def seals(self, home: str) -> dict[str, str]:
        """The fingerprint of what lets each principal in, as it was written last for this home."""
        ...

    async def put_seal(self, home: str, principal: str, seal: str) -> None: ...

    async def drop_expired(self, now: float) -> None:
        """Tickets and logins whose time has passed."""
        ...


class Nodes(Protocol):
    async def renew(self, node: str, lease_until: float, *, host: str) -> None:
        """Also says that the host is up."""
        ...

    async def retire(self, node: str) -> None: ...

    async def cut_off_dead(self) -> int:
        """Break what nodes that have let their lease run out still have under way at the database, locks included,
        and say how many connections that were. Raises StoreReadOnly where that is not allowed.
        """
        ...

    async def drop_old(self, before: float, limit: int) -> int:
        """Forget nodes that have let their lease run out before this moment, at most so many, and say how many."""
        ...


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A turn, as the job sees it that moves old words and long texts."""

    turn_id: str
    session_id: str
    is_closed: bool
    # Some of its events are words, or have long texts that the journal has, too.
    is_old: bool


class OldWords(Protocol):
    """Words that an older version has written as events (model/old_words.py), and texts of events that stand in the
    journal, too (model/old_texts.py).
    """

    async def position(self) -> str:
        """How far the job has come that moves them; empty: it has not begun."""
        ...

    async def reach(self, position: str) -> None: ...

    async def turns_after(self, turn_id: str, limit: int) -> list[LookedAt]:
        """In the order of their ids."""
        ...

    async def move(self, words: Move) -> None:
        """Let the fact have them, and the entry their cuts, and take their events out of the log."""
        ...

    async def take_text(self, event: Event) -> None:
        """Write over an event that quotes the journal from now on."""
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
