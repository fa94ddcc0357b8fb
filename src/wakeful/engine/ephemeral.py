"""Turns that are not stored: they live in memory, bypass the inbox and the one-turn rule, and have one reader each.

They read a session's conversation and write nothing to it, so several may run at once, and none is ever resumed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextvars import Context
from dataclasses import dataclass, field, replace
from functools import partial

from wakeful.engine import turn_events
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import AgentLoop, Equipment
from wakeful.engine.turns.turn_run import memory_brief, run_to_end, turn_outcome
from wakeful.errors import EngineStopping
from wakeful.model.event import Event, NewEvent, StreamItem
from wakeful.model.journal.fact import Fact, ReasoningDelta, TextDelta
from wakeful.model.journal.message import Message
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import REASONING, TOKEN, Word, WordsHead

# With this many items unread by the client, the model's stream is paused.
_FULL = 1000
_STOPPING = Outcome(TurnStatus.FAILED, "stopping", "The server stopped before the answer was whole.")


@dataclass(slots=True)
class _Log:
    """The events of a turn, on their way to its reader."""

    turn: Turn
    owner: str
    queue: asyncio.Queue[StreamItem] = field(default_factory=asyncio.Queue)
    count: int = 0
    # The head and the count of the words since the last event.
    head: WordsHead | None = None
    word: int = 0

    def add(self, *new_events: NewEvent) -> None:
        for new in new_events:
            self.count += 1
            numbers = (self.turn.session_id, self.count, self.turn.id, self.count)
            self.queue.put_nowait(Event(*numbers, new.kind, new.payload, time.time()))
        self.head = None

    def say(self, delta: TextDelta | ReasoningDelta) -> None:
        if self.head is None:
            self.head, self.word = WordsHead(self.turn.session_id, self.turn.id, delta.step, self.count), 0
        self.word += 1
        kind = TOKEN if isinstance(delta, TextDelta) else REASONING
        self.queue.put_nowait(Word(self.head, self.word, kind, delta.text))

    async def record(self, fact: Fact) -> None:
        if isinstance(fact, TextDelta | ReasoningDelta):
            self.say(fact)
        else:
            self.add(*turn_events.events_of(self.turn.id, fact))
        if self.queue.qsize() >= _FULL:
            await self.queue.join()

    async def take(self) -> StreamItem:
        item = await self.queue.get()
        self.queue.task_done()
        return item


class EphemeralTurns:
    def __init__(self, ledger: Ledger, equipment: Equipment) -> None:
        self._loop = equipment.loop
        self._prompts = equipment.prompts
        self._work = equipment.unstored
        self._delegations = ledger.memory_delegations
        self._slots = ledger.slots
        self._spend = ledger.spend
        self._binder = ledger.binder
        self._settings = ledger.settings
        self._stopping = ledger.stopping
        self._jobs: set[asyncio.Task[Outcome]] = set()

    def run(self, turn: Turn, messages: Sequence[Message], owner: str) -> AsyncGenerator[StreamItem, None]:
        """Yield the events and words of the turn, like those of a stored one. The turn starts with the first request
        for an item; closing the generator stops the model and the tools. Its cost counts for `owner`. Raises
        EngineStopping.
        """
        if self._stopping.is_set():
            raise EngineStopping
        return self._events(_Log(turn, owner), messages, self._spend.counted(self._loop, owner))

    async def drain(self, grace: float) -> None:
        """Wait up to `grace` seconds for running turns, then cancel the rest; their readers get a `failed` event."""
        jobs = list(self._jobs)
        if jobs:
            await asyncio.wait(jobs, timeout=grace)
        await _end(jobs)

    async def _events(
        self, log: _Log, messages: Sequence[Message], loop: AgentLoop
    ) -> AsyncGenerator[StreamItem, None]:
        log.add(turn_events.started(log.turn))
        # An empty context, as for every turn: only the binder says who the turn is.
        job = asyncio.create_task(self._run(log, messages, loop), name=log.turn.id, context=Context())
        self._jobs.add(job)
        job.add_done_callback(partial(self._close, log))
        try:
            while True:
                item = await log.take()
                yield item
                if isinstance(item, Event) and item.is_final:
                    return
        finally:
            await _end([job])

    def _close(self, log: _Log, job: asyncio.Task[Outcome]) -> None:
        self._jobs.discard(job)
        log.add(turn_events.ended(log.turn, _STOPPING if job.cancelled() else job.result()))

    async def _run(self, log: _Log, messages: Sequence[Message], loop: AgentLoop) -> Outcome:
        return await turn_outcome(log.turn.id, self._follow(log, messages, loop))

    async def _follow(self, log: _Log, messages: Sequence[Message], loop: AgentLoop) -> bool:
        # Leaving these contexts ends the turn's background work, so that happens before its final event.
        async with self._slots.taken_by(log.turn), self._work.allowed_in(log.turn.id):
            turn = replace(log.turn, system_prompt=await self._prompts.make(log.turn, log.owner))
            with self._binder.bind(turn), self._delegations.allowed_in(turn, loop):
                run = loop.run(memory_brief(turn, messages, self._work))
                return await run_to_end(run, log.record, self._settings.turn_seconds)


async def _end(jobs: Sequence[asyncio.Task[Outcome]]) -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
