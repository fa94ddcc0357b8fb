"""Renews this node's lease, independently of its other work: also while the node stops or is very busy."""

import math

from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.words.words import LiveWords
from wakeful.model.tasks.task import Host
from wakeful.store.base import Store, Transaction


class LeaseKeeper:
    """On an exclusive store there are no other nodes, and no lease is needed."""

    def __init__(
        self, store: Store, node: str, host: Host, clock: Clock, settings: EngineSettings, words: LiveWords
    ) -> None:
        self._store = store
        self._node = node
        self._host = host
        self._seconds = settings.lease_seconds
        self._clock = clock
        self._words = words
        # By the monotonic clock.
        self._renewed_at = -math.inf
        first = None if store.is_exclusive else self._seconds / 3
        self.job = Job("lease keeper", self.renew, clock, first_wait=first, longest_pause=self._seconds / 12)

    @property
    def seconds_left(self) -> float | None:
        """How long the lease still holds without a renewal; None if none is needed."""
        return None if self._store.is_exclusive else self._renewed_at + self._seconds - self._clock.monotonic()

    @property
    def is_late(self) -> bool:
        """Whether at least one renewal was missed."""
        left = self.seconds_left
        return left is not None and left < self._seconds / 3

    async def renew(self) -> float | None:
        """Renew the lease and return the seconds until the next renewal."""
        if self._store.is_exclusive:
            self._words.show_until(math.inf)
            return None
        # The lease counts from before the write, so that this node never believes in it for too long.
        asked_at = self._clock.monotonic()

        async def body(tx: Transaction) -> None:
            await tx.nodes.renew(self._node, await tx.now() + self._seconds, host=self._host.id)

        await self._store.write_lease(body)
        self._renewed_at = asked_at
        # Until then no other node can have taken over this node's turns.
        self._words.show_until(asked_at + self._seconds)
        return self._seconds / 3

    async def give_up(self) -> None:
        async def body(tx: Transaction) -> None:
            await tx.nodes.retire(self._node)

        await self._store.write_lease(body)
