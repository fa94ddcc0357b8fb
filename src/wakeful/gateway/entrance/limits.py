"""Limits how many API requests may be under way at the same time: in all, and for each key."""

from collections import Counter
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from wakeful.errors import WakefulError
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.error_types import api_problem

_PATH = "/v1/"
_RETRY = {"retry-after": "1"}
# Cancel requests are exempt from the limit: they free a slot.
_ENDINGS = ("/cancel", "/stop")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    in_all: int = 10_000
    per_key: int = 10_000


class TooManyRequests(WakefulError):
    """Too many requests are under way: try again in a moment."""


class Slot:
    """A request's slot among those under way: `request.state.slot`."""

    def __init__(self, under_way: Counter[str], limits: RequestLimits, holder: str) -> None:
        self._under_way = under_way
        self._limits = limits
        self._holder = holder
        self._is_taken = False

    def take(self) -> None:
        """Take the slot; a second call does nothing. Raises TooManyRequests."""
        if self._is_taken:
            return
        is_key_full = self._under_way[self._holder] >= self._limits.per_key
        if is_key_full or self._under_way.total() >= self._limits.in_all:
            raise TooManyRequests
        self._is_taken = True
        self._under_way[self._holder] += 1

    def give_back(self) -> None:
        self._under_way[self._holder] -= self._is_taken
        self._is_taken = False


class LimitRequests:
    """ASGI middleware, inside the key check. A request counts until its answer is complete, so streams count too.

    A request with an idempotency key may join a response that is under way already. Its route takes the slot, and only
    if it starts a new response.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app = app
        self._limits = limits
        # Requests by the name of the key's holder.
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_PATH):
            await self._app(scope, receive, send)
            return
        slot = Slot(self._under_way, self._limits, scope["state"]["principal"])
        scope["state"]["slot"] = slot
        try:
            if _counts_at_once(scope):
                slot.take()
            await self._app(scope, receive, send)
        except TooManyRequests:
            await _refusal()(scope, receive, send)
        finally:
            slot.give_back()


async def answer_too_many(request: Request, error: Exception) -> Response:
    return _refusal()


def _counts_at_once(scope: Scope) -> bool:
    if scope["path"].endswith(_ENDINGS):
        return False
    may_join = scope["method"] == "POST" and scope["path"] == "/v1/responses"
    return not may_join or all(name != b"idempotency-key" for name, _ in scope["headers"])


def _refusal() -> Response:
    return JsonAnswer(api_problem(429, "rate_limit_exceeded", str(TooManyRequests())), 429, _RETRY)
