"""Delegations of unstored turns: sub-agents that run in memory, inside the call that started them."""

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
from wakeful.engine.tasks.delegation_begin import check_delegation_limits
from wakeful.engine.tasks.delegation_end import TIME_IS_OVER, failure_words
from wakeful.engine.turns.turn_run import memory_brief
from wakeful.errors import TurnFailed
from wakeful.model.api.request import TurnRequest
from wakeful.model.ids import new_id
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import UserMessage
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Turn

_BROKE = "something broke inside the server; its log has the details"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Station:
    """The loop that runs a turn in memory, and how many delegations are above that turn."""

    loop: AgentLoop
    depth: int


class MemoryDelegations:
    def __init__(self, binder: TurnBinder, settings: EngineSettings, host: Host) -> None:
        self._binder = binder
        self._settings = settings
        self._host = host
        # By the ids of the running turns.
        self._stations: dict[str, _Station] = {}
        # How many sub-agents work for each turn.
        self._working: Counter[str] = Counter()

    @contextmanager
    def allowed_in(self, turn: Turn, loop: AgentLoop) -> Iterator[None]:
        """Let the turn have sub-agents inside this context; they run in the same agent loop."""
        with self._registered(turn, _Station(loop, 0)):
            yield

    async def delegate(self, turn: Turn, goals: Sequence[Goal]) -> list[Task]:
        """Run a sub-agent for each goal and wait for all. Cancelling this stops them. Raises TooManyDelegations."""
        above, working = self._stations[turn.id], self._working[turn.id]
        check_delegation_limits(self._settings, wanted=len(goals), working=working, depth=above.depth)
        station = replace(above, depth=above.depth + 1)
        self._working[turn.id] += len(goals)
        try:
            async with asyncio.TaskGroup() as group:
                # Each in an empty context, like every turn.
                jobs = [group.create_task(self._work(turn, goal, station), context=Context()) for goal in goals]
        finally:
            self._working[turn.id] -= len(goals)
            # Drops the entries that are 0.
            self._working = +self._working
        return [job.result() for job in jobs]

    async def _work(self, parent: Turn, goal: Goal, station: _Station) -> Task:
        child = _child_of(parent, goal)
        answers: list[str] = []
        with self._registered(child, station):
            problem = await self._run(child, goal.text, answers, station.loop)
        answer = answers[-1] if answers else ""
        return replace(
            self._task(parent, child, goal.text),
            status=TaskStatus.FAILED if problem else TaskStatus.EXITED,
            exit_code=None if problem else 0,
            result=failure_words(problem, answer) if problem else answer,
            ended_at=time.time(),
        )

    @contextmanager
    def _registered(self, turn: Turn, station: _Station) -> Iterator[None]:
        self._stations[turn.id] = station
        try:
            yield
        finally:
            del self._stations[turn.id]

    async def _run(self, child: Turn, goal: str, answers: list[str], loop: AgentLoop) -> str:
        """Run the sub-agent to its end and collect its answers. Returns the reason if it failed, else an empty text."""
        timeout = asyncio.timeout(min(self._settings.delegation_seconds, self._settings.turn_seconds))
        try:
            with self._binder.bind(child):
                async with timeout, aclosing(loop.run(memory_brief(child, [UserMessage(goal)]))) as facts:
                    async for fact in facts:
                        if isinstance(fact, Answered) and fact.message.text:
                            answers.append(fact.message.text)
        except TurnFailed as failure:
            return str(failure)
        except Exception as error:  # A sub-agent's boundary: any other error is its failure.
            if isinstance(error, TimeoutError) and timeout.expired():
                return TIME_IS_OVER
            logger.exception("sub-agent %s failed unexpectedly", child.id)
            return _BROKE
        return ""

    def _task(self, parent: Turn, child: Turn, goal: str) -> Task:
        """Return the task that a stored delegation would have, but without a child session."""
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


def _child_of(parent: Turn, goal: Goal) -> Turn:
    """Return the sub-agent's turn: with its parent's door, address and folder, without the client's request."""
    return replace(
        parent,
        id=new_id("turn"),
        parent=None,
        source="delegation",
        model=goal.model or parent.model,
        request=TurnRequest(allowed_tools=goal.tools).dump(),
        works_for=parent.root_id,
        opened_at=time.time(),
    )
