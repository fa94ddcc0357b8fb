"""A session's mode holds from the next call on, also in the sessions of its sub-agents."""

from tests.engine.asking import sub_agent_of, working
from tests.engine.kit import House, Node, finish, wakeups_of
from wakeful.engine.inbox.submission import Receipt
from wakeful.model.approvals.mode import CallStanding, Mode


async def standing_of(node: Node, receipt: Receipt) -> CallStanding:
    turn = node.agent.briefs[receipt.turn_id].turn
    return await node.engine.approvals.standing(turn, 1, 1)


async def mode_in(node: Node, receipt: Receipt) -> Mode:
    return (await standing_of(node, receipt)).mode


async def test_a_session_without_a_mode_has_that_of_the_setting(node: Node, house: House) -> None:
    assert await mode_in(node, await working(node, house)) is Mode.ACCEPT_EDITS


async def test_a_mode_that_is_changed_in_mid_turn_holds_for_it_and_its_sub_agents(node: Node, house: House) -> None:
    receipt = await working(node, house)
    child = await sub_agent_of(node, house, receipt)
    grandchild = await sub_agent_of(node, house, child)

    for mode in Mode:
        await node.engine.change_session(receipt.session_id, mode=mode)
        assert [await mode_in(node, each) for each in (receipt, child, grandchild)] == [mode] * 3


async def test_another_session_keeps_its_mode_and_a_branch_takes_it_over(node: Node, house: House) -> None:
    receipt, other = await working(node, house), await working(node, house)
    await node.engine.change_session(receipt.session_id, mode=Mode.READ_ONLY)
    await node.engine.cancel(receipt.session_id)

    branch = await node.engine.branch(receipt.session_id)

    assert branch.mode == Mode.READ_ONLY
    assert await mode_in(node, other) is Mode.ACCEPT_EDITS


async def test_who_may_not_choose_everything_does_not_get_it_by_a_branch(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await node.engine.change_session(receipt.session_id, mode=Mode.EVERYTHING)
    await node.engine.cancel(receipt.session_id)

    of_another = await node.engine.branch(receipt.session_id, may_choose_everything=False)
    of_the_operator = await node.engine.branch(receipt.session_id)

    assert (of_another.mode, of_the_operator.mode) == ("", Mode.EVERYTHING)


async def test_a_mode_of_a_newer_version_allows_only_reading(node: Node, house: House) -> None:
    receipt = await working(node, house)
    await node.engine.change_session(receipt.session_id, mode="whatever_it_likes")

    assert await mode_in(node, receipt) is Mode.READ_ONLY


async def test_a_turn_that_a_notice_has_opened_and_its_sub_agents_were_asked_for_by_nobody(
    node: Node, house: House
) -> None:
    receipt = await working(node, house)
    child = await sub_agent_of(node, house, receipt)
    assert not (await standing_of(node, receipt)).is_unasked
    assert not (await standing_of(node, child)).is_unasked

    await finish(node, house, receipt)
    await finish(node, house, child)
    (woken,) = await wakeups_of(house, receipt.session_id)
    waking = Receipt(receipt.session_id, woken, is_queued=False)
    grandchild = await sub_agent_of(node, house, waking)

    assert (await standing_of(node, waking)).is_unasked
    assert (await standing_of(node, grandchild)).is_unasked
