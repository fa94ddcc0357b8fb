"""Reads a session at one moment, for GET /api/session: everything in the snapshot is consistent with its cursor."""

from dataclasses import asdict, dataclass
from typing import Any

from msgspec import UNSET, UnsetType
from starlette.requests import Request

from wakeful.model.approvals.approval import Approval
from wakeful.model.approvals.mode import Mode
from wakeful.model.event import COMPACTION_STARTED, Event
from wakeful.model.files.attachment import shown_fields
from wakeful.model.inbox import InboxRow, RowKind
from wakeful.model.journal.entry import Entry, EntryKind
from wakeful.model.session import Marks, Session
from wakeful.model.tasks.task import Task
from wakeful.model.tasks.task_data import time_text
from wakeful.model.tools.todo import unpack_todo
from wakeful.model.turn import Turn
from wakeful.model.words import Said, WordsHead
from wakeful.store.base import Transaction
from wakeful.web.approvals.approval import shown_approval
from wakeful.web.attachments.routes import ShownAttachment
from wakeful.web.cursor import cursor_in_words
from wakeful.web.feeds.rows import row_fields
from wakeful.web.messages.messages import MessageId, MessagePage, newest_messages, shown_turn
from wakeful.web.messages.turn import Notice, ShownTurn, cost_fields, notice_fields
from wakeful.web.sessions.session import (
    ActiveTurn,
    OpenCompaction,
    ParentTask,
    Partial,
    PendingNotice,
    QueuedMessage,
    SessionUsage,
    ShownSnapshot,
    ShownTodo,
    SnapshotSession,
    WhyWaiting,
    shown_message,
)
from wakeful.web.tasks.task import shown_tasks
from wakeful.web.web import Web
from wakeful.wire.errors import InvalidRequest

# How many of the newest tasks that have ended are shown.
_ENDED_TASKS = 100


@dataclass(frozen=True, slots=True)
class Snapshot:
    session: Session
    parent: Task | None
    active: Turn | None
    # The active turn's newest fact, and the words of its step since then.
    newest: Event | None
    words: tuple[WordsHead, Said] | None
    page: MessagePage
    marks: Marks
    pending: list[InboxRow]
    tasks: list[Task]
    approvals: list[Approval]
    mode: Mode
    now: float

    def shown(self, web: Web) -> ShownSnapshot:
        return ShownSnapshot(
            session=self._session(web),
            messages=[shown_message(message) for message in self.page.messages],
            has_more=self.page.has_more,
            turns=self._turns(),
            active=self._active(),
            queued=queued_messages(self.pending),
            tasks=shown_tasks(web, self.tasks),
            approvals=[shown_approval(approval, self.session.id) for approval in self.approvals],
            pending_notices=self._pending_notices(),
            todo=[ShownTodo(**asdict(item)) for item in unpack_todo(self.session.todo)],
            last_event_id=self.session.last_seq,
            cursor=self._cursor(),
        )

    def _session(self, web: Web) -> SnapshotSession:
        session, parent = self.session, self.parent
        window = web.window_of(session.model or web.model)
        return SnapshotSession(
            **row_fields(session, self.marks, self.mode),
            workspace=session.workspace,
            created_at=time_text(session.created_at),
            parent=None if parent is None else ParentTask(session_id=parent.session_id, task_id=parent.id),
            usage=SessionUsage(
                **cost_fields(session.spend),
                context_tokens=session.context_tokens,
                context_window=window,
                compact_at_tokens=None if window is None else int(window * web.compact_at),
            ),
        )

    def _active(self) -> ActiveTurn | None:
        if self.active is None:
            return None
        return ActiveTurn(**active_fields(self.active), partial=self._partial(), compaction=self._compaction())

    def _compaction(self) -> OpenCompaction | None:
        """Return the summary that is being made: a turn does nothing else meanwhile."""
        newest = self.newest
        if newest is None or newest.kind != COMPACTION_STARTED:
            return None
        fields = {name: newest.data[name] for name in ("step", "reason", "context_tokens")}
        return OpenCompaction(**fields, started_at=time_text(newest.at))

    def _partial(self) -> Partial | None:
        if self.words is None:
            return None
        head, said = self.words
        return Partial(step=head.step, text=said.text, reasoning=said.reasoning)

    def _cursor(self) -> str:
        """Return the cursor of a stream that continues after this snapshot."""
        word = 0 if self.words is None else len(self.words[1].cuts)
        return str(cursor_in_words(self.session.last_seq, _number_of(self.newest), word))

    def _turns(self) -> dict[str, ShownTurn]:
        """Return the turns of the messages, and the active turn, which may have no messages yet."""
        active = {} if self.active is None else {self.active.id: shown_turn(self.active, ())}
        return active | self.page.turns

    def _pending_notices(self) -> list[PendingNotice]:
        why = _why_notices_wait(self.session, self.now)
        wake_at = self.session.wake_at
        until = time_text(wake_at) if why in ("budget", "spend") and wake_at is not None else None
        notices = [row for row in self.pending if row.kind is RowKind.NOTICE]
        return [_pending_notice(row, why, until) for row in notices]


