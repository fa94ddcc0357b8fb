"""The kit of the engine's tests: a clock that they advance, an agent that they lead, nodes that they kill."""

import asyncio
import zlib
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.bare_engine import HOST, bare_engine
from tests.patience import PATIENCE
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import ChangedFiles, PromptSource, TurnBinder
from wakeful.engine.settings import EngineSettings
from wakeful.errors import ModelError
from wakeful.model.api.request import request_from
from wakeful.model.event import Event, StreamItem
from wakeful.model.inbox import IfBusy
from wakeful.model.journal.fact import Answered, Brief, CallFinished, Fact, TextDelta
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.opening import Opened, Opening
from wakeful.model.session import Address, Session
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskOutcome, TaskStatus
from wakeful.model.turn import Door, Lease
from wakeful.model.words import Word
from wakeful.store.base import Body, Listener, Signal, Store, Transaction

T = TypeVar("T")

WEB = Door("web", async_delivery=True)
ASK = Door("ask", async_delivery=False)
HOME = Address("web", "home")


class FakeClock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        # By how much the store's clock was set.
        self.ahead = 0.0
        self._waiting: list[tuple[float, asyncio.Event]] = []

    def time(self) -> float:
        return self.now + self.ahead

    def monotonic(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
        for due, rung in self._waiting:
            if due <= self.now:
                rung.set()

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        rung = asyncio.Event()
        entry = (self.now + seconds, rung) if seconds is not None else (float("inf"), rung)
        self._waiting.append(entry)
        waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(rung.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting.remove(entry)
            for wait in waits:
                wait.cancel()


class NodeClock:
    """One node's view of the time; while the node is asleep its alarms do not ring."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._awake = asyncio.Event()
        self._awake.set()

    def fall_asleep(self) -> None:
        self._awake.clear()

    def wake_up(self) -> None:
        self._awake.set()

    def monotonic(self) -> float:
        return self._clock.now

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        await self._clock.wait(event, seconds)
        await self._awake.wait()


class LedAgent:
    """An agent loop that does what the test tells it, turn by turn, and counts every tool run."""

    def __init__(self, node: str = "node") -> None:
        self.node = node
        self.briefs: dict[str, Brief] = {}
        self.runs: Counter[tuple[str, int, int]] = Counter()
        self.taken: dict[str, list[str]] = {}
        self._orders: dict[str, asyncio.Queue[str | Fact]] = {}

    def order(self, turn_id: str, *orders: str) -> None:
        """Queue orders for a turn: `token`, `step` (an answer with a call, its result, a look at the inbox), `finish`,
        `say …` (finish with these words), `end` (after an answer), `fail`, `refuse`, `break`.
        """
        for order in orders:
            self._orders.setdefault(turn_id, asyncio.Queue()).put_nowait(order)

    def tell(self, turn_id: str, fact: Fact) -> None:
        """Queue a fact for a turn, which the loop yields as it is."""
        self._orders.setdefault(turn_id, asyncio.Queue()).put_nowait(fact)

    async def run(self, brief: Brief) -> AsyncGenerator[Fact, None]:
        turn_id, step = brief.turn.id, brief.last_step
        # As the real loop does.
        request_from(brief.turn.request)
        self.briefs[turn_id] = brief
        if brief.is_answered:
            return
        for open_call in brief.open_calls:
            yield CallFinished(step, open_call.index, open_call.call, "unknown", 0.0)
        orders = self._orders.setdefault(turn_id, asyncio.Queue())
        while True:
            match await orders.get():
                case "token":
                    yield TextDelta(step + 1, f"{self.node} ")
                case "step":
                    step += 1
                    async for fact in self._step(brief, step):
                        yield fact
                case "finish":
                    yield Answered(step + 1, AssistantMessage("done"), Usage(1, 1))
                    return
                case str(answer) if answer.startswith("say "):
                    yield Answered(step + 1, AssistantMessage(answer.removeprefix("say ")), Usage(1, 1))
                    return
                case "end":
                    return
                case "fail":
                    raise ModelError("The endpoint is down.", code="model_unavailable", passing=True)
                case "refuse":
                    raise ModelError("The key is wrong.", code="model_auth")
                case "break":
                    raise RuntimeError("a bug")
                case fact:
                    yield fact

    async def _step(self, brief: Brief, step: int) -> AsyncGenerator[Fact, None]:
        call = ToolCall(f"call_{step}", "work", "{}")
        yield Answered(step, AssistantMessage("working", calls=(call,)), Usage(1, 1))
        self.runs[brief.turn.id, step, 1] += 1
        yield CallFinished(step, 1, call, f"worked on {self.node}", 0.0)
        taken = await brief.take_inputs(step, 2)
        self.taken.setdefault(brief.turn.id, []).extend(message.text for message in taken)


class Traffic:
    """Counts the calls to the store that are under way."""

    def __init__(self) -> None:
        self.under_way = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    def begin(self) -> None:
        self.under_way += 1
        self._quiet.clear()

    def end(self) -> None:
        self.under_way -= 1
        if self.under_way == 0:
            self._quiet.set()

    async def begun(self) -> None:
        while self.under_way == 0:  # noqa: ASYNC110  one pass of the event loop after the other
            await asyncio.sleep(0)

    async def ended(self) -> None:
        """At least one pass of the event loop."""
        await asyncio.sleep(0)
        await self._quiet.wait()


class NodeStore:
    """One node's connection to a shared store. When the node dies, its calls never return."""

    def __init__(self, store: Store, traffic: Traffic, *, is_exclusive: bool = False) -> None:
        self.is_exclusive = is_exclusive
        self._store = store
        self._traffic = traffic
        self._listeners: list[Listener] = []
        self.is_dead = False
        # While set, it gets no notification, neither of other nodes' commits nor of its own.
        self.is_deaf = False
        # The node dies right after this many more calls, before it hears their result.
        self.fuse: int | None = None
        self.notifier = self
        self.stats = store.stats
        self.words = store.words
        store.notifier.listen(self._hear)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def _hear(self, signal: Signal) -> None:
        if not self.is_dead and not self.is_deaf:
            self.tell(signal)

    def tell(self, signal: Signal) -> None:
        for listener in self._listeners:
            listener(signal)

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def watch(self, followed: Callable[[], Iterable[str]]) -> None:
        self._store.notifier.watch(followed)

    async def write(self, body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        result: T = await self._carry(self._store.write(body, lock=lock, patience=patience))
        return result

    async def write_lease(self, body: Body[T]) -> T:
        result: T = await self._carry(self._store.write_lease(body))
        return result

    async def search(self, body: Body[T]) -> T:
        result: T = await self._carry(self._store.search(body))
        return result

    async def read(self, body: Body[T]) -> T:
        result: T = await self._carry(self._store.read(body))
        return result

    async def open_new(self, opening: Opening) -> Opened:
        opened: Opened = await self._carry(self._store.open_new(opening))
        return opened

    async def _carry(self, call: Any) -> Any:
        if self.is_dead:
            call.close()
            await asyncio.Event().wait()
        self._traffic.begin()
        carried = asyncio.ensure_future(self._finish(call))
        # Retrieve the exception, or asyncio logs it as never retrieved when the node dies.
        carried.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._burn()
        result = await asyncio.shield(carried)
        if self.is_dead:
            await asyncio.Event().wait()
        return result

    def _burn(self) -> None:
        if self.fuse is not None:
            self.fuse -= 1
            self.is_dead = self.fuse <= 0

    async def _finish(self, call: Any) -> Any:
        try:
            return await call
        finally:
            self._traffic.end()


class NamedProcesses:
    """Fake processes, by name: records which of them the node has adopted, and which it was asked to kill."""

    def __init__(self, ledger: Ledger, agent: LedAgent, host: Host) -> None:
        self.ledger = ledger
        self._agent = agent
        self._host = host
        self.adopted: list[str] = []
        # How many turns ran when it was first asked to adopt.
        self.turns_at_first: int | None = None
        self.obeyed: list[str] = []
        self.forgotten: list[str] = []

    async def adopt(self) -> None:
        if self.turns_at_first is None:
            self.turns_at_first = len(self._agent.briefs)
        self.adopted += [task.id for task in await self.ledger.tasks.adopt(self._host)]

    async def obey(self, task: Task) -> None:
        self.obeyed.append(task.id)

    async def forget(self, task: Task) -> None:
        self.forgotten.append(task.id)


@dataclass(slots=True)
class Node:
    engine: Engine
    agent: LedAgent
    store: NodeStore
    clock: NodeClock
    processes: NamedProcesses

    def fall_asleep(self) -> None:
        """Stop the node's timers and notifications; calls that it has begun go on."""
        self.clock.fall_asleep()
        self.store.is_deaf = True

    def wake_up(self) -> None:
        self.clock.wake_up()
        self.store.is_deaf = False
        self.store.tell(Signal(frozenset(), is_everything=True))


class House:
    """A store, a clock, and the nodes on them."""

    def __init__(
        self,
        store: Store,
        clock: FakeClock,
        settings: EngineSettings | None = None,
        set_store_time: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        # A store with its own clock has to be set, too.
        self._set_store_time = set_store_time
        self.settings = settings or EngineSettings(stop_grace_seconds=1.0)
        self.traffic = Traffic()
        self._settling = 0
        self.nodes: list[Node] = []
        self._started = 0

    async def advance(self, seconds: float) -> None:
        if self._set_store_time is not None:
            await self._set_store_time(self.clock.time() + seconds)
        self.clock.advance(seconds)

    async def set_store_clock(self, seconds: float) -> None:
        """Set the wall clock forwards or back, without notice; no time passes."""
        self.clock.ahead += seconds
        await self.advance(0)

    async def start_node(
        self,
        *,
        adopts: bool = True,
        host: Host = HOST,
        is_exclusive: bool = False,
        binder: TurnBinder | None = None,
        store: Store | None = None,
        changed_files: ChangedFiles | None = None,
        prompts: PromptSource | None = None,
    ) -> Node:
        line = NodeStore(store or self.store, self.traffic, is_exclusive=is_exclusive)
        agent = LedAgent(f"n{self._started}")
        self._started += 1
        clock = NodeClock(self.clock)
        equipped: list[NamedProcesses] = []

        def make_processes(ledger: Ledger) -> NamedProcesses:
            equipped.append(NamedProcesses(ledger, agent, host))
            return equipped[0]

        engine = bare_engine(
            line,
            agent,
            clock,
            self.settings,
            host=host,
            make_processes=make_processes,
            binder=binder,
            adopts=adopts,
            changed_files=changed_files,
            prompts=prompts,
        )
        node = Node(engine, agent, line, clock, equipped[0])
        await node.engine.start()
        self.nodes.append(node)
        await self.settle()
        return node

    async def kill(self, node: Node) -> None:
        """Kill a node as kill -9 does: no result of a call under way reaches it any more."""
        node.store.is_dead = True
        self.nodes.remove(node)
        runners = node.engine._runners
        jobs: set[asyncio.Task[Any]] = {*node.engine._commits.all(), *node.engine.delegations._beginnings.jobs}
        jobs |= {runner.job for runner in runners.all()}
        await node.engine.supervisor.end()
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    async def settle(self) -> None:
        """Wait until no call to the store is under way and no task is about to run."""
        # asyncio has no public way to ask which callbacks are ready to run.
        about_to_run = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        quiet = 0
        self._settling += 1
        try:
            while quiet < 3:
                await self.traffic.ended()
                # Other callers of settle are ready to run, too, and do not count.
                is_quiet = self.traffic.under_way == 0 and len(about_to_run) < self._settling
                quiet = quiet + 1 if is_quiet else 0
        finally:
            self._settling -= 1

    async def wait_for_company(self) -> None:
        """Let the time pass in which a wake-up waits for company."""
        await self.settle()
        await self.advance(self.settings.wake_company_seconds)
        await self.settle()

    async def stop(self) -> None:
        for node in list(self.nodes):
            await self.kill(node)


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait for a condition that depends on another node or a server."""
    async with asyncio.timeout(PATIENCE):
        while not await is_so():  # noqa: ASYNC110  there is nothing here that an event could be set by
            await asyncio.sleep(0.002)


def own_commit(session_id: str, kind: str) -> Signal:
    """Return the signal of a commit of the node itself: it has the events, which that of another node has not."""
    return Signal(frozenset({session_id}), events=(Event(session_id, 9, "t", 9, kind, b"{}", 0.0),))


async def open_session(node: Node, address: Address = HOME, *, owner: str = "me", workspace: str = "/") -> str:
    return (await node.engine.create_session(owner, address, "demo:led", workspace)).id


async def send(
    node: Node,
    session_id: str,
    text: str,
    *,
    door: Door = WEB,
    address: Address = HOME,
    if_busy: IfBusy = IfBusy.QUEUE,
    key: str = "",
) -> Receipt:
    submission = Submission(session_id, text, door, address, key or text, "demo:led", if_busy=if_busy)
    return await node.engine.submit(submission)


async def items_of(node: Node, session_id: str, turn_id: str, after: int = 0, word: int = 0) -> list[StreamItem]:
    """Return the facts and words of a turn that has ended or will end soon."""
    async with asyncio.timeout(PATIENCE):
        return [item async for page in node.engine.subscribe_turn(session_id, turn_id, after, word) for item in page]


async def events_of(node: Node, session_id: str, turn_id: str) -> list[Event]:
    """Return the facts of a turn that has ended or will end soon."""
    return [item for item in await items_of(node, session_id, turn_id) if isinstance(item, Event)]


async def log_of(house: House, session_id: str) -> list[Event]:
    async def body(tx: Transaction) -> list[Event]:
        return await tx.events.of_session(session_id, 0, 10_000)

    return await house.store.read(body)


async def wakeups_of(house: House, session_id: str) -> list[str]:
    return [
        event.turn_id or ""
        for event in await log_of(house, session_id)
        if event.kind == "turn_started" and event.data["source"] not in ("user", "delegation")
    ]


async def session_of(house: House, session_id: str) -> Session:
    async def body(tx: Transaction) -> Session:
        session = await tx.sessions.get(session_id)
        assert session is not None
        return session

    return await house.store.read(body)


async def task_of(house: House, task_id: str) -> Task:
    async def body(tx: Transaction) -> Task:
        task = await tx.tasks.get(task_id)
        assert task is not None
        return task

    return await house.store.read(body)


def kinds_of(items: Sequence[StreamItem]) -> list[str]:
    return [one.kind for one in items]


def texts_of(items: Sequence[StreamItem]) -> list[str]:
    return [one.text for one in items if isinstance(one, Word)]


def task_for(
    session_id: str,
    turn_id: str,
    name: str,
    *,
    will_notify: bool = True,
    address: Address = HOME,
    host: Host = HOST,
) -> Task:
    return Task(
        id=name,
        kind=TaskKind.PROCESS,
        session_id=session_id,
        owner="me",
        turn_id=turn_id,
        step=1,
        # Not `hash`, which differs per process: on a bad day two names of one turn share a number.
        index=zlib.crc32(name.encode()) % 1_000_000,
        host=host,
        command=f"run {name}",
        door=WEB,
        address=address,
        model="demo:led",
        will_notify=will_notify,
    )


async def finish(node: Node, house: House, receipt: Receipt) -> None:
    node.agent.order(receipt.turn_id, "finish")
    await events_of(node, receipt.session_id, receipt.turn_id)
    await house.settle()


async def begin_task(node: Node, receipt: Receipt, name: str, **how: Any) -> None:
    """Write a task of the running turn, as a tool does before it starts the process."""
    turn = node.agent.briefs[receipt.turn_id].turn
    lease = Lease(turn.id, turn.session_id, node.engine.node, turn.epoch)
    await node.engine.tasks.begin(lease, task_for(turn.session_id, turn.id, name, **how))


def exit_of(name: str, code: int = 0) -> TaskOutcome:
    status = TaskStatus.EXITED if code == 0 else TaskStatus.FAILED
    return TaskOutcome(status, code, f"[{name} ended with {code}]")
