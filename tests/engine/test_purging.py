"""The purge of a deleted session: complete, once, whichever process dies meanwhile, and without a notice."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.engine.kit import (
    FakeClock,
    House,
    Node,
    begin_task,
    exit_of,
    finish,
    log_of,
    open_session,
    send,
    session_of,
    until,
)
from tests.engine.purge_child import SESSION, purge
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import SessionNotFound
from wakeful.model.event import StreamItem
from wakeful.model.tasks.goal import Goal
from wakeful.store.base import Transaction
from wakeful.store.sqlite.store import SqliteStore

UNDO = 30.0
ROOT = Path(__file__).parents[2]


async def is_there(house: House, session_id: str) -> bool:
    async def body(tx: Transaction) -> bool:
        return await tx.sessions.get(session_id) is not None

    return await house.store.read(body)


async def gone(house: House, *session_ids: str) -> None:
    async def all_gone() -> bool:
        await house.settle()
        # Tasks that are killed end after a while: the purger looks again.
        await house.advance(1)
        return not any([await is_there(house, session_id) for session_id in session_ids])

    await until(all_gone)


async def working(node: Node, house: House) -> Receipt:
    receipt = await send(node, await open_session(node), "work")
    await house.settle()
    return receipt


async def test_a_running_turn_goes_on_until_the_time_is_over_and_is_then_stopped(house: House, node: Node) -> None:
    receipt = await working(node, house)
    await node.engine.purger.delete(receipt.session_id)
    await house.advance(UNDO - 1)
    await house.settle()
    assert (await session_of(house, receipt.session_id)).active == receipt.turn_id

    await house.advance(1)
    await gone(house, receipt.session_id)

    assert await log_of(house, receipt.session_id) == []
    assert node.engine._runners.all() == []


async def test_its_readers_are_let_go(house: House, node: Node) -> None:
    receipt = await working(node, house)
    queued = await send(node, receipt.session_id, "more")
    readings = [
        node.engine.subscribe(receipt.session_id),
        node.engine.subscribe_turn(receipt.session_id, queued.turn_id),
    ]
    readers = [asyncio.create_task(_read_all(reading)) for reading in readings]
    await house.settle()

    await node.engine.purger.delete(receipt.session_id)
    await house.settle()
    assert not any(reader.done() for reader in readers), "the session may come back"
    await house.advance(UNDO)
    await gone(house, receipt.session_id)

    async with asyncio.timeout(10):
        await asyncio.gather(*readers)


async def test_who_comes_when_it_cannot_come_back_any_more_has_nothing_to_wait_for(house: House, node: Node) -> None:
    session_id = await open_session(node)
    node.fall_asleep()
    now = house.clock.time()
    await house.store.write(lambda tx: tx.sessions.delete(session_id, now - 1), lock=[session_id])

    async with asyncio.timeout(10):
        await _read_all(node.engine.subscribe(session_id))
        await _read_all(node.engine.subscribe_turn(session_id, "turn_never_opened"))

    session = await session_of(house, session_id)
    assert session.purge_at == now - 1
    node.wake_up()


async def _read_all(reading: AsyncGenerator[list[StreamItem], None]) -> None:
    async for _ in reading:
        pass


async def test_a_session_that_came_back_is_not_purged(house: House, node: Node) -> None:
    receipt = await working(node, house)
    await node.engine.purger.delete(receipt.session_id)
    await house.advance(UNDO - 1)
    await node.engine.purger.restore(receipt.session_id)
    await house.advance(10 * UNDO)

    await finish(node, house, receipt)

    assert (await session_of(house, receipt.session_id)).head == receipt.turn_id


async def test_words_that_come_too_late_are_refused(house: House, node: Node) -> None:
    receipt = await working(node, house)
    await node.engine.purger.delete(receipt.session_id)

    with pytest.raises(SessionNotFound):
        await send(node, receipt.session_id, "more")
    with pytest.raises(SessionNotFound):
        await node.engine.purger.delete(receipt.session_id)
    await house.advance(UNDO)
    with pytest.raises(SessionNotFound):
        await node.engine.purger.restore(receipt.session_id)


async def test_its_processes_are_ended_and_their_files_removed(house: House, node: Node) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await node.engine.purger.delete(receipt.session_id)
    await house.advance(UNDO)

    async def is_wanted() -> bool:
        await house.settle()
        await house.advance(1)
        return "build" in node.processes.obeyed

    await until(is_wanted)
    assert await is_there(house, receipt.session_id)
    await node.engine.tasks.finish("build", exit_of("build"))
    await gone(house, receipt.session_id)

    assert node.processes.forgotten == ["build"]
    assert list(node.agent.briefs) == [receipt.turn_id]


async def test_its_sub_agents_go_with_it(house: House, node: Node) -> None:
    receipt = await working(node, house)
    turn = node.agent.briefs[receipt.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, 1, [Goal("count the sheep")], is_inline=False)
    await house.settle()
    assert task.child_session_id is not None

    await node.engine.purger.delete(receipt.session_id)
    await house.advance(UNDO)
    await gone(house, receipt.session_id, task.child_session_id)

    assert node.engine._runners.all() == []


async def test_turns_that_a_clock_has_put_out_of_order_go_in_the_same_sweep(
    house: House, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The older one is removed with the second page: the newer one, on the first, waits for it.
    monkeypatch.setattr("wakeful.engine.upkeep.purger._TURNS", 1)
    first = await working(node, house)
    await finish(node, house, first)
    await house.set_store_clock(-7200.0)
    second = await send(node, first.session_id, "more")
    await house.settle()
    await finish(node, house, second)

    await node.engine.purger.delete(first.session_id)
    await house.settle()
    await house.advance(UNDO)
    await house.settle()

    assert not await is_there(house, first.session_id)


async def test_the_next_node_goes_on_where_one_was_killed(house: House, node: Node) -> None:
    receipt = await working(node, house)
    await finish(node, house, receipt)
    await node.engine.purger.delete(receipt.session_id)
    await house.kill(node)
    await house.advance(UNDO)

    await house.start_node()
    await gone(house, receipt.session_id)


@pytest.mark.parametrize("commits", [0, 1, 2, 4, 7, 10])
async def test_a_purge_that_is_killed_goes_on_after_the_restart(tmp_path: Path, commits: int) -> None:
    """Run a real purge in a process that kills itself after this many commits."""
    path = tmp_path / "wakeful.db"
    child = subprocess.run(
        [sys.executable, "-m", "tests.engine.purge_child", str(path), str(commits)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert child.returncode == -signal.SIGKILL

    store = SqliteStore(path, time.time, synchronous="OFF")
    await store.open()
    house = House(store, FakeClock())
    try:
        await purge(store)
        assert not await is_there(house, SESSION)
        assert await log_of(house, SESSION) == []
    finally:
        await store.close()
