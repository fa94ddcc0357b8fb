"""Gives responses uvicorn's own `send`, for use after their head."""

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.wire.sse import BODY_SEND


class OfferBareSend:
    """The outermost ASGI middleware. The others wrap `send` only to change the head and pass the body through, so a
    stream of thousands of frames can bypass them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope.setdefault("extensions", {})
        extensions[BODY_SEND] = send
        try:
            await self._app(scope, receive, send)
        finally:
            # `send` refers to the scope; without this, the cycle would wait for the garbage collector.
            del extensions[BODY_SEND]
