"""The engine: submit, cancel, subscribe, start, stop."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence

from wakeful.engine.approvals import Approvals
from wakeful.engine.assignment import Assignment
from wakeful.engine.branch_title import branch_title
from wakeful.engine.broadcaster import Broadcaster
from wakeful.engine.custodian import Custodian
from wakeful.engine.delegations import Delegations
from wakeful.engine.dispatcher import Dispatcher, OnClose, require_session
from wakeful.engine.ephemeral import EphemeralTurns
from wakeful.engine.executor import Executor
from wakeful.engine.indexer import Indexer
from wakeful.engine.intake import Intake
from wakeful.engine.janitor import Janitor
from wakeful.engine.lease_keeper import LeaseKeeper
from wakeful.engine.ports import Clock, Equipment, TurnBinder
from wakeful.engine.purger import Purger
from wakeful.engine.rescuer import Rescuer
from wakeful.engine.rewinding import latest_done, stands_in
from wakeful.engine.runners import Runners
from wakeful.engine.settings import EngineSettings
from wakeful.engine.submission import Receipt, Submission
from wakeful.engine.task_runner import TaskRunner
from wakeful.engine.timekeeper import Timekeeper
from wakeful.engine.words import LiveWords
from wakeful.errors import EngineStopping, NotQueued, SessionBusy, StoreError, TurnNotFound
from wakeful.model.event import SESSION_UPDATED, NewEvent, Told
from wakeful.model.ids import new_id
from wakeful.model.session import Address, Session
from wakeful.model.task import Host
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import Place, Said, WordsHead
from wakeful.store.base import Body, Store, Transaction

# What a stop may take beyond its grace.
_RELEASE_SECONDS = 1.5
_START = Place()
_STOPPED = Outcome(TurnStatus.CANCELLED, "stopped", "The turn was stopped.")

logger = logging.getLogger(__name__)


class Engine:
    def __init__(
        self,
        store: Store,
        equip: Callable[["Engine"], Equipment],
        clock: Clock,
        settings: EngineSettings,
        *,
        host: Host,
        binder: TurnBinder,
        on_close: OnClose | None = None,
    ) -> None:
        self.node = new_id("node")
        self._store = store
        self._settings = settings
        self._lease = LeaseKeeper(store, self.node, host, clock, settings)
        self._words = LiveWords(self._lease.is_held)
        self._dispatcher = Dispatcher(self.node, settings, self._words, on_close=on_close)
        self._intake = Intake(self._dispatcher)
        executor = Executor(store, self._dispatcher, settings)
        self._runners = Runners(store, self._dispatcher, executor, binder)
        self._rescuer = Rescuer(store, self._dispatcher, self._runners, clock, settings)
        self._timekeeper = Timekeeper(store, self._dispatcher, self._runners, clock, settings)
        self._janitor = Janitor(store, clock)
        self._indexer = Indexer(store, clock)
        self._broadcaster = Broadcaster(store, self._words)
        self._keeping: asyncio.Task[None] | None = None
        self._jobs: list[asyncio.Task[None]] = []
        self.tasks = TaskRunner(store, self._dispatcher, self._runners)
        self.delegations = Delegations(store, self._dispatcher, self._runners, clock, settings, host)
        self.tasks.on_delegations = self.delegations.take
        self.approvals = Approvals(store, clock, settings)
        self.ephemeral = EphemeralTurns(binder, settings, host)
        equipment = equip(self)
        executor.loop = equipment.loop
        self.ephemeral.equip(equipment)
        self._custodian = Custodian(store, self.node, host, self.tasks, clock, settings, equipment.processes)
        self.purger = Purger(store, self._dispatcher, self._runners, clock, settings, equipment.processes, host)

    @property
    def is_stopping(self) -> bool:
        return self._dispatcher.is_stopping

    async def start(self, *, adopts: bool = True) -> None:
        """Take over what a crash left behind, then keep watch. Without `adopts`: run only what is submitted here."""
        await self._lease.renew()
        self._keeping = asyncio.create_task(self._lease.run(), name="lease keeper")
        self._rescuer.adopts = adopts
        if adopts:
            await self._custodian.start()
        await self._rescuer.sweep()
        self._jobs = [
            asyncio.create_task(self._rescuer.run(), name="rescuer"),
            asyncio.create_task(self.delegations.run(), name="delegations"),
        ]
        if adopts:
            self._jobs.append(asyncio.create_task(self._timekeeper.run(), name="timekeeper"))
            self._jobs.append(asyncio.create_task(self._janitor.run(), name="janitor"))
            self._jobs.append(asyncio.create_task(self._indexer.run(), name="indexer"))
            self._jobs.append(asyncio.create_task(self.purger.run(), name="purger"))
            self._jobs.append(asyncio.create_task(self._custodian.run(), name="custodian"))
            self._jobs.append(asyncio.create_task(self._custodian.run_errands(), name="custodian's errands"))

    async def stop(self) -> None:
        """Take no more, let turns reach their next recorded step, leave the rest to the next node. It takes little
        more than the grace, whatever the store does: what cannot be released is taken over as after a crash.
        """
        if self._dispatcher.is_stopping:
            return
        self._dispatcher.is_stopping = self.ephemeral.is_stopping = True
        grace = self._settings.stop_grace_seconds
        try:
            async with asyncio.timeout(grace + _RELEASE_SECONDS):
                await _end(self._jobs)
                await asyncio.gather(self._runners.drain(grace), self.ephemeral.drain(grace))
                await self._release_all()
        except (TimeoutError, StoreError) as error:
            logger.warning("some turns could not be released: %s", str(error) or "the store does not answer")
        finally:
            self._broadcaster.close()
            await _end([self._keeping] if self._keeping is not None else [])

    async def create_session(
        self, owner: str, address: Address, model: str, workspace: str, title: str = ""
    ) -> Session:
        async def body(tx: Transaction) -> Session:
            now = await tx.now()
            session = Session(new_id("ses"), owner, address, model, workspace, title, created_at=now, updated_at=now)
            await tx.sessions.create_if_absent(session)
            return session

        return await self._store.write(body)

    async def branch(self, session_id: str, turn_id: str | None = None) -> Session:
        """A new session that goes on from a closed turn of this one, the last by default. Raises TurnNotFound."""

        async def body(tx: Transaction) -> Session:
            session = await require_session(tx, session_id)
            head = await _closed_turn(tx, session, turn_id or session.head)
            now = await tx.now()
            branched = Session(
                new_id("ses"),
                session.owner,
                session.address,
                session.model,
                session.workspace,
                await branch_title(tx, session),
                head=head.id,
                checkpoint=await latest_done(tx, head),
                message_count=await tx.journal.count_chain(head.id),
                created_at=now,
                updated_at=now,
            )
            await tx.sessions.create_if_absent(branched)
            return branched

        return await self._store.write(body, lock=[session_id])

    async def change_session(self, session_id: str, *, title: str | None = None, model: str | None = None) -> None:
        """Give it another title or model. Wake-ups that waited for another model go on."""
        changed = [name for name, value in (("title", title), ("model", model)) if value is not None]

        async def body(tx: Transaction) -> tuple[None, Assignment | None]:
            await require_session(tx, session_id)
            await tx.sessions.change(session_id, title=title, model=model)
            data = {"session_id": session_id, "changed": changed}
            await tx.events.append(session_id, None, [NewEvent.of(SESSION_UPDATED, data)])
            return None, await self._dispatcher.open_next(tx, await require_session(tx, session_id))

        await self._runners.commit(body, lock=[session_id])

    async def place_session(self, session_id: str, *, pinned: bool | None = None, archived: bool | None = None) -> None:
        """Where it stands in lists. That is nothing that happened in it: its log does not tell."""

        async def body(tx: Transaction) -> None:
            await require_session(tx, session_id)
            await tx.sessions.place(session_id, pinned=pinned, archived=archived)

        await self._store.write(body, lock=[session_id])

    async def submit(self, submission: Submission, *, before: Body[Receipt | None] | None = None) -> Receipt:
        """Accept a message. It is on disk when this returns, and its turn too if the session was idle.

        `before` runs first, in the same transaction: it may write what belongs to the message, refuse it by raising,
        or return the receipt of one that takes its place.
        """
        if self._dispatcher.is_stopping:
            raise EngineStopping

        async def body(tx: Transaction) -> tuple[Receipt, Assignment | None]:
            known = None if before is None else await before(tx)
            return (known, None) if known is not None else await self._intake.accept(tx, submission)

        lock = [submission.session_id]
        return await self._runners.commit(body, lock=lock, seals=lock if submission.interrupts else ())

    async def record(self, submission: Submission) -> str:
        """Add words to a conversation that nobody is to answer: a turn that is done as soon as it is there. Returns
        its id. Raises SessionBusy.
        """

        async def body(tx: Transaction) -> str:
            session = await require_session(tx, submission.session_id)
            if session.active is not None:
                raise SessionBusy(session.active)
            receipt, opened = await self._intake.accept(tx, submission)
            assert opened is not None
            await self._dispatcher.close(tx, opened.turn, Outcome(TurnStatus.DONE))
            return receipt.turn_id

        return await self._store.write(body, lock=[submission.session_id])

    async def cancel(self, session_id: str, turn_id: str = "") -> bool:
        """Stop the active turn, on whichever node it runs; false when there is none. The queue stays.

        With a turn's id: only if it is that one.
        """

        async def body(tx: Transaction) -> tuple[bool, Assignment | None]:
            session = await require_session(tx, session_id)
            active = None if session.active is None else await tx.turns.get(session.active)
            if active is None or active.id != (turn_id or active.id):
                return False, None
            return True, await self._dispatcher.close(tx, active, _STOPPED, by_user=True)

        return await self._runners.commit(body, lock=[session_id], seals=[session_id])

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Take a queued message back. Raises NotQueued when its turn has begun or it was withdrawn before."""

        async def body(tx: Transaction) -> None:
            row = await tx.inbox.find_by_turn(turn_id)
            if row is None or row.session_id != session_id:
                raise TurnNotFound(f"There is no turn {turn_id}.")
            if not await self._dispatcher.withdraw(tx, row):
                raise NotQueued

        await self._store.write(body, lock=[session_id])

    def subscribe(
        self, session_id: str, start: Place = _START, *, with_words: bool = True
    ) -> AsyncGenerator[list[Told], None]:
        """What happens in a session after this place, for ever, as much at a time as there is. An empty page says that
        the reader has caught up for the first time.
        """
        return self._broadcaster.follow_session(session_id, start, with_words=with_words)

    def subscribe_turn(
        self, session_id: str, turn_id: str, after: int = 0, place: int = 0, *, starts_over: bool = True
    ) -> AsyncGenerator[list[Told], None]:
        """The same of a turn, to its end, after its own event `after` and so many words; a turn that is still queued is
        waited for. Without `starts_over`: a reader who has seen words that are not kept is told by the event's `void`.
        """
        return self._broadcaster.follow_turn(session_id, turn_id, after, place, starts_over=starts_over)

    async def told_so_far(self, session_id: str, turn_id: str) -> list[Told]:
        """All of a turn up to now, words included."""
        return await self._broadcaster.told_so_far(session_id, turn_id)

    def live_words(self, session_id: str) -> tuple[WordsHead, Said] | None:
        """What the step that is being answered has said so far."""
        words = self._words.of(session_id) if self._words.may_show() else None
        return None if words is None else (words.head, words.said())

    async def store_failure(self) -> StoreError:
        """Wait until the store fails under a turn of this node, and return how. The turn waits for the store to come
        back; a door that ends with its turn need not."""
        return await self._runners.store_failure()

    async def _release_all(self) -> None:
        """All in one write: there may be hundreds, and little time."""

        async def look(tx: Transaction) -> list[Turn]:
            return await tx.turns.running_on(self.node)

        held = await self._store.read(look)

        async def body(tx: Transaction) -> None:
            for turn in held:
                await self._dispatcher.release(tx, turn)

        await self._store.write(body, lock=[turn.session_id for turn in held])
        await self._lease.give_up()


async def _end(jobs: Sequence[asyncio.Task[None]]) -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


async def _closed_turn(tx: Transaction, session: Session, turn_id: str | None) -> Turn:
    if turn_id is None:
        raise TurnNotFound("There is nothing to branch from yet: no turn of this session has ended.")
    turn = await tx.turns.get(turn_id)
    if turn is None or not turn.status.is_final or not await _belongs_to(tx, turn, session):
        raise TurnNotFound(f"There is no closed turn {turn_id} in this session.")
    return turn


async def _belongs_to(tx: Transaction, turn: Turn, session: Session) -> bool:
    """A session that was branched off begins with turns of another one."""
    return turn.session_id == session.id or await stands_in(tx, turn, session)
