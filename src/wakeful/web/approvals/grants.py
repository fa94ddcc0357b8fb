"""Routes that list and revoke grants."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.approvals.grants import grants_in, real_folder
from wakeful.errors import GrantNotFound
from wakeful.model.approvals.grant import Grant, grant_data
from wakeful.model.session import Session
from wakeful.store.base import Transaction
from wakeful.web.approvals.approval import ShownGrant
from wakeful.web.fields import Id, MaybeId, read_query
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, words


class GrantList(Outgoing):
    grants: list[ShownGrant]


class GrantsQuery(Incoming):
    session_id: Annotated[MaybeId, words("Only grants that hold in this session, including those of its folder.")] = ""


class OneGrant(Incoming):
    id: Annotated[Id, words("The id of a grant.")]


class GrantRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/grants", self.page, methods=["GET"]),
            Route("/api/grants", self.revoke, methods=["DELETE"]),
        ]

    async def page(self, request: Request) -> Response:
        session_id = read_query(request, GrantsQuery).session_id
        if session_id:
            grants = await self._grants_in(await self._web.find_session(request, session_id))
        else:
            grants = await self._grants_of(self._web.owner_seen_by(request))
        return JsonAnswer(GrantList(grants=await self._web.store.read(lambda tx: _shown_grants(tx, grants))))

    async def revoke(self, request: Request) -> Response:
        grant_id = read_query(request, OneGrant).id
        owner = self._web.owner_seen_by(request)

        async def body(tx: Transaction) -> bool:
            return await tx.grants.revoke_if_there(grant_id, owner)

        if not await self._web.store.write(body):
            raise GrantNotFound(f"There is no grant {grant_id}.")
        return JsonAnswer(Ok())

    async def _grants_in(self, session: Session) -> list[Grant]:
        folder = await asyncio.to_thread(real_folder, session.workspace)

        async def body(tx: Transaction) -> list[Grant]:
            return await grants_in(tx, session, folder)

        return await self._web.store.read(body)

    async def _grants_of(self, owner: str | None) -> list[Grant]:
        async def body(tx: Transaction) -> list[Grant]:
            return await tx.grants.of_owner(owner, await tx.now())

        return await self._web.store.read(body)


async def _shown_grants(tx: Transaction, grants: Sequence[Grant]) -> list[ShownGrant]:
    """Add the titles of the sessions in which grants hold, for people."""
    sessions = [await tx.sessions.get(grant.session_id) if grant.session_id else None for grant in grants]
    return [
        ShownGrant(**grant_data(grant), session_title=None if session is None else session.title)
        for grant, session in zip(grants, sessions, strict=True)
    ]
