"""Sends what waits in the queue. At least once: a receiver knows a repetition by its webhook-id."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence

from wakeful.engine.ports import Clock
from wakeful.errors import StoreError
from wakeful.gateway.webhooks.backoff import seconds_to_next_try
from wakeful.gateway.webhooks.delivery import DeliveryQueue
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.post import Outcome, Poster
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys
from wakeful.gateway.webhooks.target import Resolve, TargetFinder, addresses_of
from wakeful.model.delivery import Delivery

_TIMEOUT_SECONDS = 10.0
# Much longer than a try and the writing down of its outcome can take.
_HOLD_SECONDS = 120.0
# Tries under way at the same time.
_PLACES = 32
# After trouble, give the store a moment.
_PAUSE_SECONDS = 1.0
# The clocks of a store and of this process may differ a little: what is due here may not be due there yet.
_SHORTEST_WAIT_SECONDS = 0.05
# Where nodes share a queue, one may add a delivery and die before anybody has heard of it.
_LONGEST_WAIT_SECONDS = 60.0

logger = logging.getLogger(__name__)


class WebhookSender:
    def __init__(
        self,
        queue: DeliveryQueue,
        endpoints: Sequence[WebhookEndpoint],
        clock: Clock,
        *,
        allows_private: bool = False,
        now: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
        resolve: Resolve = addresses_of,
        timeout: float = _TIMEOUT_SECONDS,
    ) -> None:
        self._queue = queue
        self._endpoints = {endpoint.key: endpoint for endpoint in endpoints}
        self._clock = clock
        self._now = now
        self._chance = chance
        self._poster = Poster(TargetFinder(resolve, allows_private=allows_private), timeout=timeout)
        self._free = _PLACES
        self._changed = asyncio.Event()

    def hear(self) -> None:
        """Something was added to the queue."""
        self._changed.set()

    async def run(self) -> None:
        """Send until cancelled. What is under way then is held in the queue for a while, and tried again."""
        async with asyncio.TaskGroup() as jobs:
            while True:
                self._changed.clear()
                wait = await self._sweep(jobs)
                await self._clock.wait(self._changed, wait)

    async def _sweep(self, jobs: asyncio.TaskGroup) -> float | None:
        """Begin what is due; how long to wait for the next. None: until a place is free."""
        try:
            await self._begin(jobs)
            if self._free == 0:
                return None
            due = await self._queue.next_due()
        except StoreError as error:
            logger.warning("cannot look for webhooks to send: %s", error)
            return _PAUSE_SECONDS
        except Exception:  # The boundary of a background job: it must go on looking.
            logger.exception("looking for webhooks to send broke")
            return _PAUSE_SECONDS
        wait = _LONGEST_WAIT_SECONDS if due is None else due - self._now()
        return min(max(wait, _SHORTEST_WAIT_SECONDS), _LONGEST_WAIT_SECONDS)

    async def _begin(self, jobs: asyncio.TaskGroup) -> None:
        if self._free == 0:
            return
        now = self._now()
        for delivery in await self._queue.due(now, now + _HOLD_SECONDS, self._free):
            self._free -= 1
            jobs.create_task(self._send(delivery))

    async def _send(self, delivery: Delivery) -> None:
        try:
            await self._try(delivery)
        except StoreError as error:
            logger.warning("cannot write down what became of webhook %s: %s", delivery.event_id, error)
        except Exception:  # The boundary of a background job: the others go on, and this one comes again.
            logger.exception("writing down what became of webhook %s broke", delivery.event_id)
        finally:
            self._free += 1
            self._changed.set()

    async def _try(self, delivery: Delivery) -> None:
        endpoint = self._endpoints.get(delivery.endpoint)
        if endpoint is None:
            await self._give_up(delivery, "its receiver", "is no longer configured")
            return
        outcome = await self._post(delivery, endpoint)
        await self._settle(delivery, endpoint, outcome)

    async def _post(self, delivery: Delivery, endpoint: WebhookEndpoint) -> Outcome:
        # Each try has a time and so a signature of its own.
        headers = signed_headers(signing_keys(endpoint.secret), delivery.event_id, int(self._now()), delivery.body)
        try:
            return await self._poster.post(endpoint.url, headers, delivery.body)
        except Exception as error:  # The boundary of a try: also one that breaks is counted, or it would never end.
            logger.exception("sending webhook %s to %s broke", delivery.event_id, endpoint.shown)
            return Outcome(None, f"could not be tried ({type(error).__name__})")

    async def _settle(self, delivery: Delivery, endpoint: WebhookEndpoint, outcome: Outcome) -> None:
        if outcome.has_arrived:
            await self._queue.done(delivery.id)
            return
        wait = None if outcome.is_gone else seconds_to_next_try(delivery.tries + 1, self._chance())
        if wait is None:
            await self._give_up(delivery, endpoint.shown, outcome.words)
            return
        logger.info("webhook %s: %s %s", delivery.event_id, endpoint.shown, outcome.words)
        await self._queue.retry_later(delivery.id, self._now() + wait, outcome.words)

    async def _give_up(self, delivery: Delivery, receiver: str, words: str) -> None:
        logger.warning("webhook %s is given up: %s %s", delivery.event_id, receiver, words)
        await self._queue.give_up(delivery.id, words)
