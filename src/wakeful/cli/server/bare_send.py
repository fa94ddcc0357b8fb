"""The server's own `send`, for responses that have sent their head."""

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.wire.sse import BODY_SEND


class OfferBareSend:
    """ASGI middleware, around all others. Each of them wraps `send` for the sake of the head alone, and hands on what
    follows as it is; a stream of thousands of frames need not pass through all of them every time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions = scope.setdefault("extensions", {})
        extensions[BODY_SEND] = send
        try:
            await self._app(scope, receive, send)
        finally:
            # `send` refers to the scope: left in it, the two would have to wait for the garbage collector.
            del extensions[BODY_SEND]
