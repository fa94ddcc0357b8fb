"""Turns that nobody runs, after a crash, a lost lease or a failure of the store; and turns that run in vain."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from wakeful.engine import turn_events
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, last_fact, require_session
from wakeful.engine.job import Job
from wakeful.engine.ports import Clock
from wakeful.engine.settings import EngineSettings
from wakeful.engine.turns.runners import Runners
from wakeful.errors import SessionLocked, StoreReadOnly
from wakeful.model.journal.fact import StepAbandoned
from wakeful.model.journal.transcript import fold
from wakeful.model.request import CHAT, request_as_far_as_known
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Store, Transaction

# After trouble, give the store a moment.
_SETTLING_SECONDS = 1.0
# What another node has handed over waits no longer than this, however long leases are.
_HANDED_OVER_SECONDS = 0.5
# Turns that are taken over at the same time, and how long one waits for its session's lock: another node may be just
# taking it, or stand still with it. The next round looks again.
_ABREAST = 4
_PATIENCE_SECONDS = 0.5
# How often a node may say of one turn that it was late and not dead. A turn that makes every node late must end too.
_MOST_TAKEN_BACK = 10
_CLIENT_GONE = Outcome(TurnStatus.CANCELLED, "client_gone", "The server that held the client's connection has gone.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    # Running turns of this node, of nodes that have let their lease run out, and those that were taken from this one.
    own: list[Turn]
    orphans: list[Turn]
    lost: list[Turn]


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
        self._period = min(settings.lease_seconds / 6, _HANDED_OVER_SECONDS)
        self._abreast = asyncio.Semaphore(_ABREAST)
        # It was said already that dead nodes cannot be cut off.
        self._has_complained = False
        self.job = Job("rescuer", self.sweep, clock, changed=commits.trouble, settling_seconds=_SETTLING_SECONDS)
        self.taken_over = 0

    async def sweep(self) -> float | None:
        """Compare what the store says with what runs here, and make it agree. The holder of an exclusive store has no
        rivals: it looks again only after trouble.
        """
        await self._cut_off_dead()
        at_work = self._runners.at_work()
        with self._commits.comparing():
            runners = self._runners.all()
            seen = await self._store.read(self._look)
            held = {(turn.id, turn.epoch) for turn in seen.own}
            for runner in runners:
                if runner.key not in held:
                    self._runners.stop(runner)  # Its turn was stopped or taken over, and nobody could tell us.
        # What was at work when this look began may have ended since: it is no orphan.
        idle = self._idle(seen.own, at_work | self._runners.at_work())
        # What is ended here first: it may end sub-agents with it.
        for turns in _in_order(seen.orphans):
            await asyncio.gather(*(self._try(turn, partial(self._take_over, turn, is_own=False)) for turn in turns))
        await asyncio.gather(
            *(self._try(turn, partial(self._take_over, turn, is_own=True)) for turn in idle),
            *(self._try(turn, partial(self._take_resume_back, turn)) for turn in seen.lost),
        )
        return None if self._store.is_exclusive else self._period

    def _idle(self, own: list[Turn], at_work: set[str]) -> list[Turn]:
        idle = [turn for turn in own if not at_work & {turn.id, turn.session_id}]
        if self._store.is_exclusive and any(not self._runners.runs(turn) for turn in own if turn not in idle):
            self._commits.trouble.set()  # Without rivals there is no next round, unless one is asked for.
        return idle

    async def _try(self, turn: Turn, act: Callable[[], Awaitable[None]]) -> None:
        async with self._abreast:
            await self.job.row(turn.id, act)

    async def _look(self, tx: Transaction) -> _Seen:
        node = self._dispatcher.node
        own = await tx.turns.running_on(node)
        if not self._adopts:
            return _Seen(own, [], [])
        orphans = await tx.turns.orphans(await tx.now(), keeper=node if self._store.is_exclusive else None)
        # However late its lease is renewed: what a node runs itself is no orphan to it.
        return _Seen(own, [turn for turn in orphans if turn.node != node], await tx.turns.taken_from(node))

    async def _cut_off_dead(self) -> None:
        """A node that stands still in a transaction holds up all who need the same rows, for as long as it likes."""
        if self._store.is_exclusive:
            return
        try:
            ended = await self._store.write_lease(lambda tx: tx.nodes.cut_off_dead())
        except StoreReadOnly as error:
            if not self._has_complained:
                logger.warning("what dead nodes leave locked stays so for some seconds: %s", error)
            self._has_complained = True
            return
        if ended:
            logger.info("%d connections of nodes that had let their lease run out were ended", ended)

    async def _take_resume_back(self, turn: Turn) -> None:
        """It was taken from this node, which lives: it was late, and the turn is not to blame."""
        node = self._dispatcher.node

        async def body(tx: Transaction) -> None:
            await tx.turns.take_resume_back(turn.id, node, limit=_MOST_TAKEN_BACK)

        with suppress(SessionLocked):
            await self._store.write(body, lock=[turn.session_id], patience=_PATIENCE_SECONDS)

    async def _take_over(self, turn: Turn, *, is_own: bool) -> None:
        """A resume counts, unless the turn was ours all the time and only the store has failed. What belonged to a
        connection of another node is ended: its client has gone.
        """
        node = self._dispatcher.node

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            if await _is_unwanted(tx, turn):
                return False, None  # The node that watches the delegation ends it.
            if is_own and not self._runners.has_broken(turn):
                await tx.turns.release(Lease(turn.id, turn.session_id, node, turn.epoch))
            taken = await tx.turns.take_over_if_running(turn.id, turn.epoch, node)
            if taken is None:
                return False, None
            if not is_own and _is_of_a_connection(taken):
                # It ran elsewhere: what was said there is not known here.
                lane = await self._dispatcher.lane(tx, turn.session_id)
                lane = replace(lane, active=replace(taken, node=turn.node))
                return True, await self._dispatcher.close(tx, lane, _CLIENT_GONE, by_user=True)
            return True, await self._abandon_words(tx, turn, taken)

        try:
            is_taken = await self._commits.commit(body, lock=[turn.session_id], patience=_PATIENCE_SECONDS)
        except SessionLocked:
            return  # Another node is just taking it, or stands still: the next round looks again.
        if is_taken:
            logger.info("turn %s is taken over", turn.id)
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
        if words is not None:
            ends = words.end(words.said())
        else:
            _, said = await tx.turns.said_elsewhere(turn.id, base) or (step, None)
            ends = WordsEnd(step, base, len(said.cuts) if said else 0, turn.reserved, said)
        abandoned = turn_events.abandoned(StepAbandoned(step), ends)
        (fact,) = await tx.events.append(turn.session_id, turn.id, [abandoned])
        return Assignment(replace(taken, last_seq=fact.turn_seq or 0), fact.session_seq)


def _is_of_a_connection(turn: Turn) -> bool:
    """Whether the client that asked for it has gone with the node that ran it."""
    return request_as_far_as_known(turn.request).kind == CHAT


def _in_order(orphans: list[Turn]) -> tuple[list[Turn], list[Turn]]:
    """First those that are ended, which may end sub-agents with them, then those that are resumed."""
    ended = [turn for turn in orphans if _is_of_a_connection(turn)]
    return ended, [turn for turn in orphans if not _is_of_a_connection(turn)]


async def _is_unwanted(tx: Transaction, turn: Turn) -> bool:
    """Whether it is a sub-agent's whose end somebody has asked for, such as the end of the turn that it works for."""
    session = await require_session(tx, turn.session_id)
    task = None if session.task_id is None else await tx.tasks.get(session.task_id)
    return task is not None and task.kill_intended
