"""Takes over turns without a runner (after a crash, a lost lease, a store failure) and stops runners without a turn."""

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
from wakeful.model.api.request import CHAT, request_as_far_as_known
from wakeful.model.journal.fact import StepAbandoned
from wakeful.model.journal.transcript import fold
from wakeful.model.turn import Lease, Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Store, Transaction

# The delay before a sweep that trouble has asked for.
_SETTLING_SECONDS = 1.0
# A turn that another node has released waits no longer than this, however long leases are.
_HANDED_OVER_SECONDS = 0.5
# How many turns are taken over at the same time, and how long each waits for its session's lock. Another node may be
# taking the same turn, or hang while it holds the lock; the next sweep tries again.
_ABREAST = 4
_PATIENCE_SECONDS = 0.5
# How many resumes of one turn may be uncounted because its node was late, not dead. A turn that makes every node late
# must end, too.
_MOST_TAKEN_BACK = 10
_CLIENT_GONE = Outcome(TurnStatus.CANCELLED, "client_gone", "The server that held the client's connection has gone.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seen:
    # Running turns of this node, turns of nodes whose lease has expired, and turns that were taken from this node.
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
        # False for a node that runs only its own turn: it takes over none.
        self._adopts = adopts
        self._period = min(settings.lease_seconds / 6, _HANDED_OVER_SECONDS)
        self._abreast = asyncio.Semaphore(_ABREAST)
        # Set when the log says that dead nodes cannot be cut off: once is enough.
        self._has_warned = False
        self.job = Job("rescuer", self.sweep, clock, changed=commits.trouble, settling_seconds=_SETTLING_SECONDS)
        self.taken_over = 0

    async def sweep(self) -> float | None:
        """Compare the store with the runners of this node, and make them agree. On an exclusive store only trouble asks
        for another sweep: there are no other nodes.
        """
        await self._cut_off_dead()
        at_work = self._runners.at_work()
        with self._commits.comparing():
            runners = self._runners.all()
            seen = await self._store.read(self._look)
            held = {(turn.id, turn.epoch) for turn in seen.own}
            for runner in runners:
                if runner.key not in held:
                    self._runners.stop(runner)  # Its turn was stopped or taken over, and the signal was lost.
        # A turn that was at work before the read may have ended since; it must not be taken over.
        idle = self._idle(seen.own, at_work | self._runners.at_work())
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
            self._commits.trouble.set()  # An exclusive store has no periodic sweep: ask for one.
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
        # A node's own turns are no orphans to it, even when its lease has expired.
        return _Seen(own, [turn for turn in orphans if turn.node != node], await tx.turns.taken_from(node))

    async def _cut_off_dead(self) -> None:
        """End the database connections of dead nodes: one that hangs in a transaction blocks every node that needs its
        rows.
        """
        if self._store.is_exclusive:
            return
        try:
            ended = await self._store.write_lease(lambda tx: tx.nodes.cut_off_dead())
        except StoreReadOnly as error:
            if not self._has_warned:
                logger.warning("rows that a dead node has locked stay locked for some seconds: %s", error)
            self._has_warned = True
            return
        if ended:
            logger.info("ended %d database connections of nodes whose lease had expired", ended)

    async def _take_resume_back(self, turn: Turn) -> None:
        """Uncount a resume of a turn that was taken from this node, which was late and not dead."""
        node = self._dispatcher.node

        async def body(tx: Transaction) -> None:
            await tx.turns.take_resume_back(turn.id, node, limit=_MOST_TAKEN_BACK)

        with suppress(SessionLocked):
            await self._store.write(body, lock=[turn.session_id], patience=_PATIENCE_SECONDS)

    async def _take_over(self, turn: Turn, *, is_own: bool) -> None:
        """Take over a turn and resume it; one that belonged to a client's connection at another node is closed, because
        that client is gone. The resume counts, unless the turn was this node's and only the store has failed.
        """
        node = self._dispatcher.node

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            if await _is_unwanted(tx, turn):
                return False, None  # The node that watches the delegation closes it.
            if is_own and not self._runners.has_broken(turn):
                await tx.turns.release(Lease(turn.id, turn.session_id, node, turn.epoch))
            taken = await tx.turns.take_over_if_running(turn.id, turn.epoch, node)
            if taken is None:
                return False, None
            if not is_own and _is_of_a_connection(taken):
                # The other node had its words: `close` must see that node in the row.
                lane = await self._dispatcher.lane(tx, turn.session_id)
                lane = replace(lane, active=replace(taken, node=turn.node))
                return True, await self._dispatcher.close(tx, lane, _CLIENT_GONE, by_user=True)
            return True, await self._abandon_words(tx, turn, taken)

        try:
            is_taken = await self._commits.commit(body, lock=[turn.session_id], patience=_PATIENCE_SECONDS)
        except SessionLocked:
            return  # Another node is taking it over, or hangs: the next sweep tries again.
        if is_taken:
            logger.info("took over turn %s", turn.id)
            self.taken_over += 1

    async def _abandon_words(self, tx: Transaction, turn: Turn, taken: Turn) -> Assignment:
        """Take back the words since the turn's last fact, because the model is asked again. `turn` is the row before
        the takeover: without a node it was released in good order, and its words were taken back then.
        """
        standing = fold(await tx.journal.of_turns([turn.id]), turn.id)
        base = await last_fact(tx, taken)
        is_asking = not standing.is_answered and not standing.open_calls
        words = self._dispatcher.words.of_turn(turn.session_id, turn.id, turn.last_seq)
        # The words of this node's own turn are in memory here.
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
    """Return whether the turn belongs to a client's connection, which is gone with its node."""
    return request_as_far_as_known(turn.request).kind == CHAT


def _in_order(orphans: list[Turn]) -> tuple[list[Turn], list[Turn]]:
    """Return first the orphans to close, which may end sub-agents with them, then those to resume."""
    ended = [turn for turn in orphans if _is_of_a_connection(turn)]
    return ended, [turn for turn in orphans if not _is_of_a_connection(turn)]


async def _is_unwanted(tx: Transaction, turn: Turn) -> bool:
    """Return whether it is the turn of a sub-agent that is to be killed, for example with its parent's turn."""
    session = await require_session(tx, turn.session_id)
    task = None if session.task_id is None else await tx.tasks.get(session.task_id)
    return task is not None and task.kill_intended
