"""Writes down what a turn does. Streamed text goes out in whatever pieces the commits allow; steps are one
transaction each. Nothing overtakes: a step is recorded after the text that came before it.
"""

import asyncio
from collections.abc import Callable

from wakeful.engine import turn_events
from wakeful.engine.dispatcher import Dispatcher
from wakeful.model.event import NewEvent
from wakeful.model.fact import Answered, CallFinished, ReasoningDelta, StepAbandoned, TextDelta
from wakeful.model.journal import Entry, answer_entry, result_entry
from wakeful.model.message import Usage
from wakeful.model.turn import Lease
from wakeful.store.base import Store, Transaction

# Beyond this many waiting characters the model is read no further until the disk has caught up.
_FULL = 64_000


class Recorder:
    def __init__(self, store: Store, dispatcher: Dispatcher, lease: Lease, on_failure: Callable[[], object]) -> None:
        """`on_failure` is called when text could not be written, however long the model then says nothing."""
        self._store = store
        self._dispatcher = dispatcher
        self._lease = lease
        self._on_failure = on_failure
        self.failure: BaseException | None = None
        self._waiting: list[TextDelta | ReasoningDelta] = []
        self._size = 0
        self._flushing: asyncio.Task[None] | None = None

    async def stream(self, delta: TextDelta | ReasoningDelta) -> None:
        """Take a piece of an answer. It is committed soon, together with what comes while a commit is under way."""
        self._waiting.append(delta)
        self._size += len(delta.text)
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())
            self._flushing.add_done_callback(self._notice)
        if self._size > _FULL:
            await self.flushed()

    async def flushed(self) -> None:
        """Wait until every piece taken so far is on disk."""
        while self._flushing is not None:
            flushing = self._flushing
            await flushing
            if self._flushing is flushing:
                self._flushing = None

    async def abandon(self, fact: StepAbandoned) -> None:
        await self.flushed()
        await self._store.append(self._lease, [turn_events.abandoned(fact)])

    async def answer(self, fact: Answered) -> None:
        await self.flushed()
        await self._record([answer_entry(self._lease.turn_id, fact)], turn_events.answered(fact), (), fact.usage)

    async def result(self, fact: CallFinished) -> None:
        entry = result_entry(
            self._lease.turn_id,
            fact.step,
            fact.index,
            call_id=fact.call.id,
            text=fact.text,
            seconds=fact.seconds,
            is_error=fact.is_error,
        )
        await self._record([entry], [turn_events.call_finished(fact)], fact.consumes)

    async def join(self, step: int, index: int) -> list[Entry]:
        async def body(tx: Transaction) -> list[Entry]:
            return await self._dispatcher.join(tx, self._lease, step, index)

        return await self._store.write(body, lock=[self._lease.session_id])

    async def close(self) -> None:
        """Leave nothing running behind; what was not written is lost, as it would be in a crash."""
        if self._flushing is not None:
            self._flushing.cancel()
            await asyncio.gather(self._flushing, return_exceptions=True)

    def _notice(self, flushing: asyncio.Task[None]) -> None:
        if not flushing.cancelled() and flushing.exception() is not None:
            self.failure = flushing.exception()
            self._on_failure()

    async def _flush(self) -> None:
        while self._waiting:
            waiting, self._waiting, self._size = self._waiting, [], 0
            await self._store.append(self._lease, turn_events.streamed(waiting))

    async def _record(
        self, entries: list[Entry], told: list[NewEvent], consumes: tuple[str, ...], cost: Usage | None = None
    ) -> None:
        lease = self._lease

        async def body(tx: Transaction) -> None:
            await tx.turns.require(lease)
            await tx.journal.add(entries)
            for task_id in consumes:
                await tx.inbox.withdraw_if_pending(lease.session_id, f"task:{task_id}")
            await tx.events.append(lease.session_id, lease.turn_id, told)
            await tx.turns.mark_recorded(lease.turn_id)
            if cost is not None:
                await tx.sessions.spend(
                    lease.session_id, input_tokens=cost.input_tokens, output_tokens=cost.output_tokens
                )

        await self._store.write(body, lock=[lease.session_id])
