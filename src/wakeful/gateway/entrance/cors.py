"""Which pages of other origins may use the API from a browser: those that the operator has named, and no others."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_PATH = "/v1/"
# What a page may read of an answer, beside its body.
_EXPOSED = ("x-request-id", "x-should-retry", "x-hermes-session-id", "retry-after")
_MAX_AGE_SECONDS = 600


class AllowOrigins:
    """ASGI middleware, outside of the key check: a browser asks first, and without a key.

    Only the routes under /v1, which take nothing but a key in a header. Cookies are never allowed, so that no page can
    act in the name of a user who is logged in.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._origins = frozenset(origin.encode() for origin in origins)
        self._cors = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_credentials=False,
            expose_headers=_EXPOSED,
            max_age=_MAX_AGE_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        handler = self._cors if self._is_allowed(scope) else self._app
        await handler(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        if scope["type"] != "http" or not scope["path"].startswith(_PATH):
            return False
        # From anywhere else it is a request like any other, and its answer says nothing of origins.
        return any(name == b"origin" and value in self._origins for name, value in scope["headers"])
