"""Background work."""

from typing import Protocol

from wakeful.model.tasks.task import Host, Task, TaskOutcome


class Tasks(Protocol):
    async def add_if_absent(self, task: Task) -> bool:
        """Write a task before it is spawned; false when its call has one already at the same part."""
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def of_call(self, turn_id: str, step: int, index: int) -> list[Task]:
        """The tasks that a call has begun, in the order of their parts."""
        ...

    async def of_session(self, session_id: str) -> list[Task]:
        """In the order of their start."""
        ...

    async def running_in(self, session_id: str) -> list[Task]:
        """In the order of their start."""
        ...

    async def recent(self, session_id: str, *, ended: int) -> list[Task]:
        """Those of a session that run, and so many of those that have ended; newest first."""
        ...

    async def page(self, owner: str | None, *, limit: int) -> list[Task]:
        """The newest tasks of an owner, or of everybody, newest first."""
        ...

    async def has_promised(self, session_id: str) -> bool:
        """Whether a task of this session runs whose end or output will still wake it."""
        ...

    async def running_of(self, owner: str) -> list[Task]:
        """What runs in the background of the owner's listed sessions, in the order of the start."""
        ...

    async def adopt(self, host: Host, node: str, now: float, *, keeper: str | None) -> list[Task]:
        """Make `node` the watcher of running tasks that nobody watches, and return them: processes of this host,
        and delegations of any. Nobody watches means: their node is none, or has let its lease run out. With
        `keeper`: any node but this one is gone.
        """
        ...

    async def watched_by(self, node: str) -> list[Task]:
        """The running tasks that a node watches."""
        ...

    async def of_silent_hosts(self, before: float) -> list[Task]:
        """Running processes of hosts that were last seen before this moment, or never."""
        ...

    async def next_attempt_if(self, task_id: str, attempt: int) -> bool:
        """Count one more spawn of a running task; false when that was done already or it has ended."""
        ...

    async def save_watch(self, task_id: str, watch: bytes, *, will_notify: bool | None = None) -> None:
        """How far the output was searched; `will_notify` changes what is promised of the end, None leaves it."""
        ...

    async def take_promises_back(self, session_id: str) -> None:
        """Nobody will be told of the ends of the tasks that now run in this session."""
        ...

    async def intend_kill_if_running(self, task_id: str) -> bool: ...

    async def intend_kill_of_inline(self, turn_id: str) -> None:
        """The end is wanted of all that a turn itself was waiting for."""
        ...

    async def finish_if_running(self, task_id: str, outcome: TaskOutcome) -> bool: ...
