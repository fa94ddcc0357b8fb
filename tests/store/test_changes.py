"""Changed files: written before the file is, found by turn and by session, and kept for a while."""

import os
from dataclasses import replace

from tests.store.nouns import a_change, have_closed_turn, have_session, have_turn
from wakeful.model.journal.change import ChangeState, KeptChange
from wakeful.store.base import Store

MADE, UNDONE, SKIPPED = ChangeState.MADE, ChangeState.UNDONE, ChangeState.SKIPPED


async def test_a_change_is_read_back_whole_and_replaced_by_the_same_call(store: Store) -> None:
    odd = os.fsdecode(b"/w/\xff.txt")
    first = await _begin(store, a_change(path=odd, shown="漢字.txt"))
    assert await store.read(lambda tx: tx.changes.get("t1", 1, 1)) == first

    again = await _begin(store, replace(first, after="other", undoable=False, written_at=11.0))

    assert await store.read(lambda tx: tx.changes.get("t1", 1, 1)) == again
    assert await store.read(lambda tx: tx.changes.get("t1", 1, 2)) is None


async def test_a_turn_has_its_own_changes_and_those_of_its_sub_agents_newest_first(store: Store) -> None:
    old = await _begin(store, a_change(written_at=1.0))
    below = await _begin(store, a_change("t9", "s9", root_session_id="s1", root_turn_id="t1", written_at=2.0))
    new = await _begin(store, a_change(index=2, written_at=3.0))
    await _begin(store, a_change("t2"))

    assert await store.read(lambda tx: tx.changes.of_turn("t1")) == [new, below, old]
    assert await store.read(lambda tx: tx.changes.of_turn("t9")) == [below]


async def test_the_last_turn_is_the_one_with_the_newest_change_in_such_a_state(store: Store) -> None:
    await _begin(store, a_change("t1", written_at=1.0, call_id="c1"))
    newest = await _begin(store, a_change("t2", written_at=2.0, call_id="c2"))
    await _begin(store, a_change("t9", "s9", root_session_id="s1", root_turn_id="t3", written_at=3.0, call_id="c3"))

    assert await _last(store, "s1") == "t3"
    assert await _last(store, "s9") == "t9"
    assert await _last(store, "s1", call_id="c1") == "t1"
    assert await _last(store, "none") is None

    assert await _settle(store, newest, SKIPPED)
    assert await store.read(lambda tx: tx.changes.last_turn("s1", [SKIPPED])) == "t2"
    assert await _settle(store, newest, UNDONE)
    assert not await _settle(store, newest, UNDONE)


async def test_changes_of_this_machine_are_old_when_their_turn_has_ended_long_ago(store: Store) -> None:
    await have_closed_turn(store, "t1")
    now = await store.read(lambda tx: tx.now())
    await have_session(store, "s2")
    await have_turn(store, "t2", "s2")
    ended = await _begin(store, a_change("t1"))
    await _begin(store, a_change("t2", "s2"))
    await _begin(store, a_change("t1", index=2, host="another"))
    gone = await _begin(store, a_change("gone", written_at=9.0))

    assert await store.read(lambda tx: tx.changes.old("host", now + 60, 10)) == [gone, ended]
    assert await store.read(lambda tx: tx.changes.old("host", now - 60, 10)) == [gone]
    await store.write(lambda tx: tx.changes.remove([gone, ended]))

    assert await store.read(lambda tx: tx.changes.old("host", now + 60, 10)) == []


async def _begin(store: Store, change: KeptChange) -> KeptChange:
    await have_session(store, change.session_id)
    await store.write(lambda tx: tx.changes.begin(change), lock=[change.session_id])
    return change


async def _settle(store: Store, change: KeptChange, state: ChangeState) -> bool:
    return await store.write(lambda tx: tx.changes.settle(change, state), lock=[change.session_id])


async def _last(store: Store, session_id: str, call_id: str = "") -> str | None:
    return await store.read(lambda tx: tx.changes.last_turn(session_id, [MADE], call_id))
