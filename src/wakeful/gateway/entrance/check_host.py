"""Refuses requests whose Host header does not name this server."""

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.wire.errors import error_response

# Load balancers use any address they know, and the answer holds no secrets.
_OPEN_PATH = "/health"


class CheckHost:
    """ASGI middleware. Unix sockets are exempt: no web page can reach them."""

    def __init__(self, app: ASGIApp, address: OwnAddress) -> None:
        self._app = app
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == _OPEN_PATH or _is_unix(scope):
            await self._app(scope, receive, send)
            return
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) == 1 and self._address.is_host(hosts[0]):
            await self._app(scope, receive, send)
            return
        message = "This server does not answer to that name: add it to the setting hosts (WAKEFUL_HOSTS)."
        await error_response(421, "foreign_host", message, path=scope["path"])(scope, receive, send)


def _is_unix(scope: Scope) -> bool:
    server = scope.get("server")
    return server is not None and server[1] is None
