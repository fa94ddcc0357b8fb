"""Background work wakes its own session, exactly once."""

import pytest

from tests.engine.kit import (
    ASK,
    HOME,
    WEB,
    House,
    Node,
    begin_task,
    events_of,
    exit_of,
    finish,
    kinds_of,
    log_of,
    open_session,
    send,
    wakeups_of,
)
from wakeful.errors import TaskNotFound
from wakeful.model.inbox import IfBusy
from wakeful.model.session import Address


async def idle_session_with_tasks(node: Node, house: House, *names: str) -> str:
    session = await open_session(node)
    receipt = await send(node, session, "start them")
    await house.settle()
    for name in names:
        await begin_task(node, receipt, name)
    await finish(node, house, receipt)
    return session


async def test_an_exit_in_an_idle_session_opens_exactly_one_turn(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    assert await node.engine.tasks.finish("build", exit_of("build"))
    assert not await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, session)
    assert node.agent.briefs[wakeup].messages[-1].text == "[build ended with 0]"


async def test_an_exit_in_mid_turn_reaches_the_agent_at_its_next_step(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    node.agent.order(receipt.turn_id, "step", "finish")
    events = await events_of(node, session, receipt.turn_id)
    await house.settle()
    assert node.agent.taken[receipt.turn_id] == ["[build ended with 0]"]
    assert [event.data["delivered"] for event in events if event.kind == "notice"] == ["joined"]
    assert await wakeups_of(house, session) == []


async def test_an_exit_during_the_last_step_opens_the_next_turn(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await finish(node, house, receipt)
    assert len(await wakeups_of(house, session)) == 1


async def test_ten_exits_during_a_turn_cost_one_more_turn(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start them")
    await house.settle()
    for number in range(10):
        await begin_task(node, receipt, f"t{number}")
        await node.engine.tasks.finish(f"t{number}", exit_of(f"t{number}"))
    await finish(node, house, receipt)
    (wakeup,) = await wakeups_of(house, session)
    texts = [message.text for message in node.agent.briefs[wakeup].messages[-10:]]
    assert texts == [f"[t{number} ended with 0]" for number in range(10)]


async def test_notices_ride_along_before_a_queued_message(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    queued = await send(node, session, "and now?")
    await node.engine.tasks.finish("build", exit_of("build"))
    await finish(node, house, receipt)
    texts = [message.text for message in node.agent.briefs[queued.turn_id].messages[-2:]]
    assert texts == ["[build ended with 0]", "and now?"]


async def test_notices_of_another_address_get_a_turn_of_their_own(node: Node, house: House) -> None:
    elsewhere = Address("telegram", "42")
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build", address=elsewhere)
    queued = await send(node, session, "and now?", address=HOME)
    await node.engine.tasks.finish("build", exit_of("build"))
    await finish(node, house, receipt)
    assert node.agent.briefs[queued.turn_id].messages[-2].text == "done"
    await finish(node, house, queued)
    (wakeup,) = await wakeups_of(house, session)
    assert node.agent.briefs[wakeup].turn.address == elsewhere


async def test_a_door_that_cannot_deliver_claims_no_notice(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    asked = await send(node, session, "quick question", door=ASK)
    await node.engine.tasks.finish("build", exit_of("build"))
    await finish(node, house, receipt)
    node.agent.order(asked.turn_id, "step")
    await house.settle()
    assert [message.text for message in node.agent.briefs[asked.turn_id].messages[-2:]] == ["done", "quick question"]
    assert node.agent.taken[asked.turn_id] == []
    await finish(node, house, asked)
    assert len(await wakeups_of(house, session)) == 1


async def test_a_task_that_was_killed_on_purpose_wakes_no_session(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    assert await node.engine.tasks.intend_kill("build")
    assert await node.engine.tasks.finish("build", exit_of("build", 143))
    await house.settle()
    assert await wakeups_of(house, session) == []
    assert kinds_of(await log_of(house, session))[-1] == "process_complete"


async def test_a_task_that_fails_wakes_its_session(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    await node.engine.tasks.finish("build", exit_of("build", 2))
    await house.settle()
    (notice,) = [event for event in await log_of(house, session) if event.kind == "notice"]
    assert (notice.data["exit_code"], notice.data["status"], notice.data["delivered"]) == (2, "failed", "opened")


async def test_a_task_without_a_promise_wakes_no_session(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build", will_notify=False)
    await finish(node, house, receipt)
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    assert await wakeups_of(house, session) == []


async def test_the_end_of_an_unknown_task_is_an_error(node: Node) -> None:
    with pytest.raises(TaskNotFound):
        await node.engine.tasks.finish("nothing", exit_of("nothing"))


async def test_after_a_stop_notices_wait_for_the_next_message(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start them")
    await house.settle()
    await begin_task(node, receipt, "early")
    await begin_task(node, receipt, "late")
    await node.engine.tasks.finish("early", exit_of("early"))
    await node.engine.cancel(session)
    await node.engine.tasks.finish("late", exit_of("late"))
    await house.settle()
    assert await wakeups_of(house, session) == []
    following = await send(node, session, "go on")
    await house.settle()
    texts = [message.text for message in node.agent.briefs[following.turn_id].messages[-3:]]
    assert texts == ["[early ended with 0]", "[late ended with 0]", "go on"]


async def test_an_interruption_is_not_a_stop_and_holds_nothing_back(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "start it")
    await house.settle()
    await begin_task(node, receipt, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    urgent = await send(node, session, "stop that", if_busy=IfBusy.INTERRUPT)
    await house.settle()
    assert node.agent.briefs[urgent.turn_id].messages[-2].text == "[build ended with 0]"


async def test_a_wakeup_that_fails_for_a_passing_reason_is_tried_five_times_and_shows_its_notice_once(
    node: Node, house: House
) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    for attempt in range(1, 6):
        await house.settle()
        wakeups = await wakeups_of(house, session)
        assert len(wakeups) == attempt
        texts = [message.text for message in node.agent.briefs[wakeups[-1]].messages]
        assert texts.count("[build ended with 0]") == 1
        node.agent.order(wakeups[-1], "fail")
        await house.settle()
        await house.advance(house.settings.wake_retry_seconds * 2 ** (attempt - 1) - 0.1)
        await house.settle()
        assert len(await wakeups_of(house, session)) == attempt
        await house.advance(0.1)
    await house.settle()
    assert len(await wakeups_of(house, session)) == 5


async def test_a_message_takes_a_waiting_retry_along(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, session)
    node.agent.order(wakeup, "fail")
    await house.settle()
    following = await send(node, session, "what happened?")
    await house.settle()
    await finish(node, house, following)
    await house.advance(3600)
    await house.settle()
    assert await wakeups_of(house, session) == [wakeup]


async def test_a_wakeup_that_lacks_credentials_blocks_further_ones_until_a_turn_succeeds(
    node: Node, house: House
) -> None:
    session = await idle_session_with_tasks(node, house, "one", "two")
    await node.engine.tasks.finish("one", exit_of("one"))
    await house.wait_for_company()
    (wakeup,) = await wakeups_of(house, session)
    node.agent.order(wakeup, "refuse")
    await house.settle()
    await node.engine.tasks.finish("two", exit_of("two"))
    await house.advance(3600)
    await house.settle()
    assert await wakeups_of(house, session) == [wakeup]
    following = await send(node, session, "the key is right now")
    await house.settle()
    assert node.agent.briefs[following.turn_id].messages[-2].text == "[two ended with 0]"


async def test_a_session_that_wakes_itself_again_and_again_meets_its_budget(node: Node, house: House) -> None:
    budget = house.settings.wake_budget_per_hour
    names = [f"t{number}" for number in range(budget + 1)]
    session = await idle_session_with_tasks(node, house, *names)
    for name in names:
        await house.advance(1)
        await node.engine.tasks.finish(name, exit_of(name))
        await house.wait_for_company()
        newest = (await wakeups_of(house, session))[-1]
        node.agent.order(newest, "finish")
        await house.settle()
    assert len(await wakeups_of(house, session)) == budget
    assert kinds_of(await log_of(house, session))[-1] == "wake_waits"
    await house.advance(3600)
    await house.settle()
    assert len(await wakeups_of(house, session)) == budget + 1


async def test_the_next_message_takes_what_the_budget_held_back(node: Node, house: House) -> None:
    budget = house.settings.wake_budget_per_hour
    names = [f"t{number}" for number in range(budget + 1)]
    session = await idle_session_with_tasks(node, house, *names)
    for name in names:
        await node.engine.tasks.finish(name, exit_of(name))
        await house.wait_for_company()
        node.agent.order((await wakeups_of(house, session))[-1], "finish")
        await house.settle()
    following = await send(node, session, "anything new?", door=WEB)
    await house.settle()
    assert node.agent.briefs[following.turn_id].messages[-2].text == f"[t{budget} ended with 0]"


async def test_a_retry_that_came_due_behind_a_busy_session_is_not_forgotten(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "build")
    await node.engine.tasks.finish("build", exit_of("build"))
    await house.settle()
    (wakeup,) = await wakeups_of(house, session)
    node.agent.order(wakeup, "fail")
    await house.settle()
    asked = await send(node, session, "quick question", door=ASK)
    other = await send(node, await open_session(node), "elsewhere")
    node.agent.order(other.turn_id, "break")
    await house.settle()
    await finish(node, house, asked)
    await house.advance(house.settings.wake_retry_seconds)
    await house.settle()
    assert len(await wakeups_of(house, session)) == 2


async def test_news_that_comes_with_a_retry_has_all_its_tries_before_it(node: Node, house: House) -> None:
    session = await idle_session_with_tasks(node, house, "one", "two")
    await node.engine.tasks.finish("one", exit_of("one"))
    await house.wait_for_company()
    for attempt in range(1, house.settings.wake_retry_limit):
        await house.settle()
        node.agent.order((await wakeups_of(house, session))[-1], "fail")
        await house.settle()
        if attempt < house.settings.wake_retry_limit - 1:
            await house.advance(house.settings.wake_retry_seconds * 2 ** (attempt - 1))
    await house.advance(house.settings.wake_retry_seconds * 2**house.settings.wake_retry_limit - 0.1)
    await node.engine.tasks.finish("two", exit_of("two"))
    await house.settle()
    before = await wakeups_of(house, session)
    node.agent.order(before[-1], "fail")
    await house.settle()
    await house.advance(house.settings.wake_retry_seconds)
    await house.settle()
    assert len(await wakeups_of(house, session)) == len(before) + 1
