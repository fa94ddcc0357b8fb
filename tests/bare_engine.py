"""An engine with a loop and nothing else: no tools, no processes, and turns without a context."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext

from wakeful.engine.engine import Engine
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import AgentLoop, ChangedFiles, Clock, Equipment, Processes, PromptSource, TurnBinder
from wakeful.engine.settings import EngineSettings
from wakeful.model.journal.change import KeptChange, TakenBack
from wakeful.model.system_prompt import SystemPrompt
from wakeful.model.tasks.task import Host, Task
from wakeful.model.turn import Turn
from wakeful.store.base import Store

HOST = Host("host", "boot")


class NoPrompts:
    async def make(self, turn: Turn, owner: str) -> SystemPrompt:
        return SystemPrompt()


class NoProcesses:
    async def adopt(self) -> None: ...

    async def obey(self, task: Task) -> None: ...

    async def forget(self, task: Task) -> None: ...


class NoUnstoredWork:
    def allowed_in(self, turn_id: str) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def running_in(self, turn_id: str) -> list[Task]:
        return []


class NoFiles:
    async def forget(self, session_id: str) -> None: ...

    async def take_back(self, change: KeptChange, *, force: bool) -> TakenBack:
        raise NotImplementedError

    async def drop(self, change: KeptChange) -> None: ...


class NoAttachments:
    async def forget(self, session_id: str, ids: Sequence[str]) -> None: ...

    async def tidy(self) -> None: ...


class NoBinder:
    def bind(self, turn: Turn) -> AbstractContextManager[None]:
        return nullcontext()


def bare_engine(
    store: Store,
    loop: AgentLoop,
    clock: Clock,
    settings: EngineSettings,
    *,
    host: Host = HOST,
    make_processes: Callable[[Ledger], Processes] = lambda ledger: NoProcesses(),
    binder: TurnBinder | None = None,
    adopts: bool = True,
    changed_files: ChangedFiles | None = None,
    prompts: PromptSource | None = None,
) -> Engine:
    ledger = Ledger(store, clock, settings, host=host, binder=binder or NoBinder())
    equipment = Equipment(
        loop,
        prompts or NoPrompts(),
        make_processes(ledger),
        NoUnstoredWork(),
        NoFiles(),
        changed_files or NoFiles(),
        NoAttachments(),
    )
    return Engine(ledger, equipment, adopts=adopts)
