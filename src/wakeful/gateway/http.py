"""The ASGI app: health, the key check, and the routes that app.py hands in."""

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from wakeful.errors import WakefulError
from wakeful.gateway.auth import Keyring, RequireKey
from wakeful.wire.errors import answer_broken, answer_gone, answer_http_error, answer_known_error


def http_app(
    keyring: Keyring, routes: Sequence[BaseRoute], *, version: str, is_stopping: Callable[[], bool]
) -> ASGIApp:
    async def health(request: Request) -> Response:
        if is_stopping():
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok", "version": version})

    return Starlette(
        routes=[Route("/health", health), *routes],
        middleware=[Middleware(RequireKey, keyring=keyring)],
        exception_handlers={
            HTTPException: answer_http_error,
            WakefulError: answer_known_error,
            ClientDisconnect: answer_gone,
            Exception: answer_broken,
        },
    )
