"""The interfaces that the engine needs and other rooms implement."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from wakeful.model.journal.change import KeptChange, TakenBack
from wakeful.model.journal.fact import Brief, Fact
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.tasks.task import Task
from wakeful.model.turn import Turn


class AgentLoop(Protocol):
    def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        """Run or resume the turn and yield its facts; the engine asks for the next fact after recording the last.

        Raises TurnFailed when the turn cannot be finished. Closing the generator stops the model and the tools.
        """
        ...


class PromptSource(Protocol):
    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        """Return the system prompt for a turn of this owner, as of now."""
        ...


class Clock(Protocol):
    def monotonic(self) -> float:
        """Return seconds that never go back and that include the time the machine sleeps."""
        ...

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Return when the event is set or the seconds have passed; also when the wall clock is set, so that callers
        that wait for a stored time check it again.
        """
        ...


class TurnBinder(Protocol):
    def bind(self, turn: Turn) -> AbstractContextManager[None]:
        """Set the context variables of the turn from its row; they are unset when the context manager exits."""
        ...


class Processes(Protocol):
    """The background processes that this node watches, all on its machine."""

    async def adopt(self) -> None:
        """Watch this machine's processes that have no node, and record those that have ended meanwhile."""
        ...

    async def obey(self, task: Task) -> None:
        """Kill the process: its row says that its end is wanted."""
        ...

    async def forget(self, task: Task) -> None:
        """Remove the files of an ended process from this machine, before its row is deleted."""
        ...


class UnstoredWork(Protocol):
    """The processes of turns that are not stored."""

    def allowed_in(self, turn_id: str) -> AbstractAsyncContextManager[None]:
        """Let the turn and its sub-agents start processes inside this context; on exit all of them are killed and
        their files removed.
        """
        ...

    async def running_in(self, turn_id: str) -> list[Task]:
        """Return the processes that this turn has started and that still run."""
        ...


class SessionFiles(Protocol):
    """What calls of a session have left on this machine, apart from its processes."""

    async def forget(self, session_id: str) -> None: ...


class ChangedFiles(Protocol):
    """What stood on this machine in files before agents changed them."""

    async def take_back(self, change: KeptChange, *, force: bool) -> TakenBack:
        """Put it back; without `force` not where the file has changed since. Doing so twice does no harm."""
        ...

    async def drop(self, change: KeptChange) -> None:
        """Forget what stood there before this change."""
        ...

    async def forget(self, session_id: str) -> None:
        """Forget all of a session."""
        ...


class AttachmentKeeper(Protocol):
    """The files of attachments on this machine."""

    async def forget(self, session_id: str, ids: Sequence[str]) -> None:
        """Remove those of a session that is gone."""
        ...

    async def tidy(self) -> None:
        """Drop uploads that were never sent, and files that no row names any more."""
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What an engine works with; each part is built on the ledger."""

    loop: AgentLoop
    prompts: PromptSource
    processes: Processes
    unstored: UnstoredWork
    files: SessionFiles
    changed_files: ChangedFiles
    attachments: AttachmentKeeper
