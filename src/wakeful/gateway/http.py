"""Builds the ASGI app: the entrance's middleware, the health check, and the routes that app.py passes in."""

from collections.abc import Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from wakeful.errors import WakefulError
from wakeful.gateway.entrance.auth import Keyring, RequireKey
from wakeful.gateway.entrance.check_host import CheckHost
from wakeful.gateway.entrance.cors import AllowOrigins
from wakeful.gateway.entrance.limits import LimitRequests, RequestLimits, TooManyRequests, answer_too_many
from wakeful.gateway.entrance.logins.desk import LoginDesk
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.gateway.entrance.own_commands import RefuseCommands
from wakeful.gateway.entrance.request_id import AddRequestId
from wakeful.gateway.entrance.security_headers import AddSecurityHeaders
from wakeful.gateway.monitoring.health import HealthCheck
from wakeful.gateway.openai.errors import ApiError, answer_api_error
from wakeful.wire.body_room import ShareBodyRoom
from wakeful.wire.errors import answer_broken, answer_gone, answer_http_error, answer_known_error

_DEFAULT_LIMITS = RequestLimits()
_LOOPBACK = OwnAddress()


def http_app(
    keyring: Keyring,
    routes: Sequence[BaseRoute],
    *,
    health: HealthCheck,
    limits: RequestLimits = _DEFAULT_LIMITS,
    origins: Sequence[str] = (),
    desk: LoginDesk | None = None,
    address: OwnAddress = _LOOPBACK,
    is_command: Callable[[int], bool] = lambda pid: False,
) -> ASGIApp:
    """`origins` are the other origins whose pages may use the API from a browser. Without a desk only keys are
    accepted, no cookies. `is_command` recognises the processes of agents' commands, which may not answer for a person.
    """

    async def check_health(request: Request) -> Response:
        return await health()

    app = Starlette(
        routes=[Route("/health", check_health), *routes],
        middleware=[
            Middleware(RequireKey, keyring=keyring, desk=desk, address=address),
            Middleware(RefuseCommands, is_command=is_command),
            Middleware(ShareBodyRoom),
            Middleware(LimitRequests, limits=limits),
        ],
        exception_handlers={
            HTTPException: answer_http_error,
            ApiError: answer_api_error,
            TooManyRequests: answer_too_many,
            WakefulError: answer_known_error,
            ClientDisconnect: answer_gone,
            Exception: answer_broken,
        },
    )
    # Many clients lose the body or the key when they follow a redirect, so a wrong address is a 404.
    app.router.redirect_slashes = False
    # Around Starlette, which creates some error responses outside of its own middleware.
    shared = AllowOrigins(app, origins) if origins else app
    return AddRequestId(AddSecurityHeaders(CheckHost(shared, address)))
