"""Records what a turn does, one transaction per fact. The words of an answer are shown as they arrive and written with
the answer.
"""

import asyncio

from wakeful.engine import turn_events
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.dispatcher import Dispatcher
from wakeful.engine.words.words import LiveWords, Words
from wakeful.errors import LimitReached
from wakeful.model.event import Event
from wakeful.model.journal.entry import Entry, answer_entry, result_entry, summary_entry
from wakeful.model.journal.fact import (
    Answered,
    CallFinished,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ModelChanged,
    ReasoningDelta,
    StepAbandoned,
    TextDelta,
    Wasted,
)
from wakeful.model.opening import Step
from wakeful.model.turn import Lease
from wakeful.model.words import REASONING, TOKEN, WordsEnd, WordsHead, pack_cuts
from wakeful.store.base import Store, Transaction

# A limit on an unfinished answer, which is held in memory.
_MOST_LETTERS = 8_000_000


async def write_step(tx: Transaction, lease: Lease, step: Step) -> Event:
    """Write a step and return the last of its events. The caller has checked the lease."""
    await tx.journal.add(step.entries)
    for task_id in step.consumes:
        await tx.inbox.withdraw_if_pending(lease.session_id, f"task:{task_id}")
    facts = await tx.events.append(lease.session_id, lease.turn_id, step.facts)
    if step.entries:
        await tx.turns.mark_recorded(lease.turn_id)
    if step.summary is not None:
        await tx.turns.begin_context([lease.turn_id], step.summary.context_turn(lease.turn_id))
    if step.cost is not None:
        read = step.cost.input_tokens if step.summary is None else step.summary.tokens_after
        await tx.spending.add(lease.session_id, step.cost, context_tokens=read)
    return facts[-1]


class Recorder:
    def __init__(self, store: Store, dispatcher: Dispatcher, live: LiveWords, assignment: Assignment) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._live = live
        self._lease = assignment.lease
        # The numbers of the turn's last fact, in the session's log and in the turn's own.
        self._base = assignment.base
        self._turn_base = assignment.turn.last_seq
        self._words: Words | None = None
        # How many words of a step may be shown before it is recorded, and the write that raises this number.
        self._reserved = assignment.turn.reserved
        self._reserving: asyncio.Task[None] | None = None
        # The turn's last answer, which is written with the turn's end.
        self.last: Step | None = None

    async def say(self, delta: TextDelta | ReasoningDelta) -> None:
        """Show a piece of an answer."""
        session_id = self._lease.session_id
        await self._live.unsealed(session_id)
        words = self._words
        if words is None:
            head = WordsHead(session_id, self._lease.turn_id, delta.step, self._base)
            words = self._words = self._live.begin(head, self._turn_base)
        if words.count * 2 >= self._reserved:
            await self._make_room(words)
        if words.size > _MOST_LETTERS:
            raise LimitReached(f"The answer has more than {_MOST_LETTERS:,} letters.", code="answer_limit")
        self._live.add(words, TOKEN if isinstance(delta, TextDelta) else REASONING, delta.text)

    async def abandon(self, fact: StepAbandoned) -> None:
        """Record that the model will be asked again; the words so far are kept with that event."""
        words = self._words
        if words is not None:
            ends = words.end(words.said())
            await self._record(Step([], [turn_events.abandoned(fact, ends)]))

    async def change_model(self, fact: ModelChanged) -> None:
        """Record that another model is asked. This is no step: a turn that stops every node here is not resumed for
        ever.
        """
        lease = self._lease

        async def body(tx: Transaction) -> Event:
            await tx.turns.require(lease)
            (event,) = await tx.events.append(lease.session_id, lease.turn_id, [turn_events.model_changed(fact)])
            return event

        self._go_on_from(await self._store.write(body, lock=[lease.session_id]))

    async def answer(self, fact: Answered) -> None:
        """Record an answer. One that leaves the server no call is the turn's last: it is written with the end."""
        entry, ends = self._answered(fact)
        step = Step([entry], turn_events.answered(fact, ends), cost=fact.spend)
        if len(fact.message.calls) == len(fact.client_calls):
            self.last = step
        else:
            await self._record(step)

    async def waste(self, fact: Wasted) -> None:
        """Count the cost of an answer that was thrown away."""
        lease = self._lease

        async def body(tx: Transaction) -> None:
            await tx.turns.require(lease)
            await tx.spending.add(lease.session_id, fact.spend)

        await self._store.write(body, lock=[lease.session_id])

    async def result(self, fact: CallFinished) -> None:
        entry = result_entry(
            self._lease.turn_id,
            fact.step,
            fact.index,
            call_id=fact.call.id,
            text=fact.text,
            seconds=fact.seconds,
            is_error=fact.is_error,
            changes=fact.changes,
            images=fact.images,
            shows=fact.shows,
        )
        await self._record(Step([entry], [turn_events.call_finished(fact)], fact.consumes))

    async def compaction(self, fact: CompactionStarted | CompactionFailed) -> None:
        """Announce a summary that is being made, or that cannot be made; neither is a recorded step."""
        await self._record(Step([], [turn_events.compaction(self._lease.turn_id, fact)]))

    async def summary(self, fact: Compacted) -> None:
        entry = summary_entry(self._lease.turn_id, fact.step, fact.summary)
        event = turn_events.compaction(self._lease.turn_id, fact)
        await self._record(Step([entry], [event], cost=fact.summary.spend, summary=fact.summary))

    async def join(self, step: int, index: int) -> list[Entry]:
        async def body(tx: Transaction) -> tuple[list[Entry], Event | None]:
            return await self._dispatcher.join(tx, self._lease, step, index)

        entries, last = await self._store.write(body, lock=[self._lease.session_id])
        if last is not None:
            self._go_on_from(last)
        return entries

    def close(self) -> None:
        """Cancel a reservation that is still being written."""
        if self._reserving is not None:
            self._reserving.cancel()

    def _answered(self, fact: Answered) -> tuple[Entry, WordsEnd | None]:
        words = self._words
        if words is None:
            return answer_entry(self._lease.turn_id, fact), None
        said = words.said()
        if (said.text, said.reasoning) == (fact.message.text, fact.message.reasoning):
            ends = words.end()
            return answer_entry(self._lease.turn_id, fact, pack_cuts(said.cuts)), ends
        # The final answer differs from the words that were shown: keep both.
        return answer_entry(self._lease.turn_id, fact), words.end(said)

    async def _make_room(self, words: Words) -> None:
        """Start to reserve more words; wait for the write only when all reserved ones are used."""
        if self._reserving is None:
            self._reserving = asyncio.create_task(self._reserve(self._reserved * 2))
        if words.count >= self._reserved or self._reserving.done():
            reserving, self._reserving = self._reserving, None
            await reserving

    async def _reserve(self, pieces: int) -> None:
        async def body(tx: Transaction) -> None:
            await tx.turns.reserve(self._lease, pieces)

        await self._store.write(body, lock=[self._lease.session_id])
        self._reserved = pieces

    async def _record(self, step: Step) -> None:
        lease = self._lease

        async def body(tx: Transaction) -> Event:
            await tx.turns.require(lease)
            return await write_step(tx, lease, step)

        self._go_on_from(await self._store.write(body, lock=[lease.session_id]))

    def _go_on_from(self, fact: Event) -> None:
        assert fact.turn_seq is not None
        self._base, self._turn_base = fact.session_seq, fact.turn_seq
        self._words = None
