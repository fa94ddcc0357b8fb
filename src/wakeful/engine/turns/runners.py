"""The turns that this node runs, each in an asyncio task that is started after the commit that opened the turn."""

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

# How long a cancelled turn may take to clean up.
_LATE_SECONDS = 0.7

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Runner:
    assignment: Assignment
    job: asyncio.Task[None] = field(init=False)
    # The runner is writing the end of its turn, so the raised epoch is its own doing.
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
        # Turns that failed through a bug of ours: resuming them counts, or they would be resumed for ever.
        self._broken: set[str] = set()
        self._store_error: StoreError | None = None
        self._store_failed = asyncio.Event()
        commits.listen(self._launch)
        store.notifier.listen(self._hear)

    async def open_new(self, opening: Opening) -> Turn:
        """Open the first turn of a new session, asking the model while the opening commits. If the opening fails, the
        model's request is cancelled, and nothing of it was shown. Raises NameTaken.
        """
        is_open = asyncio.Event()
        # Not with history, which is read after the opening, nor with a conversation's name, which may be taken: ten
        # concurrent posts to one name must make one model call.
        is_sure = opening.turn.parent is None and opening.conversation is None
        early = self._start(first_assignment(opening, is_open)) if is_sure else None

        def hear(opened: Opened | None) -> None:
            if early is not None and opened is not None:
                self._admit(early)
                is_open.set()
            elif early is not None:
                early.job.cancel()
            elif opened is not None:
                assert opening.session is not None
                self._launch(assignment_of(opening, opened, opening.session.owner))

        return (await self._commits.open_new(opening, hear)).turn

    def all(self) -> list[Runner]:
        return list(self._running.values())

    def stop(self, runner: Runner) -> None:
        """Stop a runner whose turn has ended or belongs to another node. The write that fenced the turn has decided
        what is kept of its words.
        """
        turn = runner.assignment.turn
        self._words.forget(turn.session_id, turn.id)
        if not runner.is_closing:
            runner.job.cancel()

    def runs(self, turn: Turn) -> bool:
        return turn.id in self._running

    def at_work(self) -> set[str]:
        """Return the ids of turns that run here, and of sessions in which one may be about to open."""
        return {*self._running, *self._commits.sessions()}

    def has_broken(self, turn: Turn) -> bool:
        return turn.id in self._broken

    async def store_failure(self) -> StoreError:
        """Wait until the store has failed under a turn of this node, and return the error."""
        await self._store_failed.wait()
        assert self._store_error is not None
        return self._store_error

    async def drain(self, grace: float) -> None:
        """Let turns reach their next recorded step, for `grace` seconds at most, then cancel the rest."""
        jobs = {*self._commits.all(), *(runner.job for runner in self._running.values())}
        if jobs:
            await asyncio.wait(jobs, timeout=grace)
        late = [runner.job for runner in self._running.values()]
        for job in late:
            job.cancel()
        if late:
            # A command may refuse to end. Its turn can still resume elsewhere: nothing more is recorded here.
            await asyncio.wait(late, timeout=_LATE_SECONDS)

    def _launch(self, assignment: Assignment) -> None:
        self._admit(self._start(assignment))

    def _start(self, assignment: Assignment) -> Runner:
        runner = Runner(assignment)
        # An empty context: a turn must not inherit variables of the code that opened it; the binder sets its own.
        runner.job = asyncio.create_task(self._run(runner), name=assignment.turn.id, context=Context())
        return runner

    def _admit(self, runner: Runner) -> None:
        """Register a runner: from now on the rescuer checks it, and a fence stops it."""
        self._running[runner.assignment.turn.id] = runner
        # A callback, because a task that is cancelled before its first step never runs its own code.
        runner.job.add_done_callback(lambda _: self._forget(runner))

    async def _run(self, runner: Runner) -> None:
        """Run the turn and close it. This is a turn's boundary: no exception leaves it."""
        turn = runner.assignment.turn
        try:
            if not self._slots.has_room:
                await runner.assignment.until_open()  # The queue needs the owner, whose session must be committed.
            async with self._slots.taken_by(turn):
                with self._binder.bind(turn):
                    ending = await self._executor.run(runner.assignment)
            if ending is not None:
                await self._close(runner, ending)
            self._broken.discard(turn.id)
        except LeaseLost:
            self._words.forget(turn.session_id, turn.id)
            logger.info("turn %s belongs to another node now", turn.id)
        except StoreError as error:
            logger.error("turn %s waits for the database: %s", turn.id, error)  # noqa: TRY400
            self._report_store_failure(error)
        except Exception:
            logger.exception("turn %s failed unexpectedly and will be resumed", turn.id)
            self._broken.add(turn.id)
            self._commits.trouble.set()

    def _forget(self, runner: Runner) -> None:
        """Remove a runner, unless a later one of the same turn has replaced it already."""
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
                raise  # The database itself is in trouble: another write would fail, too.
            # The store may have refused the next turn's rows: close this turn without opening that one.
            logger.warning("turn %s is closed without opening the next one: %s", lease.turn_id, error)
            await commit(partial(body, opens_next=False))

    def _report_store_failure(self, error: StoreError) -> None:
        self._commits.trouble.set()
        self._store_error = error
        self._store_failed.set()

    def _hear(self, signal: Signal) -> None:
        for turn_id, epoch in signal.fenced.items():
            runner = self._running.get(turn_id)
            if runner is not None and runner.assignment.turn.epoch < epoch:
                self.stop(runner)
