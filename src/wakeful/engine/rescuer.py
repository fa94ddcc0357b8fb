"""Turns that nobody runs, after a crash, a lost lease or a failure of the store; and turns that run in vain."""

import asyncio
import logging

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import Dispatcher, require_session
from wakeful.engine.ports import Clock
from wakeful.engine.runners import Runners
from wakeful.engine.settings import EngineSettings
from wakeful.errors import StoreError
from wakeful.model.request import CHAT, request_from
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.store.base import Store, Transaction

# After trouble, give the store a moment.
_PAUSE_SECONDS = 1.0
# What another node has handed over waits no longer than this, however long leases are.
_HANDED_OVER_SECONDS = 1.0
_CLIENT_GONE = Outcome(TurnStatus.CANCELLED, "client_gone", "The server that held the client's connection has gone.")

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
        """Rescue for ever. The holder of an exclusive store has no rivals: it looks again only after trouble."""
        trouble = self._runners.trouble
        pause = min(self._settings.lease_seconds / 3, _HANDED_OVER_SECONDS)
        while True:
            await self._clock.wait(trouble, None if self._store.is_exclusive else pause)
            if trouble.is_set():
                trouble.clear()
                await self._clock.wait(asyncio.Event(), _PAUSE_SECONDS)
            try:
                await self.sweep()
            except StoreError as error:
                logger.warning("cannot look for turns that nobody runs: %s", error)
                trouble.set()
            except Exception:  # The boundary of a background job: it must go on looking.
                logger.exception("looking for turns that nobody runs broke")
                trouble.set()

    async def sweep(self) -> None:
        """Compare what the store says with what runs here, and make it agree."""
        runners = self._runners.all()
        own, orphans = await self._store.read(self._look)
        held = {(turn.id, turn.epoch) for turn in own}
        for runner in runners:
            if runner.key not in held:
                runner.stop()  # Its turn was stopped or taken over, and nobody could tell us.
        for turn in own:
            if not self._runners.is_at_work(turn):
                await self._take_over(turn, is_own=True)
        for turn in orphans:
            await self._take_over(turn, is_own=False)

    async def _look(self, tx: Transaction) -> tuple[list[Turn], list[Turn]]:
        node = self._dispatcher.node
        own = await tx.turns.running_on(node)
        if not self.adopts:
            return own, []
        orphans = await tx.turns.orphans(await tx.now(), keeper=node if self._store.is_exclusive else None)
        # However late its lease is renewed: what a node runs itself is no orphan to it.
        return own, [turn for turn in orphans if turn.node != node]

    async def _take_over(self, turn: Turn, *, is_own: bool) -> None:
        """A resume counts, unless the turn was ours all the time and only the store has failed. What belonged to a
        connection of another node is ended: whoever waited for it has gone.
        """
        node = self._dispatcher.node

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            if await _is_unwanted(tx, turn):
                return None, None  # Whoever watches the delegation ends it.
            if is_own and not self._runners.has_broken(turn):
                await tx.turns.release(Lease(turn.id, turn.session_id, node, turn.epoch))
            taken = await tx.turns.take_over_if_running(turn.id, turn.epoch, node)
            if taken is not None and not is_own and request_from(taken.request).kind == CHAT:
                lane = await self._dispatcher.lane(tx, turn.session_id)
                return None, await self._dispatcher.close(tx, lane, _CLIENT_GONE, by_user=True)
            return None, None if taken is None else Assignment(taken)

        logger.info("turn %s is taken over", turn.id)
        try:
            await self._runners.commit(body, lock=[turn.session_id])
        except StoreError as error:
            # The others are not to suffer for it.
            logger.warning("turn %s could not be taken over: %s", turn.id, error)


async def _is_unwanted(tx: Transaction, turn: Turn) -> bool:
    """Whether it is a sub-agent's whose end somebody has asked for, such as the end of the turn that it works for."""
    session = await require_session(tx, turn.session_id)
    task = None if session.task_id is None else await tx.tasks.get(session.task_id)
    return task is not None and task.kill_intended
