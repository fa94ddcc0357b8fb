"""How a delegation begins: what its session, its task and its first message are."""

from dataclasses import replace

import pytest

from tests.engine.kit import ASK, House, Node, begin_task, session_of
from tests.engine.test_delegations import delegate, working_parent
from wakeful.engine.inbox.submission import Receipt
from wakeful.engine.settings import EngineSettings
from wakeful.engine.tasks.delegation_begin import check_delegation_limits
from wakeful.errors import TooManyDelegations
from wakeful.model.api.request import RUN_PART, TurnRequest, request_from
from wakeful.model.tasks.goal import Goal
from wakeful.model.tasks.task import Task

on_sqlite = pytest.mark.parametrize("house", ["sqlite"], indirect=True)

LIMITS = EngineSettings(delegation_limit=3, delegation_depth=2)


async def begun(
    node: Node, receipt: Receipt, *goals: Goal, request: bytes = b"", is_inline: bool = False
) -> list[Task]:
    turn = node.agent.briefs[receipt.turn_id].turn
    if request:
        turn = replace(turn, request=request)
    return await node.engine.delegations.begin(turn, 3, 2, goals, is_inline=is_inline)


@on_sqlite
async def test_its_task_is_found_by_its_call_and_has_the_model_of_its_parent(node: Node, house: House) -> None:
    receipt = await working_parent(node, house, door=ASK)
    turn = node.agent.briefs[receipt.turn_id].turn

    (task,) = await begun(node, receipt, Goal("count", "demo:small"))

    assert (task.turn_id, task.step, task.index, task.part) == (receipt.turn_id, 3, 2, 0)
    assert (task.model, task.door, task.address) == (turn.model, turn.door, turn.address)
    assert (task.node, task.started_at, task.owner) == (node.engine.node, house.clock.now, "me")
    child = await session_of(house, task.child_session_id or "")
    assert (child.model, child.created_at, child.updated_at) == ("demo:small", house.clock.now, house.clock.now)


@pytest.mark.parametrize("is_inline", [True, False])
@on_sqlite
async def test_its_end_is_promised_unless_its_call_waits_for_it(node: Node, house: House, is_inline: bool) -> None:
    (task,) = await begun(node, await working_parent(node, house), Goal("count"), is_inline=is_inline)

    assert (task.is_inline, task.will_notify) == (is_inline, not is_inline)


@pytest.mark.parametrize(("tools", "spec"), [(None, b"{}"), ((), b'{"tools":[]}'), (("read",), b'{"tools":["read"]}')])
@on_sqlite
async def test_its_task_says_which_tools_it_may_call(
    node: Node, house: House, tools: tuple[str, ...] | None, spec: bytes
) -> None:
    (task,) = await begun(node, await working_parent(node, house), Goal("count", "", tools))

    assert task.spec == spec


@pytest.mark.parametrize("can_ask", [True, False])
@on_sqlite
async def test_its_questions_are_answered_if_its_parents_can_be(node: Node, house: House, can_ask: bool) -> None:
    request = TurnRequest(kind=RUN_PART if can_ask else "chat").dump()
    assert request_from(request).can_ask is can_ask

    (task,) = await begun(node, await working_parent(node, house), Goal("count"), request=request)

    await house.settle()
    child = await session_of(house, task.child_session_id or "")
    assert request_from(node.agent.briefs[child.active or ""].turn.request).can_ask is can_ask


@on_sqlite
async def test_processes_do_not_count_as_sub_agents(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    for number in range(house.settings.delegation_limit):
        await begin_task(node, receipt, f"process {number}")

    assert len(await delegate(node, house, receipt, *["sheep"] * house.settings.delegation_limit)) > 0


@pytest.mark.parametrize(
    ("wanted", "working", "depth", "refusal"),
    [
        (3, 0, 1, ""),
        (1, 2, 0, ""),
        (4, 0, 0, "At most 3 sub-agents .* 0 do already"),
        (2, 2, 0, "At most 3 sub-agents .* 2 do already"),
        (1, 0, 2, "only 2 deep"),
        (1, 0, 3, "only 2 deep"),
    ],
)
def test_so_many_may_work_at_a_time_and_so_deep(wanted: int, working: int, depth: int, refusal: str) -> None:
    if not refusal:
        check_delegation_limits(LIMITS, wanted=wanted, working=working, depth=depth)
        return
    with pytest.raises(TooManyDelegations, match=refusal):
        check_delegation_limits(LIMITS, wanted=wanted, working=working, depth=depth)
