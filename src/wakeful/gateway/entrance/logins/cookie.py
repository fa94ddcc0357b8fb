"""The cookie of a browser that is logged in.

Browsers share cookies among all ports of a host: the port in the name keeps two servers on one machine apart. The
prefix __Host- keeps other names of the same domain from setting one, and works under https only.
"""

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from wakeful.gateway.entrance.own_address import OwnAddress

PREFIX = "wakeful_session_"

_SECURE_PREFIX = "__Host-"
# As long as browsers keep one. When the login ends is the server's business.
_SECONDS = 400 * 86_400
# No script can read it, and no other site's page has it sent.
_RULES = "HttpOnly; SameSite=Strict; Path=/"


class LoginCookie:
    def __init__(self, address: OwnAddress) -> None:
        self._address = address

    def secret_in(self, connection: HTTPConnection) -> str:
        """Empty when there is none."""
        return next((connection.cookies[name] for name in self._names(connection) if name in connection.cookies), "")

    def give(self, request: Request, response: Response, secret: str) -> None:
        name, secure = f"{PREFIX}{self._port(request)}", ""
        if self._is_secure(request):
            name, secure = f"{_SECURE_PREFIX}{name}", "; Secure"
        response.headers.append("set-cookie", f"{name}={secret}; Max-Age={_SECONDS}; {_RULES}{secure}")

    def take(self, request: Request, response: Response) -> None:
        names = self._names(request)
        for name in [name for name in names if name in request.cookies] or names[:1]:
            secure = "; Secure" if name.startswith(_SECURE_PREFIX) else ""
            response.headers.append("set-cookie", f"{name}=; Max-Age=0; {_RULES}{secure}")

    def _names(self, connection: HTTPConnection) -> list[str]:
        """Where it is not known whether the browser speaks https, to a proxy in front of us, both count."""
        name = f"{PREFIX}{self._port(connection)}"
        secure = f"{_SECURE_PREFIX}{name}"
        return [secure] if self._address.is_https(connection.headers.get("host", "")) else [secure, name]

    def _port(self, connection: HTTPConnection) -> int:
        """The one that the browser asked for, which is not ours behind a proxy or in a container."""
        return self._address.port_of(connection.headers.get("host", ""))

    def _is_secure(self, request: Request) -> bool:
        """Whether the browser speaks https, to us or to a proxy in front of us."""
        is_public = self._address.is_https(request.headers.get("host", ""))
        return is_public or request.headers.get("origin", str(request.url)).startswith("https://")
