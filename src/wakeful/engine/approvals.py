"""Approvals: a call asks a person and waits. Question and answer are rows, so that a restart forgets neither."""

import asyncio
from dataclasses import replace

from wakeful.engine.dispatcher import require_session
from wakeful.engine.news import append_news
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.task_runner import require_task
from wakeful.errors import AlreadyAnswered, ApprovalNotFound
from wakeful.model import event as events
from wakeful.model.approval import Approval, Choice, Question
from wakeful.model.event import NewEvent
from wakeful.model.session import Session
from wakeful.model.task_data import time_text
from wakeful.model.turn import Turn
from wakeful.store.base import Body, Signal, Store, Transaction


class Approvals:
    def __init__(self, store: Store, clock: Clock, settings: EngineSettings) -> None:
        self._store = store
        self._clock = clock
        self.seconds = settings.approval_seconds
        # Calls that wait, by the session that asks.
        self._waiting: dict[str, set[asyncio.Event]] = {}
        store.notifier.listen(self._hear)

    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        """Ask, and wait for the answer; None when none came in time. What was allowed before is not asked again."""
        danger = question.reasons[0].kind
        reason = "; ".join(found.reason for found in question.reasons)
        asking = Approval(
            turn.session_id, turn.id, step, index, question.call_id, question.command, danger, reason, expires_at=0.0
        )
        answered = asyncio.Event()
        self._waiting.setdefault(turn.session_id, set()).add(answered)
        try:
            asked = await self._ask_once(turn, asking)
            return Choice.ONCE if asked is None else await self._answer_to(asked, answered)
        finally:
            self._stop_waiting(turn.session_id, answered)

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        """Whether this call has asked and nobody has answered yet, in time or not."""

        async def body(tx: Transaction) -> bool:
            asked = await tx.approvals.get(turn.id, step, index)
            return asked is not None and asked.choice is None

        return await self._store.read(body)

    async def answer(self, session_id: str, call_id: str, choice: Choice) -> None:
        """Answer a question of this session or of one of its delegations. Raises ApprovalNotFound, AlreadyAnswered."""
        approval = await self._find(session_id, call_id)
        shown_in = await self._shown_in(approval.session_id)

        async def body(tx: Transaction) -> None:
            if not await tx.approvals.answer_if_open(approval, choice, await tx.now()):
                raise AlreadyAnswered
            if choice is Choice.SESSION:
                await tx.approvals.allow(approval.danger, session_id=approval.session_id)
            elif choice is Choice.ALWAYS:
                owner = (await require_session(tx, approval.session_id)).owner
                await tx.approvals.allow(approval.danger, owner=owner)
            for shown in shown_in:
                shown_id = approval_data(approval, shown)["call_id"]
                data = {"session_id": shown, "call_id": shown_id, "choice": choice}
                await tx.events.append(shown, None, [NewEvent.of(events.APPROVAL_ANSWERED, data)])

        await self._store.write(body, lock=shown_in)

    async def _answer_to(self, asked: Approval, answered: asyncio.Event) -> Choice | None:
        while asked.choice is None:
            left = asked.expires_at - await self._now()
            if left <= 0:
                # Under the lock: an answer that was in time is seen, and one that comes after this is refused.
                return (await self._store.write(self._look_at(asked), lock=[asked.session_id])).choice
            await self._clock.wait(answered, left)
            answered.clear()
            asked = await self._store.read(self._look_at(asked))
        return asked.choice

    async def _ask_once(self, turn: Turn, asking: Approval) -> Approval | None:
        """Write the question down and show it, unless the same call has done that before; None: it is allowed."""
        shown_in = await self._shown_in(turn.session_id)

        async def body(tx: Transaction) -> Approval | None:
            await tx.turns.require(turn.lease)
            known = await tx.approvals.get(turn.id, asking.step, asking.index)
            if known is not None:
                return known
            session = await require_session(tx, turn.session_id)
            if await tx.approvals.is_allowed(asking.danger, session.id, session.owner):
                return None
            now = await tx.now()
            asked = replace(asking, task_id=session.task_id, created_at=now, expires_at=now + self.seconds)
            await tx.approvals.ask_if_new(asked)
            for shown in shown_in:
                question = NewEvent.of(events.APPROVAL_REQUIRED, approval_data(asked, shown))
                await append_news(tx, shown, None, question)
            return asked

        return await self._store.write(body, lock=shown_in)

    async def _shown_in(self, session_id: str) -> list[str]:
        """The session and those whose delegation it works for, up to the first."""

        async def body(tx: Transaction) -> list[str]:
            session: Session = await require_session(tx, session_id)
            found = [session.id]
            while session.task_id is not None:
                session = await require_session(tx, (await require_task(tx, session.task_id)).session_id)
                found.append(session.id)
            return found

        return await self._store.read(body)

    async def _find(self, session_id: str, shown_id: str) -> Approval:
        async def body(tx: Transaction) -> Approval | None:
            task_id, colon, call_id = shown_id.partition(":")
            asking = await _child_below(tx, session_id, task_id) if colon else None
            if asking is not None:
                return await tx.approvals.find(asking, call_id)
            return await tx.approvals.find(session_id, shown_id)

        approval = await self._store.read(body)
        if approval is None:
            raise ApprovalNotFound(f"There is no question about the call {shown_id} in this session.")
        return approval

    def _look_at(self, asked: Approval) -> Body[Approval]:
        async def body(tx: Transaction) -> Approval:
            return await tx.approvals.get(asked.turn_id, asked.step, asked.index) or asked

        return body

    async def _now(self) -> float:
        async def body(tx: Transaction) -> float:
            return await tx.now()

        return await self._store.read(body)

    def _stop_waiting(self, session_id: str, answered: asyncio.Event) -> None:
        waiting = self._waiting[session_id]
        waiting.discard(answered)
        if not waiting:
            del self._waiting[session_id]

    def _hear(self, signal: Signal) -> None:
        told = {event.session_id for event in signal.events}
        answered = {event.session_id for event in signal.events if event.kind == events.APPROVAL_ANSWERED}
        touched = self._waiting.keys() if signal.is_everything else answered | (signal.sessions - told)
        for session_id in touched:
            for event in self._waiting.get(session_id, ()):
                event.set()


async def _child_below(tx: Transaction, session_id: str, task_id: str) -> str | None:
    """The session that works for this delegation, if that stands below the session, however deep."""
    task = await tx.tasks.get(task_id)
    child = None if task is None else task.child_session_id
    while task is not None and task.session_id != session_id:
        above = (await require_session(tx, task.session_id)).task_id
        task = None if above is None else await tx.tasks.get(above)
    return None if task is None else child


def approval_data(approval: Approval, shown_in: str) -> dict[str, object]:
    """A question as people see it in this session. Call ids are unique in their session only, so that above it the
    name of the delegation is a part of the id."""
    is_own = approval.session_id == shown_in
    return {
        "session_id": shown_in,
        "call_id": approval.call_id if is_own else f"{approval.task_id}:{approval.call_id}",
        "task_id": approval.task_id,
        "command": approval.command,
        "danger": approval.danger,
        "reason": approval.reason,
        "expires_at": time_text(approval.expires_at),
    }
