"""Inbox to turn: the only birthplace of turns, and the one way in which a turn is closed.

Every function with a transaction runs under the lock of the session it is about. Claiming a session, stamping its
rows and creating the turn is one transaction; so is closing a turn and looking for pending rows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from wakeful.engine import turn_events
from wakeful.engine.assignment import Assignment
from wakeful.engine.news import append_news
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words import LiveWords
from wakeful.errors import LeaseLost, SessionNotFound
from wakeful.model import event as events
from wakeful.model.event import Event, NewEvent
from wakeful.model.fact import StepAbandoned
from wakeful.model.ids import new_id
from wakeful.model.inbox import Batch, InboxRow, RowKind, joining_rows, next_batch
from wakeful.model.journal import Entry, cut_entry, input_entry
from wakeful.model.request import request_as_far_as_known
from wakeful.model.session import Session
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Transaction

# Senders choose their own names for messages; the prefix keeps them apart from those of tasks and retries.
MESSAGE_PREFIX = "message:"

_HOUR = 3600.0
# After one of these a session's wake-ups wait: trying again by itself would only fail again.
_BLOCKING_CODES = frozenset({"model_auth", "model_credit"})

# Writes, in the transaction that closes a turn, what others are owed by its end. It awaits that transaction only.
OnClose = Callable[[Transaction, Turn, Outcome], Awaitable[None]]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Dispatcher:
    node: str
    settings: EngineSettings
    words: LiveWords
    # Set when the node stops: it leaves pending rows to the next one.
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    on_close: OnClose | None = None

    @property
    def is_stopping(self) -> bool:
        return self.stopping.is_set()

    async def open_next(self, tx: Transaction, session: Session) -> Assignment | None:
        """Open the next turn of an idle session, if something pending asks for one."""
        if session.active is not None or session.is_deleted or self.is_stopping:
            return None
        pending = await tx.inbox.pending(session.id)
        now = await tx.now()
        batch = next_batch(pending, now, notices_wait=session.is_held or session.is_blocked)
        if batch is None or (batch.is_wakeup and await self._budget_is_spent(tx, session, now)):
            return None
        return await self._open(tx, session, batch, now)

    async def with_company(self, tx: Transaction, notice: InboxRow, *, but: str = "") -> InboxRow:
        """The notice, told to wait a moment if its session is idle while other promised work of it runs: ends that
        come together then share one turn. The time is stored, so that a crash in that moment loses nothing. `but`:
        the task that the notice is about, if it still runs.
        """
        session = await require_session(tx, notice.session_id)
        if session.active is not None or not await tx.tasks.has_promised(session.id, but=but):
            return notice
        return replace(notice, not_before=notice.created_at + self.settings.wake_company_seconds)

    async def close(self, tx: Transaction, turn: Turn, outcome: Outcome, *, by_user: bool = False) -> Assignment | None:
        """End a running turn and open the next one, if something is pending. Raises LeaseLost when it has ended."""
        if not await tx.turns.close_if_running(turn.id, outcome):
            raise LeaseLost
        await self._append_end(tx, turn, outcome, await self._end_words(tx, turn))
        session = await require_session(tx, turn.session_id)
        is_done = outcome.status is TurnStatus.DONE
        settled = replace(
            session,
            active=None,
            head=turn.id,
            checkpoint=turn.id if is_done and _is_whole(turn, outcome) else session.checkpoint,
            is_held=session.is_held or by_user,
            is_blocked=outcome.code in _BLOCKING_CODES or (session.is_blocked and not is_done),
        )
        await tx.sessions.settle(
            settled.id,
            head=turn.id,
            checkpoint=settled.checkpoint,
            is_held=settled.is_held,
            is_blocked=settled.is_blocked,
        )
        if self._is_tried_again(turn, outcome):
            await self._post_retry(tx, turn)
        if not is_done:
            # What only this turn was waiting for ends with it; the rest of its background work goes on.
            await tx.tasks.intend_kill_of_inline(turn.id)
            await tx.approvals.expire(turn.id, await tx.now())
        if self.on_close is not None:
            await self.on_close(tx, turn, outcome)
        return await self.open_next(tx, settled)

    async def join(self, tx: Transaction, lease: Lease, step: int, index: int) -> tuple[list[Entry], Event | None]:
        """Give a running turn what arrived for it meanwhile; `index` is the first free place in its journal step.
        Returns also the last fact of it.
        """
        turn = await tx.turns.require(lease)
        rows = joining_rows(await tx.inbox.pending(turn.session_id), turn.door, turn.address)
        if not rows:
            return [], None
        await tx.inbox.claim([row.id for row in rows], turn.id)
        now = await tx.now()
        entries = _entries(turn.id, step, index, rows, "joined", now)
        await tx.journal.add(entries)
        facts = await tx.events.append(turn.session_id, turn.id, [_input_event(entry) for entry in entries])
        await tx.turns.mark_recorded(turn.id)
        for row in rows:
            if row.kind is RowKind.MESSAGE:
                await self._end_given_out_stream(tx, row, NewEvent.of(events.DONE, {"joined": turn.id}))
        return entries, facts[-1]

    async def withdraw(self, tx: Transaction, row: InboxRow) -> bool:
        """Take a queued message back, while it is still queued."""
        if not await tx.inbox.withdraw_if_pending(row.session_id, row.dedupe_key):
            return False
        await self._end_given_out_stream(tx, row, NewEvent.of(events.CANCELLED, {"reason": "withdrawn"}))
        return True

    async def _end_words(self, tx: Transaction, turn: Turn) -> WordsEnd | None:
        """Keep what was said of a step that will have no answer. Of a turn that runs elsewhere, or ran in a process
        that is gone, nobody here knows what was said.
        """
        words = self.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        if words is not None:
            await tx.journal.add([cut_entry(turn.id, words.head.step, words.said())])
            return WordsEnd(words.head.step, words.head.base, words.count)
        if turn.node in (None, self.node):
            return None
        return WordsEnd(0, await last_fact(tx, turn), void=turn.reserved)

    async def release(self, tx: Transaction, turn: Turn) -> None:
        """Leave a turn of this node to the next one, which asks the model again: what it was saying is taken back."""
        words = self.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        if words is not None:
            ends = WordsEnd(words.head.step, words.head.base, words.count, said=words.said())
            abandoned = turn_events.abandoned(StepAbandoned(words.head.step), ends)
            await tx.events.append(turn.session_id, turn.id, [abandoned])
        await tx.turns.release(Lease(turn.id, turn.session_id, self.node, turn.epoch))

    async def _append_end(self, tx: Transaction, turn: Turn, outcome: Outcome, ends: WordsEnd | None) -> None:
        """A failure is news, unless the turn will be tried again."""
        ended = turn_events.ended(turn, outcome, ends)
        if outcome.status is not TurnStatus.FAILED or self._is_tried_again(turn, outcome):
            await tx.events.append(turn.session_id, turn.id, [ended])
        else:
            if turn.is_wakeup and outcome.passing:
                logger.error("wake-up turn %s failed %d times and is given up", turn.id, turn.attempt + 1)
            await append_news(tx, turn.session_id, turn.id, ended)

    def _is_tried_again(self, turn: Turn, outcome: Outcome) -> bool:
        if not turn.is_wakeup or not outcome.passing:
            return False
        return turn.attempt + 1 < self.settings.wake_retry_limit

    async def _open(self, tx: Transaction, session: Session, batch: Batch, now: float) -> Assignment:
        first = batch.first
        asked = first.data
        told = [row for row in batch.rows if row.kind is not RowKind.RETRY]
        turn = Turn(
            id=first.turn_id,
            session_id=session.id,
            parent=session.checkpoint if asked.get("from_checkpoint") else session.head,
            door=first.door,
            address=first.address,
            source=first.source,
            is_wakeup=batch.is_wakeup,
            # Nobody chose the model of a wake-up: it is the one that the session has now.
            model=(session.model or first.model) if batch.is_wakeup else first.model,
            status=TurnStatus.RUNNING,
            node=self.node,
            epoch=1,
            attempt=_attempt_of(batch),
            workspace=session.workspace,
            message_id="" if batch.message is None else batch.message.dedupe_key.removeprefix(MESSAGE_PREFIX),
            request=orjson.dumps(asked.get("request", {})),
            opened_at=now,
        )
        await tx.turns.open(turn)
        await tx.inbox.claim([row.id for row in batch.rows], turn.id)
        await tx.sessions.activate(session.id, turn.id, release_hold=not batch.is_wakeup)
        how = "opened" if batch.is_wakeup else "with_message"
        inputs = _entries(turn.id, 0, 0, told, how, now)
        await tx.journal.add(inputs)
        facts = await tx.events.append(session.id, turn.id, [turn_events.started(turn), *map(_input_event, inputs)])
        opened = replace(turn, last_seq=len(facts))
        return Assignment(opened, facts[-1].session_seq, inputs if turn.parent is None else None)

    async def _budget_is_spent(self, tx: Transaction, session: Session, now: float) -> bool:
        """Whether wake-ups must wait; then the session says so, and a stored time says how long."""
        opened = await tx.turns.wakeups_since(session.id, now - _HOUR)
        if len(opened) < self.settings.wake_budget_per_hour:
            return False
        free_at = opened[-self.settings.wake_budget_per_hour] + _HOUR
        if session.wake_at != free_at:
            await tx.sessions.wake_later(session.id, free_at)
            waits = NewEvent.of(events.WAKE_WAITS, {"session_id": session.id, "until": free_at})
            await tx.events.append(session.id, None, [waits])
        return True

    async def _post_retry(self, tx: Transaction, turn: Turn) -> None:
        attempt = turn.attempt + 1
        now = await tx.now()
        row = InboxRow(
            id=0,
            session_id=turn.session_id,
            dedupe_key=f"retry:{turn.id}",
            kind=RowKind.RETRY,
            source=turn.source,
            turn_id=new_id("turn"),
            door=turn.door,
            address=turn.address,
            model=turn.model,
            payload=orjson.dumps({"attempt": attempt}),
            not_before=now + self.settings.wake_retry_seconds * 2 ** (attempt - 1),
            created_at=now,
        )
        await tx.inbox.post_if_new(row)

    async def _end_given_out_stream(self, tx: Transaction, row: InboxRow, last: NewEvent) -> None:
        """A turn id that was given out and will never open: whoever follows it is told, and its log is closed."""
        await tx.events.append(row.session_id, row.turn_id, [last])


async def require_session(tx: Transaction, session_id: str) -> Session:
    session = await tx.sessions.get(session_id)
    if session is None:
        raise SessionNotFound(f"There is no session {session_id}.")
    return session


async def last_fact(tx: Transaction, turn: Turn) -> int:
    """The session's number of the turn's last fact."""
    (last,) = await tx.events.of_turn(turn.id, turn.last_seq - 1, 1)
    return last.session_seq


def _is_whole(turn: Turn, outcome: Outcome) -> bool:
    """A response that was cut at the model's output limit is no part of its conversation; elsewhere what was cut is
    there, for its client goes on from what it has seen.
    """
    return not outcome.incomplete or request_as_far_as_known(turn.request).kind != "response"


def _attempt_of(batch: Batch) -> int:
    """How often it was tried before; news that comes along has not been tried at all."""
    return min(row.data["attempt"] if row.kind is RowKind.RETRY else 0 for row in batch.rows)


def _entries(turn_id: str, step: int, index: int, rows: Sequence[InboxRow], delivered: str, now: float) -> list[Entry]:
    """What the rows tell, from this place in the journal on. `delivered` tells how a notice reached the agent: it
    opened the turn, rode along, or joined it.
    """
    told = [data for row in rows for data in _inputs_of(row, delivered, now)]
    return [input_entry(turn_id, step, index + offset, data) for offset, data in enumerate(told)]


def _inputs_of(row: InboxRow, delivered: str, now: float) -> Iterator[dict[str, Any]]:
    data = row.data
    origin = {"source": row.source, "message_id": row.dedupe_key.removeprefix(MESSAGE_PREFIX)}
    if inputs := data.get("inputs"):
        yield from (origin | given for given in inputs)
    elif row.kind is RowKind.NOTICE:
        latency = round(max(0.0, now - row.created_at) * 1000)
        notice = data.get("notice", {}) | {"delivered": delivered, "latency_ms": latency}
        yield origin | {"text": data["text"], "notice": notice}
    else:
        yield origin | {"text": data["text"]}


def _input_event(entry: Entry) -> NewEvent:
    recorded = entry.data
    data = {"message_id": entry.id, "source": recorded["source"], "content": recorded["text"]}
    if "role" in recorded:
        data["role"] = recorded["role"]
    if "notice" in recorded:
        return NewEvent.of(events.NOTICE, data | recorded["notice"])
    return NewEvent.of(events.MESSAGE, data | {"client_message_id": recorded["message_id"]})
