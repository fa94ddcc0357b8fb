"""The turns that this node runs: each in a job of its own, launched after the commit that opened it."""

import asyncio
import logging
from contextvars import Context
from dataclasses import dataclass, replace

from wakeful.engine.assignment import Assignment
from wakeful.engine.commits import Commits
from wakeful.engine.dispatcher import Dispatcher
from wakeful.engine.executor import Ending, Executor
from wakeful.engine.ports import TurnBinder
from wakeful.engine.recorder import record
from wakeful.engine.turn_places import TurnPlaces
from wakeful.errors import LeaseLost, StoreError
from wakeful.model.turn import Turn
from wakeful.store.base import Signal, Store, Transaction

# What a turn that is stopped in the middle may take to put its things away.
_LATE_SECONDS = 0.7

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Runner:
    assignment: Assignment
    job: asyncio.Task[None]
    # It is writing the end of its turn itself: the raised epoch is its own doing.
    is_closing: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.assignment.turn.id, self.assignment.turn.epoch


class Runners:
    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        commits: Commits,
        executor: Executor,
        binder: TurnBinder,
        places: TurnPlaces,
    ) -> None:
        self._dispatcher = dispatcher
        self._commits = commits
        self._executor = executor
        self._binder = binder
        self._places = places
        self._words = dispatcher.words
        self._running: dict[str, Runner] = {}
        # Turns that broke by a fault of ours: going on with them counts, or it would never end.
        self._broken: set[str] = set()
        self._store_error: StoreError | None = None
        self._store_failed = asyncio.Event()
        commits.listen(self._launch)
        store.notifier.listen(self._hear)

    def all(self) -> list[Runner]:
        return list(self._running.values())

    def stop(self, runner: Runner) -> None:
        """Its turn has ended or is another's. What it was saying is kept by the write that has fenced it, or void."""
        turn = runner.assignment.turn
        self._words.forget(turn.session_id, turn.id)
        if not runner.is_closing:
            runner.job.cancel()

    def runs(self, turn: Turn) -> bool:
        return turn.id in self._running

    def at_work(self) -> set[str]:
        """The turns that run here, and the sessions in which one may be about to."""
        return {*self._running, *self._commits.sessions()}

    def has_broken(self, turn: Turn) -> bool:
        return turn.id in self._broken

    async def store_failure(self) -> StoreError:
        """Wait until the store has failed under a turn of this node, and return how."""
        await self._store_failed.wait()
        assert self._store_error is not None
        return self._store_error

    async def drain(self, grace: float) -> None:
        """Let every turn come to a good place, but not for longer than `grace`; then leave them as they are."""
        jobs = {*self._commits.all(), *(runner.job for runner in self._running.values())}
        if jobs:
            await asyncio.wait(jobs, timeout=grace)
        late = [runner.job for runner in self._running.values()]
        for job in late:
            job.cancel()
        if late:
            # A command may refuse to end. Its turn can go on elsewhere all the same: nothing more is recorded here.
            await asyncio.wait(late, timeout=_LATE_SECONDS)

    def _launch(self, assignment: Assignment) -> None:
        turn = assignment.turn
        # In a context of its own: whoever happened to open it, a turn knows only what its own row says.
        job = asyncio.create_task(self._run(assignment), name=turn.id, context=Context())
        runner = self._running[turn.id] = Runner(assignment, job)
        # Not in the job itself: one that is stopped before its first step never comes to its end.
        job.add_done_callback(lambda _: self._forget(runner))

    async def _run(self, assignment: Assignment) -> None:
        """The boundary of a turn: whatever happens in it ends here."""
        turn = assignment.turn
        runner = self._running[turn.id]
        try:
            async with self._places.taken_by(turn):
                with self._binder.bind(turn):
                    ending = await self._executor.run(assignment)
            if ending is not None:
                await self._close(runner, ending)
            self._broken.discard(turn.id)
        except LeaseLost:
            self._words.forget(turn.session_id, turn.id)
            logger.info("turn %s is no longer ours", turn.id)
        except StoreError as error:
            logger.error("turn %s waits for the database: %s", turn.id, error)  # noqa: TRY400
            self._tell_store_failure(error)
        except Exception:
            logger.exception("turn %s broke and will be resumed", turn.id)
            self._broken.add(turn.id)
            self._commits.trouble.set()

    def _forget(self, runner: Runner) -> None:
        """A later runner of the same turn, launched while this one was ending, stays."""
        turn_id = runner.assignment.turn.id
        if self._running.get(turn_id) is runner:
            del self._running[turn_id]

    async def _close(self, runner: Runner, ending: Ending) -> None:
        runner.is_closing = True
        lease = runner.assignment.lease

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            current = await tx.turns.require(lease)
            if ending.answer is not None:
                last = await record(tx, lease, ending.answer)
                current = replace(current, last_seq=last.turn_seq or 0)
            return None, await self._dispatcher.close(tx, current, ending.outcome)

        await self._commits.commit(body, lock=[lease.session_id], seals=[lease.session_id])

    def _tell_store_failure(self, error: StoreError) -> None:
        self._commits.trouble.set()
        self._store_error = error
        self._store_failed.set()

    def _hear(self, signal: Signal) -> None:
        for turn_id, epoch in signal.fenced.items():
            runner = self._running.get(turn_id)
            if runner is not None and runner.assignment.turn.epoch < epoch:
                self.stop(runner)
