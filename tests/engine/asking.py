"""Turns whose calls ask a person, for the tests of questions and of grants."""

import asyncio

from tests.engine.kit import House, Node, log_of, open_session, send, session_of
from wakeful.engine.inbox.submission import Receipt
from wakeful.model.approvals.approval import Choice, Question, Reason
from wakeful.model.event import Event
from wakeful.model.tasks.goal import Goal

DELETES = (Reason("delete_outside", "deletes outside of the folder", "/srv", "rm -r /srv"),)
DISCARDS = (Reason("discard_work", "discards uncommitted work", None, "git reset --hard"),)


async def working(
    node: Node,
    house: House,
    *,
    session: str = "",
    owner: str = "me",
    text: str = "clean up",
    workspace: str = "/nowhere/shop",
) -> Receipt:
    receipt = await send(node, session or await open_session(node, owner=owner, workspace=workspace), text)
    await house.settle()
    return receipt


async def ask(
    node: Node,
    house: House,
    receipt: Receipt,
    *,
    index: int = 1,
    call_id: str = "call_1",
    command: str = "rm -r /srv",
    reasons: tuple[Reason, ...] = DELETES,
) -> asyncio.Task[Choice | None]:
    turn = node.agent.briefs[receipt.turn_id].turn
    question = Question(call_id, "terminal", command, reasons)
    asking = asyncio.create_task(node.engine.approvals.ask(turn, 1, index, question))
    await house.settle()
    return asking


async def questions_in(house: House, session_id: str) -> list[Event]:
    return [event for event in await log_of(house, session_id) if event.kind == "approval_required"]


async def sub_agent_of(node: Node, house: House, receipt: Receipt, index: int = 1) -> Receipt:
    turn = node.agent.briefs[receipt.turn_id].turn
    (task,) = await node.engine.delegations.begin(turn, 1, index, [Goal("clean up")], is_inline=False)
    await house.settle()
    child = await session_of(house, task.child_session_id or "")
    return Receipt(child.id, child.active or "", is_queued=False)
