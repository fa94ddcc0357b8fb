"""Turns that nobody runs: after a crash, after a lost lease, after the store failed. And this node's own lease."""

import logging

from wakeful.engine.assignment import Assignment, assign
from wakeful.engine.dispatcher import Dispatcher
from wakeful.engine.ports import Clock
from wakeful.engine.runners import Runners
from wakeful.engine.settings import EngineSettings
from wakeful.errors import StoreError
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction

_STORE_RETRY_SECONDS = 1.0

logger = logging.getLogger(__name__)


class Rescuer:
    def __init__(
        self, store: Store, dispatcher: Dispatcher, runners: Runners, clock: Clock, settings: EngineSettings
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._runners = runners
        self._clock = clock
        self._settings = settings
        # A node that came for one turn only leaves those of others alone.
        self.adopts = True

    async def run(self) -> None:
        """Rescue for ever. The holder of an exclusive store has no rivals: it need only mind its own stranded turns."""
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                logger.warning("cannot look for orphaned turns: %s", error)
            await self._pause()

    async def sweep(self) -> None:
        """Renew the lease, then take over what is orphaned and go on with it."""
        for turn in await self._store.write(self._renew_and_find):
            await self._take_over(turn)

    async def _renew_and_find(self, tx: Transaction) -> list[Turn]:
        now = await tx.now()
        node = self._dispatcher.node
        if not self._store.is_exclusive:
            await tx.nodes.renew(node, now + self._settings.lease_seconds)
        stranded = await self._stranded(tx)
        if not self.adopts:
            return stranded
        return stranded + await tx.turns.orphans(now, keeper=node if self._store.is_exclusive else None)

    async def _stranded(self, tx: Transaction) -> list[Turn]:
        """Turns that this node holds and does not run. What is not among them any more was settled elsewhere."""
        if not self._runners.stranded:
            return []
        running = await tx.turns.running_on(self._dispatcher.node)
        self._runners.stranded.intersection_update(turn.id for turn in running)
        return [turn for turn in running if turn.id in self._runners.stranded]

    async def _take_over(self, turn: Turn) -> None:
        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            taken = await tx.turns.take_over_if_running(turn.id, turn.epoch, self._dispatcher.node)
            return None, None if taken is None else await assign(tx, taken)

        logger.info("turn %s is resumed", turn.id)
        await self._runners.commit(body, lock=[turn.session_id])

    async def _pause(self) -> None:
        stranded = self._runners.something_stranded
        interval = None if self._store.is_exclusive else self._settings.lease_seconds / 3
        if self._runners.stranded:
            interval = min(interval or _STORE_RETRY_SECONDS, _STORE_RETRY_SECONDS)
        await self._clock.wait(stranded, interval)
        stranded.clear()
