"""Locks: a session is written only by a transaction that has named it.

What most turns write is tested with its subject, such as events.
"""

from typing import Any

import pytest

from tests.store.nouns import a_change, a_grant, a_task, an_approval, have_turn, needs_lock
from wakeful.model.approvals.approval import Choice
from wakeful.model.event import Event
from wakeful.model.journal.change import ChangeState
from wakeful.model.older.words import Move
from wakeful.model.tasks.task import Host
from wakeful.model.turn import Lease
from wakeful.store.base import Store, Transaction

_LEASE = Lease("t1", "s1", "node1", 1)
_EVENT = Event("s1", 1, "t1", 1, "usage", b"{}", 0.0)
_FREE_WRITES: dict[str, Any] = {
    "adopt task": lambda tx: tx.tasks.adopt(Host("host1", "boot1"), "node2", 0.0, keeper=None),
    "next attempt": lambda tx: tx.tasks.next_attempt_if("k1", 1),
    "save watch": lambda tx: tx.tasks.save_watch("k1", b"{}"),
    "intend kill": lambda tx: tx.tasks.intend_kill_if_running("k1"),
    "grant in a folder": lambda tx: tx.grants.give(a_grant(folder="/srv")),
}
_UNLOCKED_WRITES: dict[str, Any] = {
    "take_over": lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"),
    "release": lambda tx: tx.turns.release(_LEASE),
    "ask": lambda tx: tx.approvals.ask_if_new(an_approval()),
    "answer": lambda tx: tx.approvals.answer_if_open(an_approval(), Choice.ONCE, 0.0),
    "grant in a session": lambda tx: tx.grants.give(a_grant()),
    "give up": lambda tx: tx.approvals.give_up(an_approval()),
    "restore": lambda tx: tx.sessions.restore_if_whole("s1", 1.0),
    "delete if forgotten": lambda tx: tx.sessions.delete_if_forgotten("s1", 1.0),
    "remove some": lambda tx: tx.purges.remove_some("s1", 9),
    "let go": lambda tx: tx.purges.let_go("s1"),
    "remove turns": lambda tx: tx.purges.remove_turns("s1", None, 9),
    "finish purge": lambda tx: tx.purges.finish("s1"),
    "begin change": lambda tx: tx.changes.begin(a_change()),
    "settle change": lambda tx: tx.changes.settle(a_change(), ChangeState.UNDONE),
    "tell news": lambda tx: tx.news.add("alice", _EVENT),
    "move old words": lambda tx: tx.old_words.move(Move(_EVENT, None, (1, 2))),
    "take old text": lambda tx: tx.old_words.take_text(_EVENT),
}


async def test_what_is_seldom_written_to_a_session_needs_its_lock_too(store: Store) -> None:
    await have_turn(store)

    accepted = [name for name, write in _UNLOCKED_WRITES.items() if not await needs_lock(store, write)]

    assert accepted == []


@pytest.mark.parametrize("name", _FREE_WRITES)
async def test_what_touches_a_task_or_an_owner_alone_needs_no_lock(store: Store, name: str) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.tasks.add_if_absent(a_task()), lock=["s1"])

    await store.write(_FREE_WRITES[name])


async def test_a_resume_is_taken_back_under_the_lock_of_its_session_and_once(store: Store) -> None:
    await have_turn(store)
    await store.write(lambda tx: tx.turns.take_over_if_running("t1", 1, "node2"), lock=["s1"])

    async def take_back(tx: Transaction) -> None:
        await tx.turns.take_resume_back("t1", "node1", limit=9)

    assert await needs_lock(store, take_back)
    await store.write(take_back, lock=["s1"])
    # Nothing is left that would need the lock.
    await store.write(take_back)
    await store.write(lambda tx: tx.turns.mark_recorded("unknown"))
    assert await store.write(lambda tx: tx.turns.take_over_if_running("unknown", 1, "node2")) is None
