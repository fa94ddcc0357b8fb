"""The parts of an engine that write turns, tasks and questions. A ledger opens turns but runs none.

It is built first: the tools need a ledger, the loop needs the tools, and the engine needs the loop and the ledger.
"""

import asyncio

from wakeful.engine.approvals.desk import ApprovalDesk
from wakeful.engine.inbox.commits import Commits
from wakeful.engine.inbox.dispatcher import Dispatcher, OnClose
from wakeful.engine.ports import Clock, TurnBinder
from wakeful.engine.session_search import SessionSearch
from wakeful.engine.settings import EngineSettings
from wakeful.engine.spend_guard import SpendGuard
from wakeful.engine.tasks.delegations import Delegations
from wakeful.engine.tasks.memory_delegations import MemoryDelegations
from wakeful.engine.tasks.task_runner import TaskRunner
from wakeful.engine.todo_desk import TodoDesk
from wakeful.engine.turns.turn_slots import TurnSlots
from wakeful.engine.undo import ChangeRecords
from wakeful.engine.words.words import LiveWords
from wakeful.model.ids import new_id
from wakeful.model.tasks.task import Host
from wakeful.model.turn import Turn
from wakeful.store.base import Store, Transaction


class Ledger:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: EngineSettings,
        *,
        host: Host,
        binder: TurnBinder,
        on_close: OnClose | None = None,
    ) -> None:
        self.node = new_id("node")
        self.store = store
        self.clock = clock
        self.settings = settings
        self.host = host
        self.binder = binder
        # Set when the node begins to stop; never cleared.
        self.stopping = asyncio.Event()
        self.words = LiveWords(clock)
        self.dispatcher = Dispatcher(self.node, settings, self.words, self.stopping, on_close)
        self.commits = Commits(store, self.words)
        self.spend = SpendGuard(store, settings)
        self.slots = TurnSlots(settings.concurrent_turns, self._owner_of)
        self.changes = ChangeRecords(store, host)
        self.approvals = ApprovalDesk(store, self.slots, clock, settings)
        self.delegations = Delegations(store, self.dispatcher, self.commits, self.slots, clock, settings, host)
        self.tasks = TaskRunner(store, self.dispatcher, self.commits, self.delegations.take)
        self.todo = TodoDesk(store)
        self.sessions = SessionSearch(store)
        self.memory_delegations = MemoryDelegations(binder, settings, host)

    async def _owner_of(self, turn: Turn) -> str:
        """Return the owner by whom turns queue for slots. Unstored turns may have no session: they share one queue."""

        async def body(tx: Transaction) -> str:
            session = await tx.sessions.get(turn.session_id)
            return "" if session is None else session.owner

        return await self.store.read(body)
