"""A task: background work that a session owns. Who owns it is written at its birth and never derived again."""

from dataclasses import dataclass
from enum import StrEnum

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
    command: str
    # Where its notice will go, copied from the turn that started it.
    door: Door
    address: Address
    model: str
    # Whether its end wakes the session.
    will_notify: bool
    status: TaskStatus = TaskStatus.RUNNING
    exit_code: int | None = None
    # Someone asked for its end; an exit that finds this posts nothing.
    kill_intended: bool = False
    started_at: float = 0.0
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    status: TaskStatus
    exit_code: int | None
    # The text that the agent will read.
    notice: str
