"""When a user may have a conversation summed up: it is idle, and has messages that no summary stands for."""

import pytest

from tests.engine.kit import House, Node, finish, open_session, send
from wakeful.engine.inbox.compacting import require_messages
from wakeful.errors import NothingToCompact, SessionBusy, SessionNotFound
from wakeful.model.journal.entry import summary_entry
from wakeful.model.journal.message import Usage
from wakeful.model.journal.summary import CompactionReason, Summary
from wakeful.store.base import Transaction

# Nothing here is about how rows are kept.
pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)


async def test_four_messages_since_the_last_summary_are_enough(house: House, node: Node) -> None:
    session_id = await open_session(node)
    with pytest.raises(NothingToCompact):
        await house.store.read(require_messages(session_id))
    receipt = await said(house, node, session_id, "one")
    with pytest.raises(NothingToCompact):
        await house.store.read(require_messages(session_id))

    receipt = await said(house, node, session_id, "two")
    assert await house.store.read(require_messages(session_id)) is None

    await sum_up(house, receipt)
    with pytest.raises(NothingToCompact):
        await house.store.read(require_messages(session_id))
    await said(house, node, session_id, "three")
    with pytest.raises(NothingToCompact):
        await house.store.read(require_messages(session_id))
    await said(house, node, session_id, "four")
    assert await house.store.read(require_messages(session_id)) is None


async def test_a_session_at_work_is_not_summed_up_however_little_was_said(house: House, node: Node) -> None:
    receipt = await send(node, await open_session(node), "hello")
    await house.settle()

    with pytest.raises(SessionBusy):
        await house.store.read(require_messages(receipt.session_id))
    with pytest.raises(SessionNotFound):
        await house.store.read(require_messages("unknown"))
    await finish(node, house, receipt)


async def said(house: House, node: Node, session_id: str, text: str) -> str:
    receipt = await send(node, session_id, text)
    await house.settle()
    await finish(node, house, receipt)
    return receipt.turn_id


async def sum_up(house: House, turn_id: str) -> None:
    summary = Summary("short", "", (), (), (), CompactionReason.AUTO, 1_000, 50, "m", Usage())

    async def body(tx: Transaction) -> None:
        await tx.journal.add([summary_entry(turn_id, 2, summary)])

    await house.store.write(body)
