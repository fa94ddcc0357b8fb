"""Routes that list a person's open questions and take the answers."""

from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.engine.approvals.approval_data import approval_data
from wakeful.engine.tasks.family import sessions_above
from wakeful.model.approvals.approval import CHOICES, Approval, Choice
from wakeful.store.base import Transaction
from wakeful.web.approvals.approval import WaitingApproval
from wakeful.web.fields import Id, read_body
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer, Ok
from wakeful.wire.declared import Incoming, Outgoing, among, words


class ApprovalList(Outgoing):
    approvals: list[WaitingApproval]


class GivenApproval(Incoming):
    session_id: Id
    call_id: Id
    choice: Annotated[str, among(CHOICES), words("One of `choices`; `always` is the old name of `folder`.")]


class ApprovalRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/approvals", self.page, methods=["GET"]),
            Route("/api/approval/respond", self.respond, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """List the open questions of all sessions. A sub-agent's question is shown in the session at the top."""

        async def body(tx: Transaction) -> list[WaitingApproval]:
            waiting = await tx.approvals.open_of_owner(self._web.owner_seen_by(request), await tx.now())
            return [await _shown_at_top(tx, approval) for approval in waiting]

        return JsonAnswer(ApprovalList(approvals=await self._web.store.read(body)))

    async def respond(self, request: Request) -> Response:
        given = await read_body(request, GivenApproval)
        session = await self._web.find_session(request, given.session_id)
        await self._web.engine.approvals.answer(session.id, given.call_id, Choice(given.choice))
        return JsonAnswer(Ok())


async def _shown_at_top(tx: Transaction, approval: Approval) -> WaitingApproval:
    *_, top = await sessions_above(tx, approval.session_id)
    return WaitingApproval(**approval_data(approval, top.id), session_title=top.title, workspace=top.workspace)
