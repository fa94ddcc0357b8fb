"""Authenticates requests by a bearer key or a browser's cookie, and finds the name of the holder."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from hmac import compare_digest
from urllib.parse import quote

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.errors import StoreError
from wakeful.gateway.entrance.logins.cookie import LoginCookie
from wakeful.gateway.entrance.logins.desk import LoginDesk
from wakeful.gateway.entrance.origin import is_own_write, refuse_foreign_origin
from wakeful.gateway.entrance.own_address import OwnAddress
from wakeful.model.login import Login
from wakeful.wire.errors import answer_known_error, error_response

# Open without a key, and free of secrets: health, the API document, and what a browser needs to log in.
_OPEN_PATHS = frozenset(
    {"/health", "/openapi.json", "/docs", "/docs/style.css", "/login", "/favicon.ico", "/api/login", "/api/logout"},
)
# What platforms and other senders call has a secret or a signature of its own.
_OPEN_FOLDERS = ("/static/", "/platforms/", "/hooks/")
_PAGES = ("/s/", "/settings", "/schedules")
# Cookies are accepted only for what the page itself requests; everything else needs a key.
_FOR_COOKIES = ("/api/", *_PAGES)
_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class Keyring:
    def __init__(self, keys: Mapping[str, str]) -> None:
        """`keys` maps the names of the holders to their keys."""
        self._digests = [(name, sha256(key.encode()).digest()) for name, key in keys.items()]

    def holder(self, key: bytes) -> str | None:
        """Return the name of the key's holder, in a time that does not depend on the keys."""
        given = sha256(key).digest()
        matches = [name for name, digest in self._digests if compare_digest(digest, given)]
        return matches[0] if matches else None


class RequireKey:
    """ASGI middleware: all but a few paths need a key; those that the page uses also accept a cookie.

    It sets `request.state.principal` to the holder's name, and `request.state.login` to the digest of the cookie's
    login, or None.
    """

    def __init__(self, app: ASGIApp, keyring: Keyring, desk: LoginDesk | None, address: OwnAddress) -> None:
        """Without a desk, cookies are not accepted."""
        self._app = app
        self._keyring = keyring
        self._desk = desk
        self._address = address
        self._cookie = LoginCookie(address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        refusal = await self._refusal(scope)
        if refusal is None:
            with self._tracked(scope):
                await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Response | None:
        """Return the response that refuses the request; or None, after adding its principal to the scope."""
        is_cookie = self._desk is not None and _takes_cookie(scope["path"]) and not _authorizations(scope)
        try:
            login = await self._login(scope) if is_cookie else None
        except StoreError as error:
            return await answer_known_error(Request(scope), error)
        principal = self._keyring.holder(_bearer_key(scope)) if login is None else login.principal
        if principal is None:
            return _to_login(scope["path"]) if is_cookie and _is_page(scope["path"]) else _unauthorized(scope)
        if is_cookie and scope["method"] not in _READS and not is_own_write(scope, self._address):
            return refuse_foreign_origin()
        state = scope.setdefault("state", {})
        state["principal"], state["login"] = principal, None if login is None else login.digest
        return None

    async def _login(self, scope: Scope) -> Login | None:
        assert self._desk is not None
        secret = self._cookie.secret_in(HTTPConnection(scope))
        return await self._desk.login_of(secret) if secret else None

    def _tracked(self, scope: Scope) -> AbstractContextManager[None]:
        """Track a browser's read, to cut it off when its login ends. A write may be the one that ends the login."""
        login = scope["state"]["login"]
        if self._desk is None or login is None or scope["method"] not in _READS:
            return nullcontext()
        return self._desk.connections.tracked(login, scope)


def _is_open(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith(_OPEN_FOLDERS)


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith(_PAGES)


def _takes_cookie(path: str) -> bool:
    return path == "/" or path.startswith(_FOR_COOKIES)


def _authorizations(scope: Scope) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == b"authorization"]


def _bearer_key(scope: Scope) -> bytes:
    """Return the bearer key; empty when there is none, or more than one."""
    values = _authorizations(scope)
    (value,) = values if len(values) == 1 else (b"",)
    scheme, _, key = value.partition(b" ")
    return key.strip() if scheme.lower() == b"bearer" else b""


def _to_login(path: str) -> Response:
    """Redirect to the login page, which returns to `path` afterwards. Browsers add the fragment they were given."""
    return RedirectResponse("/login" if path == "/" else f"/login?next={quote(path, safe='/')}", 303)


def _unauthorized(scope: Scope) -> Response:
    message = "This needs a key: send the header Authorization: Bearer KEY; `wakeful key` prints the local one."
    code = "invalid_api_key" if scope["path"].startswith("/v1/") else "unauthorized"
    return error_response(401, code, message, {"www-authenticate": "Bearer"}, path=scope["path"])
