"""The route on which a person answers a call that waits for it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.model.approval import Choice
from wakeful.web import fields
from wakeful.web.web import Web

_CHOICES = tuple(choice.value for choice in Choice)


class ApprovalRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [Route("/api/approval/respond", self.respond, methods=["POST"])]

    async def respond(self, request: Request) -> Response:
        given = await fields.read_body(request)
        call_id = fields.identifier(given, "call_id")
        choice = Choice(fields.one_of(given, "choice", _CHOICES))
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        await self._web.engine.approvals.answer(session.id, call_id, choice)
        return JSONResponse({"ok": True})
