"""What the tools need from outside: rows for their background work, a record of changed files, a person to ask,
sub-agents, and chats that take files.

The engine implements the first four. `process_registry` has another ledger, in memory, for use without an engine.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.approvals.mode import CallStanding
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.change import KeptChange
from wakeful.model.schedules.cron_job import CronJob, CronRun, JobFields, ListedJob
from wakeful.model.search.search import FoundMessage
from wakeful.model.session import Address
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Host, Task, TaskOutcome, WatchMatch
from wakeful.model.tools.todo import TodoChange, TodoItem
from wakeful.model.turn import Lease, Turn


class TaskLedger(Protocol):
    """Records which session owns which background work. What a method writes is on disk when it returns."""

    async def begin(self, lease: Lease | None, task: Task) -> Task:
        """Write the task before it is spawned and return it, or the one that the same call has begun before, which has
        another id. `lease` is that of the call's turn. Raises LeaseLost if it has ended.
        """
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def visible(self, turn: Turn, task_id: str) -> Task | None:
        """Return the task if the agent of this turn may see it: it does not see tasks of other sessions."""
        ...

    async def all_visible(self, turn: Turn) -> list[Task]: ...

    async def next_attempt(self, task_id: str, attempt: int) -> bool:
        """Count the next attempt before a process is spawned again. Return False if another server has counted it or
        the task has ended.
        """
        ...

    async def match(self, task_id: str, match: WatchMatch, watch: bytes, *, will_notify: bool | None = None) -> None:
        """Post the notice of a watch match, and store how far the output was searched."""
        ...

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None: ...

    async def intend_kill(self, task_id: str) -> bool:
        """Record that its end is wanted, before a signal is sent. Return False if it has ended."""
        ...

    async def finish(self, task_id: str, outcome: TaskOutcome) -> bool:
        """Write its end and post its notice in one transaction. Return False if that was done before."""
        ...

    async def adopt(self, host: Host) -> list[Task]:
        """Take over and return the running processes of this host that no node watches."""
        ...


class ChangeLedger(Protocol):
    """Records which files calls change, so that it can be taken back."""

    async def find(self, turn: Turn, step: int, index: int) -> KeptChange | None:
        """Return what the same call has begun to change before it was cut off."""
        ...

    async def begin(self, turn: Turn, change: KeptChange) -> None:
        """Write the change before the file is written; one of the same call is replaced. Raises LeaseLost."""
        ...

    async def give_up(self, change: KeptChange) -> None:
        """Remove a change that could not be made."""
        ...


class Approver(Protocol):
    async def standing(self, turn: Turn, step: int, index: int) -> CallStanding:
        """Return the mode of the session now, and whether this call has asked before a crash."""
        ...

    async def uncovered(self, turn: Turn, step: int, index: int, question: Question) -> tuple[Reason, ...]:
        """Return the reasons that no grant covers, for a turn in which no person can be asked. If there is none, the
        use of the grants is counted.
        """
        ...

    async def ask(self, turn: Turn, step: int, index: int, question: Question) -> Choice | None:
        """Ask a person and wait for the choice; None if no answer came in time. If grants cover each kind of reason, no
        question is asked; otherwise the question names only the kinds that are not covered.
        """
        ...

    async def is_waiting(self, turn: Turn, step: int, index: int) -> bool:
        """Return whether the question of this call is still unanswered, so the call has done nothing yet."""
        ...

    @property
    def seconds(self) -> float:
        """How many seconds a question waits for its answer."""
        ...


class Delegator(Protocol):
    async def begin(self, turn: Turn, step: int, index: int, goals: Sequence[Goal], *, is_inline: bool) -> list[Task]:
        """Start a sub-agent for each goal, each in a new session, or find those that the same call started before it
        was cut off. Raises TooManyDelegations.
        """
        ...

    async def begun(self, turn: Turn, step: int, index: int) -> bool:
        """Return whether this call has started sub-agents, before it was cut off."""
        ...

    async def ended(self, task_ids: Sequence[str]) -> list[Task]:
        """Wait until all of these delegations have ended, and return them."""
        ...

    async def stop(self, task_id: str) -> bool:
        """End a sub-agent on purpose, without a notice. Return False if it has ended."""
        ...


class MemoryDelegator(Protocol):
    async def delegate(self, turn: Turn, goals: Sequence[Goal]) -> list[Task]:
        """Run a sub-agent for each goal of a turn that is not stored, and wait for all. They exist in memory only, so
        cancelling this call stops them. Raises TooManyDelegations.
        """
        ...


class Schedules(Protocol):
    """The cron jobs of those for whom agents act. A job is named by its id, or by the name that its owner gave to it.

    Methods raise ScheduleError for fields that do not fit, JobNotFound, and NotAllowed.
    """

    async def owner_of(self, session_id: str) -> str:
        """Return the principal for whom an agent of this session acts."""
        ...

    def delivers_to(self, address: Address) -> bool:
        """Return whether answers can go to this address later."""
        ...

    async def add(self, principal: str, fields: JobFields, job_id: str = "") -> ListedJob:
        """Make a job. One that exists with this id already is returned as it is."""
        ...

    async def all(self, principal: str) -> list[ListedJob]: ...

    async def change(self, principal: str, reference: str, fields: JobFields) -> ListedJob: ...

    async def remove(self, principal: str, reference: str) -> CronJob: ...

    async def run_now(self, principal: str, reference: str) -> CronRun: ...


class TodoLists(Protocol):
    async def change(self, turn: Turn, changes: Sequence[TodoChange], removed: Collection[str]) -> Sequence[TodoItem]:
        """Merge changes into the list of the turn's session, and return all of it. Raises TodoUnfit."""
        ...


class SessionFinder(Protocol):
    async def find(self, turn: Turn, query: str, limit: int) -> Sequence[FoundMessage]:
        """Search the sessions that the agent of this turn may read; the newest hit comes first."""
        ...


class FileKeeper(Protocol):
    @property
    def most_bytes(self) -> int:
        """The size of the largest file that is kept."""
        ...

    async def keep_file(self, attachment_id: str, path: Path, session_id: str) -> Attachment:
        """Keep a copy of a file as it is now, unless one with this id was kept before. Raises AttachmentTooLarge,
        OSError.
        """
        ...


class FilePoster(Protocol):
    def most_bytes(self, turn: Turn) -> int | None:
        """Return how large a file may be in the chat of this turn; None where files cannot be sent."""
        ...

    async def post_file(self, turn: Turn, step: int, index: int, path: Path, caption: str) -> None:
        """Queue a file for the chat of a turn. A call that was cut off and runs again queues it once."""
        ...
