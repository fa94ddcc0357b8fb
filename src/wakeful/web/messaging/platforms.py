"""The route that says how the messaging platforms are doing."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.post import PostState
from wakeful.model.tasks.task_data import time_text
from wakeful.web.ports import MessagingDesk
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Outgoing, words

_Posts: TypeAlias = Annotated[int, Meta(ge=0)]
_Counts: TypeAlias = Mapping[tuple[str, PostState], int]


class ShownPlatform(Outgoing):
    name: str
    state: DoorState
    since: str
    bot: Annotated[str, words("The bot's name; empty until the platform has said it.")]
    error: Annotated[str, words("Why it is not connected.")]
    waiting: Annotated[_Posts, words("How many posts wait to be sent, or are being sent.")]
    unknown: Annotated[_Posts, words("How many posts may have arrived, or not.")]
    refused: Annotated[_Posts, words("How many posts the platform has refused.")]


class PlatformList(Outgoing):
    platforms: list[ShownPlatform]


class PlatformRoutes:
    def __init__(self, web: Web, desk: MessagingDesk) -> None:
        self._web = web
        self._desk = desk

    def routes(self) -> list[Route]:
        return [Route("/api/platforms", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        self._web.require_operator(request)
        counts = await self._web.store.read(lambda tx: tx.posts.counts())
        doors = self._desk.statuses().items()
        return JsonAnswer(PlatformList(platforms=[_shown(name, door, counts) for name, door in doors]))


def _shown(name: str, door: DoorStatus, counts: _Counts) -> ShownPlatform:
    def count(*states: PostState) -> int:
        return sum(counts.get((name, state), 0) for state in states)

    return ShownPlatform(
        name=name,
        state=door.state,
        since=time_text(door.since),
        bot=door.bot,
        error=door.error,
        waiting=count(PostState.WAITING, PostState.SENDING),
        unknown=count(PostState.UNKNOWN),
        refused=count(PostState.REFUSED),
    )
