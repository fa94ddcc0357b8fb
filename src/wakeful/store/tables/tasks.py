"""Tasks: background work of sessions."""

from typing import Protocol

from wakeful.model.tasks.task import Host, Task, TaskOutcome


class Tasks(Protocol):
    async def add_if_absent(self, task: Task) -> bool:
        """Write a task before it is spawned; false when its call already has this part."""
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def of_call(self, turn_id: str, step: int, index: int) -> list[Task]:
        """Return the tasks that a call has started, in the order of their parts."""
        ...

    async def of_session(self, session_id: str) -> list[Task]:
        """Return all tasks of a session, in the order of their start."""
        ...

    async def running_in(self, session_id: str) -> list[Task]:
        """Return the running tasks of a session, in the order of their start."""
        ...

    async def recent(self, session_id: str, *, ended: int) -> list[Task]:
        """Return the running tasks of a session and up to `ended` that have ended, newest first."""
        ...

    async def page(self, owner: str | None, *, limit: int) -> list[Task]:
        """Return the newest tasks of an owner, or of all owners, newest first."""
        ...

    async def has_promised(self, session_id: str) -> bool:
        """Whether a running task of this session will still wake it by its end or output."""
        ...

    async def running_of(self, owner: str) -> list[Task]:
        """Return the running tasks of the owner's listed sessions, in the order of their start."""
        ...

    async def adopt(self, host: Host, node: str, now: float, *, keeper: str | None) -> list[Task]:
        """Make `node` the watcher of running tasks without a live watcher, and return them: processes of this host, and
        delegations of any host. A task has no live watcher if it has no node or its node's lease has expired. With
        `keeper`, every other node counts as gone.
        """
        ...

    async def watched_by(self, node: str) -> list[Task]:
        """Return the running tasks that a node watches."""
        ...

    async def of_silent_hosts(self, before: float) -> list[Task]:
        """Return the running processes of hosts that were last seen before this time, or never."""
        ...

    async def next_attempt_if(self, task_id: str, attempt: int) -> bool:
        """Raise a running task's attempt from this one; false when it has changed already or the task has ended."""
        ...

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        """Store how far the output was searched, and whether the end wakes the session; None keeps the latter."""
        ...

    async def take_promises_back(self, session_id: str) -> None:
        """Let the running tasks of this session end without waking it."""
        ...

    async def intend_kill_if_running(self, task_id: str) -> bool: ...

    async def intend_kill_of_inline(self, turn_id: str) -> None:
        """Mark all tasks that a turn is waiting for as to be killed."""
        ...

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool: ...
