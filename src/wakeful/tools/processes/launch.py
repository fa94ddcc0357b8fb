"""The `spec` of a task: everything that is needed to start its process, now or again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import orjson

from wakeful.model.tasks.task import Task


@dataclass(frozen=True, slots=True)
class Launch:
    workdir: str
    pty: bool = False
    watch_patterns: tuple[str, ...] = ()
    # Whether the agent was promised a notice at the start.
    notify_on_complete: bool = False
    # Environment variables about the session, for every attempt.
    variables: Mapping[str, str] = field(default_factory=dict)
    # Paths in the server's folder that a sandbox leaves visible.
    opened: tuple[str, ...] = ()

    def dump(self) -> bytes:
        return orjson.dumps(asdict(self))


def launch_of(task: Task) -> Launch:
    spec = orjson.loads(task.spec)
    return Launch(**spec | {name: tuple(spec.get(name, ())) for name in ("watch_patterns", "opened")})
