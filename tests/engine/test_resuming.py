"""A turn goes on after its node is gone, from its last recorded step, and on one node only."""

import asyncio
from collections.abc import Collection
from typing import TypeVar

import pytest

from tests.engine.kit import ASK, HOME, House, Node, events_of, items_of, kinds_of, open_session, send, task_of
from wakeful.engine.inbox.assignment import Assignment
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.engine.settings import EngineSettings
from wakeful.errors import EngineStopping, StoreUnavailable
from wakeful.model.api.request import CHAT, TurnRequest
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import TaskStatus
from wakeful.model.turn import Outcome, Turn, TurnStatus
from wakeful.model.words import WordsEnd
from wakeful.store.base import Body, Signal, Transaction

T = TypeVar("T")


async def successor_of(house: House, node: Node) -> Node:
    """Kill the node, let its lease expire, and start a new one."""
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    return await house.start_node()


async def test_a_turn_goes_on_from_its_last_recorded_step(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    node.agent.order(receipt.turn_id, "step", "step")
    await house.settle()
    second = await successor_of(house, node)
    second.agent.order(receipt.turn_id, "step", "finish")
    events = await events_of(second, session, receipt.turn_id)
    assert node.agent.runs + second.agent.runs == {(receipt.turn_id, step, 1): 1 for step in (1, 2, 3)}
    assert kinds_of(events)[-1] == "done"
    assert (node.engine.vitals().taken_over, second.engine.vitals().taken_over) == (0, 1)
    assert [event.turn_seq for event in events] == list(range(1, len(events) + 1))


async def chat(node: Node, session: str, name: str) -> Receipt:
    """Send a chat completion, which belongs to a connection of the node."""
    request = TurnRequest(kind=CHAT)
    return await node.engine.submit(Submission(session, name, ASK, HOME, name, "demo:led", request=request))


async def test_a_chat_ends_with_its_node_and_frees_its_session(house: House, node: Node) -> None:
    session = await open_session(node)
    cut_off = await chat(node, session, "hello")
    node.agent.order(cut_off.turn_id, "step", "token")
    await house.settle()
    waiting = await send(node, session, "next")

    second = await successor_of(house, node)

    assert kinds_of(await events_of(second, session, cut_off.turn_id))[-1] == "cancelled"
    assert second.agent.briefs.keys() == {waiting.turn_id}


async def test_a_chat_that_a_stopping_node_leaves_behind_ends_too(house: House, node: Node) -> None:
    session = await open_session(node)
    left = await chat(node, session, "hello")
    await house.settle()
    await node.engine.stop()

    second = await house.start_node()

    assert kinds_of(await events_of(second, session, left.turn_id))[-1] == "cancelled"
    assert second.agent.briefs == {}


async def test_a_sub_agent_of_a_chat_ends_with_it(house: House, node: Node) -> None:
    session = await open_session(node)
    cut_off = await chat(node, session, "hello")
    await house.settle()
    turn = node.agent.briefs[cut_off.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, 1, [Goal("a goal")], is_inline=True)
    await house.settle()

    second = await successor_of(house, node)

    assert (await task_of(house, task.id)).status is TaskStatus.KILLED
    assert second.agent.briefs == {}


async def test_a_half_streamed_answer_is_abandoned_and_asked_for_again(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    node.agent.order(receipt.turn_id, "token")
    await house.settle()
    second = await successor_of(house, node)
    second.agent.order(receipt.turn_id, "finish")
    events = await events_of(second, session, receipt.turn_id)
    assert kinds_of(events) == ["turn_started", "message", "step_abandoned", "usage", "done"]
    assert events[2].data == {"step": 1}
    assert events[2].ends == WordsEnd(1, base=events[1].session_seq, void=1000)
    assert [message.text for message in second.agent.briefs[receipt.turn_id].messages] == ["hello"]


async def test_nothing_is_abandoned_while_the_model_was_not_asked(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    call = ToolCall("call_1", "work", "{}")
    node.agent.tell(receipt.turn_id, Answered(1, AssistantMessage("working", calls=(call,)), Usage(1, 1)))
    await house.settle()
    second = await successor_of(house, node)
    second.agent.order(receipt.turn_id, "finish")
    assert "step_abandoned" not in kinds_of(await events_of(second, session, receipt.turn_id))


async def test_the_last_answer_and_the_end_are_one_write(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    # The system prompt is stored by now.
    await house.settle()
    writes = 0

    async def die_after_the_first(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        nonlocal writes
        result = await type(node.store).write(node.store, body, lock=lock, patience=patience)
        writes += 1
        node.store.is_dead = True
        return result

    node.store.write = die_after_the_first  # type: ignore[method-assign]
    node.agent.order(receipt.turn_id, "finish")
    await house.settle()
    assert writes == 1
    second = await successor_of(house, node)
    assert kinds_of(await events_of(second, session, receipt.turn_id)) == ["turn_started", "message", "usage", "done"]
    assert second.agent.briefs == {}


async def test_a_turn_that_never_gets_further_is_given_up_after_three_resumes(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    for _ in range(house.settings.resume_limit):
        node = await successor_of(house, node)
        assert receipt.turn_id in node.agent.briefs
    node = await successor_of(house, node)
    last = (await events_of(node, session, receipt.turn_id))[-1]
    assert (last.kind, last.data["code"]) == ("failed", "resume_limit")


async def test_the_hours_without_a_server_do_not_count_against_a_turn(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    await house.kill(node)
    await house.advance(10 * house.settings.turn_seconds)
    second = await house.start_node()
    second.agent.order(receipt.turn_id, "finish")
    assert kinds_of(await events_of(second, session, receipt.turn_id))[-1] == "done"


async def test_a_recorded_step_makes_resumes_count_from_zero_again(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    for _ in range(house.settings.resume_limit + 2):
        node = await successor_of(house, node)
        node.agent.order(receipt.turn_id, "step")
        await house.settle()
    assert node.agent.runs[receipt.turn_id, house.settings.resume_limit + 2, 1] == 1


@pytest.mark.parametrize("order", ["token", "step", "finish", "fail"])
async def test_a_node_that_lost_its_lease_can_write_nothing(house: House, order: str) -> None:
    first = await house.start_node()
    session = await open_session(first)
    receipt = await send(first, session, "hello")
    await house.settle()
    first.fall_asleep()
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node()
    assert receipt.turn_id in second.agent.briefs
    first.agent.order(receipt.turn_id, order)
    await house.settle()
    second.agent.order(receipt.turn_id, "finish")
    events = await events_of(second, session, receipt.turn_id)
    assert kinds_of(events) == ["turn_started", "message", "step_abandoned", "usage", "done"]
    assert first.agent.runs == {}


async def test_a_turn_can_be_stopped_from_a_node_that_does_not_run_it(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    assert await second.engine.cancel(session)
    await house.settle()
    node.agent.order(receipt.turn_id, "token", "finish")
    await house.settle()
    assert kinds_of(await events_of(second, session, receipt.turn_id)) == ["turn_started", "message", "cancelled"]


async def test_two_nodes_that_find_the_same_orphan_run_it_once(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    rivals = [await house.start_node(), await house.start_node()]
    await house.kill(node)
    await house.advance(house.settings.lease_seconds / 2)
    await house.settle()
    await house.advance(house.settings.lease_seconds / 2)
    await house.settle()
    assert [receipt.turn_id in rival.agent.briefs for rival in rivals].count(True) == 1


async def test_a_stopping_node_lets_its_turn_reach_the_next_step_and_leaves_it_uncounted(
    house: House, node: Node
) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    node.agent.order(receipt.turn_id, "step", "step", "finish")
    await node.engine.stop()
    with pytest.raises(EngineStopping):
        await send(node, session, "more")
    second = await house.start_node()
    await house.settle()
    brief = second.agent.briefs[receipt.turn_id]
    assert (brief.last_step, brief.turn.resumes, list(brief.open_calls)) == (1, 0, [])
    second.agent.order(receipt.turn_id, "finish")
    assert kinds_of(await events_of(second, session, receipt.turn_id))[-1] == "done"


async def test_what_waits_when_a_node_stops_is_opened_by_the_next(house: House, node: Node) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    queued = await send(node, session, "queued")
    await house.settle()
    node.agent.order(first.turn_id, "finish")
    await node.engine.stop()
    second = await house.start_node()
    await house.settle()
    assert kinds_of(await events_of(second, session, first.turn_id))[-1] == "done"
    assert queued.turn_id in second.agent.briefs


async def unplugged(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
    raise StoreUnavailable


async def test_a_turn_whose_store_failed_goes_on_uncounted_when_the_store_is_back(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    for _ in range(house.settings.resume_limit + 2):
        node.store.write = unplugged  # type: ignore[method-assign]
        node.agent.order(receipt.turn_id, "token", "step")
        await house.settle()
        del node.store.write
        await house.advance(1)
        await house.settle()
    node.agent.order(receipt.turn_id, "finish")
    assert kinds_of(await events_of(node, session, receipt.turn_id))[-1] == "done"


async def test_a_turn_that_a_bug_keeps_from_ending_is_given_up_on_its_own_node(house: House) -> None:
    # Nothing but the bug itself asks this node to look for its turn.
    node = await house.start_node(is_exclusive=True)

    async def buggy(tx: Transaction, turn: Turn, outcome: Outcome) -> None:
        if outcome.status is TurnStatus.DONE:
            raise KeyError("a bug")

    node.engine._dispatcher.on_close = buggy
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    for _ in range(house.settings.resume_limit + 1):
        node.agent.order(receipt.turn_id, "finish")
        await house.settle()
        await house.advance(2)
        await house.settle()
    last = (await events_of(node, session, receipt.turn_id))[-1]
    assert (last.kind, last.data["code"]) == ("failed", "resume_limit")


async def test_words_of_a_step_that_could_not_be_recorded_are_taken_back(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    node.store.write = unplugged  # type: ignore[method-assign]
    node.agent.order(receipt.turn_id, "token", "finish")
    await house.settle()
    assert isinstance(await node.engine.store_failure(), StoreUnavailable)
    del node.store.write
    await house.advance(1)
    await house.settle()
    node.agent.order(receipt.turn_id, "token", "finish")
    items = await items_of(node, session, receipt.turn_id)
    assert kinds_of(items) == ["turn_started", "message", "token", "step_abandoned", "token", "usage", "done"]


@pytest.mark.parametrize("what", ["submit", "close"])
async def test_a_turn_runs_even_if_the_commit_that_opened_it_seemed_to_fail(
    house: House, node: Node, what: str
) -> None:
    session = await open_session(node)
    first = await send(node, session, "first")
    queued = await send(node, session, "queued")
    await house.settle()

    async def lose_the_answer(body: Body[T], *, lock: Collection[str] = (), patience: float | None = None) -> T:
        result = await type(node.store).write(node.store, body, lock=lock, patience=patience)
        if isinstance(result, tuple) and result[1] is not None:
            del node.store.write
            raise StoreUnavailable
        return result

    if what == "submit":
        await node.engine.withdraw(session, queued.turn_id)
        node.agent.order(first.turn_id, "finish")
        await house.settle()
        node.store.write = lose_the_answer  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await send(node, session, "again", key="k")
        queued = await send(node, session, "again", key="k")
    else:
        node.store.write = lose_the_answer  # type: ignore[method-assign]
        node.agent.order(first.turn_id, "finish")
    await house.settle()
    await house.advance(house.settings.lease_seconds)
    await house.settle()
    node.agent.order(queued.turn_id, "finish")
    assert kinds_of(await events_of(node, session, queued.turn_id))[-1] == "done"


async def test_a_turn_that_is_stopped_in_the_breath_that_opens_it_never_runs(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt, was_stopped = await asyncio.gather(send(node, session, "hello"), node.engine.cancel(session))
    await house.settle()
    assert was_stopped or await node.engine.cancel(session)
    await house.settle()
    assert node.engine._runners.all() == []
    assert kinds_of(await events_of(node, session, receipt.turn_id))[-1] == "cancelled"


async def test_a_turn_that_is_stopped_before_its_first_step_leaves_nothing_behind(house: House, node: Node) -> None:
    runners = node.engine._runners

    def stop_at_once(assignment: Assignment) -> None:
        turn = assignment.turn
        runners._hear(Signal(frozenset(), fenced={turn.id: turn.epoch + 1}))

    node.engine._commits.listen(stop_at_once)
    receipt = await send(node, await open_session(node), "go")
    await house.settle()
    assert receipt.turn_id not in node.agent.briefs
    assert runners.all() == []


async def test_a_stop_that_a_node_could_not_hear_ends_its_turn_all_the_same(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    await send(node, session, "hello")
    await house.settle()
    node.store.is_deaf = True
    await second.engine.cancel(session)
    await house.advance(house.settings.lease_seconds / 3)
    await house.settle()
    assert node.engine._runners.all() == []


async def test_a_node_keeps_its_lease_while_it_stops(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    stopping = asyncio.create_task(node.engine.stop())
    await house.settle()
    for _ in range(6):
        await house.advance(house.settings.lease_seconds / 3)
        await house.settle()
    assert receipt.turn_id not in second.agent.briefs
    node.agent.order(receipt.turn_id, "finish")
    await stopping
    assert kinds_of(await events_of(second, session, receipt.turn_id))[-1] == "done"


async def test_a_stop_ends_in_time_when_the_store_does_not_answer(house: House) -> None:
    house.settings = EngineSettings(stop_grace_seconds=0.1)
    node = await house.start_node()
    await send(node, await open_session(node), "hello")
    await house.settle()
    node.store.is_dead = True
    async with asyncio.timeout(5):
        await node.engine.stop()


async def test_a_rescuer_that_meets_a_bug_goes_on_looking(house: House, node: Node) -> None:
    second = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()

    async def broken(body: Body[T]) -> T:
        del second.store.read
        raise KeyError

    second.store.read = broken  # type: ignore[method-assign]
    await house.advance(1)
    await house.settle()
    await house.kill(node)
    for _ in range(6):
        await house.advance(1)
        await house.settle()
    assert receipt.turn_id in second.agent.briefs


async def test_a_node_that_came_for_its_own_turn_adopts_nothing(house: House, node: Node) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    await house.settle()
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    guest = await house.start_node(adopts=False)
    own = await send(guest, await open_session(guest), "a question")
    guest.agent.order(own.turn_id, "finish")
    await events_of(guest, own.session_id, own.turn_id)
    assert receipt.turn_id not in guest.agent.briefs


async def test_a_turn_that_takes_too_long_fails(house: House) -> None:
    house.settings = EngineSettings(turn_seconds=0.05)
    node = await house.start_node()
    session = await open_session(node)
    receipt = await send(node, session, "hello")
    last = (await events_of(node, session, receipt.turn_id))[-1]
    assert (last.kind, last.data["code"]) == ("failed", "time_limit")
