"""The receivers of webhooks as a destination of posts. They recognise a repetition by its webhook-id, so a post whose
request may have arrived is simply sent again.
"""

import logging
import random
import time
from collections.abc import Callable, Sequence

from wakeful.gateway.messaging.platform import LookedUp, Message, NotTaken, Refused, Whereabouts
from wakeful.gateway.webhooks.backoff import seconds_to_next_try
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.poster import Poster, PostResult
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys
from wakeful.model.messaging.post import WEBHOOK, Post
from wakeful.model.session import Address
from wakeful.network.checked_target import TargetFinder, addresses_of

_TIMEOUT_SECONDS = 10.0

logger = logging.getLogger(__name__)


class WebhookPlatform:
    name = WEBHOOK

    def __init__(
        self,
        endpoints: Sequence[WebhookEndpoint],
        *,
        allows_private: bool = False,
        now: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
        timeout: float = _TIMEOUT_SECONDS,
    ) -> None:
        self._endpoints = {endpoint.key: endpoint for endpoint in endpoints}
        self._now = now
        self._chance = chance
        self._poster = Poster(TargetFinder(addresses_of, allows_private=allows_private), timeout=timeout)

    async def send(self, post: Post, message: Message) -> str:
        """Return the webhook-id, which is the same in every try."""
        event_id, endpoint = post.address.thread_id, self._endpoints.get(post.address.chat_id)
        if endpoint is None:
            raise Refused("Its receiver is no longer configured.")
        result = await self._post(event_id, message.text.encode(), endpoint)
        if result.has_arrived:
            return event_id
        words = f"{endpoint.shown} {result.words}."
        wait = None if result.is_gone else seconds_to_next_try(post.tries, self._chance())
        if wait is None:
            raise Refused(words)
        logger.info("webhook %s will be retried: %s", event_id, words)
        raise NotTaken(words, seconds=wait)

    async def _post(self, event_id: str, body: bytes, endpoint: WebhookEndpoint) -> PostResult:
        # The signature covers the time, so each try is signed anew.
        headers = signed_headers(signing_keys(endpoint.secret), event_id, int(self._now()), body)
        try:
            return await self._poster.post(endpoint.url, headers, body)
        except Exception as error:  # A try that breaks counts as failed, or it would be repeated for ever.
            logger.exception("sending webhook %s to %s failed with a bug", event_id, endpoint.shown)
            return PostResult(None, f"could not be tried ({type(error).__name__})")

    async def edit(self, post: Post, message: Message) -> None:
        raise Refused("What a receiver has got stays as it is.")

    async def look_up(self, post: Post, message: Message) -> LookedUp:
        return LookedUp(Whereabouts.ABSENT)

    def lane(self, address: Address) -> str:
        # Each event by itself: none waits for another.
        return f"{address.chat_id}:{address.thread_id}"

    async def highest_id(self, address: Address) -> int:
        return 0
