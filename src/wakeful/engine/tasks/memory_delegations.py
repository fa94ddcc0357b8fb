"""Delegations of turns that are not stored: sub-agents in memory, inside the call that wants them, and gone with it."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from contextvars import Context
from dataclasses import dataclass, replace

from wakeful.engine.ports import AgentLoop, TurnBinder
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.delegation_end import TIME_IS_OVER, failure_words
from wakeful.engine.tasks.delegation_limits import check_delegation_limits
from wakeful.engine.turns.memory_brief import memory_brief
from wakeful.errors import TurnFailed
from wakeful.model.ids import new_id
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import UserMessage
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Turn

_BROKE = "something broke inside the server; its log has the details"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Station:
    """Where a turn in memory stands: the loop that runs it, and how many delegations stand above it."""

    loop: AgentLoop
    depth: int


class MemoryDelegations:
    def __init__(self, binder: TurnBinder, settings: EngineSettings, host: Host) -> None:
        self._binder = binder
        self._settings = settings
        self._host = host
        # By the turns that run now.
        self._stations: dict[str, _Station] = {}
        # How many sub-agents work for a turn now.
        self._working: Counter[str] = Counter()

    @contextmanager
    def allowed_in(self, turn: Turn, loop: AgentLoop) -> Iterator[None]:
        """While this is open, the turn may have sub-agents, which run in the same loop."""
        with self._standing(turn, _Station(loop, 0)):
            yield

    async def delegate(self, turn: Turn, goals: Sequence[str]) -> list[Task]:
        """Have a sub-agent work on each goal, and wait for all. Cancelling this stops them. Raises
        TooManyDelegations.
        """
        above, working = self._stations[turn.id], self._working[turn.id]
        check_delegation_limits(self._settings, wanted=len(goals), working=working, depth=above.depth)
        station = replace(above, depth=above.depth + 1)
        self._working[turn.id] += len(goals)
        try:
            async with asyncio.TaskGroup() as group:
                # Each in a context of its own, like every turn.
                jobs = [group.create_task(self._work(turn, goal, station), context=Context()) for goal in goals]
        finally:
            self._working[turn.id] -= len(goals)
            # Without those that are 0.
            self._working = +self._working
        return [job.result() for job in jobs]

    async def _work(self, parent: Turn, goal: str, station: _Station) -> Task:
        child = _child_of(parent)
        words: list[str] = []
        with self._standing(child, station):
            problem = await self._run(child, goal, words, station.loop)
        answer = words[-1] if words else ""
        return replace(
            self._task(parent, child, goal),
            status=TaskStatus.FAILED if problem else TaskStatus.EXITED,
            exit_code=None if problem else 0,
            result=failure_words(problem, answer) if problem else answer,
            ended_at=time.time(),
        )

    @contextmanager
    def _standing(self, turn: Turn, station: _Station) -> Iterator[None]:
        self._stations[turn.id] = station
        try:
            yield
        finally:
            del self._stations[turn.id]

    async def _run(self, child: Turn, goal: str, words: list[str], loop: AgentLoop) -> str:
        """Let it work to its end, and gather what it says; the reason when that end is a failure."""
        timeout = asyncio.timeout(min(self._settings.delegation_seconds, self._settings.turn_seconds))
        try:
            with self._binder.bind(child):
                async with timeout, aclosing(loop.run(memory_brief(child, [UserMessage(goal)]))) as facts:
                    async for fact in facts:
                        if isinstance(fact, Answered) and fact.message.text:
                            words.append(fact.message.text)
        except TurnFailed as failure:
            return str(failure)
        except Exception as error:  # The sub-agent's own boundary: whatever broke, it ends and says so.
            if isinstance(error, TimeoutError) and timeout.expired():
                return TIME_IS_OVER
            logger.exception("sub-agent %s broke", child.id)
            return _BROKE
        return ""

    def _task(self, parent: Turn, child: Turn, goal: str) -> Task:
        """The row that a stored delegation would have, but without a session that could be opened."""
        return Task(
            id=new_id("del"),
            kind=TaskKind.DELEGATION,
            session_id=parent.session_id,
            owner="",
            turn_id=parent.id,
            step=0,
            index=0,
            host=self._host,
            command=goal,
            door=parent.door,
            address=parent.address,
            model=parent.model,
            will_notify=False,
            is_inline=True,
            started_at=child.opened_at,
        )


def _child_of(parent: Turn) -> Turn:
    """It has its parent's door, address, model and folder, and nothing of what the client asked of the parent."""
    return replace(
        parent,
        id=new_id("turn"),
        parent=None,
        source="delegation",
        request=b"{}",
        works_for=parent.root_id,
        opened_at=time.time(),
    )
