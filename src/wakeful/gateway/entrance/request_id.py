"""A name for every request, in its answer and in the log: what a client quotes when it complains."""

import logging
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wakeful.model.ids import new_id

_HEADER = b"x-request-id"
# What is safe in a log and in a header.
_SANE = re.compile(rb"[A-Za-z0-9._:-]{1,128}")

logger = logging.getLogger(__name__)


class NameRequests:
    """ASGI middleware, around all others: also an answer that something broke carries the name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _given_name(scope) or new_id("req").encode()

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (_HEADER, name)]}
                if message["status"] >= 500:
                    _log(scope, name, message["status"])
            await send(message)

        await self._app(scope, receive, send_named)


def _given_name(scope: Scope) -> bytes | None:
    values = [value for header, value in scope["headers"] if header == _HEADER]
    return values[0] if len(values) == 1 and _SANE.fullmatch(values[0]) else None


def _log(scope: Scope, name: bytes, status: int) -> None:
    # As it was sent, without the query: a decoded path may hold line breaks.
    path = scope.get("raw_path", b"").decode("ascii", "replace")
    logger.warning("%s %s was answered with %d (request %s)", scope["method"], path, status, name.decode())
