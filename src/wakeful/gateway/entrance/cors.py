"""Lets pages of the origins that the operator has configured, and no others, use the API from a browser."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

_PATH = "/v1/"
# The response headers that a page may read.
_EXPOSED = ("x-request-id", "x-should-retry", "x-hermes-session-id", "retry-after")
_MAX_AGE_SECONDS = 600


class AllowOrigins:
    """ASGI middleware, outside of the key check, because browsers send preflight requests without a key.

    It covers only the routes under /v1, which accept a key in a header and nothing else. Cookies are never allowed, so
    no page can act as a user who is logged in.
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
        # A request of any other origin passes unchanged, and its response gets no CORS headers.
        return any(name == b"origin" and value in self._origins for name, value in scope["headers"])
