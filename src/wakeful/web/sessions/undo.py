"""The route that takes back what agents have changed in files."""

from typing import Annotated, Literal, TypeAlias, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.web.fields import Id, read_body
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, words

UndoneKind: TypeAlias = Literal["restored", "deleted"]
SkipReason: TypeAlias = Literal["changed_since", "not_kept", "unwritable"]


class Undo(Incoming):
    session_id: Id
    turn_id: Annotated[Id | None, words("Only what this turn has changed; else the last turn with changes.")] = None
    call_id: Annotated[Id | None, words("Only what this call has changed.")] = None
    force: Annotated[bool, words("Also files that have changed since, and those that were skipped before.")] = False


class UndoneFile(Outgoing):
    path: str
    kind: UndoneKind


class SkippedFile(Outgoing):
    path: str
    reason: Annotated[
        SkipReason,
        words("It is not as the agent left it; what stood there was too large to be kept; it cannot be written."),
    ]


class UndoneFiles(Outgoing):
    undone: list[UndoneFile]
    skipped: list[SkippedFile]


class UndoRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [Route("/api/session/undo", self.undo, methods=["POST"])]

    async def undo(self, request: Request) -> Response:
        given = await read_body(request, Undo)
        session = await self._web.find_session(request, given.session_id)
        desk = self._web.engine.undo_desk
        done = await desk.undo(session.id, given.turn_id or "", given.call_id or "", force=given.force)
        undone = [UndoneFile(path=path, kind=cast(UndoneKind, kind)) for path, kind in done.undone.items()]
        skipped = [SkippedFile(path=path, reason=cast(SkipReason, why)) for path, why in done.skipped.items()]
        return JsonAnswer(UndoneFiles(undone=undone, skipped=skipped))
