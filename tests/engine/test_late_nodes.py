"""Nodes that are late, not dead; and what a rescuer leaves alone."""

import asyncio
from collections.abc import Collection
from typing import TypeVar

import pytest

from tests.engine.kit import House, Node, events_of, finish, kinds_of, open_session, send, until
from tests.engine.test_resuming import successor_of
from wakeful.errors import SessionLocked, StoreReadOnly, StoreUnavailable
from wakeful.model.turn import Turn
from wakeful.store.base import Body, Signal, Transaction

T = TypeVar("T")


async def test_a_late_word_of_its_own_take_over_does_not_stop_the_node_that_took_over(house: House, node: Node) -> None:
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()
    epoch = node.agent.briefs[receipt.turn_id].turn.epoch

    node.store.tell(Signal(frozenset(), fenced={receipt.turn_id: epoch}))
    await finish(node, house, receipt)

    assert kinds_of(await events_of(node, receipt.session_id, receipt.turn_id))[-1] == "done"


async def test_a_node_that_was_late_takes_the_resume_back(house: House) -> None:
    late = await house.start_node()
    turn_id = await running_turn(house, late)
    for _ in range(house.settings.resume_limit + 2):
        late = await be_late(house, late)

    assert (await turn_of(house, turn_id)).resumes == 0
    late.agent.order(turn_id, "finish")
    assert kinds_of(await events_of(late, (await turn_of(house, turn_id)).session_id, turn_id))[-1] == "done"


async def test_the_resume_of_a_node_that_died_counts(house: House) -> None:
    node = await house.start_node()
    turn_id = await running_turn(house, node)

    await successor_of(house, node)

    assert (await turn_of(house, turn_id)).resumes == 1


async def test_a_turn_that_makes_every_node_late_ends_too(house: House) -> None:
    late = await house.start_node()
    turn_id = await running_turn(house, late)
    for _ in range(10 + house.settings.resume_limit + 1):
        late = await be_late(house, late)

    (*_, end) = await events_of(late, (await turn_of(house, turn_id)).session_id, turn_id)
    assert (end.kind, end.data["code"]) == ("failed", "resume_limit")


async def test_a_recorded_step_forgives_all_delays(house: House) -> None:
    late = await house.start_node()
    turn_id = await running_turn(house, late)
    for _ in range(10):
        late = await be_late(house, late)
    late.agent.order(turn_id, "step")
    await house.settle()

    for _ in range(10):
        late = await be_late(house, late)

    assert (await turn_of(house, turn_id)).resumes == 0


async def test_a_turn_that_closes_while_a_rescuer_looks_is_left_alone(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    read = node.store.read

    async def close_meanwhile(body: object) -> object:
        seen: object = await read(body)  # type: ignore[arg-type]
        node.agent.order(receipt.turn_id, "finish")
        node.store.read = read  # type: ignore[method-assign]
        await until(is_idle)
        node.store.write = refuse  # type: ignore[method-assign]
        return seen

    async def is_idle() -> bool:
        return not node.engine._runners.all() and not node.engine._commits.sessions()

    async def refuse(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        raise StoreUnavailable

    node.store.read = close_meanwhile  # type: ignore[method-assign, assignment]
    await node.engine._rescuer.sweep()

    assert node.engine._rescuer.job.counts.row_failures == 0
    assert kinds_of(await events_of(node, session, receipt.turn_id)).count("done") == 1


async def test_a_rescuer_that_may_not_cut_off_dead_nodes_says_so_once_and_takes_over(
    house: House, node: Node, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    other = await house.start_node()

    async def refuse(_: object) -> None:
        raise StoreReadOnly("Only a superuser may do that.")

    monkeypatch.setattr(other.store, "write_lease", refuse)
    await house.kill(node)
    for _ in range(3):
        await house.advance(60)
        await house.settle()

    assert caplog.text.count("rows that a dead node has locked stay locked") == 1
    assert receipt.turn_id in other.agent.briefs


async def test_a_rescuer_does_not_wait_for_a_session_that_is_locked(house: House) -> None:
    first, second = await house.start_node(), await house.start_node()
    turn_id = await running_turn(house, first)
    patiences: list[float | None] = []
    write = second.store.write

    async def be_locked(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        if not lock:
            return await write(body)
        patiences.append(patience)
        raise SessionLocked

    second.store.write = be_locked  # type: ignore[method-assign]
    await house.kill(first)
    await house.advance(house.settings.lease_seconds)
    await second.engine._rescuer.sweep()
    assert patiences
    assert None not in patiences
    assert second.engine._rescuer.job.counts.row_failures == 0

    del second.store.write
    await second.engine._rescuer.sweep()
    await house.settle()
    assert turn_id in second.agent.briefs


async def test_a_take_over_that_stands_still_does_not_hold_up_the_others(house: House) -> None:
    first, second = await house.start_node(), await house.start_node()
    turns = {await running_turn(house, first) for _ in range(3)}
    write, goes_on, still = second.store.write, asyncio.Event(), list[Collection[str]]()

    async def stand_still(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        if lock and not still:
            still.append(lock)
            await goes_on.wait()
        return await write(body, lock=lock, patience=patience)

    second.store.write = stand_still  # type: ignore[method-assign]
    await house.kill(first)
    await house.advance(house.settings.lease_seconds)
    await house.settle()
    assert len(still) == 1
    assert len(second.agent.briefs) == 2

    goes_on.set()
    await house.settle()
    assert second.agent.briefs.keys() == turns


async def running_turn(house: House, node: Node) -> str:
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()
    return receipt.turn_id


async def be_late(house: House, node: Node) -> Node:
    """Let another node take the turns of a late one, which then wakes up, sweeps and is killed. Returns the other."""
    node.fall_asleep()
    await house.advance(house.settings.lease_seconds)
    other = await house.start_node()
    node.wake_up()
    await node.engine._rescuer.sweep()
    await house.settle()
    await house.kill(node)
    return other


async def turn_of(house: House, turn_id: str) -> Turn:
    async def body(tx: Transaction) -> Turn:
        turn = await tx.turns.get(turn_id)
        assert turn is not None
        return turn

    return await house.store.read(body)
