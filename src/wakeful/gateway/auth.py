"""Who is asking: a bearer key, and the name of its holder."""

from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest

from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.wire.errors import error_response

# No key, no secrets: whoever starts the server must be able to ask whether it runs, and anybody may read how to ask.
_OPEN_PATHS = frozenset({"/health", "/openapi.json", "/docs", "/docs/style.css"})


class Keyring:
    def __init__(self, keys: Mapping[str, str]) -> None:
        """`keys` are the keys by the names of their holders."""
        self._digests = [(name, sha256(key.encode()).digest()) for name, key in keys.items()]

    def holder(self, key: bytes) -> str | None:
        """Takes the same time whichever key it is, and however much of it is right."""
        given = sha256(key).digest()
        matches = [name for name, digest in self._digests if compare_digest(digest, given)]
        return matches[0] if matches else None


class RequireKey:
    """ASGI middleware: all but health and the document needs a key. The holder's name is `request.state.principal`."""

    def __init__(self, app: ASGIApp, keyring: Keyring) -> None:
        self._app = app
        self._keyring = keyring

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] in _OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        principal = self._keyring.holder(_bearer_key(scope))
        if principal is None:
            await _refuse(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = principal
        await self._app(scope, receive, send)


def _bearer_key(scope: Scope) -> bytes:
    """Empty when there is none, or more than one."""
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, key = values[0].partition(b" ") if len(values) == 1 else (b"", b"", b"")
    return key.strip() if scheme.lower() == b"bearer" else b""


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    message = "This needs a key: send the header Authorization: Bearer KEY; `wakeful key` prints the local one."
    code = "invalid_api_key" if scope["path"].startswith("/v1/") else "unauthorized"
    response = error_response(401, code, message, {"www-authenticate": "Bearer"}, path=scope["path"])
    await response(scope, receive, send)
