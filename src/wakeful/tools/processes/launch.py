"""What is needed to start a process, and to start it again: the `spec` of its task."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import orjson

from wakeful.model.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Launch:
    workdir: str
    pty: bool = False
    watch_patterns: tuple[str, ...] = ()
    # What was promised when it started.
    notify_on_complete: bool = False
    # What its environment says of the session, also when it is started again.
    variables: Mapping[str, str] = field(default_factory=dict)

    def dump(self) -> bytes:
        return orjson.dumps(asdict(self))


def launch_of(task: Task) -> Launch:
    spec = orjson.loads(task.spec)
    return Launch(**spec | {"watch_patterns": tuple(spec["watch_patterns"])})
