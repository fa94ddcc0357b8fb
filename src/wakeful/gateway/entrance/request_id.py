"""Gives every request an id, in its response and in the log, that a client can quote in a bug report."""

import logging
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wakeful.model.ids import new_id

_HEADER = b"x-request-id"
# An id that is safe in a log and in a header.
_SAFE = re.compile(rb"[A-Za-z0-9._:-]{1,128}")

logger = logging.getLogger(__name__)


class AddRequestId:
    """ASGI middleware, around all others, so that a 500 carries the id too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope) or new_id("req").encode()

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (_HEADER, request_id)]}
                if message["status"] >= 500:
                    _log(scope, request_id, message["status"])
            await send(message)

        await self._app(scope, receive, send_with_id)


def _given_id(scope: Scope) -> bytes | None:
    values = [value for header, value in scope["headers"] if header == _HEADER]
    (value,) = values if len(values) == 1 else (b"",)
    return value if _SAFE.fullmatch(value) else None


def _log(scope: Scope, request_id: bytes, status: int) -> None:
    # The path as it was sent, without the query: a decoded path may hold line breaks.
    path = scope.get("raw_path", b"").decode("ascii", "replace")
    logger.warning("%s %s was answered with %d (request %s)", scope["method"], path, status, request_id.decode())
