"""Which turns a conversation has, and how it goes back to one of them."""

from typing import Any

import pytest

from tests.store.nouns import a_row, close_turn, have_closed_turn, have_row, have_session, have_turn
from tests.unit.engine.inbox.kit import FAILED, have_chain, said, session_of, turn_of
from wakeful.engine.inbox.rewinding import (
    Retake,
    belongs_to,
    edited,
    is_accepted,
    latest_done,
    repeated,
    rewind,
    stands_in,
)
from wakeful.engine.inbox.submission import Receipt
from wakeful.errors import MessageUnusable, SessionBusy
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.entry import Entry
from wakeful.model.turn import COMPACTION
from wakeful.store.base import Store, Transaction

PICTURE = Attachment("att_1", "cat.png", "image/png", 3)
OLD_PICTURE = {"id": "att_0", "name": "old.png", "media_type": "image/png", "size": 3}


async def go_back(store: Store, turn_id: str, key: str = "m9") -> Receipt | None:
    turn = await turn_of(store, turn_id)
    return await store.write(rewind("s1", turn, key), lock=["s1"])


async def test_a_conversation_goes_back_to_before_a_turn(store: Store) -> None:
    await have_chain(store, "t1", "t2", "t3", t2=FAILED)

    assert await go_back(store, "t3") is None

    session = await session_of(store)
    assert (session.head, session.checkpoint, session.message_count) == ("t2", "t1", 2)
    (event,) = await store.read(lambda tx: tx.events.of_session("s1", 0, 10))
    assert event.data == {"session_id": "s1", "changed": ["messages"], "from_turn_id": "t3"}


async def test_a_conversation_that_goes_back_to_its_first_turn_is_empty(store: Store) -> None:
    await have_chain(store, "t1", "t2")

    await go_back(store, "t1")

    session = await session_of(store)
    assert (session.head, session.checkpoint, session.message_count) == (None, None, 0)


async def test_a_turn_that_was_replaced_is_not_gone_back_to(store: Store) -> None:
    await have_chain(store, "t1", "t2")
    await go_back(store, "t2")

    with pytest.raises(MessageUnusable, match="has changed meanwhile"):
        await go_back(store, "t2")


async def test_a_session_with_a_running_turn_does_not_go_back(store: Store) -> None:
    await have_chain(store, "t1")
    await have_turn(store, "t2", parent="t1")

    with pytest.raises(SessionBusy):
        await go_back(store, "t1")


@pytest.mark.parametrize("is_queued", [True, False])
async def test_a_message_that_was_accepted_before_goes_back_no_further(store: Store, is_queued: bool) -> None:
    await have_chain(store, "t1", "t2")
    row = await have_row(store, a_row("message:m9"))
    if not is_queued:
        await store.write(lambda tx: tx.inbox.claim([row.id], "t2"), lock=["s1"])

    assert await go_back(store, "t2") == Receipt("s1", row.turn_id, is_queued=is_queued)

    assert (await session_of(store)).head == "t2"
    assert await store.read(lambda tx: is_accepted(tx, "s1", "m9"))
    assert not await store.read(lambda tx: is_accepted(tx, "s1", "m8"))


async def test_a_turn_stands_in_a_conversation_up_to_its_head(store: Store) -> None:
    await have_chain(store, "t1", "t2", "t3")
    await store.write(lambda tx: tx.sessions.rewind("s1", head="t2", checkpoint=None, message_count=2), lock=["s1"])
    session = await session_of(store)

    async def look(tx: Transaction) -> list[tuple[bool, bool]]:
        turns = [await tx.turns.get(turn_id) for turn_id in ("t1", "t2", "t3")]
        return [
            (await stands_in(tx, turn, session), await belongs_to(tx, turn, session))
            for turn in turns
            if turn is not None
        ]

    assert await store.read(look) == [(True, True), (True, True), (False, True)]


async def test_a_turn_of_another_session_belongs_to_the_one_that_branched_from_it(store: Store) -> None:
    await have_chain(store, "t1", "t2")
    await have_session(store, "s2", head="t1")
    session, first, second = await session_of(store, "s2"), await turn_of(store, "t1"), await turn_of(store, "t2")

    assert await store.read(lambda tx: belongs_to(tx, first, session))
    assert not await store.read(lambda tx: belongs_to(tx, second, session))


