"""Routes that list the people who may talk on messaging platforms or have asked to, let them in and remove them."""

from dataclasses import replace
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import PairingNotFound
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.tasks.task_data import time_text
from wakeful.store.base import Transaction
from wakeful.web.fields import Id, read_body
from wakeful.web.ports import MessagingDesk
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.reading import read


class ShownPairing(Outgoing):
    platform: str
    user_id: str
    name: str
    paired: Annotated[bool, words("Whether the person may talk; otherwise they wait to be let in.")]
    code: Annotated[str, words("The code that lets the person in; empty once they are.")]
    asked_at: str
    paired_at: str | None


class PairingList(Outgoing):
    pairings: Annotated[list[ShownPairing], words("Without people whom the settings allow, and without old codes.")]


class PairingCode(Incoming):
    code: Annotated[Id, words("The code that the bot has sent to the person, less than an hour ago.")]


class _PairingPath(Incoming):
    person: Id


class PairingRoutes:
    def __init__(self, web: Web, desk: MessagingDesk) -> None:
        self._web = web
        self._desk = desk

    def routes(self) -> list[Route]:
        return [
            Route("/api/pairings", self.show, methods=["GET"]),
            Route("/api/pairings", self.pair, methods=["POST"]),
            Route("/api/pairings/{person}", self.remove, methods=["DELETE"]),
        ]

    async def show(self, request: Request) -> Response:
        async def body(tx: Transaction) -> list[Pairing]:
            now = await tx.now()
            return [pairing for pairing in await tx.pairings.all() if _is_shown(pairing, now)]

        self._web.require_operator(request)
        found = await self._web.store.read(body)
        return JsonAnswer(PairingList(pairings=[_shown(pairing) for pairing in found]))

    async def pair(self, request: Request) -> Response:
        self._web.require_operator(request)
        given = await read_body(request, PairingCode)
        return JsonAnswer(_shown(await self._desk.pair(given.code)))

    async def remove(self, request: Request) -> Response:
        async def body(tx: Transaction) -> None:
            known = await tx.pairings.get(platform, user_id)
            if known is None or not _is_shown(known, await tx.now()):
                raise PairingNotFound(f"{person} is not paired and does not wait to be.")
            if known.paired_at is not None:
                await tx.pairings.delete(platform, user_id)
            else:
                # When they asked is kept: otherwise their next message would be answered with another code.
                await tx.pairings.put(replace(known, code=""))

        self._web.require_operator(request)
        person = read(_PairingPath, request.path_params).person
        platform, _, user_id = person.partition(":")
        await self._web.store.write(body)
        return JsonAnswer(Ok())


def _is_shown(pairing: Pairing, now: float) -> bool:
    return pairing.paired_at is not None or pairing.is_good(now)


def _shown(pairing: Pairing) -> ShownPairing:
    return ShownPairing(
        platform=pairing.platform,
        user_id=pairing.user_id,
        name=pairing.name,
        paired=pairing.paired_at is not None,
        code=pairing.code,
        asked_at=time_text(pairing.asked_at),
        paired_at=None if pairing.paired_at is None else time_text(pairing.paired_at),
    )
