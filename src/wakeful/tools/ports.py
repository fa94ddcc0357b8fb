"""What the tools need of the world outside: rows for their background work, a person to ask, sub-agents.

The engine has them all. `process_registry` has a ledger of its own, in memory, for processes that no engine owns.
"""

from collections.abc import Sequence
from typing import Protocol

from wakeful.model.approvals.approval import Choice, Question
from wakeful.model.tasks.task import Host, Task, TaskOutcome, WatchMatch
from wakeful.model.turn import Lease, Turn


class TaskLedger(Protocol):
    """Who owns what runs in the background. Everything in it is on disk when a method returns."""

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        """Write the task down before it is spawned. When its call has begun one already, that one is returned: its id
        differs. The lease is that of the turn whose call this is; raises LeaseLost when it has ended.
        """
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def visible(self, turn: Turn, task_id: str) -> Task | None:
        """The task, if the agent of this turn may know of it: those of other sessions are not found."""
        ...

    async def all_visible(self, turn: Turn) -> list[Task]: ...

    async def next_attempt(self, task_id: str, attempt: int) -> bool:
        """Before a process is spawned once more; false when somebody did that already or the task has ended."""
        ...

    async def match(self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None) -> None:
        """Post the notice of a watch match, together with how far the output was searched."""
        ...

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None: ...

    async def intend_kill(self, task_id: str) -> bool:
        """Write down that its end is wanted, before anything is sent to it; false when it has ended."""
        ...

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        """Write its end and post its notice, in one transaction; false when that was done before."""
        ...

    async def adopt(self, host: Host) -> list[Task]:
        """Running processes of this host that nobody watches: from now on this node does."""
        ...


class Approver(Protocol):
    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        """Ask a person and wait; None when nobody answered in time. A call is not asked about when each of its kinds
        is covered by a grant; otherwise the question names only those kinds that are not.
        """
        ...

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        """Whether this call has asked and nobody has answered yet: then nothing of what it is about has happened."""
        ...

    @property
    def seconds(self) -> float:
        """How long a question waits for its answer."""
        ...


class Delegator(Protocol):
    async def begin(self, turn: Turn, step: int, index: int, goals: Sequence[str], *, is_inline: bool) -> list[Task]:
        """Start a sub-agent for each goal, each in a session of its own; those of a call that was cut off are found
        again. Raises TooManyDelegations.
        """
        ...

    async def ended(self, task_ids: Sequence[str]) -> list[Task]:
        """Wait until all of these delegations have ended."""
        ...

    async def stop(self, task_id: str) -> bool:
        """End a sub-agent on purpose: it wakes nobody. False when it has ended."""
        ...


class MemoryDelegator(Protocol):
    async def delegate(self, turn: Turn, goals: Sequence[str]) -> list[Task]:
        """Have a sub-agent work on each goal of a turn that is not stored, and wait for all: they are in memory and in
        this call only, so cancelling it stops them. Raises TooManyDelegations.
        """
        ...
