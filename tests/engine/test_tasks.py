"""Tasks: which session owns them, which turns may see them, and what becomes of their notices."""

import asyncio
from contextvars import ContextVar
from dataclasses import replace

import pytest

from tests.engine.kit import (
    HOME,
    WEB,
    House,
    Node,
    begin_task,
    exit_of,
    finish,
    log_of,
    open_session,
    send,
    session_of,
    task_for,
    task_of,
    wakeups_of,
)
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import LeaseLost
from wakeful.model.inbox import RowStatus
from wakeful.model.journal.fact import CallFinished
from wakeful.model.journal.message import ToolCall
from wakeful.model.session import Address
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task, TaskStatus, WatchMatch
from wakeful.model.turn import Door, Turn
from wakeful.store.base import Transaction

API = Door("api_server", async_delivery=False)


async def working(
    node: Node, house: House, *, session: str = "", owner: str = "me", door: Door = WEB, text: str = "start it"
) -> Receipt:
    receipt = await send(node, session or await open_session(node, owner=owner), text, door=door)
    await house.settle()
    return receipt


def turn_of(node: Node, receipt: Receipt) -> Turn:
    return node.agent.briefs[receipt.turn_id].turn


async def begin(node: Node, receipt: Receipt, name: str) -> Task:
    """Begin a task as a tool does, with the door and the address of its turn."""
    turn = turn_of(node, receipt)
    task = replace(task_for(turn.session_id, turn.id, name), door=turn.door, address=turn.address)
    return await node.engine.tasks.begin(turn.lease, task)


def match_at(offset: int) -> WatchMatch:
    return WatchMatch("ready", "server ready", offset, f"[ready at {offset}]")


async def notices_of(house: House, session_id: str) -> list[str]:
    return [event.data["content"] for event in await log_of(house, session_id) if event.kind == "notice"]


# Ownership.


async def test_the_owner_of_a_task_is_its_sessions_whatever_the_tool_says(node: Node, house: House) -> None:
    receipt = await working(node, house, owner="alice")
    turn = turn_of(node, receipt)
    forged = replace(task_for(turn.session_id, turn.id, "build"), owner="mallory", node="elsewhere")
    written = await node.engine.tasks.begin(turn.lease, forged)
    assert (written.owner, written.node) == ("alice", node.engine.node)
    assert (await task_of(house, "build")).owner == "alice"


async def test_the_same_call_finds_the_task_that_it_has_begun_before(node: Node, house: House) -> None:
    receipt = await working(node, house)
    first = await begin(node, receipt, "build")
    turn = turn_of(node, receipt)
    again = replace(task_for(turn.session_id, turn.id, "again"), step=first.step, index=first.index)
    assert (await node.engine.tasks.begin(turn.lease, again)).id == "build"
    started = [event for event in await log_of(house, receipt.session_id) if event.kind == "task_started"]
    assert [event.data["task"]["id"] for event in started] == ["build"]


