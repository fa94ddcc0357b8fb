"""Sends webhooks: the postman of their outbox, at the node that holds their door."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.job import Job
from wakeful.gateway.messaging.held_door import HeldDoor
from wakeful.gateway.messaging.outbox.manner import Manner
from wakeful.gateway.messaging.outbox.postman import Postman
from wakeful.gateway.messaging.text.form import TextForm
from wakeful.gateway.webhooks.endpoint import WebhookEndpoint
from wakeful.gateway.webhooks.platform import WebhookPlatform
from wakeful.store.base import Signal, Store

# A body goes out as it is, whole. A try ends long before this timeout, and nothing has to be looked up.
MANNER = Manner(TextForm(1_000_000, str), send_timeout=60.0, settle_seconds=0.0, unordered_slots=32)
# Commits of other nodes do not say what they are about: they are looked into together, after so long.
_OTHERS_SECONDS = 0.5


@asynccontextmanager
async def open_webhooks(
    engine: Engine, store: Store, endpoints: Sequence[WebhookEndpoint], *, allows_private: bool
) -> AsyncIterator[Job]:
    """Send webhooks while this is open. Yields the job to wake when one of their posts was changed by hand."""
    platform, clock = WebhookPlatform(endpoints, allows_private=allows_private), SystemClock()
    postman = Postman(store, platform, engine.node, MANNER, clock)
    store.notifier.listen(_Bell(postman.job).hear)
    work = partial(postman.at_work, engine.supervisor)
    async with HeldDoor(store, platform.name, engine.node, clock, work).at_work():
        yield postman.job


class _Bell:
    """Wakes the postman after the ends of turns."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._rings = False

    def hear(self, signal: Signal) -> None:
        if any(event.is_final for event in signal.events):
            self._job.wake()
        elif not signal.events and not self._rings:
            self._rings = True
            asyncio.get_running_loop().call_later(_OTHERS_SECONDS, self._ring)

    def _ring(self) -> None:
        self._rings = False
        self._job.wake()
