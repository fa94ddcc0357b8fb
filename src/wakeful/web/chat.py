"""The routes of talking: say something, stop the answer, take words back."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakeful.engine.submission import Submission
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy
from wakeful.web import fields
from wakeful.web.fields import Fields
from wakeful.web.web import Web

_BUSY_CHOICES = tuple(choice.value for choice in IfBusy)


class ChatRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/chat/start", self.start, methods=["POST"]),
            Route("/api/chat/cancel", self.cancel, methods=["POST"]),
            Route("/api/chat/withdraw", self.withdraw, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        given = await fields.read_body(request)
        receipt = await self._web.engine.submit(await self._submission(request, given))
        return JSONResponse(
            {
                "session_id": receipt.session_id,
                "turn_id": receipt.turn_id,
                "stream_id": receipt.turn_id,
                "queued": receipt.is_queued,
            }
        )

    async def cancel(self, request: Request) -> Response:
        given = await fields.read_body(request)
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        return JSONResponse({"cancelled": await self._web.engine.cancel(session.id)})

    async def withdraw(self, request: Request) -> Response:
        given = await fields.read_body(request)
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        await self._web.engine.withdraw(session.id, fields.identifier(given, "turn_id"))
        return JSONResponse({"ok": True})

    async def _submission(self, request: Request, given: Fields) -> Submission:
        door = self._web.door(request)
        text = fields.message_text(given, "message")
        key = fields.identifier(given, "client_message_id") if fields.has(given, "client_message_id") else new_id("msg")
        if_busy = fields.one_of(given, "if_busy", _BUSY_CHOICES) if fields.has(given, "if_busy") else IfBusy.QUEUE
        model = self._web.checked_model(fields.model(given)) if fields.has(given, "model") else ""
        session = await self._web.find_session(request, fields.identifier(given, "session_id"))
        return Submission(
            session_id=session.id,
            text=text,
            door=door,
            # All doors of a session share its address, so that its notices are delivered together.
            address=session.address,
            dedupe_key=key,
            model=model or session.model or self._web.model,
            if_busy=IfBusy(if_busy),
        )
