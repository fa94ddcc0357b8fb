"""How many requests of the API may be under way at the same time: in all, and for each key."""

from collections import Counter
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_PATH = "/v1/"
_RETRY = {"retry-after": "1"}


@dataclass(frozen=True, slots=True)
class RequestLimits:
    in_all: int = 2000
    per_key: int = 2000


class LimitRequests:
    """ASGI middleware, inside the key check. A request counts until its answer is complete, so streams count too."""

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app = app
        self._limits = limits
        # By the name of the key's holder.
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_PATH):
            await self._app(scope, receive, send)
            return
        holder = scope["state"]["principal"]
        if self._is_full(holder):
            await _refusal()(scope, receive, send)
            return
        self._under_way[holder] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way[holder] -= 1

    def _is_full(self, holder: str) -> bool:
        is_key_full = self._under_way[holder] >= self._limits.per_key
        return is_key_full or self._under_way.total() >= self._limits.in_all


def _refusal() -> JSONResponse:
    message = "Too many requests are under way: try again in a moment."
    error = {"message": message, "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}
    return JSONResponse({"error": error}, 429, _RETRY)
