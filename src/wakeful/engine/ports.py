"""What the engine needs from outside."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from wakeful.model.journal.fact import Brief, Fact
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Turn


class AgentLoop(Protocol):
    def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        """Run the turn, or go on with it, and yield what happens; the next fact is asked for when one is recorded.

        Raises TurnFailed when the turn cannot be finished. Closing the generator stops the model and the tools.
        """
        ...


class Clock(Protocol):
    def monotonic(self) -> float:
        """Seconds that never go back, and that pass while the machine sleeps."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or the seconds have passed, whichever is first; earlier when the clock is set:
        callers that wait for a stored time look again.
        """
        ...


class TurnBinder(Protocol):
    def bind(self, turn: Turn) -> AbstractContextManager[None]:
        """Say who the turn is to everything that runs in it, from its own row: also after a resume."""
        ...


class Processes(Protocol):
    """The processes of this machine that this node watches."""

    async def adopt(self) -> None:
        """Watch the processes that nobody watches, and report those that have ended meanwhile."""
        ...

    async def obey(self, task: Task) -> None:
        """Somebody, somewhere, has written down that its end is wanted."""
        ...

    async def forget(self, task: Task) -> None:
        """It has ended, and its row will be gone: remove what it has left on this machine."""
        ...


class UnstoredWork(Protocol):
    """The processes of turns that are not stored."""

    def allowed_in(self, turn_id: str) -> AbstractAsyncContextManager[None]:
        """While this is open, the turn and its sub-agents may start processes; at its end those that still run are
        killed, and nothing is left of any.
        """
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What an engine works with, made of what its ledger offers."""

    loop: AgentLoop
    processes: Processes
    unstored: UnstoredWork
