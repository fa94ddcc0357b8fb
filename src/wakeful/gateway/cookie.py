"""The cookie of a browser that is logged in."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

_NAME = "wakeful_session"
# As long as browsers keep one. When the login ends is the server's business.
_SECONDS = 400 * 86_400
# No script can read it, and no other site's page has it sent.
_RULES = "HttpOnly; SameSite=Strict; Path=/"


def cookie_of(connection: HTTPConnection) -> str:
    """The secret in it; empty when there is none."""
    return connection.cookies.get(_NAME, "")


def give_cookie(response: Response, secret: str, *, is_secure: bool) -> None:
    secure = "; Secure" if is_secure else ""
    response.headers.append("set-cookie", f"{_NAME}={secret}; Max-Age={_SECONDS}; {_RULES}{secure}")


def take_cookie(response: Response) -> None:
    response.headers.append("set-cookie", f"{_NAME}=; Max-Age=0; {_RULES}")
