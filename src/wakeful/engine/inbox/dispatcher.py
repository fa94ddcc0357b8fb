"""Turns inbox rows into turns: the only code that opens and closes turns.

Every function with a transaction runs under the lock of its session and does one read, one decision (see decision.py)
and one write. Claiming rows and creating their turn is one transaction; so is closing a turn and claiming pending rows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from wakeful.engine import turn_events
from wakeful.engine.cron_runs import begin_run, end_run, withdraw_run
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.decision import Decision, Rules, entries_of, input_event
from wakeful.engine.news import add_to_news
from wakeful.engine.settings import EngineSettings
from wakeful.engine.spend_guard import spent_on_day
from wakeful.engine.words.words import LiveWords
from wakeful.errors import LeaseLost, SessionNotFound
from wakeful.model import event as events
from wakeful.model.event import Event, NewEvent
from wakeful.model.inbox import InboxRow, RowKind, joining_rows
from wakeful.model.journal.entry import Entry, cut_entry
from wakeful.model.journal.fact import StepAbandoned
from wakeful.model.lane import Lane
from wakeful.model.opening import Opened, Opening, Step
from wakeful.model.session import Session, TitleOrigin
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Transaction

# Called in the transaction that closes a turn, to write rows that depend on its end. It awaits that transaction only.
OnClose = Callable[[Transaction, Turn, Outcome], Awaitable[None]]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Dispatcher:
    node: str
    settings: EngineSettings
    words: LiveWords
    # Set when the node stops: it leaves pending rows to the next node.
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    on_close: OnClose | None = None

    @property
    def is_stopping(self) -> bool:
        return self.stopping.is_set()

    @property
    def has_spend_cap(self) -> bool:
        return self.settings.waking_spend_usd is not None

    @property
    def rules(self) -> Rules:
        return Rules(self.node, self.settings, may_open=not self.is_stopping)

    async def lane(self, tx: Transaction, session_id: str, key: str = "") -> Lane:
        """Read a session's lane; `lane.known` is its row with the dedupe key `key`, if any. Raises SessionNotFound."""
        lane = await tx.lane(session_id, wake_budget=self.settings.wake_budget_per_hour, key=key)
        if lane is None:
            raise SessionNotFound(f"There is no session {session_id}.")
        return await self._with_spend(tx, lane)

    async def held_lane(self, tx: Transaction, lease: Lease) -> Lane:
        """Read the lane of a turn that this node runs. Raises LeaseLost."""
        lane = await tx.lane(lease.session_id, wake_budget=self.settings.wake_budget_per_hour)
        if lane is None or lane.active is None or (lane.active.id, lane.active.epoch) != (lease.turn_id, lease.epoch):
            raise LeaseLost
        return await self._with_spend(tx, lane)

    async def _with_spend(self, tx: Transaction, lane: Lane) -> Lane:
        if not self.has_spend_cap:
            return lane
        spent_usd = await spent_on_day(tx, lane.now)
        return replace(lane, spent_usd=spent_usd, asked_at=await tx.turns.last_asked(lane.session.id))

    async def open_next(self, tx: Transaction, session_id: str) -> Assignment | None:
        """Open the next turn of an idle session, if a pending row asks for one."""
        return await self.arrive(tx, await self.lane(tx, session_id))

    async def arrive(self, tx: Transaction, lane: Lane, *rows: InboxRow, title: str = "") -> Assignment | None:
        """Take in new rows: they open a turn, or wait. A `title` becomes the session's."""
        decision = self.rules.decide(lane, *rows)
        for row in decision.posted:
            await tx.inbox.post_if_new(replace(row, created_at=row.created_at or lane.now))
        assignment = None
        if decision.opening is not None:
            opening = titled(decision.opening, lane.session, title)
            assignment = assignment_of(opening, await tx.open(opening), lane.session.owner)
            await begin_run(tx, assignment.turn)
        elif title:
            await self._name(tx, lane.session, title)
        await self._announce_wait(tx, lane.session, decision)
        return assignment

    async def close(
        self,
        tx: Transaction,
        lane: Lane,
        outcome: Outcome,
        *,
        by_user: bool = False,
        answer: Step | None = None,
        arrivals: Sequence[InboxRow] = (),
        title: str = "",
        opens_next: bool = True,
    ) -> Assignment | None:
        """Close the running turn of a lane and open the next one, if a row is pending. `answer` is the turn's last
        answer, recorded with the end; `arrivals` are new rows. Raises LeaseLost when no turn runs.
        """
        turn = lane.active
        if turn is None:
            raise LeaseLost
        cut, ends = ((), None) if answer is not None else await self._end_words(tx, turn)
        end = turn_events.ended(turn, outcome, ends)
        rules = self.rules if opens_next else replace(self.rules, may_open=False)
        closing, decision = rules.close(
            lane, turn, outcome, by_user=by_user, answer=answer, cut=cut, end=end, arrivals=arrivals
        )
        closed = await tx.close(closing)
        await self._end_with_turn(tx, turn, outcome, lane.now)
        if closed.next is not None:
            await begin_run(tx, closed.next.turn)
        await self._announce_wait(tx, lane.session, decision)
        await self._announce_failure(tx, lane.session, turn, outcome, closed.events[-1])
        if title:
            await self._name(tx, lane.session, title)
        if closing.next is None or closed.next is None:
            return None
        return assignment_of(closing.next, closed.next, lane.session.owner)

    async def _end_with_turn(self, tx: Transaction, turn: Turn, outcome: Outcome, now: float) -> None:
        """Write the rows that depend on the end of a turn."""
        if outcome.status is not TurnStatus.DONE:
            # Tasks and questions that only this turn waits for end with it; its other background work goes on.
            await tx.tasks.intend_kill_of_inline(turn.id)
            await tx.approvals.expire(turn.id, now)
        await end_run(tx, turn, outcome)
        if self.on_close is not None:
            await self.on_close(tx, turn, outcome)

    async def join(self, tx: Transaction, lease: Lease, step: int, index: int) -> tuple[list[Entry], Event | None]:
        """Claim the rows that arrived for a running turn, and record them from `index` on, the first free index of the
        journal step. Returns their entries and the last of their events.
        """
        turn = await tx.turns.require(lease)
        rows = joining_rows(await tx.inbox.pending(turn.session_id), turn.door, turn.address)
        if not rows:
            return [], None
        await tx.inbox.claim([row.id for row in rows], turn.id)
        entries = entries_of(turn.id, step, index, rows, "joined", await tx.now())
        await tx.journal.add(entries)
        facts = await tx.events.append(turn.session_id, turn.id, [input_event(entry) for entry in entries])
        await tx.turns.mark_recorded(turn.id)
        for row in rows:
            if row.kind is RowKind.MESSAGE:
                await self._end_given_out_stream(tx, row, NewEvent.of(events.DONE, {"joined": turn.id}))
        return entries, facts[-1]

    async def release(self, tx: Transaction, turn: Turn) -> None:
        """Leave a turn to the next node, which asks the model again. Takes the unfinished answer back."""
        words = self.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        if words is not None:
            ends = words.end(words.said())
            abandoned = turn_events.abandoned(StepAbandoned(words.head.step), ends)
            await tx.events.append(turn.session_id, turn.id, [abandoned])
        await tx.turns.release(Lease(turn.id, turn.session_id, self.node, turn.epoch))

    async def withdraw(self, tx: Transaction, row: InboxRow) -> bool:
        """Withdraw a message and return True, if it is still queued."""
        if not await tx.inbox.withdraw_if_pending(row.session_id, row.dedupe_key):
            return False
        await withdraw_run(tx, row)
        await self._end_given_out_stream(tx, row, NewEvent.of(events.CANCELLED, {"reason": "withdrawn"}))
        return True

    async def _end_words(self, tx: Transaction, turn: Turn) -> tuple[Sequence[Entry], WordsEnd | None]:
        """Return what to keep of a step that will have no answer. For a turn of another node, only the words that it
        has shared are known; it may have shown up to `turn.reserved`.
        """
        words = self.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        if words is not None:
            ends = words.end()
            return [cut_entry(turn.id, words.head.step, words.said())], ends
        if turn.node in (None, self.node):
            return (), None
        base = await last_fact(tx, turn)
        shared = await tx.turns.said_elsewhere(turn.id, base)
        if shared is None:
            return (), WordsEnd(0, base, void=turn.reserved)
        step, said = shared
        return [cut_entry(turn.id, step, said)], WordsEnd(step, base, len(said.cuts), void=turn.reserved)

    async def _announce_wait(self, tx: Transaction, session: Session, decision: Decision) -> None:
        """Store and announce until when the session does not wake by itself."""
        wait = decision.wait
        if wait is not None:
            await tx.sessions.wake_later(session.id, wait.until, wait.reason)
            data = {"session_id": session.id, "until": wait.until, "reason": wait.reason}
            await tx.events.append(session.id, None, [NewEvent.of(events.WAKE_WAITS, data)])

    async def _announce_failure(
        self, tx: Transaction, session: Session, turn: Turn, outcome: Outcome, end: Event
    ) -> None:
        """Add a failure to the owner's news, unless the turn will be retried."""
        if outcome.status is not TurnStatus.FAILED or self.rules.is_tried_again(turn, outcome):
            return
        if turn.is_wakeup and outcome.passing:
            logger.error("wake-up turn %s failed %d times and is given up", turn.id, turn.attempt + 1)
        await add_to_news(tx, session, end)

    async def _name(self, tx: Transaction, session: Session, title: str) -> None:
        await tx.sessions.name(session.id, title, TitleOrigin.WORDS)
        if session.is_listed:
            await tx.events.append(session.id, None, [_has_a_title(session)])

    async def _end_given_out_stream(self, tx: Transaction, row: InboxRow, last: NewEvent) -> None:
        """Close the log of a turn id that was given out and will never open, for the readers that follow it."""
        await tx.events.append(row.session_id, row.turn_id, [last])


