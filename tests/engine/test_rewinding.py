"""Edited messages and answers that are given again: which messages can be, and what the session is afterwards."""

import pytest

from tests.engine.kit import House, Node, finish, open_session, send, session_of
from wakeful.engine.inbox.rewinding import Retake, edited, repeated, rewind
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import MessageUnusable, SessionBusy
from wakeful.model.inbox import IfBusy
from wakeful.store.base import Transaction

# Nothing here is about how rows are kept.
pytestmark = pytest.mark.parametrize("house", ["sqlite"], indirect=True)


async def said(house: House, node: Node, session_id: str, *texts: str) -> list[Receipt]:
    receipts = []
    for text in texts:
        receipts.append(await send(node, session_id, text))
        await house.settle()
        await finish(node, house, receipts[-1])
    return receipts


async def retake(house: House, receipt: Receipt, position: tuple[int, int] = (0, 0), session_id: str = "") -> Retake:
    session = await session_of(house, session_id or receipt.session_id)
    return await house.store.read(lambda tx: edited(tx, session, receipt.turn_id, position, "new words"))


async def rewound(house: House, receipt: Receipt, key: str = "new") -> Receipt | None:
    async def body(tx: Transaction) -> Receipt | None:
        turn = await tx.turns.get(receipt.turn_id)
        assert turn is not None
        return await rewind(receipt.session_id, turn, key)(tx)

    return await house.store.write(body, lock=[receipt.session_id])


async def test_a_message_that_joined_a_running_turn_is_not_edited_and_the_one_before_it_is(
    house: House, node: Node
) -> None:
    session_id = await open_session(node)
    opened = await send(node, session_id, "begin")
    await house.settle()
    await send(node, session_id, "and hurry", if_busy=IfBusy.STEER)
    node.agent.order(opened.turn_id, "step")
    await house.settle()
    await finish(node, house, opened)

    assert node.agent.taken[opened.turn_id] == ["and hurry"]
    with pytest.raises(MessageUnusable, match="joined a running turn"):
        await retake(house, opened, (1, 2))
    assert (await retake(house, opened)).text == "new words"


async def test_only_a_message_of_this_conversation_is_edited(house: House, node: Node) -> None:
    here, elsewhere = await open_session(node), await open_session(node)
    (mine,) = await said(house, node, here, "mine")
    (other,) = await said(house, node, elsewhere, "theirs")

    for receipt, position in (
        (other, (0, 0)),
        (mine, (0, 1)),
        (mine, (1, 0)),
        (Receipt(here, "turn_x", False), (0, 0)),
    ):
        with pytest.raises(MessageUnusable, match="message_id must be"):
            await retake(house, receipt, position, here)


async def test_the_session_goes_back_to_before_the_message_once(house: House, node: Node) -> None:
    session_id = await open_session(node)
    first, second, third = await said(house, node, session_id, "one", "two", "three")

    assert await rewound(house, second) is None

    session = await session_of(house, session_id)
    assert (session.head, session.checkpoint, session.message_count) == (first.turn_id, first.turn_id, 2)
    # What came after it stands in the conversation no more.
    with pytest.raises(MessageUnusable, match="changed meanwhile"):
        await rewound(house, third)
    # A key that was accepted before changes nothing.
    assert await rewound(house, first, key="one") == Receipt(session_id, first.turn_id, is_queued=False)
    assert (await session_of(house, session_id)).head == first.turn_id

    assert await rewound(house, first) is None
    session = await session_of(house, session_id)
    assert (session.head, session.checkpoint, session.message_count) == (None, None, 0)


async def test_a_session_does_not_go_back_while_a_turn_runs(house: House, node: Node) -> None:
    session_id = await open_session(node)
    (first,) = await said(house, node, session_id, "one")
    running = await send(node, session_id, "two")
    queued = await send(node, session_id, "three")
    await house.settle()

    with pytest.raises(SessionBusy):
        await rewound(house, first)
    assert await rewound(house, first, key="three") == Receipt(session_id, queued.turn_id, is_queued=True)
    await finish(node, house, running)


async def test_after_a_failed_turn_the_session_goes_back_to_the_last_that_was_done(house: House, node: Node) -> None:
    session_id = await open_session(node)
    (first,) = await said(house, node, session_id, "one")
    failed = await send(node, session_id, "two")
    await house.settle()
    node.agent.order(failed.turn_id, "refuse")
    await house.settle()
    (last,) = await said(house, node, session_id, "three")

    assert await rewound(house, last) is None

    session = await session_of(house, session_id)
    assert (session.head, session.checkpoint) == (failed.turn_id, first.turn_id)


async def test_an_answer_is_given_again_to_the_same_words_and_an_empty_session_has_none(
    house: House, node: Node
) -> None:
    session_id = await open_session(node)
    with pytest.raises(MessageUnusable, match="no answer yet"):
        await again(house, session_id)

    _, last = await said(house, node, session_id, "one", "two")

    found = await again(house, session_id)
    assert (found.turn.id, found.text) == (last.turn_id, "two")


async def again(house: House, session_id: str) -> Retake:
    session = await session_of(house, session_id)
    return await house.store.read(lambda tx: repeated(tx, session))
