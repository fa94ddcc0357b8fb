"""The first turn of a new session: one commit, while the model is asked already."""

import asyncio
from dataclasses import replace

import pytest

from tests.engine.kit import HOME, WEB, House, Node, events_of, finish, kinds_of, open_session, send, session_of
from tests.patience import PATIENCE
from wakeful.engine.inbox.submission import Receipt, Submission
from wakeful.errors import NameTaken, StoreError, StoreUnavailable
from wakeful.model.api.conversation import Conversation
from wakeful.model.ids import new_id
from wakeful.model.opening import Opened, Opening
from wakeful.model.session import Session
from wakeful.model.turn import Turn, TurnStatus
from wakeful.store.base import Store, Transaction


def say(text: str, name: str = "") -> Submission:
    """Return a message that creates its session."""
    session = Session(new_id("ses"), "me", HOME, "demo:led", "/")
    conversation = Conversation(new_id("conv"), "me", session.id, name) if name else None
    submission = Submission(session.id, text, WEB, HOME, text, "demo:led", turn_id=new_id("turn"))
    return replace(submission, session=session, conversation=conversation)


class SlowOpenings:
    """Replaces a store's open_new: each opening waits until the test lets it pass or fail."""

    def __init__(self, node: Node, store: Store) -> None:
        self.asked: list[Opening] = []
        self.error: Exception | None = None
        self.go = asyncio.Event()
        self._store = store
        node.store.open_new = self._open_new  # type: ignore[method-assign]

    async def _open_new(self, opening: Opening) -> Opened:
        self.asked.append(opening)
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return await self._store.open_new(opening)


@pytest.fixture
def slow(house: House, node: Node) -> SlowOpenings:
    return SlowOpenings(node, house.store)


async def test_a_session_its_message_and_its_turn_are_there_at_once(house: House, node: Node) -> None:
    submission = say("Hello there")

    receipt = await node.engine.submit(submission)
    await finish(node, house, receipt)

    session = await session_of(house, submission.session_id)
    assert (session.title, session.head, session.active) == ("Hello there", receipt.turn_id, None)
    items = await events_of(node, session.id, receipt.turn_id)
    assert kinds_of(items) == ["turn_started", "message", "usage", "done"]
    assert receipt.turn is not None
    assert receipt.turn.opened_at == house.clock.now


async def test_the_model_is_asked_while_the_opening_is_committed_and_says_nothing_before(
    house: House, node: Node, slow: SlowOpenings
) -> None:
    submission = say("Hello")
    node.agent.order(submission.turn_id, "token", "step", "finish")
    opening = asyncio.create_task(node.engine.submit(submission))
    await house.settle()

    assert submission.turn_id in node.agent.briefs
    assert node.engine._dispatcher.words.of(submission.session_id) is None
    assert node.agent.runs.total() == 0
    assert node.engine._runners.all() == []

    slow.go.set()
    receipt = await opening
    assert kinds_of(await events_of(node, receipt.session_id, receipt.turn_id))[-1] == "done"
    assert node.agent.runs.total() == 1


@pytest.mark.parametrize("order", ["token", "step"])
@pytest.mark.parametrize("error", [NameTaken(), StoreError(), StoreUnavailable()])
async def test_what_the_model_says_is_dropped_when_the_opening_fails(
    house: House, node: Node, slow: SlowOpenings, error: Exception, order: str
) -> None:
    submission = say("Hello")
    node.agent.order(submission.turn_id, order)
    opening = asyncio.create_task(node.engine.submit(submission))
    await house.settle()
    slow.error = error
    slow.go.set()

    with pytest.raises(type(error)):
        await opening
    await house.settle()

    assert node.engine._runners.all() == []
    assert node.engine._dispatcher.words.of(submission.session_id) is None
    assert node.agent.runs.total() == 0
    assert [task for task in asyncio.all_tasks() if task.get_name() == submission.turn_id] == []


async def test_no_model_is_asked_early_where_the_name_may_be_taken(
    house: House, node: Node, slow: SlowOpenings
) -> None:
    submission = say("Hello", name="notes")
    opening = asyncio.create_task(node.engine.submit(submission))
    await house.settle()
    assert submission.turn_id not in node.agent.briefs

    slow.go.set()
    await opening
    await house.settle()
    assert submission.turn_id in node.agent.briefs


async def test_no_model_is_asked_early_where_something_is_looked_up_first(node: Node, slow: SlowOpenings) -> None:
    async def look(tx: Transaction) -> Receipt | None:
        return None

    async with asyncio.timeout(PATIENCE):
        await node.engine.submit(say("Hello"), before=look)
    assert slow.asked == []


async def test_a_turn_that_fails_before_it_is_open_ends_when_it_is(
    house: House, node: Node, slow: SlowOpenings
) -> None:
    submission = say("Hello")
    node.agent.order(submission.turn_id, "refuse")
    opening = asyncio.create_task(node.engine.submit(submission))
    await house.settle()
    slow.go.set()
    receipt = await opening

    assert kinds_of(await events_of(node, receipt.session_id, receipt.turn_id))[-1] == "failed"


async def test_of_two_that_want_one_new_name_one_gets_it(house: House, node: Node) -> None:
    results = await asyncio.gather(
        *(node.engine.submit(say(text, name="notes")) for text in ("one", "two")), return_exceptions=True
    )

    assert sorted(type(result).__name__ for result in results) == ["NameTaken", "Receipt"]
    assert len(node.engine._runners.all()) == 1


async def test_a_turn_is_closed_alone_when_the_store_refuses_what_follows_it(house: House, node: Node) -> None:
    session_id = await open_session(node)
    first = await send(node, session_id, "first")
    queued = await send(node, session_id, "second")
    # Another session has the id of the next turn already.
    elsewhere = Session(await open_session(node), "me", HOME)
    stranger = Turn(queued.turn_id, elsewhere.id, None, WEB, HOME, "user", False, "demo:led", TurnStatus.DONE, None, 1)
    await house.store.write(lambda tx: tx.open(Opening(stranger)), lock=[elsewhere.id])

    node.agent.order(first.turn_id, "finish")

    assert kinds_of(await events_of(node, session_id, first.turn_id))[-1] == "done"
    assert (await session_of(house, session_id)).active is None