async def require_session(tx: Transaction, session_id: str) -> Session:
    session = await tx.sessions.get(session_id)
    if session is None:
        raise SessionNotFound(f"There is no session {session_id}.")
    return session


async def last_fact(tx: Transaction, turn: Turn) -> int:
    """Return the number, in the session's log, of the turn's last fact; 0 if none of its log is left."""
    last = await tx.events.of_turn(turn.id, turn.last_seq - 1, 1)
    return last[0].session_seq if last else 0


def titled(opening: Opening, session: Session, title: str) -> Opening:
    """Return the opening with a title for its session, unless the title is empty."""
    facts = (_has_a_title(session),) if title and session.is_listed else ()
    return replace(opening, title=title, session_facts=facts)


def _has_a_title(session: Session) -> NewEvent:
    return NewEvent.of(events.SESSION_UPDATED, {"session_id": session.id, "changed": ["title"]})


def first_assignment(opening: Opening, opened: asyncio.Event) -> Assignment:
    """Return the assignment of a new session's first turn, before its opening is committed."""
    assert opening.session is not None
    return Assignment(opening.turn, len(opening.facts), opening.entries, opened, opening.session.owner)


def assignment_of(opening: Opening, opened: Opened, owner: str) -> Assignment:
    """Return the assignment of a turn whose opening was written. With ancestors, the journal must be read."""
    base = opened.events[len(opening.facts) - 1].session_seq
    return Assignment(opened.turn, base, opening.entries if opened.turn.parent is None else None, owner=owner)
