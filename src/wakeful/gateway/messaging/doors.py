"""The messaging doors of a server, as its other parts see them: how they are doing, who may talk, new posts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import Route

from wakeful.gateway.messaging.inbound.people import People
from wakeful.model.messaging.door import DoorStatus
from wakeful.model.messaging.pairing import Pairing


def _no_statuses() -> dict[str, DoorStatus]:
    return {}


def _wake_none(platform: str) -> None:
    """Without doors no post has anywhere to go."""


@dataclass(frozen=True, slots=True)
class Doors:
    people: People
    # By the names of their platforms.
    statuses: Callable[[], dict[str, DoorStatus]] = _no_statuses
    # Called with the platform's name when a post was added for it.
    wake: Callable[[str], None] = _wake_none
    # What platforms call.
    routes: Sequence[Route] = ()

    async def pair(self, code: str) -> Pairing:
        return await self.people.pair(code)
