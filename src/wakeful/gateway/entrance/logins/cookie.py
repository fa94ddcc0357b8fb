"""The cookie of a browser that is logged in.

Browsers share cookies among all ports of a host, so the port in the name keeps two servers on one machine apart. The
prefix __Host- keeps other hosts of the same domain from setting the cookie, and works under https only.
"""

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from wakeful.gateway.entrance.own_address import OwnAddress

_PREFIX = "wakeful_session_"
_SECURE_PREFIX = "__Host-"
# The longest that browsers keep a cookie; the server decides when the login ends.
_SECONDS = 400 * 86_400
# Scripts cannot read it, and requests from other sites do not carry it.
_RULES = "HttpOnly; SameSite=Strict; Path=/"


class LoginCookie:
    def __init__(self, address: OwnAddress) -> None:
        self._address = address

    def secret_in(self, connection: HTTPConnection) -> str:
        """Return the secret in the request's cookie, or an empty text."""
        return next((connection.cookies[name] for name in self._names(connection) if name in connection.cookies), "")

    def set_on(self, request: Request, response: Response, secret: str) -> None:
        name, secure = f"{_PREFIX}{self._port(request)}", ""
        if self._is_secure(request):
            name, secure = f"{_SECURE_PREFIX}{name}", "; Secure"
        response.headers.append("set-cookie", f"{name}={secret}; Max-Age={_SECONDS}; {_RULES}{secure}")

    def remove_on(self, request: Request, response: Response) -> None:
        names = self._names(request)
        for name in [name for name in names if name in request.cookies] or names[:1]:
            secure = "; Secure" if name.startswith(_SECURE_PREFIX) else ""
            response.headers.append("set-cookie", f"{name}=; Max-Age=0; {_RULES}{secure}")

    def _names(self, connection: HTTPConnection) -> list[str]:
        """Return the names that are accepted: both, unless the host is known to be reached by https."""
        name = f"{_PREFIX}{self._port(connection)}"
        secure = f"{_SECURE_PREFIX}{name}"
        return [secure] if self._address.is_https(connection.headers.get("host", "")) else [secure, name]

    def _port(self, connection: HTTPConnection) -> int:
        """Return the port in the browser's URL, which differs from ours behind a proxy or in a container."""
        return self._address.port_of(connection.headers.get("host", ""))

    def _is_secure(self, request: Request) -> bool:
        """Return whether the browser uses https, to us or to a proxy in front of us."""
        is_public = self._address.is_https(request.headers.get("host", ""))
        return is_public or request.headers.get("origin", str(request.url)).startswith("https://")
