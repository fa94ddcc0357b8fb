"""The route that says how the messaging platforms and the webhooks are doing."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, TypeAlias

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.model.messaging.door import DoorState, DoorStatus
from wakeful.model.messaging.post import WEBHOOK, PostState
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


class ShownWebhooks(Outgoing):
    waiting: Annotated[_Posts, words("How many webhooks are still to be sent, or sent again.")]
    refused: Annotated[_Posts, words("How many were given up.")]


class PlatformList(Outgoing):
    platforms: list[ShownPlatform]
    webhooks: ShownWebhooks


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
        platforms = [_shown(name, door, counts) for name, door in doors]
        return JsonAnswer(PlatformList(platforms=platforms, webhooks=_shown_webhooks(counts)))


def _shown_webhooks(counts: _Counts) -> ShownWebhooks:
    count = partial(_count, counts, WEBHOOK)
    return ShownWebhooks(
        waiting=count(PostState.WAITING, PostState.SENDING, PostState.UNKNOWN), refused=count(PostState.REFUSED)
    )


def _count(counts: _Counts, name: str, *states: PostState) -> int:
    return sum(counts.get((name, state), 0) for state in states)


def _shown(name: str, door: DoorStatus, counts: _Counts) -> ShownPlatform:
    count = partial(_count, counts, name)
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
