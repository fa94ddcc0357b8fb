"""Processes of turns that are not stored: visible to their own turn, and gone with it."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.kit import HOME, SubAgents, new_turn, run_tool
from tests.unit.tools.processes.kit import HOST, Ledger, end_all_below, group_members, new_task, until
from wakeful.errors import LeaseLost
from wakeful.model.turn import Lease, Turn
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.folder import ProcessFolder
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.processes.kernel.identity import Identity
from wakeful.tools.processes.ledgers.both import BothLedgers
from wakeful.tools.processes.ledgers.unstored import UnstoredLedger
from wakeful.tools.processes.ledgers.unstored_processes import UnstoredProcesses
from wakeful.tools.processes.settings import ProcessSettings
from wakeful.tools.terminal_tool import TerminalTool


@dataclass(frozen=True, slots=True)
class Bench:
    root: Path
    ledger: BothLedgers
    unstored: UnstoredLedger
    keeper: ProcessKeeper
    work: UnstoredProcesses
    turn: Turn

    async def start(self, command: str, turn: Turn | None = None, **how: Any) -> dict[str, Any]:
        tool = TerminalTool(self.keeper, HOME)
        answer, _ = await run_tool(tool, turn or self.turn, command=command, background=True, **how)
        return answer

    async def process(self, turn: Turn | None = None, **arguments: Any) -> dict[str, Any]:
        tool = ProcessTool(self.keeper, self.ledger, SubAgents({}), HOME)
        answer, _ = await run_tool(tool, turn or self.turn, **arguments)
        return answer


@asynccontextmanager
async def bench_in(tmp_path: Path, *, kill_grace: float = 0.2) -> AsyncIterator[Bench]:
    settings = ProcessSettings(tmp_path / "processes", kill_grace=kill_grace)
    unstored = UnstoredLedger(settings.root)
    ledger = BothLedgers(Ledger(), unstored)
    keeper = ProcessKeeper(ledger, settings, HOST, environment=os.environ)
    turn = replace(new_turn(tmp_path, async_delivery=False), node=None, is_ephemeral=True)
    yield Bench(settings.root, ledger, unstored, keeper, UnstoredProcesses(keeper, unstored), turn)
    await keeper.close()
    end_all_below(settings.root)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench_in(tmp_path) as bench:
        yield bench


async def test_it_can_be_polled_and_says_that_no_notice_will_come(bench: Bench) -> None:
    async with bench.work.allowed_in(bench.turn.id):
        started = await bench.start("echo ready; exit 3", notify_on_complete=True)
        waited = await bench.process(action="wait", session_id=started["session_id"])
        listed = await bench.process(action="list")

    assert started["notify_on_complete"] is False
    assert "process(action='poll')" in started["notify_unsupported"]
    assert (waited["status"], waited["exit_code"], waited["output"]) == ("failed", 3, "ready\n")
    assert [process["session_id"] for process in listed["processes"]] == [started["session_id"]]


async def test_the_answer_says_that_it_ends_with_the_response_even_without_a_promise(bench: Bench) -> None:
    async with bench.work.allowed_in(bench.turn.id):
        started = await bench.start("sleep 100")

    assert "not stored" in started["notify_unsupported"]


async def test_its_turn_knows_what_runs(bench: Bench) -> None:
    assert await bench.work.running_in(bench.turn.id) == []
    async with bench.work.allowed_in(bench.turn.id):
        running = await bench.start("sleep 100")
        ended = await bench.start("true")
        await bench.process(action="wait", session_id=ended["session_id"])
        assert [task.id for task in await bench.work.running_in(bench.turn.id)] == [running["session_id"]]


async def test_it_ends_with_its_turn_and_nothing_is_left(bench: Bench) -> None:
    async with bench.work.allowed_in(bench.turn.id):
        polite, stubborn = (
            await bench.start("sleep 100"),
            await bench.start("trap '' TERM; sleep 100 & wait; sleep 100"),
        )
        assert group_members(polite["pid"])

    # The signals are sent, but the processes may take an instant to disappear.
    await until(lambda: group_members(polite["pid"]) == group_members(stubborn["pid"]) == [])
    assert [path for path in bench.root.rglob("*") if path.parent != bench.root] == []
    assert await bench.unstored.rows.all() == []


async def test_a_server_that_has_no_time_left_kills_it_at_once(tmp_path: Path) -> None:
    ending: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def turn(bench: Bench) -> None:
        async with bench.work.allowed_in(bench.turn.id):
            started = await bench.start("trap '' TERM; echo ready; sleep 100; sleep 100")
            await until(lambda: any(path.read_text() for path in bench.root.glob("proc_*/output")))
            ending.set_result(started["pid"])

    async with bench_in(tmp_path, kill_grace=60.0) as bench, asyncio.timeout(10):
        running = asyncio.create_task(turn(bench))
        pid = await ending
        running.cancel()
        await asyncio.wait([running])

        assert running.cancelled()
        await until(lambda: group_members(pid) == [])


async def test_it_ends_when_its_turn_is_cancelled_while_it_starts(bench: Bench) -> None:
    async def turn() -> None:
        async with bench.work.allowed_in(bench.turn.id):
            await bench.start("sleep 100")
            await asyncio.Event().wait()

    for steps in range(6):
        running = asyncio.create_task(turn())
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])

    await bench.keeper.close()
    assert await bench.unstored.rows.all() == []
    assert [path.name for path in bench.root.glob("proc_*")] == []


async def test_no_other_turn_knows_of_it_but_its_sub_agents_do(bench: Bench) -> None:
    stranger = replace(bench.turn, id="turn_2")
    child = replace(bench.turn, id="turn_3", works_for=bench.turn.id)
    async with bench.work.allowed_in(bench.turn.id):
        task_id = (await bench.start("sleep 100", child))["session_id"]

        assert "not found" in (await bench.process(stranger, action="poll", session_id=task_id))["error"]
        assert (await bench.process(stranger, action="list"))["processes"] == []
        assert (await bench.process(child, action="poll", session_id=task_id))["status"] == "running"
        assert (await bench.process(action="poll", session_id=task_id))["status"] == "running"


async def test_how_far_an_output_was_searched_is_saved_with_its_task(bench: Bench) -> None:
    bench.unstored.open("turn_1")

    for lease in (Lease("turn_1", "sess_1", "node_1", 1), None):
        task = await bench.ledger.begin(lease, new_task("make"))
        await bench.ledger.save_watch(task.id, b"far")
        saved = await bench.ledger.get(task.id)
        assert saved is not None
        assert saved.watch == b"far"


async def test_a_turn_that_has_ended_starts_nothing(bench: Bench) -> None:
    async with bench.work.allowed_in(bench.turn.id):
        pass

    with pytest.raises(LeaseLost):
        await bench.start("sleep 100")


async def test_what_a_killed_server_has_left_is_ended_by_the_next_one(bench: Bench) -> None:
    bench.unstored.open(bench.turn.id)
    started = await bench.start("sleep 100")
    (marks,) = bench.root.glob("unstored_*")
    # As if the marks were of another server that is gone.
    marks.rename(bench.root / "unstored_999999999-1")

    await BothLedgers(Ledger(), UnstoredLedger(bench.root)).adopt(HOST)

    await until(lambda: not group_members(started["pid"]))
    assert not (bench.root / started["session_id"]).exists()
    assert list(bench.root.glob("unstored_*")) == []


async def test_what_a_living_server_runs_is_left_alone(bench: Bench) -> None:
    async with bench.work.allowed_in(bench.turn.id):
        started = await bench.start("sleep 100")
        folder = ProcessFolder(bench.root / started["session_id"])
        await until(lambda: isinstance(folder.started(1), Identity))

        await BothLedgers(Ledger(), UnstoredLedger(bench.root)).adopt(HOST)

        assert folder.path.exists()
        assert group_members(started["pid"])