async def test_the_latest_turn_that_completed_is_the_nearest(store: Store) -> None:
    await have_chain(store, "t1", "t2", "t3", t1=FAILED, t3=FAILED)

    async def look(tx: Transaction) -> list[str | None]:
        turns = [await tx.turns.get(turn_id) for turn_id in ("t1", "t2", "t3")]
        return [await latest_done(tx, turn) for turn in turns if turn is not None]

    assert await store.read(look) == [None, "t2", "t2"]


async def retake(store: Store, position: tuple[int, int] = (0, 0), turn_id: str = "t1", **how: Any) -> Retake:
    session = await session_of(store)
    return await store.read(lambda tx: edited(tx, session, turn_id, position, "new", **how))


async def have_entries(store: Store, *entries: Entry) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.journal.add(entries), lock=["s1"])
    await close_turn(store, "t1")


async def test_a_message_is_edited(store: Store) -> None:
    await have_chain(store, "t1")

    found = await retake(store)

    assert (found.turn.id, found.inputs, found.text) == ("t1", (), "new")


@pytest.mark.parametrize(("given", "files"), [(None, [OLD_PICTURE]), ([PICTURE], [PICTURE.fields]), ([], None)])
async def test_a_message_that_is_edited_keeps_its_files_unless_others_are_given(
    store: Store, given: list[Attachment] | None, files: list[dict[str, Any]] | None
) -> None:
    await have_entries(store, said("t1", "old", attachments=[OLD_PICTURE]))

    inputs = (await retake(store, attachments=given)).inputs

    assert list(inputs) == ([] if files is None else [{"text": "new", "attachments": files}])


async def test_what_the_server_has_said_with_a_message_is_said_again(store: Store) -> None:
    ended = said("t1", "built", notice={"delivered": "opened"})
    undone = said("t1", "[Undone: a]", index=1, source="undo")
    await have_entries(store, ended, undone, said("t1", "old", index=2))

    inputs = (await retake(store, (0, 2))).inputs

    assert [data["text"] for data in inputs] == ["built", "[Undone: a]", "new"]
    for index in (0, 1):
        with pytest.raises(MessageUnusable, match="a message of yours"):
            await retake(store, (0, index))


async def test_a_message_that_joined_a_turn_is_not_edited(store: Store) -> None:
    await have_entries(store, said("t1", "old"), said("t1", "more", step=1, index=2))

    with pytest.raises(MessageUnusable, match="joined a running turn"):
        await retake(store, (1, 2))


@pytest.mark.parametrize(("turn_id", "position"), [("t9", (0, 0)), ("t1", (0, 1)), ("t2", (0, 0))])
async def test_a_message_of_another_conversation_is_not_edited(
    store: Store, turn_id: str, position: tuple[int, int]
) -> None:
    await have_chain(store, "t1")
    await have_chain(store, "t2", session_id="s2")

    with pytest.raises(MessageUnusable, match="a message of yours"):
        await retake(store, position, turn_id)


async def test_the_last_answer_is_given_again_to_the_same_words(store: Store) -> None:
    await have_entries(store, said("t1", "built", notice={}), said("t1", "old", index=1))
    await have_closed_turn(store, "t2", parent="t1", source=COMPACTION)
    session = await session_of(store)

    found = await store.read(lambda tx: repeated(tx, session))

    assert (found.turn.id, [data["text"] for data in found.inputs], found.text) == ("t1", ["built", "old"], "old")


@pytest.mark.parametrize("source", [None, COMPACTION, "process_wakeup"])
async def test_without_a_message_there_is_no_answer_to_give_again(store: Store, source: str | None) -> None:
    await have_session(store)
    if source is not None:
        await have_closed_turn(store, "t1", source=source)
    session = await session_of(store)

    with pytest.raises(MessageUnusable, match="There is no answer yet"):
        await store.read(lambda tx: repeated(tx, session))
