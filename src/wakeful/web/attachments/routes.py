"""Routes that take in files and give them out."""

from typing import Annotated
from urllib.parse import quote

from msgspec import Meta
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from wakeful.errors import AttachmentNotFound, AttachmentTooLarge
from wakeful.model.files.attachment import Attachment
from wakeful.model.files.file_type import PICTURE_TYPES
from wakeful.web.fields import Id, MaybeId, read_query
from wakeful.web.web import Web
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.declared import Incoming, Outgoing, words
from wakeful.wire.errors import InvalidRequest
from wakeful.wire.reading import read

# A browser that opens one in a tab of its own must not run anything of it.
_POLICY = "default-src 'none'; sandbox"


class UploadQuery(Incoming):
    session_id: Annotated[MaybeId, words("The session it is for; without it, the one that a message names later.")] = ""
    name: Annotated[str, Meta(max_length=1_000), words("The file's name; a path before it is cut off.")] = ""


class AttachmentPath(Incoming):
    id: Annotated[Id, words("The id of an attachment.")]


class TakenIn(Outgoing):
    id: str
    name: str
    type: Annotated[str, words("From the bytes.")]
    size: Annotated[int, Meta(ge=0)]


class ShownAttachment(TakenIn):
    url: str


class AttachmentRoutes:
    def __init__(self, web: Web) -> None:
        self._web = web

    def routes(self) -> list[Route]:
        return [
            Route("/api/attachments", self.take, methods=["POST"]),
            Route("/api/attachments/{id}", self.show, methods=["GET"]),
        ]

    async def take(self, request: Request) -> Response:
        """Take in the body as a file. It goes to the disk piece by piece."""
        query = read_query(request, UploadQuery)
        owner: str = request.state.principal
        if query.session_id:
            owner = (await self._web.find_session(request, query.session_id)).owner
        self._require_small(request)
        desk = self._web.attachments
        try:
            taken = await desk.receive(query.name, request.stream(), owner, query.session_id)
        except ClientDisconnect as error:
            raise InvalidRequest("The file did not arrive whole: send it again.") from error
        return JsonAnswer(TakenIn(**taken.fields))

    async def show(self, request: Request) -> Response:
        attachment = await self._web.attachments.find(read(AttachmentPath, request.path_params).id)
        if attachment is None or not self._web.may_see(request, attachment.owner):
            raise AttachmentNotFound
        path = await self._web.attachments.file_of(attachment)
        if path is None:
            raise AttachmentNotFound
        return FileResponse(path, media_type=_served_type(attachment), headers=_headers(attachment))

    def _require_small(self, request: Request) -> None:
        """Raises AttachmentTooLarge before anything is read, if the client says how much it sends."""
        length, most = request.headers.get("content-length", ""), self._web.attachments.most_bytes
        # Of the letters that a header can have, only ASCII digits are decimal.
        if length.isdecimal() and int(length[:20]) > most:
            raise AttachmentTooLarge(f"It has more than {most // (1024 * 1024)} MiB, which is the most.")


def _served_type(attachment: Attachment) -> str:
    return attachment.type if attachment.type in PICTURE_TYPES else "application/octet-stream"


def _headers(attachment: Attachment) -> dict[str, str]:
    manner = "inline" if attachment.type in PICTURE_TYPES else "attachment"
    return {
        "content-disposition": f"{manner}; filename*=utf-8''{quote(attachment.name, safe='')}",
        "x-content-type-options": "nosniff",
        "content-security-policy": _POLICY,
        "cache-control": "private, max-age=86400, immutable",
    }
