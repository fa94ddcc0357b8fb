"""What is shown of running sub-agents: what each does, and what it and its own sub-agents have used."""

from dataclasses import replace

from tests.engine.kit import House, Node, session_of
from tests.engine.test_delegations import delegate, lead, turn_of, working_parent
from wakeful.model.journal.fact import Answered, CallFinished
from wakeful.model.journal.message import AssistantMessage, ToolCall, Usage
from wakeful.model.journal.work import SubAgentWork
from wakeful.model.spend import Spend
from wakeful.store.base import Transaction
from wakeful.web.feeds.works import Works, works_in

CALL = ToolCall("call_1", "terminal", '{"timeout": 9, "command": "pytest\\n-q"}')
OTHER = ToolCall("call_2", "read_file", '{"path": "a.py"}')


async def works_of(house: House, session_id: str) -> Works:
    async def body(tx: Transaction) -> Works:
        return await works_in(tx, session_id)

    return await house.store.read(body)


async def test_the_work_of_each_sub_agent_counts_that_of_those_below_it(node: Node, house: House) -> None:
    receipt = await working_parent(node, house)
    one, two = await delegate(node, house, receipt, "one", "two")
    assert (await works_of(house, receipt.session_id)).works == {one.id: SubAgentWork(), two.id: SubAgentWork()}
    child = await turn_of(house, one)
    answer = Answered(1, AssistantMessage("Let me see.", calls=(CALL, OTHER)), Usage(10, 5), cost_usd=0.5)
    node.agent.tell(child.turn_id, answer)
    await house.settle()
    working = SubAgentWork("terminal", "pytest -q", "Let me see.", 1, Spend(10, 5, 0.5))
    assert (await works_of(house, receipt.session_id)).works[one.id] == working
    node.agent.tell(child.turn_id, CallFinished(1, 1, CALL, "passed", 0.1))
    await house.settle()
    reading = replace(working, tool="read_file", argument="a.py")
    assert (await works_of(house, receipt.session_id)).works[one.id] == reading

    (below,) = await delegate(node, house, child, "three")
    await lead(node, house, below, "step")
    found = await works_of(house, receipt.session_id)
    assert found.works[one.id] == replace(reading, steps=2, spend=Spend(11, 6, 0.5, 2), sub_agents=1)
    assert found.sessions == {task.child_session_id for task in (one, two, below)}

    await lead(node, house, below, "finish")
    await lead(node, house, two, "finish")
    found = await works_of(house, receipt.session_id)
    assert (await session_of(house, child.session_id)).active == child.turn_id
    assert {of: (work.steps, work.sub_agents) for of, work in found.works.items()} == {one.id: (3, 0)}