async def take_snapshot(web: Web, request: Request, session_id: str, limit: int, before: MessageId | None) -> Snapshot:
    # Read before the facts: words that come later are in the stream that continues from the cursor.
    words = await web.engine.live_words(session_id)

    async def body(tx: Transaction) -> Snapshot:
        session = await web.require_session(tx, request, session_id)
        newest = session.active or session.head
        if before is not None:
            await _require_visible(web, tx, request, before)
            newest = before.turn_id
        now = await tx.now()
        active = None if session.active is None else await tx.turns.get(session.active)
        page = await newest_messages(tx, newest, limit, before)
        fact = None if active is None else await _last_fact(tx, active)
        return Snapshot(
            session=session,
            parent=None if session.task_id is None else await tx.tasks.get(session.task_id),
            active=active,
            newest=fact,
            # If the turn has a newer fact than the words follow, that fact has ended them.
            words=words if words is not None and words[0].base == _number_of(fact) and words[1].cuts else None,
            page=page,
            marks=(await tx.readers.marks(request.state.principal, [session.id], now))[session.id],
            pending=await tx.inbox.pending(session.id),
            tasks=await tx.tasks.recent(session.id, ended=_ENDED_TASKS),
            approvals=await tx.approvals.open_of(session.id, now),
            mode=await web.mode_in(tx, session),
            now=now,
        )

    snapshot = await web.store.read(body)
    await web.answers.fill(snapshot.page.messages)
    return snapshot


async def _last_fact(tx: Transaction, turn: Turn) -> Event | None:
    return next(iter(await tx.events.of_turn(turn.id, turn.last_seq - 1, 1)), None)


def _number_of(fact: Event | None) -> int:
    return 0 if fact is None else fact.session_seq


def active_fields(turn: Turn) -> dict[str, Any]:
    return {"turn_id": turn.id, "stream_id": turn.id, "source": turn.source}


def queued_messages(pending: list[InboxRow]) -> list[QueuedMessage]:
    """Return the queued messages in the order in which they will be answered."""
    rows = [row for row in pending if row.kind is RowKind.MESSAGE]
    rows.sort(key=lambda row: (not row.is_urgent, not row.steers))
    return [
        QueuedMessage(
            turn_id=row.turn_id,
            message=row.data["text"],
            source=row.source,
            created_at=time_text(row.created_at),
            attachments=_attached(row),
        )
        for row in rows
    ]


def _attached(row: InboxRow) -> list[ShownAttachment] | UnsetType:
    files = row.data.get("attachments")
    return [ShownAttachment(**shown_fields(file)) for file in files] if files else UNSET


async def _require_visible(web: Web, tx: Transaction, request: Request, message: MessageId) -> None:
    """Raises InvalidRequest if the message's turn is not visible to the client.

    The turn may be of a session that this one was branched from, even if that session has since been deleted.
    """
    turn = await tx.turns.get(message.turn_id)
    session = None if turn is None else await tx.sessions.get(turn.session_id)
    if session is None or not web.may_see(request, session.owner):
        raise InvalidRequest("Give the id of a message of this session.")


async def read_result(web: Web, request: Request, session_id: str, message: MessageId) -> Entry:
    """Return the whole result of a tool. Raises SessionNotFound and InvalidRequest."""

    async def body(tx: Transaction) -> Entry:
        await web.require_session(tx, request, session_id)
        await _require_visible(web, tx, request, message)
        for entry in await tx.journal.of_turns([message.turn_id]):
            if (entry.step, entry.index) == message.position and entry.kind is EntryKind.RESULT:
                return entry
        raise InvalidRequest("message_id must be the id of a tool's message that has a result.")

    return await web.store.read(body)


def _why_notices_wait(session: Session, now: float) -> WhyWaiting:
    if session.is_held:
        return "held"
    if session.is_blocked:
        return "blocked"
    if session.wake_at is not None and session.wake_at > now:
        return session.wake_reason.value
    return "busy"


def _pending_notice(row: InboxRow, why: WhyWaiting, until: str | None) -> PendingNotice:
    data = row.data
    return PendingNotice(
        **notice_fields(Notice, data.get("notice", {})),
        source=row.source,
        content=data["text"],
        created_at=time_text(row.created_at),
        why=why,
        until=until,
    )
