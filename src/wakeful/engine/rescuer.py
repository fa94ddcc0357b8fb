"""Turns that nobody runs, after a crash, a lost lease or a failure of the store; and turns that run in vain."""

import logging
from dataclasses import replace
from functools import partial

from wakeful.engine import turn_events
from wakeful.engine.assignment import Assignment
from wakeful.engine.commits import Commits
from wakeful.engine.dispatcher import Dispatcher, last_fact, require_session
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.runners import Runners
from wakeful.engine.settings import EngineSettings
from wakeful.model.fact import StepAbandoned
from wakeful.model.request import CHAT, request_as_far_as_known
from wakeful.model.transcript import fold
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Store, Transaction

# After trouble, give the store a moment.
_SETTLING_SECONDS = 1.0
# What another node has handed over waits no longer than this, however long leases are.
_HANDED_OVER_SECONDS = 1.0
_CLIENT_GONE = Outcome(TurnStatus.CANCELLED, "client_gone", "The server that held the client's connection has gone.")

logger = logging.getLogger(__name__)


class Rescuer:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        commits: Commits,
        runners: Runners,
        clock: Clock,
        settings: EngineSettings,
        *,
        adopts: bool,
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._commits = commits
        self._runners = runners
        # A node that came for one turn only leaves those of others alone.
        self._adopts = adopts
        self._period = min(settings.lease_seconds / 3, _HANDED_OVER_SECONDS)
        self.job = Job("rescuer", self.sweep, clock, changed=commits.trouble, settling_seconds=_SETTLING_SECONDS)
        self.taken_over = 0

    async def sweep(self) -> float | None:
        """Compare what the store says with what runs here, and make it agree. The holder of an exclusive store has no
        rivals: it looks again only after trouble.
        """
        with self._commits.comparing():
            runners = self._runners.all()
            own, orphans = await self._store.read(self._look)
            held = {(turn.id, turn.epoch) for turn in own}
            for runner in runners:
                if runner.key not in held:
                    self._runners.stop(runner)  # Its turn was stopped or taken over, and nobody could tell us.
        for turn in own:
            if not self._runners.is_at_work(turn):
                await self.job.row(turn.id, partial(self._take_over, turn, is_own=True))
        for turn in orphans:
            await self.job.row(turn.id, partial(self._take_over, turn, is_own=False))
        return None if self._store.is_exclusive else self._period

    async def _look(self, tx: Transaction) -> tuple[list[Turn], list[Turn]]:
        node = self._dispatcher.node
        own = await tx.turns.running_on(node)
        if not self._adopts:
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
            if taken is None:
                return None, None
            if not is_own and request_as_far_as_known(taken.request).kind == CHAT:
                left = replace(taken, node=turn.node)
                return None, await self._dispatcher.close(tx, left, _CLIENT_GONE, by_user=True)
            return None, await self._abandon_words(tx, turn, taken)

        logger.info("turn %s is taken over", turn.id)
        await self._commits.commit(body, lock=[turn.session_id])
        self.taken_over += 1

    async def _abandon_words(self, tx: Transaction, turn: Turn, taken: Turn) -> Assignment:
        """Take back what may have been said since the turn's last fact: the model is asked again. `turn` is as it was
        found; one without a node was released in good order, and its words were taken back then.
        """
        standing = fold(await tx.journal.of_turns([turn.id]), turn.id)
        base = await last_fact(tx, taken)
        is_asking = not standing.is_answered and not standing.open_calls
        words = self._dispatcher.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        # Of a turn that was ours all the time, what was said is here.
        is_known = turn.node in (None, self._dispatcher.node)
        if not is_asking or (is_known and words is None):
            return Assignment(taken, base)
        step = standing.last_step + 1
        ends = WordsEnd(step, base, void=turn.reserved)
        if words is not None:
            ends = WordsEnd(step, base, words.count, said=words.said())
        abandoned = turn_events.abandoned(StepAbandoned(step), ends)
        (fact,) = await tx.events.append(turn.session_id, turn.id, [abandoned])
        return Assignment(replace(taken, last_seq=fact.turn_seq or 0), fact.session_seq)


async def _is_unwanted(tx: Transaction, turn: Turn) -> bool:
    """Whether it is a sub-agent's whose end somebody has asked for, such as the end of the turn that it works for."""
    session = await require_session(tx, turn.session_id)
    task = None if session.task_id is None else await tx.tasks.get(session.task_id)
    return task is not None and task.kill_intended