async def test_nothing_begins_in_a_turn_that_was_lost(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await node.engine.cancel(receipt.session_id)
    with pytest.raises(LeaseLost):
        await begin(node, receipt, "build")
    assert await node.engine.tasks.get("build") is None


# Ends.


async def test_an_end_that_is_reported_twice_at_once_makes_one_notice(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    reports = [node.engine.tasks.finish("build", exit_of("build", code)) for code in (0, 1)]
    assert sorted(await asyncio.gather(*reports)) == [False, True]
    await house.settle()
    assert len(await wakeups_of(house, receipt.session_id)) == 1
    assert len(await notices_of(house, receipt.session_id)) == 1


async def test_ten_ends_at_once_cost_one_turn(node: Node, house: House) -> None:
    """Nine wait for company; the tenth opens the turn at once, because no other task is left to wait for."""
    receipt = await working(node, house)
    names = [f"t{number}" for number in range(10)]
    for name in names:
        await begin_task(node, receipt, name)
    await finish(node, house, receipt)
    await asyncio.gather(*(node.engine.tasks.finish(name, exit_of(name)) for name in names))
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    assert sorted(await notices_of(house, receipt.session_id)) == sorted(f"[{name} ended with 0]" for name in names)
    await finish(node, house, Receipt(receipt.session_id, wakeup, is_queued=False))
    await house.advance(3600)
    await house.settle()
    assert await wakeups_of(house, receipt.session_id) == [wakeup]


async def test_an_end_waits_for_company_only_while_other_promised_work_runs(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for name, will_notify in (("one", True), ("two", True), ("silent", False)):
        await begin_task(node, receipt, name, will_notify=will_notify)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("one", exit_of("one"))
    await house.settle()
    assert await wakeups_of(house, receipt.session_id) == []
    await house.advance(house.settings.wake_company_seconds)
    await house.settle()
    (first,) = await wakeups_of(house, receipt.session_id)
    await finish(node, house, Receipt(receipt.session_id, first, is_queued=False))
    await node.engine.tasks.finish("two", exit_of("two"))
    await house.settle()
    assert len(await wakeups_of(house, receipt.session_id)) == 2


async def test_a_message_takes_along_at_once_what_waits_for_company(node: Node, house: House) -> None:
    receipt = await working(node, house)
    for name in ("one", "two"):
        await begin_task(node, receipt, name)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("one", exit_of("one"))
    asked = await send(node, receipt.session_id, "anything new?")
    await house.settle()
    texts = [message.text for message in node.agent.briefs[asked.turn_id].messages[-2:]]
    assert texts == ["[one ended with 0]", "anything new?"]
    await house.wait_for_company()
    assert await wakeups_of(house, receipt.session_id) == []


async def test_a_wakeup_that_waits_for_company_outlives_its_node(house: House) -> None:
    first = await house.start_node()
    receipt = await working(first, house)
    for name in ("one", "two"):
        await begin_task(first, receipt, name)
    await finish(first, house, receipt)
    await first.engine.tasks.finish("one", exit_of("one"))
    await house.kill(first)
    second = await house.start_node()
    await house.wait_for_company()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    assert second.agent.briefs[wakeup].messages[-1].text == "[one ended with 0]"


async def test_a_match_waits_for_the_company_of_others_and_not_of_its_own_process(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server")
    await finish(node, house, receipt)
    await node.engine.tasks.match("server", match_at(10), b"{}")
    await house.settle()
    assert len(await wakeups_of(house, receipt.session_id)) == 1


# Watches.


async def test_a_match_wakes_an_idle_session_once_for_each_offset_in_the_output(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server", will_notify=False)
    await finish(node, house, receipt)
    for _ in range(2):
        await node.engine.tasks.match("server", match_at(10), b'{"offset": 22}')
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    assert node.agent.briefs[wakeup].turn.source == "watch_match"
    await finish(node, house, Receipt(receipt.session_id, wakeup, is_queued=False))
    await node.engine.tasks.match("server", match_at(30), b'{"offset": 42}')
    await house.settle()
    assert await notices_of(house, receipt.session_id) == ["[ready at 10]", "[ready at 30]"]
    assert (await task_of(house, "server")).watch == b'{"offset": 42}'
    matches = [event.data for event in await log_of(house, receipt.session_id) if event.kind == "watch_match"]
    assert [(match["process_id"], match["pattern"], match["line"]) for match in matches] == [
        ("server", "ready", "server ready")
    ] * 2


async def test_a_match_joins_a_running_turn(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server", will_notify=False)
    await node.engine.tasks.match("server", match_at(10), b"{}")
    node.agent.order(receipt.turn_id, "step", "finish")
    await house.settle()
    assert node.agent.taken[receipt.turn_id] == ["[ready at 10]"]
    assert await wakeups_of(house, receipt.session_id) == []


async def test_the_output_of_a_process_that_is_being_killed_wakes_no_session(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server")
    await finish(node, house, receipt)
    await node.engine.tasks.intend_kill("server")
    await node.engine.tasks.match("server", match_at(10), b'{"offset": 22}')
    await node.engine.tasks.finish("server", exit_of("server", 143))
    await node.engine.tasks.match("server", match_at(30), b'{"offset": 42}')
    await house.settle()
    assert await wakeups_of(house, receipt.session_id) == []
    assert (await task_of(house, "server")).watch == b'{"offset": 42}'


async def test_a_watch_that_turned_itself_off_becomes_a_promise_of_the_end(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "server", will_notify=False)
    await finish(node, house, receipt)
    await node.engine.tasks.save_watch("server", b"{}", will_notify=True)
    await node.engine.tasks.finish("server", exit_of("server"))
    await house.settle()
    assert len(await wakeups_of(house, receipt.session_id)) == 1


async def test_a_spawn_is_counted_once(node: Node, house: House) -> None:
    await begin_task(node, await working(node, house), "build")
    assert await node.engine.tasks.next_attempt("build", 1)
    assert not await node.engine.tasks.next_attempt("build", 1)
    assert (await task_of(house, "build")).attempt == 2


# Who sees what.


async def seen(node: Node, receipt: Receipt) -> list[str]:
    return [task.id for task in await node.engine.tasks.all_visible(turn_of(node, receipt))]


async def test_tasks_of_another_session_are_not_found(node: Node, house: House) -> None:
    mine, other = await working(node, house), await working(node, house)
    await begin(node, mine, "build")
    assert await node.engine.tasks.visible(turn_of(node, mine), "build") is not None
    assert await node.engine.tasks.visible(turn_of(node, other), "build") is None
    assert (await seen(node, mine), await seen(node, other)) == (["build"], [])


async def test_on_the_api_a_task_is_seen_by_every_session_of_its_key_and_of_no_other(node: Node, house: House) -> None:
    mine, same_key = await working(node, house, door=API), await working(node, house, door=API)
    stranger = await working(node, house, door=API, owner="you")
    await begin(node, mine, "build")
    assert await node.engine.tasks.visible(turn_of(node, same_key), "build") is not None
    assert await node.engine.tasks.visible(turn_of(node, stranger), "build") is None
    await house.advance(1)
    await begin(node, same_key, "test")
    assert await seen(node, mine) == await seen(node, same_key) == ["build", "test"]
    assert await seen(node, stranger) == []


async def test_the_api_does_not_see_what_the_same_owner_does_elsewhere(node: Node, house: House) -> None:
    page, api = await working(node, house), await working(node, house, door=API)
    await begin(node, page, "page")
    await begin(node, api, "api")
    assert await node.engine.tasks.visible(turn_of(node, api), "page") is None
    assert await node.engine.tasks.visible(turn_of(node, page), "api") is None
    assert (await seen(node, api), await seen(node, page)) == (["api"], ["page"])


async def test_a_session_that_moves_to_the_api_still_sees_its_own_tasks(node: Node, house: House) -> None:
    first = await working(node, house)
    await begin(node, first, "build")
    await finish(node, house, first)
    second = await working(node, house, session=first.session_id, door=API, text="go on")
    assert await node.engine.tasks.visible(turn_of(node, second), "build") is not None
    assert await seen(node, second) == ["build"]


async def test_a_turn_of_a_session_that_is_not_stored_sees_no_task(node: Node, house: House) -> None:
    receipt = await working(node, house, door=API)
    await begin(node, receipt, "build")
    unstored = replace(turn_of(node, receipt), session_id="unstored")
    assert await node.engine.tasks.visible(unstored, "build") is None
    assert await node.engine.tasks.all_visible(unstored) == []


# Consuming.


async def test_a_task_that_nobody_knows_has_no_notice_to_consume(node: Node) -> None:
    await node.engine.tasks.consume("unknown")


async def test_a_consumed_notice_wakes_no_session(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await node.engine.tasks.consume("build")
    await finish(node, house, receipt)
    assert await wakeups_of(house, receipt.session_id) == []
    task = await task_of(house, "build")
    assert (task.notice_status, task.has_promise) == (RowStatus.WITHDRAWN, False)


async def test_a_notice_that_was_claimed_stays_claimed(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    await node.engine.tasks.consume("build")
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    task = await task_of(house, "build")
    assert (task.notice_status, task.woke_turn_id) == (RowStatus.CLAIMED, wakeup)


async def test_a_result_that_shows_an_end_consumes_its_notice_in_the_same_breath(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    call = ToolCall("call_1", "process", "{}")
    node.agent.tell(receipt.turn_id, CallFinished(1, 1, call, "exited", 0.0, consumes=("build",)))
    await house.settle()
    assert (await task_of(house, "build")).notice_status is RowStatus.WITHDRAWN
    await finish(node, house, receipt)
    assert await wakeups_of(house, receipt.session_id) == []


# Models.


async def test_a_wakeup_uses_the_model_that_the_session_has_now(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    await node.engine.change_session(receipt.session_id, model="demo:other")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    assert node.agent.briefs[wakeup].turn.model == "demo:other"


async def test_another_model_lets_waiting_notices_go_on_at_once(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    node.agent.order(receipt.turn_id, "refuse")
    await house.settle()
    await node.engine.tasks.finish("build", exit_of("build"))
    await node.engine.change_session(receipt.session_id, title="other words")
    await house.settle()
    assert await wakeups_of(house, receipt.session_id) == []
    await node.engine.change_session(receipt.session_id, model="demo:other")
    await house.settle()
    assert len(await wakeups_of(house, receipt.session_id)) == 1
    assert not (await session_of(house, receipt.session_id)).is_blocked


# The context of a turn.

BOUND_TURN: ContextVar[str] = ContextVar("bound_turn", default="none")


class NamingBinder:
    """Binds each turn, and records what was bound before it."""

    def __init__(self) -> None:
        self.before: dict[str, str] = {}

    def bind(self, turn: Turn) -> "NamingBinder":
        self.before[turn.id] = BOUND_TURN.get()
        BOUND_TURN.set(turn.id)
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


async def test_a_turn_sees_nothing_of_the_context_that_opened_it(house: House) -> None:
    binder = NamingBinder()
    node = await house.start_node(binder=binder)
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    BOUND_TURN.set("another turn")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    queued = await send(node, receipt.session_id, "and then?")
    await finish(node, house, Receipt(receipt.session_id, wakeup, is_queued=False))
    assert binder.before == dict.fromkeys([receipt.turn_id, wakeup, queued.turn_id], "none")
    assert BOUND_TURN.get() == "another turn"


async def test_a_sub_agent_sees_nothing_of_the_context_of_its_parent(house: House) -> None:
    binder = NamingBinder()
    node = await house.start_node(binder=binder)
    receipt = await working(node, house)
    BOUND_TURN.set(receipt.turn_id)
    await node.engine.delegations.begin(turn_of(node, receipt), 1, 1, [Goal("count")], is_inline=False)
    await house.settle()
    assert len(binder.before) == 2
    assert set(binder.before.values()) == {"none"}


async def test_a_resumed_turn_is_bound_again(house: House) -> None:
    node = await house.start_node(binder=NamingBinder())
    receipt = await working(node, house)
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    binder = NamingBinder()
    await house.start_node(binder=binder)
    assert binder.before == {receipt.turn_id: "none"}


async def test_an_address_and_a_door_are_those_of_the_task(node: Node, house: House) -> None:
    elsewhere = Address("telegram", "42")
    receipt = await working(node, house)
    await begin_task(node, receipt, "build", address=elsewhere)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, receipt.session_id)
    turn = node.agent.briefs[wakeup].turn
    assert (turn.address, turn.door, turn.workspace) == (elsewhere, WEB, "/")
    assert turn_of(node, receipt).address == HOME


async def test_unknown_tasks_are_none(node: Node, house: House) -> None:
    receipt = await working(node, house)
    assert await node.engine.tasks.get("nothing") is None
    assert await node.engine.tasks.visible(turn_of(node, receipt), "nothing") is None


async def _pending(house: House, session_id: str) -> int:
    async def body(tx: Transaction) -> int:
        return len(await tx.inbox.pending(session_id))

    return await house.store.read(body)


async def test_a_notice_behind_a_stop_is_still_a_promise(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await begin_task(node, receipt, "build")
    await node.engine.cancel(receipt.session_id)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert (await task_of(house, "build")).has_promise
    assert await _pending(house, receipt.session_id) == 1


async def test_a_wish_and_an_end_that_cross_are_a_kill(node: Node, house: House) -> None:
    receipt = await send(node, await open_session(node), "build it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await finish(node, house, receipt)
    await node.engine.tasks.intend_kill("build")
    # A reader that came before the kill was asked for saw an ordinary end.
    await node.engine.tasks.finish("build", exit_of("build", 3))
    task = await task_of(house, "build")
    assert (task.status, task.exit_code, task.has_promise) == (TaskStatus.KILLED, None, False)
    assert await wakeups_of(house, receipt.session_id) == []
