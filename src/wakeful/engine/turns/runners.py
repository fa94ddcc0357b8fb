"""The turns that this node runs: each in a job of its own, launched after the commit that opened it."""

import asyncio
import logging
from contextvars import Context
from dataclasses import dataclass, field
from functools import partial

from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, assignment_of, first_assignment
from wakeful.engine.ports import TurnBinder
from wakeful.engine.turns.executor import Ending, Executor
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.errors import LeaseLost, StoreError
from wakeful.model.opening import Opened, Opening
from wakeful.model.turn import Turn
from wakeful.store.base import Signal, Store, Transaction

# What a turn that is stopped in the middle may take to put its things away.
_LATE_SECONDS = 0.7

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Runner:
    assignment: Assignment
    job: asyncio.Task[None] = field(init=False)
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
        slots: TurnSlots,
    ) -> None:
        self._dispatcher = dispatcher
        self._commits = commits
        self._executor = executor
        self._binder = binder
        self._slots = slots
        self._words = dispatcher.words
        self._running: dict[str, Runner] = {}
        # Turns that broke by a fault of ours: going on with them counts, or it would never end.
        self._broken: set[str] = set()
        self._store_error: StoreError | None = None
        self._store_failed = asyncio.Event()
        commits.listen(self._launch)
        store.notifier.listen(self._hear)

    async def open_new(self, opening: Opening) -> Turn:
        """Open the first turn of a new session. The model is asked while the opening commits. Until then its runner is
        none of ours: if the opening fails, the request is dropped, and nothing of it was shown. Raises NameTaken.
        """
        is_open = asyncio.Event()
        # Where there is history, it is read after the opening. A name may be taken: ten posts to it are one model call.
        is_sure = opening.turn.parent is None and opening.conversation is None
        early = self._start(first_assignment(opening, is_open)) if is_sure else None

        def hear(opened: Opened | None) -> None:
            if early is not None and opened is not None:
                self._admit(early)
                is_open.set()
            elif early is not None:
                early.job.cancel()
            elif opened is not None:
                self._launch(assignment_of(opening, opened))

        return (await self._commits.open_new(opening, hear)).turn

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
        self._admit(self._start(assignment))

    def _start(self, assignment: Assignment) -> Runner:
        runner = Runner(assignment)
        # In a context of its own: whichever part has opened it, a turn knows only what its own row says.
        runner.job = asyncio.create_task(self._run(runner), name=assignment.turn.id, context=Context())
        return runner

    def _admit(self, runner: Runner) -> None:
        """From now on it is compared with what the store says, and stopped when its turn is fenced."""
        self._running[runner.assignment.turn.id] = runner
        # Not in the job itself: one that is stopped before its first step never comes to its end.
        runner.job.add_done_callback(lambda _: self._forget(runner))

    async def _run(self, runner: Runner) -> None:
        """The boundary of a turn: whatever happens in it ends here."""
        turn = runner.assignment.turn
        try:
            if not self._slots.has_room:
                await runner.assignment.until_open()  # To wait in the queue it has to be known whose it is.
            async with self._slots.taken_by(turn):
                with self._binder.bind(turn):
                    ending = await self._executor.run(runner.assignment)
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

        async def body(tx: Transaction, *, opens_next: bool = True) -> tuple[None, Assignment | None]:
            lane = await self._dispatcher.held_lane(tx, lease)
            return None, await self._dispatcher.close(
                tx, lane, ending.outcome, answer=ending.answer, opens_next=opens_next
            )

        commit = partial(self._commits.commit, lock=[lease.session_id], seals=[lease.session_id])
        try:
            await commit(body)
        except StoreError as error:
            if type(error) is not StoreError:
                raise  # The database is in trouble, whatever was to be written.
            # What the next turn is to begin with may be what the store refused: this one ends all the same.
            logger.warning("turn %s is closed without opening the next one: %s", lease.turn_id, error)
            await commit(partial(body, opens_next=False))

    def _tell_store_failure(self, error: StoreError) -> None:
        self._commits.trouble.set()
        self._store_error = error
        self._store_failed.set()

    def _hear(self, signal: Signal) -> None:
        for turn_id, epoch in signal.fenced.items():
            runner = self._running.get(turn_id)
            if runner is not None and runner.assignment.turn.epoch < epoch:
                self.stop(runner)
