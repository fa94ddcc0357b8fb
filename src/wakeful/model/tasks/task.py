"""A task: background work of a session. Its owner is stored when it starts and never derived later."""

from dataclasses import dataclass
from enum import StrEnum

import orjson

from wakeful.model.inbox import RowStatus
from wakeful.model.session import Address
from wakeful.model.turn import Door


class TaskKind(StrEnum):
    PROCESS = "process"
    DELEGATION = "delegation"


class TaskStatus(StrEnum):
    RUNNING = "running"
    EXITED = "exited"
    FAILED = "failed"
    KILLED = "killed"
    LOST = "lost"


TRANSITIONS: dict[TaskStatus, frozenset[TaskStatus]] = {
    TaskStatus.RUNNING: frozenset({TaskStatus.EXITED, TaskStatus.FAILED, TaskStatus.KILLED, TaskStatus.LOST}),
    TaskStatus.EXITED: frozenset(),
    TaskStatus.FAILED: frozenset(),
    TaskStatus.KILLED: frozenset(),
    TaskStatus.LOST: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that runs processes: its id outlives a restart of the machine, its boot id does not."""

    id: str
    boot_id: str


@dataclass(frozen=True, slots=True)
class Task:
    id: str
    kind: TaskKind
    session_id: str
    owner: str
    # The call that started it: the key by which a resumed turn finds it.
    turn_id: str
    step: int
    index: int
    host: Host
    # The command of a process, or the goal of a delegation.
    command: str
    # Where its notice goes, copied from the turn that started it.
    door: Door
    address: Address
    model: str
    # Whether its end wakes the session.
    will_notify: bool
    # Its index among the tasks of its call, which may start several.
    part: int = 0
    # Its call waits for it, and it ends with the turn that started it.
    is_inline: bool = False
    # What is needed to start it again, and how far its output was searched: JSON, written by the tools. A delegation's
    # spec has the tools that its sub-agent may call.
    spec: bytes = b"{}"
    watch: bytes = b"{}"
    # The number of the spawn that counts: an older spawn that comes late does nothing.
    attempt: int = 1
    # The node that watches it.
    node: str | None = None
    # The session that works on a delegation.
    child_session_id: str | None = None
    status: TaskStatus = TaskStatus.RUNNING
    exit_code: int | None = None
    # The end of a process's output, or a delegation's answer.
    result: str = ""
    # It is to be killed; its exit then posts no notice.
    kill_intended: bool = False
    started_at: float = 0.0
    ended_at: float | None = None
    # Read from the inbox, never written: the state of the notice of its end, and the turn that took it.
    notice_status: RowStatus | None = None
    woke_turn_id: str | None = None

    @property
    def is_running(self) -> bool:
        return self.status is TaskStatus.RUNNING

    @property
    def notice_key(self) -> str:
        """The dedupe key of the notice of its end."""
        return notice_key(self.id)

    @property
    def watched_for(self) -> list[str]:
        """The texts in its output that still wake the session."""
        if not self.is_running or self.kill_intended or orjson.loads(self.watch).get("is_off"):
            return []
        return list(orjson.loads(self.spec).get("watch_patterns", []))

    @property
    def allowed_tools(self) -> tuple[str, ...] | None:
        """The only tools that the sub-agent of a delegation may call; None: all of them."""
        names: list[str] | None = orjson.loads(self.spec).get("tools")
        return None if names is None else tuple(names)

    @property
    def has_promise(self) -> bool:
        """Whether its end will still wake the session."""
        if self.kill_intended or not self.will_notify:
            return False
        return self.is_running or self.notice_status is RowStatus.PENDING


def notice_key(task_id: str) -> str:
    return f"task:{task_id}"


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    status: TaskStatus
    exit_code: int | None
    # The text that the agent will read.
    notice: str
    result: str = ""
    # The result is only the end of the output.
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class LogPage:
    """A piece of a task's output. Offsets are in bytes."""

    output: str
    offset: int
    next_offset: int
    # The task has ended and this is its last output.
    ended: bool


@dataclass(frozen=True, slots=True)
class WatchMatch:
    """A line of a process's output that the agent watches for."""

    pattern: str
    line: str
    # Where in the output the line begins, so that a match is posted once.
    offset: int
    # The text that the agent will read.
    notice: str
