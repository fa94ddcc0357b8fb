"""The route that other programs post to. It needs no key: a signature proves who has sent a request."""

import logging
from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wakeful.errors import HookNotFound
from wakeful.gateway.hooks.hook import Hook
from wakeful.gateway.hooks.intake import HookIntake
from wakeful.gateway.hooks.signatures import SignedRequest, verify
from wakeful.gateway.hooks.template import filled
from wakeful.wire.answer import JsonAnswer
from wakeful.wire.body import require_shallow, whole_body
from wakeful.wire.declared import Outgoing, words
from wakeful.wire.errors import InvalidRequest

_KIB = 1024
# GitHub sends it once, when the hook is set up.
_PING = "ping"
_LONGEST_ID = 200
_JSON_ADVICE = "The body must be JSON in UTF-8; on GitHub choose the content type application/json."

logger = logging.getLogger(__name__)


class HookAccepted(Outgoing):
    accepted: bool = True
    duplicate: Annotated[bool, words("Whether this delivery was accepted before: then nothing happens again.")] = False


class HookRoutes:
    def __init__(self, hooks: Sequence[Hook], intake: HookIntake, *, body_kib: int) -> None:
        self._hooks = {hook.name: hook for hook in hooks}
        self._intake = intake
        self._limit = body_kib * _KIB

    def routes(self) -> list[Route]:
        return [Route("/hooks/{name}", self.receive, methods=["POST"])]

    async def receive(self, request: Request) -> Response:
        hook = self._hooks.get(request.path_params["name"])
        if hook is None:
            raise HookNotFound
        async with whole_body(request, self._limit) as body:
            signed = verify(hook, request.headers, body)
            payload = _parse(body)
        return JsonAnswer(HookAccepted(duplicate=not await self._take(hook, signed, payload)), 202)

    async def _take(self, hook: Hook, signed: SignedRequest, payload: Any) -> bool:
        """Return whether the delivery is new; one that opens no turn counts as new."""
        delivery_id = _checked_id(signed.delivery_id)
        if not _is_wanted(hook, signed):
            return True
        text = filled(hook.message, payload).strip()
        if not text:
            logger.info("the hook %s got a delivery that its message has no words for", hook.name)
            return True
        return await self._intake.submit(hook, delivery_id, text)


def _parse(body: bytearray) -> Any:
    try:
        payload = orjson.loads(body)
    except orjson.JSONDecodeError:
        # Not chained: the error holds the whole body.
        raise InvalidRequest(_JSON_ADVICE) from None
    require_shallow(payload)
    return payload


def _checked_id(delivery_id: str) -> str:
    if not 0 < len(delivery_id) <= _LONGEST_ID:
        raise InvalidRequest(f"The request must name its delivery, with an id of at most {_LONGEST_ID} characters.")
    return delivery_id


def _is_wanted(hook: Hook, signed: SignedRequest) -> bool:
    """Only GitHub's requests name an event, and only its hooks have a choice of them."""
    return signed.event != _PING and (not hook.events or signed.event in hook.events)
