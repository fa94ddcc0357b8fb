"""The messaging doors of a server, as its other parts see them: how they are doing, who may talk, new posts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.routing import Route

from wakeful.engine.job import Job
from wakeful.gateway.messaging.inbound.people import People
from wakeful.model.messaging.door import DoorStatus
from wakeful.model.messaging.pairing import Pairing


def _no_statuses() -> dict[str, DoorStatus]:
    return {}


@dataclass(frozen=True, slots=True)
class Doors:
    people: People
    # By the names of their platforms.
    statuses: Callable[[], dict[str, DoorStatus]] = _no_statuses
    # What sends the posts of each platform.
    postmen: Mapping[str, Job] = field(default_factory=dict)
    # What platforms call.
    routes: Sequence[Route] = ()

    def wake(self, platform: str) -> None:
        """A post for this platform was added or changed."""
        if platform in self.postmen:
            self.postmen[platform].wake()

    async def pair(self, code: str) -> Pairing:
        return await self.people.pair(code)
