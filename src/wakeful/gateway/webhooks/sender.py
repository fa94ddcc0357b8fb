"""Sends the queued deliveries, each at least once: receivers recognise a repetition by its webhook-id."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.supervisor import Supervisor
from wakeful.gateway.webhooks.backoff import seconds_to_next_try
from wakeful.gateway.webhooks.delivery import DeliveryQueue
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.post import Poster, PostResult
from wakeful.gateway.webhooks.signature import signed_headers, signing_keys
from wakeful.gateway.webhooks.target import Resolve, TargetFinder, addresses_of
from wakeful.model.delivery import Delivery

_TIMEOUT_SECONDS = 10.0
# Much longer than a try and the write of its result can take.
_HOLD_SECONDS = 120.0
# Tries under way at the same time.
_SLOTS = 32
# The clocks of the store and of this process may differ a little: what is due here may not be due there yet.
_SHORTEST_WAIT_SECONDS = 0.05
# Another node may add a delivery to a shared queue and die before it has woken its own sender.
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
        self._now = now
        self._chance = chance
        self._poster = Poster(TargetFinder(resolve, allows_private=allows_private), timeout=timeout)
        self._sending: set[asyncio.Task[bool]] = set()
        self.job = Job("webhooks", self.sweep, clock)

    def wake(self) -> None:
        """Look at the queue now. Called when a delivery was added to it."""
        self.job.wake()

    @asynccontextmanager
    async def at_work(self, supervisor: Supervisor) -> AsyncIterator[None]:
        """Send while the block runs. Tries under way at its end are cancelled, and retried when their hold expires."""
        try:
            async with supervisor.at_work(self.job):
                yield
        finally:
            for sending in self._sending:
                sending.cancel()
            await asyncio.gather(*self._sending, return_exceptions=True)

    async def sweep(self) -> float | None:
        """Start sending what is due. Return the seconds until the next sweep, or None to wait for a free slot."""
        await self._begin()
        if len(self._sending) == _SLOTS:
            return None
        due = await self._queue.next_due()
        wait = _LONGEST_WAIT_SECONDS if due is None else due - self._now()
        return min(max(wait, _SHORTEST_WAIT_SECONDS), _LONGEST_WAIT_SECONDS)

    async def _begin(self) -> None:
        free = _SLOTS - len(self._sending)
        if free == 0:
            return
        now = self._now()
        for delivery in await self._queue.due(now, now + _HOLD_SECONDS, free):
            # If the result cannot be written, the delivery is retried when its hold expires.
            sending = asyncio.create_task(self.job.row(delivery.event_id, partial(self._try, delivery)))
            self._sending.add(sending)
            sending.add_done_callback(self._forget)

    def _forget(self, sending: asyncio.Task[bool]) -> None:
        self._sending.discard(sending)
        self.job.wake()

    async def _try(self, delivery: Delivery) -> None:
        endpoint = self._endpoints.get(delivery.endpoint)
        if endpoint is None:
            await self._give_up(delivery, "its receiver", "is no longer configured")
            return
        result = await self._post(delivery, endpoint)
        await self._settle(delivery, endpoint, result)

    async def _post(self, delivery: Delivery, endpoint: WebhookEndpoint) -> PostResult:
        # The signature covers the time, so each try is signed anew.
        headers = signed_headers(signing_keys(endpoint.secret), delivery.event_id, int(self._now()), delivery.body)
        try:
            return await self._poster.post(endpoint.url, headers, delivery.body)
        except Exception as error:  # A try that breaks counts as failed, or it would be repeated for ever.
            logger.exception("sending webhook %s to %s failed with a bug", delivery.event_id, endpoint.shown)
            return PostResult(None, f"could not be tried ({type(error).__name__})")

    async def _settle(self, delivery: Delivery, endpoint: WebhookEndpoint, result: PostResult) -> None:
        if result.has_arrived:
            await self._queue.done(delivery.id)
            return
        wait = None if result.is_gone else seconds_to_next_try(delivery.tries + 1, self._chance())
        if wait is None:
            await self._give_up(delivery, endpoint.shown, result.words)
            return
        logger.info("webhook %s will be retried: %s %s", delivery.event_id, endpoint.shown, result.words)
        await self._queue.retry_later(delivery.id, self._now() + wait, result.words)

    async def _give_up(self, delivery: Delivery, receiver: str, words: str) -> None:
        logger.warning("webhook %s will not be retried: %s %s", delivery.event_id, receiver, words)
        await self._queue.give_up(delivery.id, words)
