"""How quickly an agent wakes: from the exit of a process to the commit of the turn that it opens, compared with a bare
commit. Also what it costs to start a background process and to keep it.

scripts/bench wake [--exits N] [--processes N]
"""

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from tests.bare_engine import NoAttachments, NoBinder, NoFiles, NoPrompts
from wakeful.engine.clock import SystemClock
from wakeful.engine.engine import Engine
from wakeful.engine.inbox.submission import Submission
from wakeful.engine.ledger import Ledger
from wakeful.engine.ports import Equipment
from wakeful.engine.settings import EngineSettings
from wakeful.model.event import TURN_STARTED
from wakeful.model.ids import new_id
from wakeful.model.journal.fact import Answered, Brief
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.session import Address
from wakeful.model.tasks.task import Task, TaskKind
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Signal, Store
from wakeful.store.sqlite.store import SqliteStore
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.host import this_host
from wakeful.tools.processes.launch import Launch
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.ledgers.unstored_processes import UnstoredProcesses
from wakeful.tools.processes.settings import ProcessSettings

BENCH = Door("bench", async_delivery=True)
HERE = Address("bench")
SESSIONS = 50
# Waits for a line of input, then prints the time as its last act.
LAST_WORDS = "read -r go; echo $EPOCHREALTIME"


@dataclass
class Agent:
    """Starts one process in a user's turn, and answers a wake-up at once."""

    keeper: ProcessKeeper
    command: str = LAST_WORDS
    started: asyncio.Queue[tuple[str, float]] = field(default_factory=asyncio.Queue)

    async def run(self, brief: Brief):  # type: ignore[no-untyped-def]
        if not brief.turn.is_wakeup:
            before = time.perf_counter()
            done = await self.keeper.start(brief.turn.lease, _task(brief.turn, self.command, self.keeper))
            self.started.put_nowait((done.task.id, time.perf_counter() - before))
        yield Answered(brief.last_step + 1, AssistantMessage("done"), Usage(1, 1))


@dataclass
class Scene:
    store: Store
    engine: Engine
    agent: Agent
    sessions: Sequence[str]
    # When the wake-up of each session was committed.
    woken: dict[str, asyncio.Future[float]] = field(default_factory=dict)

    def hear(self, signal: Signal) -> None:
        for event in signal.events:
            if (
                event.kind == TURN_STARTED
                and event.data["source"] == "process_wakeup"
                and event.session_id in self.woken
            ):
                self.woken.pop(event.session_id).set_result(time.time())

    async def start_process(self, session_id: str) -> tuple[str, float]:
        await self.engine.submit(Submission(session_id, "go", BENCH, HERE, new_id("msg"), "bench:none"))
        return await self.agent.started.get()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--exits", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=200)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="wakeful-bench-"))
    try:
        async with scene_in(folder) as scene:
            await report_wakes(scene, options.exits)
            await report_processes(scene, options.processes)
    finally:
        shutil.rmtree(folder)


@asynccontextmanager
async def scene_in(folder: Path) -> AsyncIterator[Scene]:
    store = SqliteStore(folder / "wakeful.db", time.time)
    await store.open()
    settings = EngineSettings(wake_budget_per_hour=1_000_000)
    ledger = Ledger(store, SystemClock(), settings, host=this_host(folder), binder=NoBinder())
    keeper = ProcessKeeper(ledger.tasks, ProcessSettings(folder / "tasks"), this_host(folder))
    agent = Agent(keeper)
    unstored = UnstoredProcesses(keeper, UnstoredLedger(folder / "tasks"))
    engine = Engine(ledger, Equipment(agent, NoPrompts(), keeper, unstored, NoFiles(), NoFiles(), NoAttachments()))
    await engine.start()
    try:
        sessions = [(await engine.create_session("bench", HERE, "bench:none", "/")).id for _ in range(SESSIONS)]
        scene = Scene(store, engine, agent, sessions)
        store.notifier.listen(scene.hear)
        yield scene
    finally:
        await engine.stop()
        await agent.keeper.close()
        await store.close()


async def report_wakes(scene: Scene, exits: int) -> None:
    wakes, commits = [], []
    for number in range(exits):
        wakes.append(await wake(scene, scene.sessions[number % SESSIONS]))
        commits.append(await bare_commit(scene.store, number))
    ratio = statistics.median(wakes) / statistics.median(commits)
    print(f"exit to wake-up turn committed, {exits} times: {_figures(wakes)}")
    print(f"bare synced commit, in the same run:  {_figures(commits)}; the median wake-up is {ratio:.1f} x")


async def wake(scene: Scene, session_id: str) -> float:
    """Return the seconds from the last act of a process to the commit of the turn that it opens."""
    task_id, _ = await scene.start_process(session_id)
    await idle(scene, session_id)
    woken = scene.woken[session_id] = asyncio.get_running_loop().create_future()
    await scene.agent.keeper.write(task_id, b"go\n")
    at: float = await woken
    await idle(scene, session_id)
    output = scene.agent.keeper.outputs.of(scene.agent.keeper.outputs.folder(task_id)).excerpt(100)
    return at - float(output.strip())


async def idle(scene: Scene, session_id: str) -> None:
    while True:
        session = await scene.store.read(lambda tx: tx.sessions.get(session_id))
        if session is not None and session.active is None:
            return
        await asyncio.sleep(0.001)


async def bare_commit(store: Store, number: int) -> float:
    before = time.perf_counter()
    await store.write(lambda tx: tx.nodes.renew("bench", float(number), host="bench"))
    return time.perf_counter() - before


async def report_processes(scene: Scene, count: int) -> None:
    scene.agent.command = "sleep 600"
    spawned = []
    for number in range(count):
        spawned.append(await scene.start_process(scene.sessions[number % SESSIONS]))
        await idle(scene, scene.sessions[number % SESSIONS])
    sizes = _pss_by_session({await _pid_of(scene, task_id) for task_id, _ in spawned})
    print(f"start of a background process, {count} times: {_figures([seconds for _, seconds in spawned])}")
    print(f"memory of {count} background processes: {sum(sizes) / count / 1024:.2f} MB each (PSS, all in its session)")
    await asyncio.gather(*(scene.agent.keeper.kill(task_id) for task_id, _ in spawned))


async def _pid_of(scene: Scene, task_id: str) -> int:
    start = scene.agent.keeper.outputs.folder(task_id).started(1)
    assert not isinstance(start, str)
    return start.pid


def _pss_by_session(leaders: set[int]) -> list[int]:
    """Return the KiB of all processes in the sessions that these processes lead."""
    sizes = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if int((path / "stat").read_text().rpartition(")")[2].split()[3]) in leaders:
                lines = (path / "smaps_rollup").read_text().splitlines()
                sizes += [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
        except (FileNotFoundError, ProcessLookupError):
            continue
    return sizes


def _task(turn: Turn, command: str, keeper: ProcessKeeper) -> Task:
    return Task(
        id=new_id("proc"),
        kind=TaskKind.PROCESS,
        session_id=turn.session_id,
        owner="",
        turn_id=turn.id,
        step=1,
        index=1,
        host=keeper.host,
        command=command,
        door=turn.door,
        address=turn.address,
        model=turn.model,
        will_notify=True,
        spec=Launch("/", notify_on_complete=True).dump(),
    )


def _figures(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"median {statistics.median(ordered) * 1000:.2f} ms, p99 {ordered[int(len(ordered) * 0.99)] * 1000:.2f} ms"


if __name__ == "__main__":
    uvloop.run(main())
