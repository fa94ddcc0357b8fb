"""Asks a person to approve a call, and waits for the answer. Both are rows, so they survive a restart."""

import asyncio
from dataclasses import replace

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.engine.approvals.grants import grants_of, real_folder, reasons_to_ask
from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.news import append_news
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.family import child_below, has_woken_turn, sessions_above
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, NoFolderToGrant, OnceOnly
from wakeful.model import event as events
from wakeful.model.approvals.approval import EXPIRED, Approval, Choice, Question, Reason
from wakeful.model.approvals.mode import CallStanding, mode_of
from wakeful.model.event import NewEvent
from wakeful.model.turn import Turn
from wakeful.store.base import Body, Signal, Store, Transaction

# The store's clock may be set without notice, so its time is read again after this long.
_LONGEST_WAIT_SECONDS = 60.0


class ApprovalDesk:
    def __init__(self, store: Store, slots: TurnSlots, clock: Clock, settings: EngineSettings) -> None:
        self._store = store
        self._slots = slots
        self._clock = clock
        self.seconds = settings.approval_seconds
        self._grant_seconds = settings.grant_days * 86_400
        self._mode = settings.permission_mode
        # The events of waiting calls, by their session.
        self._waiting: dict[str, set[asyncio.Event]] = {}
        store.notifier.listen(self._hear)
        store.notifier.watch(self._waiting.keys)

    async def standing(self, turn: Turn, step: int, index: int) -> CallStanding:
        """Return the mode that holds now, and whether this call has asked before."""
        if turn.is_ephemeral:
            return CallStanding(self._mode)

        async def body(tx: Transaction) -> CallStanding:
            above = await sessions_above(tx, turn.session_id)
            asked = await tx.approvals.get(turn.id, step, index)
            is_unasked = turn.is_wakeup or await has_woken_turn(tx, above)
            return CallStanding(mode_of(above[-1], self._mode), asked is not None, is_unasked)

        return await self._store.read(body)

    async def uncovered(self, turn: Turn, step: int, index: int, question: Question) -> tuple[Reason, ...]:
        """Return the reasons that no grant covers, for a turn in which no person can be asked."""
        if turn.is_ephemeral:
            return question.reasons
        asking = _asking(turn, step, index, question)

        async def body(tx: Transaction) -> tuple[Reason, ...]:
            above = await sessions_above(tx, turn.session_id)
            return await reasons_to_ask(tx, asking, above, await tx.now())

        return await self._store.write(body)

    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        """Ask a person and return the answer; None if none came in time. If grants cover the call, return ONCE without
        asking.
        """
        asking = _asking(turn, step, index, question)
        answered = asyncio.Event()
        self._waiting.setdefault(turn.session_id, set()).add(answered)
        try:
            asked = await self._ask_once(turn, asking)
            if asked is None:
                return Choice.ONCE
            async with self._slots.lent():
                return await self._answer_to(turn, asked, answered)
        finally:
            self._stop_waiting(turn.session_id, answered)

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        """Return whether this call has asked and has no answer yet, in time or not."""

        async def body(tx: Transaction) -> bool:
            asked = await tx.approvals.get(turn.id, step, index)
            return asked is not None and asked.choice is None

        return await self._store.read(body)

    async def answer(self, session_id: str, call_id: str, choice: Choice) -> None:
        """Answer a question of this session or of one of its sub-agents. A grant for the session is a grant for this
        one. Raises ApprovalNotFound, AlreadyAnswered, OnceOnly, NoFolderToGrant.
        """
        approval = await self._find(session_id, call_id)
        _require_possible(approval, choice)
        shown_in = await self._shown_in(approval.session_id)

        async def body(tx: Transaction) -> None:
            now = await tx.now()
            if not await tx.approvals.answer_if_open(approval, choice, now):
                raise AlreadyAnswered
            owner = (await require_session(tx, approval.session_id)).owner
            for grant in grants_of(approval, choice, owner, session_id, now):
                await tx.grants.give(grant)
            for shown in shown_in:
                await tx.events.append(shown, None, [_answered(approval, shown, choice)])

        await self._store.write(body, lock=shown_in)

    async def _answer_to(self, turn: Turn, asked: Approval, answered: asyncio.Event) -> Choice | None:
        # By two clocks: the store's, which decides, and the monotonic one, in case the store's is set back.
        until = self._clock.monotonic() + asked.expires_at - await self._now()
        while asked.choice is None:
            left = min(asked.expires_at - await self._now(), until - self._clock.monotonic())
            if left <= 0:
                return await self._give_up(turn, asked)
            await self._clock.wait(answered, min(left, _LONGEST_WAIT_SECONDS))
            answered.clear()
            asked = await self._store.read(self._look_at(asked))
        return asked.choice

    async def _give_up(self, turn: Turn, asked: Approval) -> Choice | None:
        """Expire the question and return the answer that came in time, if any. Under the lock an answer is either seen
        here or refused later. The expiry is news once, whichever node notices it.
        """
        shown_in = await self._shown_in(asked.session_id)

        async def body(tx: Transaction) -> Choice | None:
            await tx.turns.require(turn.lease)
            if await tx.approvals.give_up(asked):
                for shown in shown_in:
                    await append_news(tx, shown, _answered(asked, shown, EXPIRED))
            return (await self._look_at(asked)(tx)).choice

        return await self._store.write(body, lock=shown_in)

    async def _ask_once(self, turn: Turn, asking: Approval) -> Approval | None:
        """Write the question and show it, unless the same call has asked before. Returns None if grants cover it."""
        shown_in = await self._shown_in(turn.session_id)

        async def body(tx: Transaction) -> Approval | None:
            await tx.turns.require(turn.lease)
            known = await tx.approvals.get(turn.id, asking.step, asking.index)
            if known is not None:
                return known
            above = await sessions_above(tx, turn.session_id)
            now = await tx.now()
            reasons = await reasons_to_ask(tx, asking, above, now)
            if not reasons:
                return None
            asked = replace(
                asking,
                reasons=reasons,
                task_id=above[0].task_id,
                chat_key=above[-1].chat_key,
                created_at=now,
                expires_at=now + self.seconds,
                granted_until=now + self._grant_seconds,
            )
            await tx.approvals.ask_if_new(asked)
            for shown in shown_in:
                question = NewEvent.of(events.APPROVAL_REQUIRED, approval_data(asked, shown))
                await append_news(tx, shown, question)
            return asked

        return await self._store.write(body, lock=shown_in)

    async def _shown_in(self, session_id: str) -> list[str]:
        async def body(tx: Transaction) -> list[str]:
            return [session.id for session in await sessions_above(tx, session_id)]

        return await self._store.read(body)

    async def _find(self, session_id: str, shown_id: str) -> Approval:
        async def body(tx: Transaction) -> Approval | None:
            task_id, colon, call_id = shown_id.partition(":")
            asking = await child_below(tx, session_id, task_id) if colon else None
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
        with_events = {event.session_id for event in signal.events}
        answered = {event.session_id for event in signal.events if event.kind == events.APPROVAL_ANSWERED}
        # A session without events in the signal was changed by another node.
        touched = self._waiting.keys() if signal.is_everything else answered | (signal.sessions - with_events)
        for session_id in touched:
            for event in self._waiting.get(session_id, ()):
                event.set()


def _asking(turn: Turn, step: int, index: int, question: Question) -> Approval:
    return Approval(
        turn.session_id,
        turn.id,
        step,
        index,
        question.call_id,
        question.tool,
        question.command,
        question.reasons,
        expires_at=0.0,
        preview=question.preview,
        folder=real_folder(turn.workspace),
    )


def _answered(approval: Approval, shown_in: str, choice: str) -> NewEvent:
    question = approval_data(approval, shown_in)
    data = {name: question[name] for name in ("session_id", "call_id", "task_id", "command")}
    return NewEvent.of(events.APPROVAL_ANSWERED, data | {"choice": choice})


def _require_possible(approval: Approval, choice: Choice) -> None:
    # A question that was answered before is refused later, as AlreadyAnswered.
    if approval.choice is not None or choice in approval.choices:
        return
    raise NoFolderToGrant if Choice.SESSION in approval.choices else OnceOnly
