"""A call asks a person and waits: one question, one answer, whatever happens meanwhile."""

import asyncio

import pytest

from tests.engine.asking import ask, questions_in, sub_agent_of, working
from tests.engine.kit import House, Node, kinds_of, log_of, session_of, until
from wakeful.errors import AlreadyAnswered, ApprovalNotFound, LeaseLost
from wakeful.model.approvals.approval import Choice


@pytest.mark.parametrize("choice", list(Choice))
async def test_a_question_waits_for_its_answer(node: Node, house: House, choice: Choice) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    (question,) = await questions_in(house, receipt.session_id)
    assert not asking.done()
    assert (question.data["call_id"], question.data["command"]) == ("call_1", "rm -r /srv")
    await node.engine.approvals.answer(receipt.session_id, "call_1", choice)
    assert await asking is choice
    answered = (await log_of(house, receipt.session_id))[-1]
    assert (answered.kind, answered.data["choice"]) == ("approval_answered", choice)


async def test_a_second_answer_is_refused(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.DENY)
    with pytest.raises(AlreadyAnswered):
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
    assert await asking is Choice.DENY
    assert kinds_of(await log_of(house, receipt.session_id)).count("approval_answered") == 1


async def test_of_two_answers_at_once_one_counts(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    answer = node.engine.approvals.answer
    answers = [answer(receipt.session_id, "call_1", choice) for choice in (Choice.ONCE, Choice.DENY)]
    outcomes = await asyncio.gather(*answers, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AlreadyAnswered", "NoneType"]
    assert await asking is (Choice.ONCE if outcomes[0] is None else Choice.DENY)


async def test_an_answer_to_nothing_is_an_error(node: Node, house: House) -> None:
    receipt = await working(node, house)
    with pytest.raises(ApprovalNotFound):
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)


async def test_a_question_without_an_answer_expires(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    await house.advance(house.settings.approval_seconds - 0.1)
    await house.settle()
    assert not asking.done()
    await house.advance(0.1)
    assert await asking is None
    with pytest.raises(AlreadyAnswered):
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
    answered = (await log_of(house, receipt.session_id))[-1]
    assert (answered.kind, answered.data["choice"]) == ("approval_answered", "expired")
    news = await house.store.read(lambda tx: tx.news.unread("me", 9))
    assert [one.event.kind for one in news] == ["approval_answered", "approval_required"]


async def test_an_answer_in_the_last_instant_counts(node: Node, house: House) -> None:
    """Commit an answer between the asker's last read of the question and its check of the clock."""
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    look = node.engine.approvals._now

    async def look_late() -> float:
        node.engine.approvals._now = look  # type: ignore[method-assign]
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
        await house.advance(house.settings.approval_seconds)
        return await look()

    node.engine.approvals._now = look_late  # type: ignore[method-assign]
    for event in node.engine.approvals._waiting[receipt.session_id]:
        event.set()
    assert await asking is Choice.ONCE


async def test_a_resumed_turn_finds_its_question_again(node: Node, house: House) -> None:
    receipt = await working(node, house)
    (await ask(node, house, receipt)).cancel()
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node()
    asking = await ask(second, house, receipt)
    assert len(await questions_in(house, receipt.session_id)) == 1
    await second.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
    assert await asking is Choice.ONCE


async def test_a_resumed_turn_finds_an_answer_that_came_while_no_server_was_up_to_hear_it(
    node: Node, house: House
) -> None:
    receipt = await working(node, house)
    (await ask(node, house, receipt)).cancel()
    await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.DENY)
    await house.kill(node)
    await house.advance(house.settings.lease_seconds)
    second = await house.start_node()
    assert await (await ask(second, house, receipt)) is Choice.DENY


async def test_a_question_keeps_its_time_over_a_resume(node: Node, house: House) -> None:
    receipt = await working(node, house)
    (await ask(node, house, receipt)).cancel()
    await house.kill(node)
    await house.advance(house.settings.approval_seconds)
    second = await house.start_node()
    assert await (await ask(second, house, receipt)) is None
    # The result may not have been recorded: the call asks once more.
    assert await (await ask(second, house, receipt)) is None
    assert kinds_of(await log_of(house, receipt.session_id)).count("approval_answered") == 1


async def test_a_turn_that_lost_its_lease_asks_nothing(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await node.engine.cancel(receipt.session_id)
    with pytest.raises(LeaseLost):
        await (await ask(node, house, receipt))
    assert await questions_in(house, receipt.session_id) == []
    assert node.engine.approvals._waiting == {}


async def test_what_is_allowed_once_is_asked_again(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.ONCE)
    await asking
    again = await ask(node, house, receipt, index=2, call_id="call_2")
    assert not again.done()
    again.cancel()


async def test_a_question_of_a_sub_agent_is_shown_and_answered_in_its_parent_too(node: Node, house: House) -> None:
    top = await working(node, house)
    middle = await sub_agent_of(node, house, top)
    bottom = await sub_agent_of(node, house, middle)
    asking = await ask(node, house, bottom)
    for shown in (top, middle, bottom):
        (question,) = await questions_in(house, shown.session_id)
        assert question.data["session_id"] == shown.session_id
        assert question.data["task_id"] == (await session_of(house, bottom.session_id)).task_id
    (question,) = await questions_in(house, top.session_id)
    await node.engine.approvals.answer(top.session_id, question.data["call_id"], Choice.ONCE)
    assert await asking is Choice.ONCE
    for shown in (top, middle, bottom):
        asked, answered = (await questions_in(house, shown.session_id))[0], (await log_of(house, shown.session_id))[-1]
        assert (answered.kind, answered.data["call_id"]) == ("approval_answered", asked.data["call_id"])
    with pytest.raises(AlreadyAnswered):
        await node.engine.approvals.answer(top.session_id, question.data["call_id"], Choice.DENY)


async def test_of_two_sub_agents_with_the_same_call_id_the_one_that_is_meant_is_answered(
    node: Node, house: House
) -> None:
    top = await working(node, house)
    first = await ask(node, house, await sub_agent_of(node, house, top, index=1))
    second = await ask(node, house, await sub_agent_of(node, house, top, index=2))
    asked = [question.data["call_id"] for question in await questions_in(house, top.session_id)]
    await node.engine.approvals.answer(top.session_id, asked[1], Choice.ONCE)
    assert await second is Choice.ONCE
    assert not first.done()
    with pytest.raises(ApprovalNotFound):
        await node.engine.approvals.answer(top.session_id, "call_1", Choice.ONCE)
    await node.engine.approvals.answer(top.session_id, asked[0], Choice.DENY)
    assert await first is Choice.DENY


async def test_a_question_of_a_session_is_not_one_of_its_neighbours(node: Node, house: House) -> None:
    asking = await ask(node, house, await working(node, house))
    neighbour = await working(node, house)
    with pytest.raises(ApprovalNotFound):
        await node.engine.approvals.answer(neighbour.session_id, "call_1", Choice.ONCE)
    asking.cancel()


async def test_a_question_is_answered_on_another_server(couple: tuple[House, Node, Node]) -> None:
    house, first, second = couple
    receipt = await working(first, house)
    asking = await ask(first, house, receipt)

    async def is_answered() -> bool:
        return asking.done()

    await second.engine.approvals.answer(receipt.session_id, "call_1", Choice.SESSION)
    await until(is_answered)
    assert await asking is Choice.SESSION


async def test_the_question_of_a_stopped_turn_can_be_answered_no_more(node: Node, house: House) -> None:
    receipt = await working(node, house)
    asking = await ask(node, house, receipt)
    await node.engine.cancel(receipt.session_id)
    with pytest.raises(AlreadyAnswered):
        await node.engine.approvals.answer(receipt.session_id, "call_1", Choice.FOLDER)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
