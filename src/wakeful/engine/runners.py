"""The turns that this node runs: each in a job of its own, launched after the commit that opened it."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from wakeful.engine.assignment import Assignment
from wakeful.engine.dispatcher import Dispatcher
from wakeful.engine.executor import Executor
from wakeful.errors import LeaseLost, StoreError
from wakeful.model.turn import Lease, Outcome, Turn
from wakeful.store.base import Signal, Store, Transaction

T = TypeVar("T")
# A write that may give this node a turn to run: its result, and the turn.
OpeningBody = Callable[[Transaction], Coroutine[Any, Any, tuple[T, Assignment | None]]]

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Runner:
    turn: Turn
    job: asyncio.Task[None]
    # It is writing the end of its turn itself: the raised epoch is its own doing.
    is_closing: bool = False


class Runners:
    def __init__(self, store: Store, dispatcher: Dispatcher, executor: Executor) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._executor = executor
        self._running: dict[str, _Runner] = {}
        self._commits: set[asyncio.Task[Any]] = set()
        # Turns of this node that nobody runs, because the store failed under them.
        self.stranded: set[str] = set()
        self.something_stranded = asyncio.Event()
        self._store_error: StoreError | None = None
        self._store_failed = asyncio.Event()
        store.notifier.listen(self._hear)

    async def commit(self, body: OpeningBody[T], *, lock: Collection[str]) -> T:
        """Write, then launch the turn that the write opened, even when the caller has gone away meanwhile."""
        commit = asyncio.create_task(self._commit(body, lock))
        self._commits.add(commit)
        commit.add_done_callback(self._commits.discard)
        return await asyncio.shield(commit)

    def launch(self, assignment: Assignment) -> None:
        turn = assignment.turn
        self.stranded.discard(turn.id)
        job = asyncio.create_task(self._run(assignment), name=turn.id)
        self._running[turn.id] = _Runner(turn, job)

    async def store_failure(self) -> StoreError:
        await self._store_failed.wait()
        assert self._store_error is not None
        return self._store_error

    async def drain(self, grace: float) -> None:
        """Let every turn come to a good place, but not for longer than `grace`; then leave them as they are."""
        if self._commits:
            await asyncio.wait(set(self._commits))
        jobs = [runner.job for runner in self._running.values()]
        if jobs:
            _, late = await asyncio.wait(jobs, timeout=grace)
            for job in late:
                job.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _commit(self, body: OpeningBody[T], lock: Collection[str]) -> T:
        result, assignment = await self._store.write(body, lock=lock)
        if assignment is not None:
            self.launch(assignment)
        return result

    async def _run(self, assignment: Assignment) -> None:
        """The boundary of a turn: whatever happens in it ends here."""
        turn = assignment.turn
        try:
            outcome = await self._executor.run(assignment)
            if outcome is not None:
                await self._close(assignment.lease, outcome)
        except LeaseLost:
            logger.info("turn %s is no longer ours", turn.id)
        except StoreError as error:
            logger.error("turn %s waits for the database: %s", turn.id, error)  # noqa: TRY400
            self._strand(turn)
            self._store_error = error
            self._store_failed.set()
        except Exception:
            logger.exception("turn %s broke and will be resumed", turn.id)
            self._strand(turn)
        finally:
            self._forget(turn)

    async def _close(self, lease: Lease, outcome: Outcome) -> None:
        self._running[lease.turn_id].is_closing = True

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            current = await tx.turns.require(lease)
            return None, await self._dispatcher.close(tx, current, outcome)

        await self.commit(body, lock=[lease.session_id])

    def _forget(self, turn: Turn) -> None:
        """A later runner of the same turn, launched while this one was ending, stays."""
        runner = self._running.get(turn.id)
        if runner is not None and runner.job is asyncio.current_task():
            del self._running[turn.id]

    def _strand(self, turn: Turn) -> None:
        self.stranded.add(turn.id)
        self.something_stranded.set()

    def _hear(self, signal: Signal) -> None:
        for turn_id, epoch in signal.fenced.items():
            runner = self._running.get(turn_id)
            if runner is not None and runner.turn.epoch < epoch and not runner.is_closing:
                runner.job.cancel()
