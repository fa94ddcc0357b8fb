"""The engine's facade: start, stop, and everything that doors do with sessions, messages and streams."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from dataclasses import replace
from functools import partial

from wakeful.engine.ephemeral import EphemeralTurns
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.branching import branch_off
from wakeful.engine.inbox.dispatcher import require_session
from wakeful.engine.inbox.intake import Intake
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.inbox.timekeeper import Timekeeper
from wakeful.engine.job import Job
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.readers.broadcaster import Broadcaster
from wakeful.engine.supervisor import Supervisor
from wakeful.engine.tasks.custodian import Custodian
from wakeful.engine.turns.executor import Executor
from wakeful.engine.turns.history import History
from wakeful.engine.turns.prompt_keeper import PromptKeeper
from wakeful.engine.turns.rescuer import Rescuer
from wakeful.engine.turns.runners import Runners
from wakeful.engine.undo import UndoDesk
from wakeful.engine.upkeep.indexer import Indexer
from wakeful.engine.upkeep.janitor import Janitor
from wakeful.engine.upkeep.lease_keeper import LeaseKeeper
from wakeful.engine.upkeep.old_words_mover import OldWordsMover
from wakeful.engine.upkeep.purger import Purger
from wakeful.engine.vitals import Vitals
from wakeful.engine.words.hearer import WordsHearer
from wakeful.engine.words.sharer import WordsSharer
from wakeful.errors import EngineStopping, NotQueued, StoreError, TurnNotFound
from wakeful.model.event import SESSION_UPDATED, NewEvent, StreamItem
from wakeful.model.ids import new_id
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address, Session
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import Position, Said, WordsHead
from wakeful.store.base import Body, Transaction

# How long a stop may take beyond its grace period.
_RELEASE_SECONDS = 1.5
_START = Position()
_STOPPED = Outcome(TurnStatus.CANCELLED, "stopped", "The turn was stopped.")

logger = logging.getLogger(__name__)


class Engine:
    def __init__(self, ledger: Ledger, equipment: Equipment, *, adopts: bool = True) -> None:
        """Without `adopts` the engine runs only turns that are submitted to it, and takes over none."""
        store, clock, settings = ledger.store, ledger.clock, ledger.settings
        dispatcher, commits = ledger.dispatcher, ledger.commits
        self.node = ledger.node
        self.tasks = ledger.tasks
        self.delegations = ledger.delegations
        self.approvals = ledger.approvals
        self.undo_desk = UndoDesk(store, ledger.host, equipment.changed_files)
        self.ephemeral = EphemeralTurns(ledger, equipment)
        self.supervisor = Supervisor()
        self._store = store
        self._settings = settings
        self._stopping = ledger.stopping
        self._dispatcher = dispatcher
        self._commits = commits
        self._slots = ledger.slots
        self._words = ledger.words
        self._adopts = adopts
        self._intake = Intake(dispatcher)
        prompts = PromptKeeper(store, equipment.prompts)
        executor = Executor(store, dispatcher, settings, equipment.loop, prompts, History(store), ledger.spend)
        self._runners = Runners(store, dispatcher, commits, executor, ledger.binder, ledger.slots)
        self._rescuer = Rescuer(store, dispatcher, commits, self._runners, clock, settings, adopts=adopts)
        self._timekeeper = Timekeeper(store, dispatcher, commits, clock, settings)
        self._janitor = Janitor(store, clock, settings, ledger.host, equipment)
        self._indexer = Indexer(store, clock)
        self._old_words = OldWordsMover(store, clock)
        self._hearer = WordsHearer(store, ledger.words, clock)
        self._sharer = WordsSharer(store, ledger.words, self.node, clock)
        self._broadcaster = Broadcaster(store, ledger.words, self._hearer)
        self._lease = LeaseKeeper(store, self.node, ledger.host, clock, settings, ledger.words)
        self._custodian = Custodian(store, self.node, ledger.host, self.tasks, clock, settings, equipment.processes)
        self.purger = Purger(store, dispatcher, commits, clock, settings, equipment, ledger.host)

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    async def start(self) -> None:
        """Take over what a crash left behind, then start the background jobs. Bad rows cannot make this fail: a job
        repeats a sweep that failed.
        """
        await self._lease.renew()
        self.supervisor.start(*self._lasting_jobs())
        if self._adopts:
            # Before any turn resumes: its calls must find the processes that they have started.
            await self._custodian.rounds.look()
        await self._rescuer.job.look()
        self.supervisor.start(*self._jobs())

    def _jobs(self) -> list[Job]:
        """Return the jobs that a stop ends before the turns."""
        own = [self._rescuer.job, self.delegations.job]
        if not self._adopts:
            return own
        custodian = self._custodian
        upkeep = [self._janitor.job, self._indexer.job, self._old_words.job, self.purger.job]
        return [*own, self._timekeeper.job, *upkeep, custodian.rounds, custodian.errands]

    def _lasting_jobs(self) -> list[Job]:
        """Return the jobs that a stop ends last: running turns need the lease, and show their words on other nodes."""
        return [self._lease.job, self._sharer.job, self._hearer.job]

    async def stop(self) -> None:
        """Accept nothing more, let turns reach their next recorded step and leave the rest to the next node. Takes
        little longer than the grace period even if the store hangs: turns that could not be released are taken over
        as after a crash.
        """
        if self.is_stopping:
            return
        self._stopping.set()
        grace = self._settings.stop_grace_seconds
        try:
            async with asyncio.timeout(grace + _RELEASE_SECONDS):
                await self.supervisor.end(*self._jobs())
                self._slots.close()
                await asyncio.gather(self._runners.drain(grace), self.ephemeral.drain(grace))
                await self._release_all()
        except (TimeoutError, StoreError) as error:
            reason = str(error) or "the store does not answer"
            logger.warning("some turns could not be released; the next node takes them over: %s", reason)
        finally:
            self._broadcaster.close()
            await self.supervisor.end(*self._lasting_jobs())

    async def create_session(
        self, owner: str, address: Address, model: str, workspace: str, title: str = "", mode: str = ""
    ) -> Session:
        async def body(tx: Transaction) -> Session:
            now = await tx.now()
            session = Session(
                new_id("ses"), owner, address, model, workspace, title, mode=mode, created_at=now, updated_at=now
            )
            await tx.sessions.create_if_absent(session)
            return session

        return await self._store.write(body)

    async def branch(
        self, session_id: str, turn_id: str | None = None, *, may_choose_everything: bool = True
    ) -> Session:
        """Create a session that continues from a closed turn of this one, by default the last. It has the same mode,
        unless only the operator may choose that one. Raises TurnNotFound.
        """
        branch = partial(
            branch_off, session_id=session_id, turn_id=turn_id, may_choose_everything=may_choose_everything
        )
        return await self._store.write(branch, lock=[session_id])

    async def change_session(
        self, session_id: str, *, title: str | None = None, model: str | None = None, mode: str | None = None
    ) -> None:
        """Change the title, the model or the mode, which holds from the next call on. Wake-ups that were blocked by the
        old model's failure are opened.
        """
        changed = [name for name, value in (("title", title), ("model", model), ("mode", mode)) if value is not None]

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            await require_session(tx, session_id)
            await tx.sessions.change(session_id, title=title, model=model, mode=mode)
            data = {"session_id": session_id, "changed": changed}
            await tx.events.append(session_id, None, [NewEvent.of(SESSION_UPDATED, data)])
            return None, await self._dispatcher.open_next(tx, session_id)

        await self._commits.commit(body, lock=[session_id])

    async def arrange_session(
        self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None
    ) -> None:
        """Pin or archive a session. Only lists change, so nothing is appended to its log."""

        async def body(tx: Transaction) -> None:
            await require_session(tx, session_id)
            await tx.sessions.arrange(session_id, pinned=pinned, archived=archived)

        await self._store.write(body, lock=[session_id])

    async def submit(self, submission: Submission, *, before: Body[Receipt | None] | None = None) -> Receipt:
        """Accept a message. When this returns it is committed, and so is its turn if the session was idle.

        `before` runs first, in the same transaction: it may write rows that belong to the message, refuse it by
        raising, or return the receipt of an earlier message to use instead.
        """
        if self.is_stopping:
            raise EngineStopping
        if submission.session is not None and before is None:
            return Receipt.opened(await self._runners.open_new(self._intake.first(submission)))

        async def body(tx: Transaction) -> tuple[Receipt, Assignment | None]:
            known = None if before is None else await before(tx)
            return (known, None) if known is not None else await self._intake.accept(tx, submission)

        lock = [submission.session_id]
        return await self._commits.commit(body, lock=lock, seals=lock if submission.interrupts else ())

    async def record(self, submission: Submission) -> str:
        """Add messages to a conversation without an answer, as a turn that is closed at once. Returns the turn's id.
        Raises SessionBusy.
        """

        async def body(tx: Transaction) -> str:
            receipt, _ = await self._intake.accept(tx, replace(submission, if_busy=IfBusy.REJECT))
            lane = await self._dispatcher.lane(tx, submission.session_id)
            await self._dispatcher.close(tx, lane, Outcome(TurnStatus.DONE))
            return receipt.turn_id

        return await self._store.write(body, lock=[submission.session_id])

    async def cancel(self, session_id: str, turn_id: str = "") -> bool:
        """Stop the active turn, on whichever node it runs, and return whether there was one. Queued messages stay.

        With `turn_id`, stop only that turn.
        """

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            lane = await self._dispatcher.lane(tx, session_id)
            if lane.active is None or lane.active.id != (turn_id or lane.active.id):
                return False, None
            return True, await self._dispatcher.close(tx, lane, _STOPPED, by_user=True)

        return await self._commits.commit(body, lock=[session_id], seals=[session_id])

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Withdraw a queued message. Raises NotQueued when its turn has begun or it was withdrawn before."""

        async def body(tx: Transaction) -> None:
            row = await tx.inbox.find_by_turn(turn_id)
            if row is None or row.session_id != session_id:
                raise TurnNotFound(f"There is no turn {turn_id}.")
            if not await self._dispatcher.withdraw(tx, row):
                raise NotQueued

        await self._store.write(body, lock=[session_id])

    def subscribe(
        self, session_id: str, start: Position = _START, *, with_words: bool = True, starts_over: bool = True
    ) -> AsyncGenerator[list[StreamItem], None]:
        """Yield pages of what happens in a session after `start`, until the session is gone or this node stops. The
        first empty page means that the reader has caught up. With `starts_over`, words that were shown but not kept
        are followed by `step_abandoned` and the kept ones; without it, only the event's `void` says so.
        """
        return self._broadcaster.follow_session(session_id, start, with_words=with_words, starts_over=starts_over)

    def subscribe_turn(
        self, session_id: str, turn_id: str, after: int = 0, word: int = 0, *, starts_over: bool = True
    ) -> AsyncGenerator[list[StreamItem], None]:
        """Yield pages of one turn after its own event `after` and `word` words, until the turn ends. A turn that is
        still queued is waited for.
        """
        return self._broadcaster.follow_turn(session_id, turn_id, after, word, starts_over=starts_over)

    async def stream_so_far(self, session_id: str, turn_id: str) -> list[StreamItem]:
        """Return everything that the turn has emitted up to now, words included."""
        return await self._broadcaster.stream_so_far(session_id, turn_id)

    async def live_words(self, session_id: str) -> tuple[WordsHead, Said] | None:
        """Return the words of the answer in progress."""
        words = await self._broadcaster.live_words(session_id)
        return None if words is None else (words.head, words.said())

    def vitals(self) -> Vitals:
        return Vitals(
            turns_at_work=self._slots.taken,
            turns_waiting=self._slots.waiting,
            taken_over=self._rescuer.taken_over,
            lease_seconds_left=self._lease.seconds_left,
            is_lease_late=self._lease.is_late,
            jobs=list(self.supervisor.counts()),
        )

    async def store_failure(self) -> StoreError:
        """Wait until the store fails under a turn of this node, and return the error. The turn itself waits for the
        store to come back; a door that ends with its turn, such as `wakeful ask`, can give up.
        """
        return await self._runners.store_failure()

    async def _release_all(self) -> None:
        """Release all turns of this node in one write: there may be hundreds, and little time."""

        async def look(tx: Transaction) -> list[Turn]:
            return await tx.turns.running_on(self.node)

        held = await self._store.read(look)

        async def body(tx: Transaction) -> None:
            for turn in held:
                await self._dispatcher.release(tx, turn)

        await self._store.write(body, lock=[turn.session_id for turn in held])
        await self._lease.give_up()
