"""Sessions: their titles, and branches of them."""

import pytest

from tests.engine.kit import House, Node, events_of, finish, open_session, send, session_of
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.inbox.title import next_title
from wakeful.errors import SessionNotFound, TurnNotFound
from wakeful.model.tasks.goal import Goal


async def said(node: Node, house: House, session: str, text: str, how: str = "finish") -> Receipt:
    receipt = await send(node, session, text)
    node.agent.order(receipt.turn_id, how)
    await events_of(node, session, receipt.turn_id)
    await house.settle()
    return receipt


async def test_what_every_step_has_cost_is_added_up(node: Node, house: House) -> None:
    session = await open_session(node)
    receipt = await send(node, session, "work")
    node.agent.order(receipt.turn_id, "step", "step", "finish")
    await events_of(node, session, receipt.turn_id)
    after = await session_of(house, session)
    assert (after.input_tokens, after.output_tokens) == (3, 3)


@pytest.mark.parametrize("house", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  count\n the\tsheep ", "count the sheep"),
        ("nul\0nul", "nul nul"),
        ("sheep " * 20, "sheep sheep sheep sheep sheep sheep sheep sheep sheep sheep…"[:60]),
        ("x" * 61, "x" * 59 + "…"),
    ],
)
async def test_a_title_is_the_beginning_of_the_first_message(node: Node, house: House, text: str, title: str) -> None:
    session = await open_session(node)
    await send(node, session, text, key="first")
    await send(node, session, "another one")
    assert (await session_of(house, session)).title == title


async def test_a_title_that_was_given_stays(node: Node, house: House) -> None:
    session = await open_session(node)
    await node.engine.change_session(session, title="mine")
    await said(node, house, session, "hello")
    assert (await session_of(house, session)).title == "mine"


async def test_branches_of_a_session_can_be_told_apart_by_their_titles(node: Node, house: House) -> None:
    session = await open_session(node)
    await said(node, house, session, "count the sheep")
    await node.engine.change_session(await open_session(node, owner="you"), title="count the sheep (branch 8)")

    first = await node.engine.branch(session)
    second = await node.engine.branch(session)
    of_a_branch = await node.engine.branch(first.id)

    titles = [(await session_of(house, branch.id)).title for branch in (first, second, of_a_branch)]
    assert titles == [f"count the sheep (branch {number})" for number in (2, 3, 4)]


async def test_a_branch_of_a_session_without_a_title_has_none_either(node: Node, house: House) -> None:
    session = await open_session(node)
    await said(node, house, session, "count the sheep")
    await node.engine.change_session(session, title="")

    assert (await node.engine.branch(session)).title == ""


async def test_a_branch_keeps_the_title_that_tells_it_apart(node: Node, house: House) -> None:
    session = await open_session(node)
    await said(node, house, session, "count the sheep")
    branch = await node.engine.branch(session)

    await said(node, house, branch.id, "and the goats")

    assert (await session_of(house, branch.id)).title == "count the sheep (branch 2)"


def test_a_number_in_a_title_counts_only_where_it_says_branch_and_long_titles_stay_in_bounds() -> None:
    assert next_title("Fix (2)", ["Fix (branch 7)", "Fix (2) (branch 2)"]) == "Fix (2) (branch 3)"
    assert len(next_title("x" * 200, [])) == 200


async def test_a_branch_goes_on_from_the_last_closed_turn(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await said(node, house, session, "one")
    await send(node, session, "two")
    branch = await node.engine.branch(session)
    assert (branch.head, branch.checkpoint, branch.active) == (first.turn_id, first.turn_id, None)
    receipt = await send(node, branch.id, "three")
    await house.settle()
    assert [message.text for message in node.agent.briefs[receipt.turn_id].messages] == ["one", "done", "three"]
    assert (await session_of(house, session)).active != receipt.turn_id


async def test_a_branch_from_a_turn_that_failed_has_the_checkpoint_above_it(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await said(node, house, session, "one")
    failed = await said(node, house, session, "two", "refuse")
    last = await said(node, house, session, "three")
    branch = await node.engine.branch(session, failed.turn_id)
    stored = await session_of(house, branch.id)
    assert (stored.head, stored.checkpoint, stored.is_blocked) == (failed.turn_id, first.turn_id, False)
    assert (await node.engine.branch(session)).checkpoint == last.turn_id


async def test_a_branch_from_turns_of_which_none_completed_has_no_checkpoint(node: Node, house: House) -> None:
    session = await open_session(node)
    await said(node, house, session, "one", "fail")
    assert (await node.engine.branch(session)).checkpoint is None


async def test_a_branch_can_be_branched_before_anything_was_said_in_it(node: Node, house: House) -> None:
    session = await open_session(node)
    first = await said(node, house, session, "one")
    second = await said(node, house, session, "two")
    branch = await node.engine.branch(session)
    assert (await node.engine.branch(branch.id)).head == second.turn_id
    assert (await node.engine.branch(branch.id, first.turn_id)).head == first.turn_id


async def test_only_closed_turns_of_the_session_itself_can_be_branched_from(node: Node, house: House) -> None:
    session, other = await open_session(node), await open_session(node)
    with pytest.raises(TurnNotFound, match="nothing to branch from yet"):
        await node.engine.branch(session)
    foreign = await said(node, house, other, "one")
    running = await send(node, session, "two")
    for turn_id in (foreign.turn_id, running.turn_id, "turn_unknown"):
        with pytest.raises(TurnNotFound):
            await node.engine.branch(session, turn_id)
    with pytest.raises(SessionNotFound):
        await node.engine.branch("ses_unknown")


async def test_a_branch_of_a_sub_agent_is_a_session_of_its_own(node: Node, house: House) -> None:
    receipt = await send(node, await open_session(node), "go")
    await house.settle()
    turn = node.agent.briefs[receipt.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, 1, [Goal("count")], is_inline=False)
    await house.settle()
    child = await session_of(house, task.child_session_id or "")
    await finish(node, house, Receipt(child.id, child.active or "", is_queued=False))
    assert (await node.engine.branch(child.id)).task_id is None
