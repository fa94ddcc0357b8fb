"""Turns that are not stored: in memory, beside the inbox and the one-turn rule, each owned by its one reader.

They read what a session has and write nothing into it, so several may run at once, and none is ever resumed.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial

from wakeful.engine import turn_events
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.turns.memory_brief import memory_brief
from wakeful.engine.turns.turn_run import follow, outcome_of
from wakeful.errors import EngineStopping
from wakeful.model.event import Event, NewEvent, StreamItem
from wakeful.model.journal.fact import Fact, ReasoningDelta, TextDelta
from wakeful.model.journal.message import Message
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import REASONING, TOKEN, Word, WordsHead

# With so many events that nobody has taken the model is read no further.
_FULL = 1000
_STOPPING = Outcome(TurnStatus.FAILED, "stopping", "The server stopped before the answer was whole.")


@dataclass(slots=True)
class _Log:
    """The events of a turn, on their way to its reader."""

    turn: Turn
    queue: asyncio.Queue[StreamItem] = field(default_factory=asyncio.Queue)
    count: int = 0
    # Of the words since the last event.
    head: WordsHead | None = None
    word: int = 0

    def add(self, *told: NewEvent) -> None:
        for new in told:
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

    async def tell(self, fact: Fact) -> None:
        if isinstance(fact, TextDelta | ReasoningDelta):
            self.say(fact)
        else:
            self.add(*turn_events.events_of(fact))
        if self.queue.qsize() >= _FULL:
            await self.queue.join()

    async def take(self) -> StreamItem:
        told = await self.queue.get()
        self.queue.task_done()
        return told


class EphemeralTurns:
    def __init__(self, ledger: Ledger, equipment: Equipment) -> None:
        self._loop = equipment.loop
        self._work = equipment.unstored
        self._delegations = ledger.memory_delegations
        self._slots = ledger.slots
        self._binder = ledger.binder
        self._settings = ledger.settings
        self._stopping = ledger.stopping
        self._jobs: set[asyncio.Task[Outcome]] = set()

    def run(self, turn: Turn, messages: Sequence[Message]) -> AsyncGenerator[StreamItem, None]:
        """The events of the turn, as a stored one would tell them. It begins with the first that is asked for, and
        closing the generator stops the model and the tools. Raises EngineStopping.
        """
        if self._stopping.is_set():
            raise EngineStopping
        return self._events(_Log(turn), messages)

    async def drain(self, grace: float) -> None:
        """End what is not done within `grace`: its readers are told."""
        jobs = list(self._jobs)
        if jobs:
            await asyncio.wait(jobs, timeout=grace)
        await _end(jobs)

    async def _events(self, log: _Log, messages: Sequence[Message]) -> AsyncGenerator[StreamItem, None]:
        log.add(turn_events.started(log.turn))
        # In a context of its own, like every turn: it knows only what its own columns say.
        job = asyncio.create_task(self._run(log, messages), name=log.turn.id, context=Context())
        self._jobs.add(job)
        job.add_done_callback(partial(self._close, log))
        try:
            while True:
                told = await log.take()
                yield told
                if isinstance(told, Event) and told.is_final:
                    return
        finally:
            await _end([job])

    def _close(self, log: _Log, job: asyncio.Task[Outcome]) -> None:
        self._jobs.discard(job)
        log.add(turn_events.ended(log.turn, _STOPPING if job.cancelled() else job.result()))

    async def _run(self, log: _Log, messages: Sequence[Message]) -> Outcome:
        return await outcome_of(log.turn.id, self._follow(log, messages))

    async def _follow(self, log: _Log, messages: Sequence[Message]) -> bool:
        # Its background work has ended before its own end is reported.
        async with self._slots.taken_by(log.turn), self._work.allowed_in(log.turn.id):
            with self._binder.bind(log.turn), self._delegations.allowed_in(log.turn, self._loop):
                run = self._loop.run(memory_brief(log.turn, messages))
                return await follow(run, log.tell, self._settings.turn_seconds)


async def _end(jobs: Sequence[asyncio.Task[Outcome]]) -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
