"""A task: background work that a session owns. Who owns it is written at its birth and never derived again."""

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
    # The call that started it: the key under which a resumed turn finds it again.
    turn_id: str
    step: int
    index: int
    host: Host
    # The command of a process, or the goal of a delegation.
    command: str
    # Where its notice will go, copied from the turn that started it.
    door: Door
    address: Address
    model: str
    # Whether its end wakes the session.
    will_notify: bool
    # One call may start several: the place of this one among them.
    part: int = 0
    # The call waits for it: it ends with the turn that started it.
    is_inline: bool = False
    # What its starter needs to start it again, and how far its output was searched: JSON, written by the tools.
    spec: bytes = b"{}"
    watch: bytes = b"{}"
    # The spawn that counts; an older one that comes late finds its place taken.
    attempt: int = 1
    # The node that watches it.
    node: str | None = None
    # The session that works on a delegation.
    child_session_id: str | None = None
    status: TaskStatus = TaskStatus.RUNNING
    exit_code: int | None = None
    # What it said last: the end of its output, or the answer.
    result: str = ""
    # Someone asked for its end; an exit that finds this posts nothing.
    kill_intended: bool = False
    started_at: float = 0.0
    ended_at: float | None = None
    # Read only, from the inbox: what became of the notice of its end, and the turn that took it.
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
        """The texts in its output that wake the session, as long as they do."""
        if not self.is_running or self.kill_intended or orjson.loads(self.watch).get("is_off"):
            return []
        return list(orjson.loads(self.spec).get("watch_patterns", []))

    @property
    def has_promise(self) -> bool:
        """Whether somebody will still be told of its end."""
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
    # The result is only the end of what it said.
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class LogPage:
    """A piece of what a task has said. Offsets are in bytes."""

    output: str
    offset: int
    next_offset: int
    # The task has ended and this is the last of it.
    ended: bool


@dataclass(frozen=True, slots=True)
class WatchMatch:
    """A line of a process's output that the agent asked to be told of."""

    pattern: str
    line: str
    # Where in the output the line begins: the same match is never told twice.
    offset: int
    # The text that the agent will read.
    notice: str
